"""What to do with a number: keep it, grade its submission again, or run the trial again."""

from __future__ import annotations

from enum import StrEnum

from whyzero.analyses.staleness.checked import Checked, Freshness


class Advice(StrEnum):
    """In rising cost."""

    REUSE = "reuse"
    REGRADE = "regrade"
    RERUN = "rerun"


def advise(
    key: Checked, window: Checked, oracle: Checked, inputs: Checked, submissions: tuple[str, ...], *, only_grading: bool
) -> tuple[Advice, str]:
    """Advice and its reason.

    Args:
        only_grading: of the inputs, nothing moved but what grading uses (the grader, the pass threshold).
    """
    question = [name for name, one in (("key", key), ("window", window)) if _moved(one)]
    question += ["inputs"] if _moved(inputs) and not only_grading else []
    if question:
        return (
            Advice.RERUN,
            f"What the trial was asked is not what is asked today ({', '.join(question)} moved): only a new run answers it.",
        )
    if _moved(oracle) or _moved(inputs):
        what = "the answer key" if _moved(oracle) else "the grading"
        if submissions:
            return Advice.REGRADE, f"Only {what} moved, and the submission is on disk: grade it again, no new run is needed."
        return Advice.RERUN, f"Only {what} moved, but no submission is on disk to be graded again."
    unknown = [
        name
        for name, one in (("key", key), ("window", window), ("oracle", oracle), ("inputs", inputs))
        if one.verdict is Freshness.CANNOT_TELL
    ]
    if len(unknown) == 4:
        return Advice.REUSE, "Nothing is known to have moved, and nothing could be checked."
    beside = f"; {', '.join(unknown)} could not be checked" if unknown else ""
    return Advice.REUSE, f"Nothing that was checked moved{beside}."


def _moved(one: Checked) -> bool:
    return one.verdict is Freshness.STALE
