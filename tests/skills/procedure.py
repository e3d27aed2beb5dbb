"""A skill read as a script: its steps, their conditions and calls, and the lines of its report, all from the text of SKILL.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SKILLS = Path(__file__).parents[2] / "skills"

Answer = dict[str, Any]
Ask = Callable[[str, dict[str, Any]], Awaitable[Answer]]

STEP = re.compile(r"^### (\d+)\. (.+?)\n\n\*\*When:\*\* (.+?)\n\n```\n(.+?)\n```", flags=re.M | re.S)
LINE = re.compile(r"^\| ([A-Z][^|]*?) \| (.+?) \|$", flags=re.M)
FIELD_OF_STEP = r"`([a-z_.]+)` of step (\d+)"


class Unknown(Exception):
    """An argument in capitals that the caller does not know."""


@dataclass(frozen=True)
class Step:
    """One numbered step."""

    number: int
    title: str
    when: str
    tool: str
    arguments: dict[str, ast.expr]

    def filled(self, known: dict[str, Any]) -> dict[str, Any]:
        """The arguments, those with an unknown name left out."""
        result = {}
        for name, value in self.arguments.items():
            try:
                result[name] = valued(value, known)
            except Unknown:
                continue
        return result

    def holds(self, known: dict[str, Any], answers: dict[int, Answer]) -> bool:
        """Whether its condition is met."""
        return all(_holds(part.strip().removeprefix("and "), known, answers) for part in self.when.removesuffix(".").split("; "))


@dataclass(frozen=True)
class Skill:
    """One SKILL.md."""

    name: str
    text: str

    @property
    def description(self) -> str:
        return " ".join(self.text.split("description: >-\n", 1)[1].split("\nlicense:", 1)[0].split())

    @property
    def body(self) -> str:
        return self.text.split("\n---\n", 1)[1]

    @property
    def steps(self) -> list[Step]:
        return [_step(*found) for found in STEP.findall(self.text)]

    @property
    def names(self) -> set[str]:
        """The names in capitals that the skill explains."""
        section = self.text.split("## What to know before the first call", 1)[1].split("\n## ", 1)[0]
        return {name for row in re.findall(r"^\| ([A-Z, ]+) \|", section, flags=re.M) for name in row.split(", ")}

    @property
    def report(self) -> dict[str, list[tuple[str, int]]]:
        """Line of the report and the (field, step) pairs it comes from."""
        section = re.split(r"^## The (?:report|record)$", self.text, flags=re.M)[1]
        return {line: _fields(source) for line, source in LINE.findall(section)}


def skill(name: str) -> Skill:
    return Skill(name, (SKILLS / name / "SKILL.md").read_text(encoding="utf-8"))


def skills() -> list[Skill]:
    return [skill(path.parent.name) for path in sorted(SKILLS.glob("*/SKILL.md"))]


async def follow(one: Skill, known: dict[str, Any], ask: Ask) -> dict[int, Answer]:
    """Do the steps in their order; answers by step. Only what stands in the text is called."""
    answers: dict[int, Answer] = {}
    for step in one.steps:
        if step.holds(known, answers):
            answers[step.number] = await ask(step.tool, step.filled(known))
    return answers


def reported(one: Skill, answers: dict[int, Answer]) -> dict[str, dict[str, Any]]:
    """The report: for each line, the fields that its steps answered."""
    return {
        line: {field: look_up(answers[step], field) for field, step in sources if step in answers}
        for line, sources in one.report.items()
    }


def look_up(answer: Any, field: str) -> Any:
    """`a.b` in an answer; a field of a list's members where the name is not at the top."""
    if field == "counts_as_score":
        return [trial[field] for trial in answer["trials"]]
    for part in field.split("."):
        answer = answer.get(part) if isinstance(answer, dict) else None
    return answer


def valued(node: ast.expr, known: dict[str, Any]) -> Any:
    """The value of an argument as it is written in a call."""
    match node:
        case ast.Name(id=name):
            if name not in known:
                raise Unknown(name)
            return known[name]
        case ast.Constant(value=value):
            return value
        case ast.List(elts=parts):
            return [valued(part, known) for part in parts]
        case ast.Dict(keys=keys, values=values):
            written = {}
            for key, value in zip(keys, values, strict=True):
                assert isinstance(key, ast.Constant)
                try:
                    written[key.value] = valued(value, known)
                except Unknown:
                    continue
            return written
    raise AssertionError(f"a call holds {ast.unparse(node)}, which is neither a name in capitals nor a literal")


def capitals(step: Step) -> set[str]:
    """Names in capitals in its arguments."""
    return {node.id for value in step.arguments.values() for node in ast.walk(value) if isinstance(node, ast.Name)}


def _step(number: str, title: str, when: str, call: str) -> Step:
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call), f"step {number}: no call"
    assert isinstance(node.func, ast.Name)
    assert not node.args, f"step {number}: arguments are named"
    arguments = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
    return Step(int(number), title, " ".join(when.split()), node.func.id, arguments)


def _fields(source: str) -> list[tuple[str, int]]:
    """`a` and `b` of step 1 -> [(a, 1), (b, 1)]."""
    found = re.search(r"^(.*) (?:of|in) (?:the affected trial in )?step (\d+)|(.*)", source)
    assert found is not None
    if found[1] is None:
        return []
    return [(field, int(found[2])) for field in re.findall(r"`([a-z_]+)`", found[1])]


def _holds(said: str, known: dict[str, Any], answers: dict[int, Answer]) -> bool:
    if said == "always":
        return True
    if found := re.fullmatch(r"you know ([A-Z]+)", said):
        return found[1] in known
    found = re.fullmatch(FIELD_OF_STEP + r" (is not empty|is one of (.+)|is (\d+) or more)", said)
    assert found is not None, f"a condition that nobody can follow: {said}"
    value = look_up(answers.get(int(found[2])), found[1])
    if found[5]:
        return (value or 0) >= int(found[5])
    return value in re.findall(r"`([a-z_]+)`", found[4]) if found[4] else bool(value)
