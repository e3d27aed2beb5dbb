"""A refusal says what to do next: checked on the sentences in the source, and on some as they are printed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from whyzero.cli.app import main

PACKAGE = Path(__file__).parent.parent / "server" / "whyzero"
PARTS = ("analyses", "cli", "readers")
ERRORS = {"UsageError", "PathRefusedError", "UnknownFormatError", "TrialNotFoundError"}
VERBS = "Name|name|Give|give|Leave|leave|Add|Write|write|Mend|Change|Look|Pipe"
ADVICE = re.compile(rf"(?:^|[.:,;] )(?:{VERBS})\b|`whyzero causes` lists them")


def sentences() -> Iterator[tuple[str, str]]:
    """Where a refusal is written, and its text with its values as `…`; a text made elsewhere is left out."""
    for path in sorted(file for part in PARTS for file in (PACKAGE / part).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ERRORS and node.args:
                said = node.args[0]
                parts = said.values if isinstance(said, ast.JoinedStr) else [said]
                text = "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in parts)
                if text != "…":
                    yield f"{path.relative_to(PACKAGE)}:{node.lineno}", text


def test_every_refusal_says_what_to_do_next() -> None:
    found = list(sentences())
    assert len(found) > 30
    assert [f"{where} {text}" for where, text in found if not ADVICE.search(text)] == []


@pytest.mark.parametrize(
    "text",
    ["PATH is missing.", "--key goes with --oracle, which is not given.", "There is no folder of that name."],
)
def test_a_sentence_that_only_states_is_no_advice(text: str) -> None:
    assert not ADVICE.search(text)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("partition-disputed-rows", ".", "--key", "id"),
            "--key goes with --oracle, which is not given. Give --oracle too, or leave",
        ),
        (("probe-tool-roundtrip", "https://a.example", "--model", "m"), "Give --allow-network to ask this host."),
        (
            ("verify-fix", ".", "--run", "nowhere.json"),
            "--run: 'nowhere.json' holds no JSON object. Write one of {config, rows, ",
        ),
        (("explain", "nonsense"), "There is no cause 'nonsense'. `whyzero causes` lists them."),
        (
            ("locate-failed-phase", "--managed", "x", "--allow-network", "--workspace", "nowhere"),
            "--workspace: there is no folder",
        ),
    ],
)
def test_what_is_printed(words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(list(words))
    out, error = capsys.readouterr()
    assert (end.value.code, out) == (2, "")
    assert said in error
