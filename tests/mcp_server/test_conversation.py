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
from whyzero.analyses.classify_zero import ZeroClassification, classify_zero
from whyzero.analyses.locate_failed_phase import FailedPhase, locate_failed_phase
from whyzero.analyses.report import Report
from whyzero.evidence import dump
from whyzero.readers import open_run
from whyzero.render import markdown

pytestmark = pytest.mark.anyio

GOOD, BAD = "sum-numbers__aaaaaaa", "sum-numbers__bbbbbbb"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("conversation")
    write_job(root / "jobs" / "mixed", {GOOD: {}, BAD: failed_with("container exited with 137")})
    write_job(root / "jobs" / "passed", {GOOD: {"verifier_result": {"rewards": {"reward": 1.0}}}})
    write_job(root / "jobs" / "large", {f"sum-numbers__{n:07}": failed_with(f"boom {n}") for n in range(60)})
    return root


@pytest.fixture(scope="module", params=["auto", "legacy"])
async def client(root: Path, request: pytest.FixtureRequest) -> AsyncIterator[Client]:
    async with connected(root, mode=request.param) as client:
        yield client


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
]
FUNCTIONS = {"locate_failed_phase": locate_failed_phase, "classify_zero": classify_zero}


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
async def test_both_channels_say_what_the_function_says(client: Client, root: Path, tool: str, arguments: dict[str, Any]) -> None:
    answer = await client.call_tool(tool, arguments)

    given = {name: value for name, value in arguments.items() if value is not None and name not in ("path", "error")}
    run = open_run(root / arguments["path"], error=arguments.get("error"))
    report: Report = FUNCTIONS[tool](run, **given)  # type: ignore[operator]
    assert not answer.is_error
    assert answer.structured_content == _relative(dump(report), root)
    assert [block.type for block in answer.content] == ["text"]
    assert answer.content[0].text == markdown(report).replace(f"{root}/", "")  # type: ignore[union-attr]


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
async def test_the_structured_answer_fits_the_published_schema(client: Client, tool: str, arguments: dict[str, Any]) -> None:
    schema = {one.name: one for one in (await client.list_tools()).tools}[tool].output_schema
    answer = await client.call_tool(tool, arguments)
    assert schema is not None
    report = {"locate_failed_phase": FailedPhase, "classify_zero": ZeroClassification}[tool]
    assert set(schema["required"]) == set(report.model_fields) - report.left_out_when_empty
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
            for tool, function in FUNCTIONS.items():
                answer = await client.call_tool(tool, {"path": example})
                report = function(open_run(EXAMPLES / example))
                assert answer.structured_content == _relative(dump(report), EXAMPLES)
                assert report.trials


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


def _relative(value: Any, root: Path) -> Any:
    return json.loads(json.dumps(value).replace(f"{root}/", ""))
