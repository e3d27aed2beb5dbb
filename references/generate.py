"""Writes what is generated: the pages of causes and tools, the output shown in README.md, and the copies in skills/.

Run it in the project's environment after a page, a layout or a sentence of a report changed: `.venv/bin/python references/generate.py`.
With `--check` it writes nothing and exits 1 where a file is not as it would be written.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from rich.console import Console

from whyzero.analyses.diagnose import diagnose
from whyzero.catalogue import reference
from whyzero.readers import open_run
from whyzero.render import document
from whyzero.render.terminal import Rendered

ROOT = Path(__file__).resolve().parent.parent
WIDTH = 120
COMMAND = "$ whyzero diagnose examples/harbor-job\n"
IN_SKILLS = ("causes.md", "verdicts.md")
"""Pages that every skill carries: a skill is copied without what lies around it."""


def readme() -> str:
    """README.md with an excerpt of the demo's output as it is today."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    before, rest = text.split(COMMAND, 1)
    _, after = rest.split("```", 1)
    return before + COMMAND + "\n".join(excerpt(output())) + "\n```" + after


def output() -> list[str]:
    """Lines of the demo on a terminal without colours."""
    out = io.StringIO()
    report = diagnose(open_run(ROOT / "examples" / "harbor-job"))
    Console(file=out, width=WIDTH, highlight=False).print(Rendered(document(report)))
    return [line.rstrip() for line in out.getvalue().splitlines()]


def excerpt(lines: list[str]) -> list[str]:
    """The verdict with its first proof, the trials, the totals; `...` where something is left out."""

    def part(start: str, end: str) -> list[str]:
        first = next(number for number, line in enumerate(lines) if line.startswith(start))
        last = next(number for number, line in enumerate(lines) if number > first and line.startswith(end))
        return lines[first:last]

    proof = part("Evidence", "What could show")[:4]
    trials = part("Trials", "All ") + part("All ", "")[:1]
    return [*part("whyzero", "harbor-job ("), *proof, "...", *trials, "...", *part("Scores", "- ")[:-1]]


def tool_pages() -> dict[str, str]:
    """One page a tool, from the definitions of the server and its answers to the bundled examples."""
    from tool_page import pages

    return pages(ROOT)


def copies(generated: dict[str, str]) -> dict[str, str]:
    """Pages of references/ as each skill holds them."""
    pages = {page: generated.get(f"references/{page}") or written(ROOT / "references" / page) for page in IN_SKILLS}
    skills = sorted(path.parent for path in (ROOT / "skills").glob("*/SKILL.md"))
    return {f"skills/{skill.name}/references/{page}": text for skill in skills for page, text in pages.items()}


def written(path: Path) -> str:
    """The file as it is; empty where there is none."""
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def main() -> int:
    """Write, or compare."""
    generated = {"references/causes.md": reference(), "README.md": readme()} | tool_pages()
    generated |= copies(generated)
    changed = [name for name, text in generated.items() if written(ROOT / name) != text]
    for name in changed:
        if "--check" in sys.argv:
            sys.stderr.write(f"{name} is not as generated: run python references/generate.py\n")
        else:
            (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / name).write_text(generated[name], encoding="utf-8")
    return 1 if changed and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
