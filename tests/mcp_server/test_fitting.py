"""No answer is longer than a host will show; what was left out is counted, and the next page begins where this one ends."""

from __future__ import annotations

import json

from whyzero.analyses.locate_failed_phase import Affected, FailedPhase, FailedTrial, PhaseCounts
from whyzero.analyses.report import NextStep, RunInfo, Unread
from whyzero.evidence import Evidence
from whyzero.mcp_server.fitting import ANSWER_LIMIT, fitting
from whyzero.model import Phase


def report(trials: int, quote: str = "q", problems: int = 0, offset: int | None = None) -> FailedPhase:
    """`offset` is where the next page begins, as the analysis says it."""
    listed = tuple(
        FailedTrial(
            id=f"t{n}",
            task="sum-numbers",
            attempt=0,
            phase=Phase.GRADING,
            cause="grader_error",
            evidence=(Evidence(path="trial.log", quote=quote),),
        )
        for n in range(trials)
    )
    more = {"path": "job", "response_format": "detailed", "offset": offset}
    return FailedPhase(
        run=RunInfo(name="job", format="harbor"),
        phase=Phase.GRADING,
        affected=Affected(),
        cause="grader_error",
        likely_cause="The grader raised.",
        trials=listed,
        counts=PhaseCounts(),
        summary="job: read.",
        next_steps=(NextStep(tool="locate_failed_phase", arguments=more, why="More."),) if offset is not None else (),
        problems=tuple(Unread(path=f"f{n}", reason=quote) for n in range(problems)),
        omitted={"trials": 7} if offset is not None else {},
    )


def test_an_answer_that_fits_stays_as_it_is() -> None:
    answer = fitting(report(25))
    assert answer.structured_content is not None
    assert len(answer.structured_content["trials"]) == 25
    assert answer.structured_content["omitted"] == {}


def test_the_longest_list_is_halved_until_both_channels_fit() -> None:
    answer = fitting(report(400, "q" * 400, problems=3, offset=425))
    said = answer.structured_content
    assert said is not None
    assert len(json.dumps(said)) <= ANSWER_LIMIT
    assert len(answer.content[0].text) <= ANSWER_LIMIT  # type: ignore[union-attr]
    assert [trial["id"] for trial in said["trials"]] == [f"t{n}" for n in range(50)]
    assert len(said["problems"]) == 3
    assert said["omitted"] == {"trials": 7 + 350}
    assert said["next_steps"][0]["arguments"]["offset"] == 425 - 350


def test_another_long_list_leaves_the_pages_of_trials_alone() -> None:
    said = fitting(report(10, "q" * 400, problems=200, offset=35)).structured_content
    assert said is not None
    assert len(said["trials"]) == 10
    assert said["omitted"] == {"trials": 7, "problems": 150}
    assert said["next_steps"][0]["arguments"]["offset"] == 35
