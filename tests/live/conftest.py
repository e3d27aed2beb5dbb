"""Laboratories of a test session: every selected scenario is started at once, two at a time, and judged when it is done."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NoReturn

import pytest

from lab.harbor.runner import Laboratory as HarborLaboratory
from lab.osmosis.runner import Laboratory as OsmosisLaboratory
from lab.processes import let_children_be_interrupted
from lab.tool_environment import Unavailable
from whyzero.analyses.locate_failed_phase import FailedPhase, locate_failed_phase
from whyzero.readers import open_run

CORES = 2


@pytest.fixture(scope="session")
def osmosis_run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Any]]:
    """Gives the finished run of a scenario by its name."""
    yield from runs("osmosis_run", OsmosisLaboratory, request, tmp_path_factory, diagnosed)


@pytest.fixture(scope="session")
def harbor_job(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Any]]:
    """Gives the finished job of a scenario by its name."""
    yield from runs("harbor_job", HarborLaboratory, request, tmp_path_factory)


def diagnosed(path: Path) -> FailedPhase:
    """What whyzero says of the run at this moment."""
    return locate_failed_phase(open_run(path), response_format="detailed")


def runs(
    fixture: str, laboratory: Any, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, *more: Any
) -> Iterator[Callable[[str], Any]]:
    """Starts all scenarios of the selected tests that use `fixture`; those that mostly wait do not hold up the others."""
    folder = tmp_path_factory.mktemp("runs")
    try:
        open_laboratory = laboratory(folder / "home")
    except Unavailable as reason:
        not_here(reason)
    let_children_be_interrupted()
    items = [item for item in request.session.items if fixture in getattr(item, "fixturenames", ()) and hasattr(item, "callspec")]
    chosen = {item.callspec.params["scenario"].name: item.callspec.params["scenario"] for item in items}
    busy, waiting = ThreadPoolExecutor(CORES), ThreadPoolExecutor(CORES)
    made = {
        scenario.name: (waiting if scenario.idle else busy).submit(
            open_laboratory.make, scenario, folder / f"{number:02d}", *more
        )
        for number, scenario in enumerate(chosen.values())
    }
    yield lambda name: made[name].result()
    for pool in (busy, waiting):
        pool.shutdown(cancel_futures=True)


def not_here(reason: Unavailable) -> NoReturn:
    """Skip and say why. In CI, where these runs must happen, that is a failure unless WHYZERO_ALLOW_SKIP=1."""
    message = f"no live runs on this machine: {reason}"
    if os.environ.get("CI") == "true" and os.environ.get("WHYZERO_ALLOW_SKIP") != "1":
        pytest.fail(message, pytrace=False)
    pytest.skip(message)
