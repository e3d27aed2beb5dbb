"""From evidence to a verdict: walks the causes in their order and takes the first that shows evidence."""

from __future__ import annotations

from whyzero.causes import CAUSES, _stopped
from whyzero.causes._answered import answered
from whyzero.causes._incidents import incidents
from whyzero.causes.cause import Cause, Found
from whyzero.findings import Finding, Incident, Outcome, Verdict
from whyzero.model import Phase, Recorded, Run, Trial

UNGRADED_CAUSES = frozenset({"tests_never_ran", "stale_reward", "reward_invalid", "reward_missing"})
"""With one of these, a number on disk is no grade."""


UNREADABLE = "Would decide it: the trial's own record, which is there and cannot be read (see `problems`)."


def judge(trial: Trial, run: Run) -> Verdict:
    """Outcome, cause and incidents of one trial. A pass has no cause."""
    if trial.record_unreadable:
        return Verdict(outcome=Outcome.NOT_GRADED, answered=False, finding=None, missing=UNREADABLE)
    if trial.steps:
        return _judge_steps(trial, run)
    outcome = outcome_of(trial, run)
    if outcome is Outcome.GRADED_PASS:
        return Verdict(outcome=outcome, answered=True, finding=None, incidents=incidents(trial, run))
    found = first_cause(trial, run)
    graded = answered(trial, run)[0]
    if found is None:
        return Verdict(
            outcome=outcome,
            answered=graded,
            finding=None,
            missing=_missing(trial),
            incidents=incidents(trial, run),
            phase=_last_phase(trial, outcome),
        )
    concluded = finding(*found, run, trial)
    if concluded.cause in UNGRADED_CAUSES and trial.recorded is not Recorded.PENDING:
        outcome, graded = Outcome.NOT_GRADED, False
    if concluded.cause == "skipped":
        outcome = Outcome.SKIPPED
    return Verdict(
        outcome=outcome,
        answered=graded,
        finding=concluded,
        incidents=_beside(concluded, incidents(trial, run)),
        phase=concluded.phase,
    )


def _judge_steps(trial: Trial, run: Run) -> Verdict:
    """The first step that failed decides; a reward that leaves out an ungraded step is no full mark."""
    verdicts = [judge(step, run) for step in trial.steps]
    outcome = outcome_of(trial, run)
    seen = tuple(i for v in verdicts for i in v.incidents)
    broken = next((v for v in verdicts if v.finding is not None and not _is_score(v)), None)
    first = broken or next((v for v in verdicts if v.outcome is not Outcome.GRADED_PASS), None)
    if first is None or (outcome is Outcome.GRADED_PASS and broken is None):
        return Verdict(outcome=outcome, answered=all(v.answered for v in verdicts), finding=None, incidents=seen)
    if outcome is Outcome.GRADED_PASS:
        outcome = Outcome.GRADED_PARTIAL
    graded = broken is None and all(v.answered for v in verdicts)
    return first.model_copy(update={"outcome": outcome, "answered": graded, "incidents": seen})


def _is_score(verdict: Verdict) -> bool:
    return any(c.name == verdict.finding.cause and c.counts_as_score for c in CAUSES) if verdict.finding else False


def outcome_of(trial: Trial, run: Run) -> Outcome:
    """The verifier's word, from the record alone; whether it may be believed is `Verdict.answered`."""
    if trial.recorded is Recorded.PENDING:
        return Outcome.PENDING
    if trial.recorded is Recorded.SKIPPED:
        return Outcome.SKIPPED
    value = trial.reward.value
    if value is None or trial.reward.invalid:
        return Outcome.NOT_GRADED
    if value >= (1.0 if run.threshold is None else run.threshold):
        return Outcome.GRADED_PASS
    return Outcome.GRADED_PARTIAL if value > 0 else Outcome.GRADED_ZERO


def first_cause(trial: Trial, run: Run) -> tuple[Cause, Found] | None:
    """The first registered cause with evidence in this trial."""
    for cause in CAUSES:
        if cause.find is not None and (found := cause.find(trial, run)) and found.evidence:
            return cause, found
    return None


def run_finding(run: Run) -> Finding | None:
    """What kept the run itself from going on, if anything did."""
    for cause in CAUSES:
        if cause.find_in_run is not None and (found := cause.find_in_run(run)) and found.evidence:
            return finding(cause, found, run, None)
    stopped = _stopped.find_in_run(run)
    return finding(_stopped.CAUSE, stopped, run, None) if stopped else None


def finding(cause: Cause, found: Found, run: Run, trial: Trial | None) -> Finding:
    """Lay out one cause with its evidence."""
    words = {
        "path": run.name,
        "task": trial.task if trial else "the task",
        "trial": trial.id if trial else run.name,
        "model": (trial.model if trial else None) or "the model",
        "probe": _probe(trial),
    }
    check = cause.check
    for word, value in words.items():
        check = check.replace("{" + word + "}", value)
    return Finding(
        cause=cause.name,
        phase=found.phase or cause.phase,
        whose=cause.whose,
        evidence_level=found.level,
        likely_cause=f"{cause.summary} {found.detail}".strip(),
        evidence=found.evidence,
        disproving_check=check,
    )


KEYS = {"anthropic": "ANTHROPIC_API_KEY", "openai-chat": "OPENAI_API_KEY", "openai-responses": "OPENAI_API_KEY"}
LOCAL = ("127.", "localhost", "[::1]", "0.0.0.0")


def _probe(trial: Trial | None) -> str:
    """The two-turn tool round-trip that tells harness, credential and provider apart, with its arguments filled in."""
    log = trial.log if trial else None
    agent = (trial.agent if trial else None) or (log.agent if log else "")
    model = (trial.model if trial else None) or "MODEL"
    protocol = "anthropic" if model.rpartition("/")[2].startswith("claude") else "openai-chat"
    protocol = "openai-responses" if agent == "codex" else protocol
    host = (log.endpoint if log else None) or ""
    url = host if "://" in host else f"{'http' if host.startswith(LOCAL) else 'https'}://{host}" if host else "BASE_URL"
    key = KEYS[protocol] if not model.rpartition("/")[2].startswith("gemini") else "GEMINI_API_KEY"
    return f"probe_tool_roundtrip(base_url={url!r}, model={model!r}, protocol={protocol!r}, api_key_env={key!r})"


def _beside(concluded: Finding, seen: tuple[Incident, ...]) -> tuple[Incident, ...]:
    """Incidents that are not the finding itself."""
    decisive = {(e.path, e.line, e.pointer) for e in concluded.evidence}
    return tuple(
        i for i in seen if i.what != concluded.cause and (i.evidence.path, i.evidence.line, i.evidence.pointer) not in decisive
    )


SPAN_PHASES = {
    "environment_setup": Phase.ENVIRONMENT,
    "agent_setup": Phase.ENVIRONMENT,
    "agent": Phase.TRAJECTORY,
    "verifier": Phase.GRADING,
}


def _last_phase(trial: Trial, outcome: Outcome) -> Phase:
    """Where an unexplained trial stopped, by the last native phase that began."""
    if outcome in (Outcome.GRADED_PARTIAL, Outcome.GRADED_ZERO, Outcome.SKIPPED):
        return Phase.NONE
    if outcome is Outcome.PENDING:
        return Phase.DISPATCH
    if trial.workflow_finished is not None:
        return Phase.GRADING if trial.workflow_finished else Phase.TRAJECTORY
    began = [SPAN_PHASES[s.name] for s in trial.spans if s.name in SPAN_PHASES and s.started_at]
    return began[-1] if began else Phase.TRAJECTORY


def _missing(trial: Trial) -> str:
    """What would decide a trial that nothing on disk decides."""
    wanted: list[str] = []
    if trial.exceptions:
        wanted.append(
            f"the recorded exception {trial.exceptions[0].type} is of no known kind: its traceback or the agent's own log"
        )
    if not trial.logs:
        wanted.append("an agent log or trajectory (none was found)")
    if trial.reward.value is not None and trial.grading.collected is None:
        wanted.append("proof that tests ran (a ctrf.json or the test output)")
    if trial.reward.value is not None and not trial.deliverable.names:
        wanted.append("the brief, to know which deliverable was asked for")
    return "Would decide it: " + "; ".join(wanted or ["a record of how the attempt ended"]) + "."
