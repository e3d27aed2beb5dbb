"""Layout of the whole procedure: the diagnosis, then what each trial counts as."""

from __future__ import annotations

from whyzero.analyses.diagnose import Diagnosis
from whyzero.render.blocks import Document
from whyzero.render.failed_phase import failed_phase, verdict
from whyzero.render.parts import closing_parts, title
from whyzero.render.zero_classification import totals, trials_part


def diagnosis(report: Diagnosis) -> Document:
    """The diagnosis as it stands alone, its table of trials replaced by the fuller one of the classification."""
    classified = report.classification
    if classified is None or not classified.trials:
        return failed_phase(report)
    run = report.run
    trials = [*trials_part(classified, report.evidence), *totals(classified)]
    closing = closing_parts(report.next_steps, report.problems, classified.omitted)
    return Document(title("diagnosis", run.name, run.writer or run.format), (*verdict(report), *trials, *closing))
