"""The environment the trial needs was not there, or died under it.

## What it means
An image, container or sandbox failed to build, start, pass its health check, answer or stay alive. The agent had no
place to work in, or lost it. Nothing about the agent or the model follows from it.

## Evidence
Environment setup began and the agent's setup never did, with an exception beside it. A sandbox error recorded in any
phase. A command of the agent killed with 137 while the verifier found nothing to run in. A command as small as `cat`
that does not return.

## What to do
Read the build output or the message of the container engine, mend the image, the engine or the machine's memory and disk,
and run the affected trials again. If one task fails alone, its Dockerfile is at fault; if many fail at one time, the machine is.

## Not to be confused with
`reward_missing`: a dead container also leaves no reward file. `provider_error`: a 429 of an image registry is not the
model's provider. `agent_setup_failure`: the environment stood and the installer failed. `harness_crash`: a long command
of the agent's own that met a cap.
"""

from __future__ import annotations

import re

from whyzero.causes import _osmosis_sandbox as sandbox
from whyzero.causes._answered import answered
from whyzero.causes._exceptions import CANCELLED, began, during, evidence, exit_code, null, official, short
from whyzero.causes.cause import Cause, Found
from whyzero.evidence import Level
from whyzero.model import ExceptionRecord, Phase, Run, Trial

TYPES = frozenset(
    {
        "EnvironmentStartTimeoutError",
        "HealthcheckError",
        "SandboxBuildFailedError",
        "SandboxLikelyOutOfMemoryError",
        "MemoryLimitExceededError",
        "SSHAccessError",
        "GKEExecStreamClosedError",
        "GKEPodNotFoundError",
    }
)
_LOST = re.compile(
    r"Cannot connect to the Docker daemon|No such container|container \S+ is not running|[Ss]andbox\b.{0,60}\b(?:not found|terminated|expired|stopped)"
    r"|no space left on device|Error response from daemon|OCI runtime exec failed"
)
_COMPOSE_SAID = re.compile(
    r"^Docker compose command failed\b.{0,2000}?\bStdout: (?:Error response from daemon: |Cannot connect to the Docker daemon).*Stderr: None\b",
    re.S,
)
"""Harbor joins both streams of `docker compose`: where the engine's own prefix comes first, no command inside had its turn."""
_PRINTED = re.compile(r"(?i)stdout:.*?(?=stderr:|\Z)", re.S)
_FROM_ENVIRONMENT = re.compile(r"(?i)docker|compose|container|image|sandbox|setup\.sh exited")
_SANDBOX_CLIENT = re.compile(r"^(?:daytona\w*|e2b\w*|modal|runloop\w*|kubernetes|docker|podman|blaxel|novita\w*)\.[\w.]+(?::|$)")
_SANDBOX_CLASS = re.compile(r"^(?:Daytona|E2B|Modal|Runloop|Sandbox)\w*(?:Error|Exception)$")
_GONE = re.compile(
    r"(?i)not ?found|time ?out|timed out|terminated|shut ?down|expired|stopped|\bgone\b|unavailable|connection|rate ?limit|too many requests|internal server"
    r"|not running|unauthori[sz]ed|authenticat|invalid api key|(?:memory|disk|cpu|sandbox) limit exceeded|failed to (?:place|start|create)"
)
_CAP = re.compile(r"^Command timed out after (?P<seconds>\d+(?:\.\d+)?) seconds")
_TRIVIAL = re.compile(
    r"^\s*(?:cd|cat|which|ls|pwd|echo|head|tail|whoami|uname|true|id|stat|file|wc|test|type|command -v|env|(?:python|pip|node|gcc)\d*(?:\.\d+)? --version)\b[^&|;]*$"
)
KILLED = 137
AT_ONCE = 2.0
"""Seconds in which a verifier ends that found nothing to run in."""


def find(trial: Trial, run: Run) -> Found | None:
    if run.format not in ("harbor", "terminal-bench"):
        return sandbox.environment(trial, run)
    if answered(trial, run)[0]:
        return None
    exception = official(trial)
    if exception is not None and short(exception) not in CANCELLED:
        found = _not_up(trial, exception) or _typed(exception) or _lost(exception) or _told_by_its_client(exception)
        if found:
            return found
    return _killed(trial) or _hangs(trial)


def _not_up(trial: Trial, exception: ExceptionRecord) -> Found | None:
    if any(began(trial, phase) for phase in ("agent_setup", "agent", "verifier")):
        return None
    setup = began(trial, "environment_setup")
    if not setup and not _FROM_ENVIRONMENT.search(exception.message[:2000]):
        return None
    nothing = (null(trial, "agent_setup"),) if setup else ()
    return Found((evidence(exception), *nothing), Level.RECORD, detail="It failed before the agent was set up.")


def _typed(exception: ExceptionRecord) -> Found | None:
    if short(exception) not in TYPES:
        return None
    return Found((evidence(exception),), Level.RECORD, detail="The sandbox itself reported it.")


def _lost(exception: ExceptionRecord) -> Found | None:
    """The engine's own words in an error of the harness; what a command printed (`Stdout: …`) is not the engine's."""
    if short(exception) not in ("RuntimeError", "OSError", "DockerException", "ConnectionError", "ProcessLookupError"):
        return None
    said = exception.message[:8000]
    if not _LOST.search(_PRINTED.sub("", said)) and not _COMPOSE_SAID.match(said):
        return None
    return Found((evidence(exception),), Level.RECORD, detail="The container engine lost the environment.")


def _told_by_its_client(exception: ExceptionRecord) -> Found | None:
    """The client library of a sandbox service (Daytona, E2B, Modal …) says that the sandbox is gone or out of reach."""
    raised = [line for line in exception.traceback.splitlines() if _SANDBOX_CLIENT.match(line)]
    if not raised and not _SANDBOX_CLASS.match(short(exception)):
        return None
    if not _GONE.search(f"{exception.type}: {exception.message[:2000]}"):
        return None
    return Found((evidence(exception),), Level.RECORD, detail="The sandbox service's client reported it.")


def _killed(trial: Trial) -> Found | None:
    """137 on the agent's command, and a verifier that could do nothing."""
    killed = [evidence(e) for e in during(trial, "agent") if exit_code(e) == KILLED]
    killed += [u.evidence() for u in trial.harness if u.kind == "command_code" and u.code == str(KILLED)]
    if not killed:
        return None
    verifier = trial.span("verifier")
    silent = not any(line.text.strip() for line in trial.grading.output)
    quick = verifier is None or verifier.seconds is None or verifier.seconds <= AT_ONCE
    detail = "The agent's command was killed (137) and the verifier found nothing to run in." if silent and quick else ""
    return Found(
        tuple(killed), Level.LOG, detail=detail or "The agent's command was killed (137), as an out-of-memory kill does."
    )


def _hangs(trial: Trial) -> Found | None:
    """A command that cannot take long did not return: the sandbox, not the command, hung."""
    exception = official(trial)
    calls = trial.log.open_calls if trial.log else ()
    if exception is None or not _CAP.match(exception.message) or not calls:
        return None
    if not all(_only_looks(call.text) for call in calls):
        return None
    return Found((evidence(exception), calls[0].evidence()), Level.INFERENCE, detail="A command that only looks did not return.")


def _only_looks(command: str) -> bool:
    """Every part of the command is one that returns at once."""
    return all(_TRIVIAL.match(part) for part in re.split(r"&&|\|\||;|\||\n", command) if part.strip())


CAUSE = Cause(
    name="environment_failure",
    phase=Phase.ENVIRONMENT,
    whose="environment",
    summary="The image, container or sandbox failed to build, start or stay alive.",
    check="Build and start the environment of {task} alone (`harbor` with the oracle agent on that task): if it comes up and stays, this is wrong.",
    find=find,
    harbor_policy="retried, not graded",
)
