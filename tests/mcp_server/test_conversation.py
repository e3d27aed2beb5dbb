"""A client and the real server over stdio, in both protocol eras: both channels say what the Python function says."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp import Client

from mcp_server.conftest import connected
from mcp_server.jobs import failed_with, write_job
from whyzero.analyses.check_staleness import Staleness, check_staleness
from whyzero.analyses.classify_zero import ZeroClassification, classify_zero
from whyzero.analyses.locate_failed_phase import FailedPhase, locate_failed_phase
from whyzero.analyses.partition_disputed_rows import Partition, partition_disputed_rows
from whyzero.analyses.report import Report
from whyzero.analyses.verify_fix import Expectation, FixVerification, verify_fix
from whyzero.evidence import dump
from whyzero.mcp_server.fitting import CONCISE, DETAILED
from whyzero.readers import open_run, runs_below
from whyzero.readers.today import Today
from whyzero.render import markdown

pytestmark = pytest.mark.anyio

GOOD, BAD = "sum-numbers__aaaaaaa", "sum-numbers__bbbbbbb"


PASSED = {"verifier_result": {"rewards": {"reward": 1.0}}}
SUBMITTED = [{"id": 1, "total": 10}, {"id": 2, "total": 20}]
KEY = [{"id": 1, "total": 10}, {"id": 2, "total": 20}, {"id": 3, "total": 30}]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("conversation")
    write_job(root / "jobs" / "mixed", {GOOD: {}, BAD: failed_with("container exited with 137")})
    write_job(root / "jobs" / "passed", {GOOD: PASSED, BAD: PASSED})
    write_job(root / "jobs" / "large", {f"sum-numbers__{n:07}": failed_with(f"boom {n}") for n in range(60)})
    for trial in (GOOD, BAD):
        submitted = root / "jobs" / "passed" / trial / "verifier" / "submitted-totals.json"
        submitted.write_text(json.dumps(SUBMITTED))
    (root / "key.json").write_text(json.dumps(KEY))
    (root / "corpus").mkdir()
    (root / "corpus" / "ledger.txt").write_text("entry 1: 10\nentry 2: 20\nnote 3 was struck out\n")
    (root / "tasks" / "sum-numbers").mkdir(parents=True)
    (root / "tasks" / "sum-numbers" / "instruction.md").write_text("Write the totals of 2026 to totals.json.\n")
    (root / "tasks" / "sum-numbers" / "task.toml").write_text('version = "1.0"\n')
    return root


@pytest.fixture(scope="module", params=["auto", "legacy"])
async def client(root: Path, request: pytest.FixtureRequest) -> AsyncIterator[Client]:
    async with connected(root, mode=request.param) as client:
        yield client


RULES = {"rule": r"^entry \d+", "wide": r"\d", "rules": {"any line": r"."}}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("locate_failed_phase", {"path": "jobs/mixed"}),
    ("locate_failed_phase", {"path": "jobs/mixed", "trial": BAD}),
    ("locate_failed_phase", {"path": "jobs/mixed", "trial": None, "row": None, "error": None}),
    ("locate_failed_phase", {"path": "jobs/mixed", "error": '{"error": {"message": "a JSON text stays a text"}}'}),
    ("locate_failed_phase", {"path": "jobs/passed"}),
    ("locate_failed_phase", {"path": "jobs/large"}),
    ("classify_zero", {"path": "jobs/mixed"}),
    ("classify_zero", {"path": "jobs/mixed", "include": "all", "response_format": "detailed"}),
    ("classify_zero", {"path": "jobs/passed"}),
    ("classify_zero", {"path": "jobs/large"}),
    ("check_staleness", {"path": "jobs/mixed"}),
    ("check_staleness", {"path": "jobs", "task": "tasks/sum-numbers", "oracle": ["key.json"], "fields": "total"}),
    ("check_staleness", {"path": "jobs/large", "task": "tasks", "deliverable": "totals.json", "response_format": "detailed"}),
    ("partition_disputed_rows", {"paths": ["jobs/mixed", "jobs/passed"]}),
    ("partition_disputed_rows", {"paths": "jobs/passed", "oracle": "key.json", "key": "id"}),
    ("partition_disputed_rows", {"paths": ["jobs/passed"], "oracle": "key.json", "key": ["id"], "corpus": "corpus", **RULES}),
    ("verify_fix", {"before": "jobs/mixed", "after": "jobs/passed"}),
    ("verify_fix", {"before": "jobs/mixed"}),
    ("verify_fix", {"before": "jobs/passed", "expect": {"value": 1, "source": "table 2"}}),
]
SHORTENED = {("check_staleness", "jobs"), ("check_staleness", "jobs/large")}
"""Answers that are over their budget as the function gives them (see test_fitting)."""
LIMITS = {"concise": CONCISE, "detailed": DETAILED}
REPORTS = {
    "locate_failed_phase": FailedPhase,
    "classify_zero": ZeroClassification,
    "check_staleness": Staleness,
    "partition_disputed_rows": Partition,
    "verify_fix": FixVerification,
}


def by_the_function(tool: str, root: Path, arguments: dict[str, Any]) -> Report:
    """What the Python function says when it is asked the same."""
    given = {name: value for name, value in arguments.items() if value is not None}
    lists = ("paths", "key", "fields") if tool == "partition_disputed_rows" else ("fields", "oracle")
    listed = {name: [given.pop(name)] if isinstance(given[name], str) else given.pop(name) for name in lists if name in given}
    if given.get("response_format") == "detailed" and tool != "partition_disputed_rows":
        given["limit"] = 25
    match tool:
        case "locate_failed_phase":
            run = open_run(root / given.pop("path"), error=given.pop("error", None))
            return locate_failed_phase(run, **given)
        case "classify_zero":
            return classify_zero(open_run(root / given.pop("path")), **given)
        case "check_staleness":
            today, runs = Today(), runs_below(root / given.pop("path"))
            task = today.task(root / given.pop("task")) if "task" in given else today.workspace_of(runs[0])
            key = today.keys([root / one for one in listed.pop("oracle", [])], task)
            return check_staleness(runs, task=task, oracle=key, **given, **listed)
        case "partition_disputed_rows":
            places = {name: root / given.pop(name) for name in ("oracle", "corpus") if name in given}
            return partition_disputed_rows([root / one for one in listed.pop("paths")], **places, **given, **listed)
        case _:
            expect = Expectation(**given["expect"]) if "expect" in given else None
            after = open_run(root / given["after"]) if "after" in given else None
            return verify_fix(open_run(root / given["before"]), after, expect=expect)


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
async def test_both_channels_say_what_the_function_says(client: Client, root: Path, tool: str, arguments: dict[str, Any]) -> None:
    answer = await client.call_tool(tool, arguments)

    report = by_the_function(tool, root, arguments)
    said, whole = answer.structured_content, _relative(dump(report), root)
    assert not answer.is_error
    assert said is not None
    assert [block.type for block in answer.content] == ["text"]
    if (tool, str(arguments.get("path"))) in SHORTENED:
        assert len(json.dumps(whole)) > LIMITS[arguments.get("response_format", "concise")]
        assert [trial["id"] for trial in said["trials"]] == [trial["id"] for trial in whole["trials"]][: len(said["trials"])]
        assert said["counts"] == whole["counts"]
    else:
        assert said == whole
        assert answer.content[0].text.replace(f"{root}/", "") == markdown(report).replace(f"{root}/", "")  # type: ignore[union-attr]


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
async def test_the_structured_answer_fits_the_published_schema(client: Client, tool: str, arguments: dict[str, Any]) -> None:
    schema = {one.name: one for one in (await client.list_tools()).tools}[tool].output_schema
    answer = await client.call_tool(tool, arguments)
    assert schema is not None
    assert set(schema["required"]) == set(REPORTS[tool].model_fields) - REPORTS[tool].left_out_when_empty
    jsonschema.validate(answer.structured_content, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**(answer.structured_content or {}), "unheard_of": 1}, schema)
    for field in schema["required"]:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({k: v for k, v in (answer.structured_content or {}).items() if k != field}, schema)


EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_bundled_examples_are_diagnosed_alike(mode: str) -> None:
    async with connected(EXAMPLES, mode=mode) as client:
        for example in ("harbor-job", "osmosis-workspace"):
            for tool in ("locate_failed_phase", "classify_zero", "check_staleness"):
                asked = {"path": example, "response_format": "detailed"}
                answer = await client.call_tool(tool, asked)
                assert answer.structured_content == _relative(dump(by_the_function(tool, EXAMPLES, asked)), EXAMPLES)
                assert answer.structured_content["trials"]


async def test_a_trial_and_a_file_in_it_lead_to_the_same_trial(client: Client) -> None:
    for path in (f"jobs/mixed/{BAD}", f"jobs/mixed/{BAD}/result.json"):
        answer = await client.call_tool("locate_failed_phase", {"path": path})
        assert answer.structured_content is not None
        assert [trial["id"] for trial in answer.structured_content["trials"]] == [BAD]


async def test_an_absolute_path_inside_a_root_is_as_good_as_a_relative_one(client: Client, root: Path) -> None:
    answers = [await client.call_tool("classify_zero", {"path": path}) for path in ("jobs/mixed", str(root / "jobs" / "mixed"))]
    assert answers[0].structured_content == answers[1].structured_content


async def test_a_detailed_answer_comes_in_pages_that_add_up(client: Client) -> None:
    seen: list[str] = []
    arguments: dict[str, Any] = {"path": "jobs/large", "response_format": "detailed"}
    for left in (35, 10, 0):
        answer = await client.call_tool("locate_failed_phase", arguments)
        assert answer.structured_content is not None
        seen += [trial["id"] for trial in answer.structured_content["trials"]]
        assert answer.structured_content["omitted"].get("trials", 0) == left
        following = [s for s in answer.structured_content["next_steps"] if s["tool"] == "locate_failed_phase"]
        assert len(following) == (1 if left else 0)
        arguments = following[0]["arguments"] if left else {}
    assert sorted(seen) == [f"sum-numbers__{n:07}" for n in range(60)]


async def test_the_next_step_can_be_called_as_it_stands(client: Client) -> None:
    answer = await client.call_tool("locate_failed_phase", {"path": "jobs/mixed"})
    assert answer.structured_content is not None
    step = answer.structured_content["next_steps"][0]
    assert (step["tool"], step["arguments"]) == ("classify_zero", {"path": "jobs/mixed"})
    assert not (await client.call_tool(step["tool"], step["arguments"])).is_error


async def test_several_calls_at_once_are_all_answered(client: Client) -> None:
    import anyio

    answers: dict[int, bool] = {}

    async def ask(number: int) -> None:
        answers[number] = (await client.call_tool("classify_zero", {"path": "jobs/large"})).is_error is True

    async with anyio.create_task_group() as group:
        for number in range(6):
            group.start_soon(ask, number)
    assert answers == dict.fromkeys(range(6), False)


def _relative(value: Any, root: Path, sent: bool = False) -> Any:
    """Paths and arguments of next steps without the root; what is quoted stays word for word."""
    if isinstance(value, dict):
        return {name: _relative(one, root, sent or name in ("path", "arguments")) for name, one in value.items()}
    if isinstance(value, list):
        return [_relative(one, root, sent) for one in value]
    return value.removeprefix(f"{root}/") if sent and isinstance(value, str) else value
