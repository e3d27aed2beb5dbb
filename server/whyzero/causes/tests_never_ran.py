"""A zero was written although no test ran.

## What it means
The verifier's script failed before its tests, or found none, and wrote a 0 all the same. Nobody has looked at the work.
The number is no grade.

## Evidence
A reward of zero with a report that counts no tests; or with no report and no test session at all, and in the verifier's
own output the failure that stopped it: a command not found, a download that failed, a test runner that is not installed or does not know its options.

## What to do
Mend the verifier (pin and preinstall its tools, `set -e`, write no reward unless the runner ran) and grade the kept work
again. Trials of the same task that passed show what the output looks like when it works.

## Not to be confused with
`wrong_answer`: there tests ran and failed. `reward_missing`: there nothing was written. `grader_error`: the verifier ran
and raised. A test of the work that could not import it is a judgement of the work.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from whyzero.causes.cause import Cause, Found
from whyzero.evidence import Evidence, Level
from whyzero.model import Grading, Phase, Run, Trial, Utterance

TAIL = 40
_STOPPED = re.compile(
    r"(?:^|[\s:/])(?:uvx?|pytest|py\.test|python[\d.]*|pip[\d.]*|npm|npx|node|yarn|pnpm|bun|deno|cargo|go|java|mvn|gradle|make|curl|wget|git"
    r"|apt-get|conda|rspec|ruby|php|dotnet|Rscript|vitest|jest|mocha|ava|phpunit|bats|ctest|cmake|tox|nox|poetry|hatch|mix|sbt|stack|docker|rustc): (?:command )?not found"
    r"|^error: Request failed after \d+ retries|^\s*Caused by: Failed to download|^curl: \(\d+\)(?!.*(?<![\w.])(?:localhost|127\.0\.0\.1|0\.0\.0\.0)(?![\w.]))|Could not resolve host"
    r"|^E: (?:Unable to (?:locate|fetch)|Failed to fetch|Package '.*' has no installation candidate)|No module named ['\"]?(?:pytest|unittest)\b"
    r"|^error: (?:Failed to|failed to) (?:install|spawn|download|fetch|create)|^ERROR: (?:Could not (?:install|find a version)|No matching distribution)"
    r"|^error: rustup could not choose|^error: toolchain '.*' is not installed|^ImportError: Error importing plugin \"|^docker: Cannot connect to the Docker daemon"
    r"|^npm ERR!|^npm error code E(?!LIFECYCLE|NOENT)|^(?:\S+ -m )?(?:\S*pytest\S*|__main__\.py): error: unrecognized arguments"
    r"|^ImportError while loading conftest '/tests?/|^ERROR: file or directory not found|^INTERNALERROR>|^\S+: line \d+: /(?:usr|opt|bin|sbin|root/\.\w+)/\S+: No such file or directory|^(?:bash|sh): /tests?/\S+: (?:No such file|Permission denied)"
)
_FETCHING = re.compile(r"^curl: |^wget: |Could not resolve host|^error: Request failed|Failed to (?:download|fetch)")
_GOT_IT = re.compile(r"(?i)\b(?:installed|successfully|downloaded)\b")
"""A later attempt succeeded."""
_SCRIPT_RAN = re.compile(r"^npm (?:ERR!|error) (?:code ELIFECYCLE|Lifecycle script )")
"""npm started the script it was asked for: what failed is the script."""
_WORKPLACE = re.compile(r"(?<![\w./])/(?:app|workspace|workdir|repo|testbed|output)/(?!tests?/)\w")


def find(trial: Trial, run: Run) -> Found | None:
    grading, value = trial.grading, trial.reward.value
    if run.format not in ("harbor", "terminal-bench") or value is None or value > 0 or trial.steps or trial.deliverable.submitted:
        return None
    reward = (trial.reward.spot.evidence(trial.reward.text or f"{value:g}"),) if trial.reward.spot else ()
    stopped = _stopped(grading.output, work_known=bool(trial.deliverable.names))
    because = (stopped.evidence(),) if stopped else ()
    if grading.collected == 0 and _blames_the_work(trial):
        return None
    if grading.collected == 0:
        report = _report(grading)
        level = Level.RECORD if grading.report and grading.report.pointer else Level.LOG
        return Found((*report, *because, *reward), level, detail="The report counts no test.")
    if _has_session(grading) or grading.collected is not None or trial.deliverable.seen:
        return None
    if stopped is not None:
        missing = " Other trials of the task have a report, this one has none." if grading.expects_report else ""
        return Found((*because, *reward), Level.LOG, detail="Its script failed before any test." + missing)
    if grading.expects_report and not trial.deliverable.missing and _has_folder(grading):
        return Found(reward, Level.INFERENCE, detail="Other trials of this task have a test report, this one has none.")
    return None


def _blames_the_work(trial: Trial) -> bool:
    """Collection failed on the work itself: its file is missing, or is named where the import broke."""
    if trial.deliverable.missing:
        return True
    names = {PurePosixPath(name).name for name in trial.deliverable.names}
    modules = {name.removesuffix(".py") for name in names if name.endswith(".py")}
    told = [*(test.message for test in trial.grading.tests), *(line.text for line in trial.grading.output)]
    return any(name in text for text in told for name in names) or any(
        f"'{module}" in text for text in told for module in modules
    )


def _report(grading: Grading) -> tuple[Evidence, ...]:
    """The count of tests where it was read: a summary object, or a line of the output."""
    spot = grading.report
    if spot is None:
        return ()
    if spot.pointer is not None:
        return (spot.evidence('"tests": 0'),)
    return tuple(line.evidence() for line in grading.output if line.spot == spot)


def _stopped(lines: tuple[Utterance, ...], work_known: bool) -> Utterance | None:
    """The first line of the verifier's last words that says what stopped it."""
    if any(_SCRIPT_RAN.search(line.text) for line in lines):
        lines = tuple(line for line in lines if not line.text.startswith("npm "))
    last = lines[-TAIL:]
    told = next((n for n, line in enumerate(last) if _STOPPED.search(line.text)), None)
    if told is not None and _FETCHING.search(last[told].text) and any(_GOT_IT.search(line.text) for line in last[told + 1 :]):
        told = next((n for n, line in enumerate(last) if _STOPPED.search(line.text) and not _FETCHING.search(line.text)), None)
    if told is None or (not work_known and _of_a_workplace(last[:told])):
        return None
    return last[told]


def _of_a_workplace(before: tuple[Utterance, ...]) -> bool:
    """The command echoed last names a file that may be the work: without the brief nothing tells."""
    echoed = next((line.text for line in reversed(before) if line.text.startswith("+")), "")
    return bool(_WORKPLACE.search(echoed))


def _has_session(grading: Grading) -> bool:
    return bool(grading.tests) or any("test session starts" in line.text for line in grading.output)


def _has_folder(grading: Grading) -> bool:
    return bool(grading.files)


CAUSE = Cause(
    name="tests_never_ran",
    phase=Phase.GRADING,
    whose="grader",
    summary="A zero was written although no test ran.",
    check="Run the tests of {task} on the kept work of {trial}: if the same script gets as far as its tests, this is wrong.",
    find=find,
    harbor_policy="counted as a valid reward",
)
