"""All cases, in a fixed order."""

from __future__ import annotations

from benchmarks.zerobench.cases import (
    agent,
    controls,
    decoys,
    decoys_rows,
    distant_agents,
    distant_clients,
    distant_layouts,
    distant_reports,
    distant_sandboxes,
    distant_suites,
    distant_terminals,
    distant_verifiers,
    environment,
    foreign_beside,
    foreign_programs,
    foreign_providers,
    foreign_rows,
    foreign_text,
    foreign_verifiers,
    grading,
    hostile_clients,
    hostile_code,
    hostile_frameworks,
    hostile_labels,
    hostile_records,
    hostile_runs,
    hostile_sandboxes,
    provider,
    rows,
    runs,
    unseen,
    unseen_rows,
)
from benchmarks.zerobench.cases.case import PASS, SHIFT, Case

MODULES = (
    provider,
    agent,
    environment,
    grading,
    rows,
    runs,
    decoys,
    decoys_rows,
    controls,
    unseen,
    unseen_rows,
    foreign_providers,
    foreign_beside,
    foreign_programs,
    foreign_verifiers,
    foreign_text,
    foreign_rows,
    hostile_clients,
    hostile_code,
    hostile_frameworks,
    hostile_labels,
    hostile_records,
    hostile_runs,
    hostile_sandboxes,
    distant_agents,
    distant_clients,
    distant_layouts,
    distant_reports,
    distant_sandboxes,
    distant_suites,
    distant_terminals,
    distant_verifiers,
)


def all_cases(shift: int = 0) -> list[Case]:
    """Every case; names are unique. A `shift` pairs the same stories with other tasks and releases."""
    token = SHIFT.set(shift)
    try:
        cases = [case for module in MODULES for case in module.cases()]
    finally:
        SHIFT.reset(token)
    names = [case.name for case in cases]
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise ValueError(f"two cases of one name: {doubled}")
    return cases


__all__ = ["PASS", "Case", "all_cases"]
