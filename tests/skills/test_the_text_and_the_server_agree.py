"""A skill that names a tool, an argument, a field or a word which is not there leads astray: text and server may not drift apart."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from mcp import Client
from mcp_types import Tool

import whyzero
from skills.procedure import SKILLS, Skill, capitals, skills, valued
from whyzero.analyses.partition.report import RowClass, TaskClass, Verdict
from whyzero.analyses.probe_tool_roundtrip import RoundTripVerdict
from whyzero.analyses.staleness.advice import Advice
from whyzero.analyses.staleness.checked import Freshness
from whyzero.analyses.verify_fix import FixVerdict
from whyzero.causes import ORDER
from whyzero.evidence import Level
from whyzero.findings import Outcome
from whyzero.mcp_server import build_server
from whyzero.model import Phase

pytestmark = pytest.mark.anyio

ROOT = SKILLS.parent
WORDS = (Phase, Outcome, Level, Freshness, Advice, RowClass, TaskClass, Verdict, FixVerdict, RoundTripVerdict)
KEYS_OF_THE_SPECIFICATION = {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}

every_skill = pytest.mark.parametrize("one", skills(), ids=lambda one: one.name)


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def tools(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Tool]:
    async with Client(build_server([tmp_path_factory.mktemp("nothing")])) as client:
        return {tool.name: tool for tool in (await client.list_tools()).tools}


def words() -> set[str]:
    """Every verdict word and every cause."""
    return {one.value for kind in WORDS for one in kind} | set(ORDER) | {"undetermined"}


def fields(tools: dict[str, Tool]) -> set[str]:
    """Every field of every answer, and every argument."""
    found: set[str] = set()

    def collect(schema: object) -> None:
        if isinstance(schema, dict):
            found.update(schema.get("properties", {}))
            for value in schema.values():
                collect(value)
        elif isinstance(schema, list):
            for value in schema:
                collect(value)

    for tool in tools.values():
        collect(tool.input_schema)
        collect(tool.output_schema)
    return found


# ---- the open specification


@every_skill
def test_it_is_a_skill_by_the_open_specification(one: Skill) -> None:
    head = one.text.split("\n---\n", 1)[0].removeprefix("---\n")
    keys = set(re.findall(r"^([a-z-]+):", head, flags=re.M))
    assert keys <= KEYS_OF_THE_SPECIFICATION
    assert f"\nname: {one.name}\n" in f"\n{head}"
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", one.name)
    assert len(one.name) <= 64
    assert 0 < len(one.description) <= 1024
    assert len(one.body.splitlines()) < 500
    assert len(one.body) < 5000 * 3.5, "about 5,000 tokens"


@every_skill
def test_its_description_names_the_moment_and_what_it_is_not_for(one: Skill) -> None:
    assert " Use when " in one.description
    assert " before " in one.description
    assert " Not for " in one.description
    others = {other.name for other in skills()} - {one.name}
    assert all(name in one.description for name in others), "says which skill to load instead"
    assert not re.search(r"\b(I|you|your)\b", re.sub(r'".*?"', "", one.description)), "third person"


@every_skill
def test_its_links_stay_inside_its_folder_one_level_deep(one: Skill) -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", one.text)
    assert links
    for link in links:
        assert re.fullmatch(r"references/[a-z]+\.md", link), link
        assert (SKILLS / one.name / link).is_file()
    for page in (SKILLS / one.name / "references").iterdir():
        assert f"references/{page.name}" in links, f"{page.name} is never mentioned"
        assert not [link for link in re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8")) if link[0] != "#"]


@every_skill
def test_its_references_are_the_ones_at_the_top(one: Skill) -> None:
    for page in (SKILLS / one.name / "references").iterdir():
        assert page.read_bytes() == (ROOT / "references" / page.name).read_bytes(), "run python references/generate.py"


@every_skill
def test_its_version_is_the_one_of_the_program(one: Skill) -> None:
    assert f'version: "{whyzero.__version__}"' in one.text


# ---- tools and arguments


@every_skill
async def test_every_call_is_one_that_the_server_takes(one: Skill, tools: dict[str, Tool]) -> None:
    assert [step.number for step in one.steps] == list(range(1, len(one.steps) + 1))
    assert len(one.steps) == len(re.findall(r"^### \d", one.text, flags=re.M)), "a step without a condition or a call"
    for step in one.steps:
        schema = tools[step.tool].input_schema
        assert step.arguments.keys() <= schema["properties"].keys()
        assert set(schema.get("required", ())) <= step.arguments.keys()


@every_skill
async def test_objects_in_a_call_hold_the_keys_that_the_server_takes(one: Skill, tools: dict[str, Tool]) -> None:
    from whyzero.osmosis_cli.eval_run import KEYS

    every = dict.fromkeys(one.names, 0)
    for step in one.steps:
        for name, value in step.arguments.items():
            if isinstance(value, ast.Dict):
                taken = tools[step.tool].input_schema["properties"][name].get("properties") or dict.fromkeys(KEYS)
                assert set(valued(value, every)) <= set(taken)


@every_skill
def test_every_name_in_capitals_is_explained_and_used(one: Skill) -> None:
    used = {name for step in one.steps for name in capitals(step)}
    asked = set(re.findall(r"you know ([A-Z]+)", one.text))
    assert used | asked == one.names


@every_skill
def test_a_plain_step_does_not_hang_on_what_is_unknown(one: Skill) -> None:
    """With PATH alone, what is required is there."""
    first = one.steps[0]
    assert first.when == "always."
    assert first.holds({"PATH": "run"}, {})
    assert "path" in first.filled({"PATH": "run"})


# ---- words


@every_skill
async def test_every_word_in_code_is_a_tool_a_field_an_argument_or_a_verdict(one: Skill, tools: dict[str, Tool]) -> None:
    from whyzero.roundtrip.protocols import PROTOCOLS

    prose = re.sub(r"^```$.*?^```$", "", one.body, flags=re.M | re.S)
    known = words() | fields(tools) | set(tools) | {"null", "eval", "train", "resume", *PROTOCOLS}
    unknown = set()
    for code in re.findall(r"`([^`\n]+)`", prose):
        if re.fullmatch(r"[a-z][a-z_-]*", code):
            unknown |= {code} - known
        elif re.fullmatch(r"[a-z_]+(\.[a-z_]+)+", code):
            unknown |= set(code.split(".")) - known
        elif found := re.fullmatch(r"([a-z_]+): .*", code):
            unknown |= {found[1]} - known
    assert unknown == set()


@every_skill
async def test_fields_of_an_answer_are_fields_of_that_tool(one: Skill, tools: dict[str, Tool]) -> None:
    by_number = {step.number: step.tool for step in one.steps}
    sources = [pair for pairs in one.report.values() for pair in pairs]
    assert len(sources) >= len(one.report) - 1, "a line of the report that comes from nowhere"
    conditions = [(f.split(".")[0], int(n)) for f, n in re.findall(r"`([a-z_.]+)` of step (\d+)", one.text)]
    for field, number in [*sources, *conditions]:
        assert field in fields({"": tools[by_number[number]]}), f"{field} of step {number}"


@every_skill
def test_every_kind_of_report_line_has_a_source(one: Skill) -> None:
    nowhere = [line for line, sources in one.report.items() if not sources]
    assert nowhere in ([], ["Not done"])


def test_the_page_of_words_holds_all_words_and_no_other() -> None:
    text = (ROOT / "references" / "verdicts.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z_]+)` \|", text, flags=re.M)
    assert sorted(rows) == sorted(one.value for kind in WORDS for one in kind)


def test_the_commands_never_to_be_run_are_none_that_the_server_may_run() -> None:
    from whyzero.osmosis_cli.allowed import COMMANDS

    section = (
        (SKILLS / "debug-rollouts" / "SKILL.md").read_text(encoding="utf-8").split("## Never as a dry run")[1].split("\n## ")[0]
    )
    forbidden = {tuple(code.split()[1:]) for code in re.findall(r"`(osmosis [a-z ]+)`", section)}
    assert ("eval", "run") in forbidden
    assert ("eval", "upload") in forbidden
    assert forbidden.isdisjoint(COMMANDS)


def test_a_skill_stands_alone_wherever_it_is_copied(tmp_path: Path) -> None:
    import shutil

    for one in skills():
        shutil.copytree(SKILLS / one.name, tmp_path / one.name)
        for link in re.findall(r"\]\(([^)#]+)\)", one.text):
            assert (tmp_path / one.name / link).is_file()
