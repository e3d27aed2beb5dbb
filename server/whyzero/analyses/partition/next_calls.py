"""What to call next."""

from __future__ import annotations

from whyzero.analyses.partition.asked import Question
from whyzero.analyses.partition.report import Partition, TaskClass, Verdict
from whyzero.analyses.report import NextStep

TOOL = "partition_disputed_rows"


def after_rows(question: Question, report: Partition) -> tuple[NextStep, ...]:
    """The checks that were not made yet, the most telling first."""
    steps: list[NextStep] = []
    same = _arguments(question)
    suspected = report.verdict in (Verdict.SUSPECT_KEY, Verdict.MIXED)
    if suspected and question.corpus is None:
        more = {"corpus": "<folder of the source text>", "rule": "<regex>", "wide": "<regex>"}
        steps.append(
            NextStep(tool=TOOL, arguments=same | more, why="Puts the suspected rows to the source, without looking at any trial.")
        )
    if suspected and report.regrade is None:
        fixed: dict[str, object] = {"oracle": "<corrected key>", "original": same["oracle"], "scorer": "<program>"}
        steps.append(NextStep(tool=TOOL, arguments=same | fixed, why="Shows what a corrected key does to rewards and ranking."))
    return (*steps, *_common(question, report))


def after_tests(question: Question, report: Partition) -> tuple[NextStep, ...]:
    """Where tests alone do not tell, the key does."""
    return _common(question, report)


def _common(question: Question, report: Partition) -> tuple[NextStep, ...]:
    path = str(question.paths[0])
    steps: list[NextStep] = []
    ungraded = any(task.class_ in (TaskClass.NEVER_GRADED, TaskClass.ALL_OUT_OF_TIME) for task in report.tasks)
    if report.not_answered or ungraded:
        steps.append(
            NextStep(tool="classify_zero", arguments={"path": path}, why="Says why the trials without an answer have none.")
        )
    if report.verdict is Verdict.SUSPECT_KEY:
        arguments: dict[str, object] = {"path": path}
        arguments |= {"oracle": str(question.oracle)} if question.oracle else {}
        steps.append(
            NextStep(
                tool="check_staleness",
                arguments=arguments,
                why="Says whether key or brief changed after these trials were graded.",
            )
        )
    return tuple(steps)


def _arguments(question: Question) -> dict[str, object]:
    arguments: dict[str, object] = {"paths": [str(path) for path in question.paths]}
    if question.oracle:
        arguments |= {"oracle": str(question.oracle), "key": list(question.key)}
    if question.deliverable:
        arguments["deliverable"] = question.deliverable
    if question.fields:
        arguments["fields"] = list(question.fields)
    return arguments
