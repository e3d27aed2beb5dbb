"""An answer stays within 1,000 tokens, a detailed one within 5,000: what goes is counted, and the next page begins where it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from mcp_server.jobs import write_job
from whyzero.analyses.check_staleness import Staleness
from whyzero.analyses.locate_failed_phase import Affected, FailedPhase, FailedTrial, PhaseCounts
from whyzero.analyses.report import NextStep, RunInfo, Unread
from whyzero.evidence import Evidence, dump
from whyzero.mcp_server import build_server
from whyzero.mcp_server.fitting import CONCISE, DETAILED, fitted, in_both_channels
from whyzero.model import Phase

pytestmark = pytest.mark.anyio

REST = NextStep(tool="locate_failed_phase", arguments={"path": "job", "response_format": "detailed", "offset": 0}, why="More.")


def report(trials: int, quote: str = "q", evidence: int = 1, problems: int = 0, steps: tuple[NextStep, ...] = ()) -> FailedPhase:
    listed = tuple(
        FailedTrial(
            id=f"t{n}",
            task="sum-numbers",
            attempt=0,
            phase=Phase.GRADING,
            cause="grader_error",
            evidence=tuple(Evidence(path="trial.log", line=at + 1, quote=f"{at} {quote}") for at in range(evidence)),
        )
        for n in range(trials)
    )
    return FailedPhase(
        run=RunInfo(name="job", format="harbor"),
        phase=Phase.GRADING,
        affected=Affected(),
        cause="grader_error",
        likely_cause="The grader raised.",
        trials=listed,
        counts=PhaseCounts(),
        summary="job: read.",
        next_steps=steps,
        problems=tuple(Unread(path=f"f{n}", reason=quote) for n in range(problems)),
        omitted={"trials": 7} if steps else {},
    )


def said(answered: FailedPhase, limit: int, rest: NextStep | None = None) -> dict[str, Any]:
    """The structured channel, once both were measured."""
    answer = in_both_channels(fitted(answered, limit, rest))
    assert answer.structured_content is not None
    assert len(json.dumps(answer.structured_content)) <= limit
    assert len(answer.content[0].text) <= limit  # type: ignore[union-attr]
    return answer.structured_content


def test_an_answer_that_fits_is_the_report_itself() -> None:
    whole = report(6, "q" * 20, evidence=2)
    assert said(whole, CONCISE) == dump(whole)


def test_further_evidence_of_the_last_trials_goes_first() -> None:
    """Of four trials with three pieces each, the first keeps all of them."""
    answer = said(report(4, "q" * 200, evidence=3), CONCISE)
    kept = [[one["line"] for one in trial["evidence"]] for trial in answer["trials"]]
    assert kept[0] == [1, 2, 3]
    assert kept[-1] == [1]
    assert all(lines[0] == 1 for lines in kept)
    assert answer["omitted"] == {"evidence": 12 - sum(map(len, kept))}


def test_quotes_are_shortened_before_a_trial_is_left_out() -> None:
    answer = said(report(10, "q" * 390), CONCISE)
    assert answer["omitted"] == {}
    assert [len(trial["evidence"][0]["quote"]) for trial in answer["trials"]] == [392] * 2 + [80] * 8


def test_trials_that_find_no_room_are_counted_and_asked_for() -> None:
    answer = said(report(60, "q" * 390), CONCISE, REST)
    shown = len(answer["trials"])
    assert 10 < shown < 60
    assert [trial["id"] for trial in answer["trials"]] == [f"t{n}" for n in range(shown)]
    assert all(trial["evidence"] for trial in answer["trials"])
    assert answer["omitted"] == {"trials": 60 - shown}
    assert answer["next_steps"] == [dump(REST.model_copy(update={"arguments": {**REST.arguments, "offset": shown}}))]


def test_a_page_that_is_cut_moves_the_step_that_is_there() -> None:
    """The analysis has listed 60 after 20 others and counted 7 behind them; no second step is made."""
    there = REST.model_copy(update={"arguments": {**REST.arguments, "offset": 80}})
    answer = said(report(60, "q" * 390, steps=(there,)), DETAILED, REST)
    shown = len(answer["trials"])
    assert 25 < shown < 60
    assert answer["omitted"] == {"trials": 7 + 60 - shown}
    assert [step["arguments"]["offset"] for step in answer["next_steps"]] == [20 + shown]
    assert all(len(trial["evidence"][0]["quote"]) == 392 for trial in answer["trials"])


def test_another_long_list_leaves_the_trials_alone() -> None:
    answer = said(report(10, problems=200, quote="q" * 300), DETAILED, REST)
    assert len(answer["trials"]) == 10
    assert answer["omitted"] == {"problems": 200 - len(answer["problems"])}
    assert answer["next_steps"] == []


def test_the_steps_that_ask_for_the_rest_stay() -> None:
    other = NextStep(tool="classify_zero", arguments={"path": "job"}, why="w" * 1400)
    there = REST.model_copy(update={"arguments": {**REST.arguments, "offset": 1}})
    answer = said(report(1, steps=(other, other, other, other, there)), CONCISE, REST)
    assert [step["tool"] for step in answer["next_steps"]] == ["classify_zero", "classify_zero", "locate_failed_phase"]


def many(tmp_path: Path, trials: int) -> Path:
    write_job(tmp_path / "jobs" / "big", {f"sum-numbers__t{n:06}": {} for n in range(trials)})
    return tmp_path


async def test_pages_go_on_without_gap_or_repeat(tmp_path: Path) -> None:
    """From the concise answer through its steps to the end: every trial once, every answer within its budget."""
    many(tmp_path, 90)
    async with Client(build_server([tmp_path])) as client:
        for tool in ("locate_failed_phase", "classify_zero"):
            arguments: dict[str, Any] = {"path": "jobs/big"}
            seen: list[str] = []
            while True:
                answer = (await client.call_tool(tool, arguments)).structured_content
                assert answer is not None
                limit = DETAILED if "offset" in arguments else CONCISE
                assert len(json.dumps(answer)) <= limit
                seen += [trial["id"] for trial in answer["trials"]]
                assert answer["omitted"].get("trials", 0) == 90 - len(seen)
                more = [step["arguments"] for step in answer["next_steps"] if "offset" in step["arguments"]]
                if not more:
                    break
                arguments = more[0]
            assert len(seen) == 90, tool
            assert len(set(seen)) == 90, tool


EXAMPLES = Path(__file__).parents[2] / "examples"
ASKED: list[tuple[str, dict[str, Any]]] = [
    *(
        (tool, {"path": path})
        for tool in ("locate_failed_phase", "classify_zero")
        for path in ("harbor-job", "osmosis-workspace")
    ),
    ("check_staleness", {"path": "staleness/jobs", "task": "staleness/tasks/permit-register"}),
    ("partition_disputed_rows", {"paths": ["staleness/jobs"], "oracle": "staleness/keys/corrected.json", "key": ["id"]}),
    ("verify_fix", {"before": "fix/before", "after": "fix/after"}),
]


@pytest.mark.parametrize(("response_format", "limit"), [("concise", CONCISE), ("detailed", DETAILED)])
async def test_the_bundled_examples_keep_to_the_budget_and_show_every_trial(response_format: str, limit: int) -> None:
    async with Client(build_server([EXAMPLES])) as client:
        for tool, arguments in ASKED:
            answer = await client.call_tool(tool, {**arguments, "response_format": response_format})
            assert len(json.dumps(answer.structured_content)) <= limit, tool
            assert len(answer.content[0].text) <= limit, tool  # type: ignore[union-attr]
            assert answer.structured_content is not None
            assert not {"trials", "pairs", "rows"} & answer.structured_content["omitted"].keys(), tool


def test_grounds_of_checks_that_found_nothing_give_way_to_those_that_did() -> None:
    from whyzero.analyses.staleness.advice import Advice
    from whyzero.analyses.staleness.checked import Freshness
    from whyzero.analyses.staleness.report import Reasons, StaleTrial

    grounds = "g" * 300
    trial = StaleTrial(
        id="t",
        task="sum-numbers",
        attempt=0,
        reward=0.0,
        key=Freshness.STALE,
        window=Freshness.FRESH,
        oracle=Freshness.FRESH,
        inputs=Freshness.CANNOT_TELL,
        advice=Advice.RERUN,
        why="The key moved.",
        how=Reasons(key=grounds, window=grounds, oracle=grounds, inputs=grounds),
    )
    stale = Staleness(summary="Read.", runs=(), trials=(trial, trial, trial, trial), sweeps=())
    answer = in_both_channels(fitted(stale, CONCISE)).structured_content
    assert answer is not None
    assert answer["trials"][-1]["how"] == {"key": grounds, "window": "", "oracle": "", "inputs": grounds}
    assert answer["omitted"]["how"] >= 2
