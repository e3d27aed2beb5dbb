"""What belongs to the grading code of a rollout: each edit either bears on a verdict of the grader or does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from whyzero.readers.files import Folder
from whyzero.readers.osmosis.grading_code import grader_digest

MAIN = '''\
"""A rollout."""
import json
import os
from osmosis_ai.rollout import AgentWorkflow, Grader, LocalBackend
from text.numbers import last
from text import words
import limits

LIMIT = 3
RUBRIC = "rubric.txt"
seen = 0


def close(a, b):
    return abs(a - b) <= limits.TOLERANCE


def ask(question):
    seen = json.dumps(question)
    return seen


class Ask(AgentWorkflow):
    async def run(self, ctx):
        return [ask(ctx.prompt)] * LIMIT


class Number(Grader):
    """Compares numbers."""

    async def grade(self, ctx):
        # the last number counts
        found = last(words.split(ctx.sample))
        with open(os.path.join("data", RUBRIC)) as rubric:
            ctx.set_reward(1.0 if close(found, rubric.read()) else 0.0)


def main():
    backend = LocalBackend(workflow=Ask, grader=Number, grader_config={"strict": True})
    serve(backend, port=8000)


if __name__ == "__main__":
    main()
'''
FILES = {
    "main.py": MAIN,
    "limits.py": "TOLERANCE = 0.01\nRETRIES = 3\n",
    "text/__init__.py": "",
    "text/numbers.py": "from .words import split\n\n\ndef last(parts):\n    return parts[-1]\n\n\ndef first(parts):\n    return parts[0]\n",
    "text/words.py": "def split(text):\n    return text.split()\n",
    "unused.py": "class OldGrader:\n    def grade(self, ctx):\n        return 0\n",
    "rubric.txt": "be exact",
    "notes.txt": "nothing",
    "pyproject.toml": '[project]\nname = "a"\n',
}


def digest(root: Path, files: dict[str, str], entrypoint: str = "main.py") -> str | None:
    for name, text in files.items():
        path = root / "rollouts/a" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return grader_digest(Folder(root), "rollouts/a", entrypoint)


def edited(path: str, old: str, new: str) -> dict[str, str]:
    assert FILES[path].count(old) == 1, (path, old)
    return {**FILES, path: FILES[path].replace(old, new)}


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("main.py", "[ask(ctx.prompt)] * LIMIT", "[ask(ctx.prompt + '!')] * LIMIT"),
        ("main.py", "LIMIT = 3", "LIMIT = 4"),
        ("main.py", "json.dumps(question)", "json.dumps(question, indent=1)"),
        ("main.py", "seen = 0\n", "seen = 1\n"),
        ("main.py", "port=8000", "port=8001"),
        ("main.py", "import json\n", "import json\nimport httpx\n"),
        ("main.py", "AgentWorkflow, Grader, LocalBackend", "AgentWorkflow, AgentWorkflowContext, Grader, LocalBackend"),
        ("main.py", "        # the last number counts\n", "\n"),
        ("main.py", '"""Compares numbers."""', '"""Compares two numbers."""'),
        ("main.py", 'os.path.join("data", RUBRIC)', 'os.path.join(\n            "data",\n            RUBRIC)'),
        ("text/numbers.py", "parts[0]", "parts[1]"),
        ("unused.py", "return 0", "return 1"),
        ("notes.txt", "nothing", "something"),
        ("pyproject.toml", '"a"', '"b"'),
    ],
)
def test_an_edit_beside_the_grader_leaves_it_the_same(path: str, old: str, new: str, tmp_path: Path) -> None:
    before = digest(tmp_path / "before", FILES)
    assert before is not None
    assert digest(tmp_path / "after", edited(path, old, new)) == before


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("main.py", "1.0 if close", "0.5 if close"),
        ("main.py", "<= limits.TOLERANCE", "< limits.TOLERANCE"),
        ("main.py", 'RUBRIC = "rubric.txt"', 'RUBRIC = "notes.txt"'),
        ("main.py", "grader=Number,", "grader=functools.partial(Number),"),
        ("main.py", '"strict": True', '"strict": False'),
        ("main.py", "from text.numbers import last", "from text.numbers import first as last"),
        ("main.py", "def main():", "Number.grade = ask\n\n\ndef main():"),
        ("main.py", "class Number(Grader):", "@ask\nclass Number(Grader):"),
        ("main.py", "async def grade(self, ctx):", "async def grade(self, ctx, limit=LIMIT):"),
        ("limits.py", "0.01", "0.1"),
        ("text/numbers.py", "parts[-1]", "parts[-2]"),
        ("text/words.py", "text.split()", "text.split(',')"),
        ("rubric.txt", "be exact", "be kind"),
    ],
)
def test_an_edit_that_a_verdict_can_depend_on_changes_it(path: str, old: str, new: str, tmp_path: Path) -> None:
    before, after = digest(tmp_path / "before", FILES), digest(tmp_path / "after", edited(path, old, new))
    assert before is not None
    assert after is not None
    assert after != before


@pytest.mark.parametrize(
    "files",
    [
        {"main.py": "class Ask:\n    def run(self):\n        pass\n"},
        {"main.py": "class Number(Grader)\n"},
        {"main.py": MAIN.replace("found = last", "found = eval(ctx.code) or last")},
        {
            "main.py": MAIN.replace("import json", "import importlib").replace(
                "found = last", "found = importlib.import_module('x') or last"
            )
        },
        {"other.py": MAIN},
    ],
    ids=["no grader", "no Python", "evaluates text", "imports by name", "no entrypoint"],
)
def test_what_reading_does_not_show_is_unknown(files: dict[str, str], tmp_path: Path) -> None:
    rest = {name: text for name, text in FILES.items() if name != "main.py"}
    assert digest(tmp_path, rest | files) is None


def test_the_body_of_a_decorator_counts(tmp_path: Path) -> None:
    """Also of a base class and of a default."""
    for name, use in (("wrap", "@wrap\nclass Number(Grader):"), ("Base", "class Number(Base, Grader):")):
        main = MAIN.replace("class Number(Grader):", use).replace(
            "class Ask", "def wrap(kind):\n    return kind\n\n\nclass Base:\n    scale = 1.0\n\n\nclass Ask"
        )
        other = (
            main.replace("return kind\n", "return strict(kind)\n")
            if name == "wrap"
            else main.replace("scale = 1.0", "scale = 2.0")
        )
        assert other != main
        before = digest(tmp_path / name / "a", {**FILES, "main.py": main})
        assert before is not None
        assert digest(tmp_path / name / "b", {**FILES, "main.py": other}) != before


def test_a_server_started_at_module_level_is_no_grading_code(tmp_path: Path) -> None:
    main = MAIN.replace("    main()\n", "    pass\n\n\nserve(LocalBackend(workflow=Ask, grader=Number), port=8000)\n")
    before = digest(tmp_path / "a", {**FILES, "main.py": main})
    assert before is not None
    assert digest(tmp_path / "b", {**FILES, "main.py": main.replace("Number), port=8000", "Number), port=9000")}) == before


def test_a_folder_of_data_belongs_to_the_code_that_names_it_or_works_from_its_own_place(tmp_path: Path) -> None:
    data = {**FILES, "keys/one.json": "{}", "assets/two.json": "{}"}
    for name, line in (("named", 'open(f"keys/{ctx.id}.json")'), ("place", "Path(__file__).parent.joinpath(ctx.id)")):
        main = MAIN.replace("found = last", f"key = {line}\n        found = last")
        for file, bears in (("keys/one.json", True), ("assets/two.json", name == "place")):
            before = digest(tmp_path / name / file / "a", {**data, "main.py": main})
            assert before is not None
            after = digest(tmp_path / name / file / "b", {**data, "main.py": main, file: "[]"})
            assert (after != before) is bears, (name, file)


def test_a_star_import_brings_what_it_brings(tmp_path: Path) -> None:
    main = MAIN.replace("from text.numbers import last\n", "from text.numbers import *\n")
    before = digest(tmp_path / "a", {**FILES, "main.py": main})
    assert before is not None
    other = {**edited("text/numbers.py", "parts[-1]", "parts[-2]"), "main.py": main}
    assert digest(tmp_path / "b", other) != before


def test_moved_code_is_the_same_code(tmp_path: Path) -> None:
    grader = MAIN[MAIN.index("class Number") : MAIN.index("def main")]
    head = MAIN[: MAIN.index("LIMIT")]
    close = MAIN[MAIN.index("def close") : MAIN.index("def ask")]
    moved = {
        **FILES,
        "main.py": MAIN.replace(grader, "").replace(close, "").replace("LIMIT = 3", "from grading import Number\n\nLIMIT = 3"),
        "grading.py": head + 'RUBRIC = "rubric.txt"\n\n' + close + grader,
    }
    assert digest(tmp_path / "after", moved) == digest(tmp_path / "before", FILES)


def test_tests_of_a_sandbox_task_grade_before_any_class(tmp_path: Path) -> None:
    task = {
        "main.py": "backend = HarborBackend(tasks_dir='tasks')\n",
        "tasks/a/tests/test.sh": "pytest\n",
        "tasks/a/instruction.md": "Do it.",
    }
    before = digest(tmp_path / "a", task)
    assert before is not None
    assert digest(tmp_path / "b", {**task, "tasks/a/instruction.md": "Do it well."}) == before
    assert digest(tmp_path / "c", {**task, "tasks/a/tests/test.sh": "true\n"}) != before


def test_a_module_in_a_package_is_found_from_the_folder_of_the_entrypoint(tmp_path: Path) -> None:
    files = {
        "src/app/main.py": "from app.grading import Number\n\nserve(grader=Number)\n",
        "src/app/__init__.py": "",
        "src/app/grading.py": "from . import scale\n\n\nclass Number:\n    def grade(self, ctx):\n        return scale.full()\n",
        "src/app/scale.py": "def full():\n    return 1.0\n",
    }
    before = digest(tmp_path / "a", files, "src/app/main.py")
    assert before is not None
    assert digest(tmp_path / "b", {**files, "src/app/scale.py": "def full():\n    return 2.0\n"}, "src/app/main.py") != before
