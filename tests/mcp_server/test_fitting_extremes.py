"""Answers about nothing, about very much, and about names nobody can read: the budget holds, the counts are exact, the time is short."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp import Client

from mcp_server.any_report import any_report
from mcp_server.jobs import failed_with, write_job
from whyzero.analyses.check_staleness import Staleness
from whyzero.analyses.classify_zero import ZeroClassification
from whyzero.analyses.locate_failed_phase import FailedPhase
from whyzero.analyses.partition_disputed_rows import Partition
from whyzero.analyses.probe_tool_roundtrip import RoundTrip
from whyzero.analyses.report import NextStep, Report
from whyzero.analyses.verify_fix import FixVerification
from whyzero.evidence import Output
from whyzero.mcp_server import build_server
from whyzero.mcp_server.fitting import CONCISE, DETAILED, fitted, in_both_channels
from whyzero.mcp_server.schemas import output_schema

pytestmark = pytest.mark.anyio

REPORTS = [FailedPhase, ZeroClassification, Staleness, Partition, FixVerification, RoundTrip]
REST = NextStep(tool="classify_zero", arguments={"path": "job", "offset": 0}, why="More.")
TEXTS = {"long": "word " * 60, "chinese": "汉" * 200, "emoji": "😀" * 100}
SECONDS = 3.0
"""Far above the third of a second it takes, far below the half minute it took when entries were weighed one by one."""


@pytest.mark.parametrize(("members", "text"), [(0, "emoji"), (1, "chinese"), (7, "long"), (7, "emoji")])
@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.__name__)
def test_any_answer_fits_both_channels_and_its_schema(report: type[Report], members: int, text: str) -> None:
    whole = any_report(report, members, TEXTS[text])
    for limit in (CONCISE, DETAILED):
        said = in_both_channels(fitted(whole, limit, REST))
        assert len(json.dumps(said.structured_content)) <= limit
        assert len(said.content[0].text) <= limit  # type: ignore[union-attr]
        jsonschema.validate(said.structured_content, output_schema(report))


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.__name__)
def test_hundreds_of_entries_in_every_list_are_fitted_at_once(report: type[Report]) -> None:
    whole = any_report(report, 200, TEXTS["long"])
    for limit in (CONCISE, DETAILED):
        began = time.process_time()
        said = in_both_channels(fitted(whole, limit, REST))
        assert time.process_time() - began < SECONDS
        assert len(json.dumps(said.structured_content)) <= limit
        assert len(said.content[0].text) <= limit  # type: ignore[union-attr]


@pytest.mark.parametrize("limit", [CONCISE, DETAILED])
@pytest.mark.parametrize("members", [1, 6, 26, 300])
def test_shown_and_omitted_are_all_there_was(members: int, limit: int) -> None:
    """Of the trials themselves, and of the evidence within those that are shown: what went with a trial is counted as that trial."""
    whole = any_report(FailedPhase, members, "word " * 30)
    shown = fitted(whole, limit, REST)
    assert len(shown.trials) + shown.omitted.get("trials", 0) == members
    assert len(shown.problems) + shown.omitted.get("problems", 0) == len(whole.problems)
    evidence = [*shown.evidence, *(one for trial in shown.trials for one in trial.evidence)]
    there = [*whole.evidence, *(one for trial in whole.trials[: len(shown.trials)] for one in trial.evidence)]
    assert len(evidence) + shown.omitted.get("evidence", 0) == len(there)


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.__name__)
def test_what_is_shown_keeps_evidence_where_there_was_any(report: type[Report]) -> None:
    def bare(output: Output) -> bool:
        return not getattr(output, "evidence", True) or any(
            bare(one) for _, value in output if isinstance(value, tuple) for one in value if isinstance(one, Output)
        )

    for text in TEXTS.values():
        for limit in (CONCISE, DETAILED):
            assert not bare(fitted(any_report(report, 26, text), limit, REST))


def test_a_list_of_names_within_an_entry_gives_way_before_the_entry() -> None:
    """Two trials of which one names a hundred submissions: both stay."""
    one = any_report(Staleness, 1, "abc")
    trial = one.trials[0].model_copy(update={"submissions": tuple(f"trial/answer-{n:060}.json" for n in range(100))})
    shown = fitted(one.model_copy(update={"trials": (trial, trial)}), CONCISE)
    assert len(shown.trials) == 2
    assert shown.omitted["submissions"] == sum(100 - len(trial.submissions) for trial in shown.trials) > 0


def test_rows_that_go_on_nowhere_give_up_names_before_they_go() -> None:
    """Three hundred rows, each found by fifty models: on one page more rows are worth more than all names."""
    one = any_report(Partition, 1, "abc")
    row = one.rows[0].model_copy(update={"found_by_models": tuple(f"lab/model-{n:03}" for n in range(50))})
    shown = fitted(one.model_copy(update={"rows": (row,) * 300}), DETAILED)
    assert len(shown.rows) + shown.omitted["rows"] == 300
    assert len(shown.rows) > 15
    assert shown.omitted["found_by_models"] == sum(50 - len(row.found_by_models) for row in shown.rows)


def test_what_fits_is_not_touched() -> None:
    whole = any_report(RoundTrip, 1, "abc")
    assert fitted(whole, CONCISE, REST) is whole
    assert in_both_channels(whole) == in_both_channels(fitted(whole, CONCISE))


async def pages(client: Client, tool: str, asked: dict[str, Any]) -> list[str]:
    """Trials of all pages, in their order; every answer counts what is still to come."""
    seen: list[str] = []
    arguments: dict[str, Any] | None = asked
    while arguments is not None:
        page = (await client.call_tool(tool, arguments)).structured_content
        assert page is not None
        limit = DETAILED if arguments.get("response_format") == "detailed" else CONCISE
        assert len(json.dumps(page)) <= limit
        seen += [trial["id"] for trial in page["trials"]]
        more = [step["arguments"] for step in page["next_steps"] if "offset" in step["arguments"]]
        assert bool(more) == bool(page["omitted"].get("trials"))
        assert len(more) < 2
        arguments = more[0] if more else None
    return seen


async def test_the_next_page_answers_the_same_question(tmp_path: Path) -> None:
    """Passes are listed on the first page because all were asked for; so they are on the next ones."""
    passed = {"verifier_result": {"rewards": {"reward": 1.0}}}
    write_job(tmp_path / "jobs" / "big", {f"sum-numbers__t{n:06}": passed if n % 2 else {} for n in range(70)})
    for trial in (tmp_path / "jobs" / "big").glob("*__*1"):
        (trial / "verifier" / "reward.txt").write_text("1\n")
    async with Client(build_server([tmp_path])) as client:
        for response_format in ("concise", "detailed"):
            asked = {"path": "jobs/big", "include": "all", "response_format": response_format}
            seen = await pages(client, "classify_zero", asked)
            assert len(seen) == len(set(seen)) == 70


@pytest.mark.parametrize("name", ["😀" * 60, "n" * 240, "a b?c#d%41:12 `e`"])
async def test_pages_of_trials_with_names_nobody_can_read(tmp_path: Path, name: str) -> None:
    broken = {f"{name}__{n:07}": failed_with("汉字" * 300) for n in range(30)}
    write_job(tmp_path / "jobs" / name, broken)
    async with Client(build_server([tmp_path])) as client:
        for tool in ("locate_failed_phase", "classify_zero", "check_staleness"):
            seen = await pages(client, tool, {"path": f"jobs/{name}"})
            assert len(seen) == len(set(seen)) == 30, tool


@pytest.mark.parametrize("offset", [30, 10**12, 10**30])
async def test_an_offset_beyond_the_end_is_an_empty_page(tmp_path: Path, offset: int) -> None:
    write_job(tmp_path / "jobs" / "few", {f"sum-numbers__t{n:06}": {} for n in range(30)})
    async with Client(build_server([tmp_path])) as client:
        for tool in ("locate_failed_phase", "classify_zero", "check_staleness"):
            said = await client.call_tool(tool, {"path": "jobs/few", "offset": offset})
            assert not said.is_error, tool
            assert said.structured_content is not None
            assert said.structured_content["trials"] == []
            assert "trials" not in said.structured_content["omitted"]
