"""Did the agent program come to life at all?"""

from __future__ import annotations

import re

from whyzero.causes._exceptions import during, evidence, exit_code, short
from whyzero.evidence import Evidence
from whyzero.model import AgentLog, ExceptionRecord, Trial, Utterance

SOON = 30.0
"""Seconds within which a program that cannot start gives up."""
_SHELL = re.compile(
    r"^(?P<who>[^\s:]+): (?:line \d+: |\d+: )?(?P<what>[^\s:]+): "
    r"(?:command not found|not found|No such file or directory|Permission denied|cannot execute\b.*|Exec format error)$"
)
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ash", "-bash"})
_LAUNCH_FAILED = re.compile(
    r"(?:command not found|: not found)$|^(?:node:internal|Error: Cannot find module|Cannot find module)"
    r"|(?:commande introuvable|Kommando nicht gefunden\.?|orden no encontrada|comando (?:non trovato|não encontrado)|команда не найдена|未找到命令|コマンドが見つかりません)$"
    r"|cannot execute|Exec format error|error while loading shared libraries|^env: .*No such file or directory"
    r"|^ModuleNotFoundError: No module named|^ImportError: |GLIBC(?:XX)?_[\d.]+. not found|^SyntaxError: |Bad CPU type"
    r"|^(?:/\S+|bash|sh): (?:line \d+: )?\S+: (?:No such file or directory|Permission denied)"
)
LAUNCH_LINES = 60
"""Lines within which a complaint stands that a loader or an interpreter prints with its trace."""
_PART_OF_IT = re.compile(
    r"^(?:\s|Traceback \(most recent call last\)|node:|/\S+:\d+$|\S+:\d+$|\^|throw\b|\+ |(?i:npm )?warn|\(node:)"
)


def never_started(trial: Trial) -> tuple[Evidence, ...]:
    """Proof that the agent's program was not there or could not run; empty where it ran or nothing tells."""
    return _not_launched(trial) or _launcher_missing(trial) or _died_at_launch(trial)


def _not_launched(trial: Trial) -> tuple[Evidence, ...]:
    """Terminal-Bench: an installer ran in the agent's terminal and nothing was started after it."""
    install = _of(trial, "install")
    if install is None or _of(trial, "launch") is not None:
        return ()
    said = [u for u in trial.harness if u.kind == "pane"]
    told = [u for u in said if re.search(r"(?i)denied|no space left|not found|no such file|fatal|error|failed", u.text)]
    return tuple(u.evidence() for u in (*told[-2:], install))


def _launcher_missing(trial: Trial) -> tuple[Evidence, ...]:
    """Terminal-Bench: the shell, or the wrapper script that was started, could not find or run the program."""
    launch = _of(trial, "launch")
    if launch is None or not launch.code:
        return ()
    program = launch.code
    for line in [u for u in trial.harness if u.kind == "pane"][-4:]:
        found = _SHELL.match(line.text.strip())
        if found is None:
            continue
        who, what = found.group("who"), found.group("what")
        if (who in _SHELLS and what == program) or who.rsplit("/", 1)[-1] == program.rsplit("/", 1)[-1]:
            return (line.evidence(), launch.evidence())
    return ()


def _died_at_launch(trial: Trial) -> tuple[Evidence, ...]:
    """The agent's command ended at once with the loader's, the shell's or the interpreter's complaint and no event of its own."""
    agent = trial.span("agent")
    if trial.is_oracle or trial.is_nop or agent is None or agent.seconds is None or agent.seconds > SOON or _worked(trial.log):
        return ()
    failed = [e for e in during(trial, "agent") if not e.masked and exit_code(e) is not None]
    if absent := [e for e in during(trial, "agent") if not e.masked and _no_such_program(e)]:
        return (evidence(absent[0]),)
    told = _complaint(trial.log.lines if trial.log else (), trial.agent or "")
    if told is not None:
        return (told.evidence(), *(evidence(e) for e in failed))
    for one in failed:
        if exit_code(one) == 127 or any(_LAUNCH_FAILED.search(line.strip()) for line in _output(one.message)):
            return (evidence(one),)
    return ()


def _complaint(lines: tuple[Utterance, ...], agent: str) -> Utterance | None:
    """The first complaint of a kind that ends a launch, where nothing was printed before it or it is about the agent's own program.

    A tool of an agent at work prints the same words, behind lines of the program.
    """
    at = next((n for n, line in enumerate(lines) if _LAUNCH_FAILED.search(line.text.strip())), None)
    if at is None:
        return None
    told = lines[at]
    named = _SHELL.match(told.text.strip())
    if named is not None and named.group("what").rsplit("/", 1)[-1] in (agent, agent.removesuffix("-cli"), agent.split("-")[0]):
        return told
    opening = (told.spot.line or 1) <= LAUNCH_LINES and all(_PART_OF_IT.match(line.text) for line in lines[:at])
    return told if opening else None


def _no_such_program(exception: ExceptionRecord) -> bool:
    """The adapter starts the program itself, and the system knows none of that name."""
    started = any(
        name in exception.traceback for name in (", in _execute_child", ", in subprocess_exec", ", in create_subprocess_exec")
    )
    return short(exception) in ("FileNotFoundError", "PermissionError") and started


def _output(message: str) -> list[str]:
    """What the command printed, behind `stdout:` in the harness's message."""
    return message.split("stdout:", 1)[1].splitlines() if "stdout:" in message else []


def _worked(log: AgentLog | None) -> bool:
    return log is not None and bool(log.steps or log.tool_calls or log.tool_results or log.errors or log.last_message)


def _of(trial: Trial, kind: str) -> Utterance | None:
    return next((u for u in trial.harness if u.kind == kind), None)
