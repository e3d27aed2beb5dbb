"""A concise answer about many trials gives up detail, and counts all of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_server.jobs import failed_with, write_job
from whyzero.analyses.classify_zero import classify_zero
from whyzero.analyses.locate_failed_phase import locate_failed_phase
from whyzero.readers import open_run


@pytest.mark.parametrize("trials", [6, 7, 25, 30])
def test_what_the_listed_trials_lack_is_counted(tmp_path: Path, trials: int) -> None:
    """Up to six trials come in full; of more, each keeps its decisive piece."""
    broken = failed_with("the sandbox is gone")
    job = write_job(tmp_path / "job", {f"sum-numbers__t{n:06}": broken if n % 2 else {} for n in range(trials)})
    for analysis, fields in (
        (locate_failed_phase, ("evidence", "first_error")),
        (classify_zero, ("evidence", "incidents", "disproving_check")),
    ):
        short, whole = analysis(open_run(job)), analysis(open_run(job), response_format="detailed")
        full = {trial.id: trial for trial in whole.trials}
        for field in fields:
            has = [getattr(trial, field) for trial in short.trials]
            had = [getattr(full[trial.id], field) for trial in short.trials]
            lost = sum(_amount(value) for value in had) - sum(_amount(value) for value in has)
            assert short.omitted.get(field, 0) == lost, field
        assert all(trial.evidence for trial in short.trials if full[trial.id].evidence)
        assert bool(short.omitted.get("evidence")) is (trials > 6)
        assert len(short.trials) + short.omitted.get("trials", 0) == trials


def _amount(value: object) -> int:
    return len(value) if isinstance(value, tuple) else int(bool(value))
