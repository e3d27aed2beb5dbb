"""`partition-disputed-rows`: is it the model or the answer key?"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from whyzero.cli.arguments import Format, Html, Json
from whyzero.cli.output import answer
from whyzero.cli.reading import SignOfLife
from whyzero.errors import UsageError

Paths = Annotated[list[Path], typer.Argument(metavar="PATH...", help="Trials, runs, or folders of them.")]
Oracle = Annotated[
    Path | None, typer.Option("--oracle", metavar="FILE", help="The answer key; without it tests and tasks are partitioned.")
]
Key = Annotated[list[str] | None, typer.Option("--key", metavar="FIELD", help="Field that identifies a row (repeatable).")]
Deliverable = Annotated[
    str | None, typer.Option("--deliverable", metavar="NAME", help="The file the brief asks for; default: found in the brief.")
]
Fields = Annotated[
    list[str] | None,
    typer.Option("--field", metavar="NAME", help="Compare this field only (repeatable); default: all shared ones."),
]
Corpus = Annotated[Path | None, typer.Option("--corpus", metavar="FOLDER", help="The text that the key was made from.")]
Rule = Annotated[str | None, typer.Option("--rule", metavar="REGEX", help="What a sound row's sentence looks like.")]
Wide = Annotated[str | None, typer.Option("--wide", metavar="REGEX", help="A wider net: has to match all that --rule matches.")]
Rules = Annotated[
    Path | None, typer.Option("--rules", metavar="FILE", help='Candidates to replace --rule: JSON {"name": "regex"}.')
]
ScorerText = Annotated[
    str | None,
    typer.Option("--scorer", metavar="PROGRAM", help="Run as PROGRAM SUBMISSION ORACLE, without a shell; default: a row scorer."),
]
Original = Annotated[
    Path | None,
    typer.Option("--original", metavar="FILE", help="The key the rewards were made with, where --oracle is the corrected one."),
]
Audit = Annotated[bool, typer.Option("--audit-grader", help="Also put probes with a known right reward to --scorer.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, metavar="N", help="List at most N disputed rows of each class.")]


def partition_disputed_rows(
    paths: Paths,
    oracle: Oracle = None,
    key: Key = None,
    deliverable: Deliverable = None,
    field: Fields = None,
    corpus: Corpus = None,
    rule: Rule = None,
    wide: Wide = None,
    rules: Rules = None,
    scorer: ScorerText = None,
    original: Original = None,
    audit_grader: Audit = False,
    response_format: Format = "concise",
    limit: Limit = None,
    as_json: Json = False,
    page: Html = None,
) -> int:
    """Say which side is wrong, models or answer key."""
    with SignOfLife(paths[0].name, quiet=as_json) as life:
        from whyzero.analyses.partition_disputed_rows import partition_disputed_rows

        report = partition_disputed_rows(
            paths,
            oracle,
            key or (),
            deliverable=deliverable,
            fields=field or (),
            corpus=corpus,
            rule=rule,
            wide=wide,
            rules=candidate_rules(rules),
            scorer=program(scorer),
            original=original,
            audit_grader=audit_grader,
            response_format=response_format,
            limit=limit,
            progress=life.tick,
        )
    return answer(report, as_json=as_json, page=page)


def candidate_rules(path: Path | None) -> dict[str, str]:
    """The named expressions of a `--rules` file.

    Raises:
        UsageError: it is no JSON object of texts.
    """
    from whyzero.readers.files import Folder

    if path is None:
        return {}
    value: Any = Folder(path.parent).json(path.name)
    if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
        raise UsageError(f'--rules {str(path)!r} holds no JSON object of texts. Write {{"name": "regular expression"}} into it.')
    return value


def program(text: str | None) -> list[str]:
    """The argument list of a program written as one text.

    Raises:
        UsageError: a quote is not closed, or there is nothing.
    """
    if text is None:
        return []
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    if not words:
        raise UsageError(f"--scorer {text!r} is no program: give it with its arguments as one text, quotes closed.")
    return words
