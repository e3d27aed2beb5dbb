"""The agent program could not be installed or started.

## What it means
The environment stood, but the agent's installer failed or its command was not there, so no model was ever asked. A zero
written after that grades the untouched workspace, in which some tests may even pass.

## Evidence
Agent setup began and the agent's own phase never did. An installer's error. A shell that does not find the program it
was told to start, as the last thing in the agent's terminal. A program that dies at once with the loader's or the
interpreter's complaint and no event of its own.

## What to do
Run the install step by hand in the same image: network, disk, permissions, missing runtime. Trust the last line of the
terminal over a printed INSTALL_SUCCESS.

## Not to be confused with
`wrong_answer`: a zero on an untouched box. `provider_error`: an installer's failed download speaks of a network too.
`environment_failure`: there was no environment to install into. `harness_incompatibility`: the program starts and
rejects an option.
"""

from __future__ import annotations

from whyzero.causes import _osmosis_sandbox as sandbox
from whyzero.causes._exceptions import CANCELLED, began, during, evidence, null, official, short
from whyzero.causes._started import never_started
from whyzero.causes.cause import Cause, Found
from whyzero.evidence import Level
from whyzero.model import Phase, Run, Spot, Trial


def find(trial: Trial, run: Run) -> Found | None:
    if run.format == "terminal-bench":
        return _installation(trial) or _not_running(trial)
    if run.format == "harbor":
        return _setup_failed(trial) or _not_running(trial)
    return sandbox.agent_setup(trial, run)


def _setup_failed(trial: Trial) -> Found | None:
    exception = official(trial)
    if exception is None or short(exception) in CANCELLED or trial.steps:
        return None
    ended = began(trial, "agent_setup") and not began(trial, "agent") and not began(trial, "verifier")
    if not ended and short(exception) != "AgentSetupTimeoutError":
        return None
    codes = tuple(u.evidence() for u in trial.harness if u.kind == "setup_code" and u.code != "0")
    return Found(
        (evidence(exception), null(trial, "agent_execution"), *codes),
        Level.RECORD,
        detail="Agent setup began, the agent never did.",
    )


def _installation(trial: Trial) -> Found | None:
    if trial.error_type != "agent_installation_failed":
        return None
    record = Spot(trial.spot.path, pointer="/failure_mode").evidence(trial.error_type)
    return Found((record, *never_started(trial)), Level.RECORD, detail="The harness recorded a failed installation.")


def _not_running(trial: Trial) -> Found | None:
    proof = never_started(trial)
    known = tuple(evidence(e) for e in during(trial, "agent_setup"))
    return Found((*proof, *known), Level.LOG, detail="The agent's program was not there or could not run.") if proof else None


CAUSE = Cause(
    name="agent_setup_failure",
    phase=Phase.ENVIRONMENT,
    whose="environment",
    summary="The agent's install or setup failed, or its command is not there.",
    check="In the environment of {task}, run the agent's install step and then the program with `--version`: if it answers, this is wrong.",
    find=find,
    harbor_policy="retried, not graded (AgentSetupTimeoutError); the rest by class name",
    terminal_bench_mode="agent_installation_failed",
)
