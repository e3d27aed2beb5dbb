"""Why did it earn nothing? Cause of every trial without full marks, and totals nobody is fooled by."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from whyzero.analyses.brevity import given_up, within_limit
from whyzero.analyses.judged import Progress, judged
from whyzero.analyses.locate_failed_phase import COMPACT, FULL, PHASE_ORDER, SHORT, ResponseFormat, cause_word, shortened
from whyzero.analyses.ranking import Ranking, rank
from whyzero.analyses.report import NextStep, Report, RunInfo, folder_of, one_of_several, run_info, unread
from whyzero.analyses.scores import RULES, Score, Scored, groups, score
from whyzero.analyses.training_groups import TrainingGroup, tainted_groups
from whyzero.causes import CAUSES
from whyzero.causes.engine import run_finding
from whyzero.evidence import Evidence, Level, Output, Prose, Quote
from whyzero.findings import Finding, Incident, Outcome, Verdict
from whyzero.model import Booked, Phase, Run, Span, Trial
from whyzero.text import clean

GIVEN_UP = (
    ("next_steps", 2),
    ("ranking.order", 10),
    ("trials", 3),
    ("training_groups", 0),
    ("ranking.pairs", 1),
    ("trials", 1),
    ("next_steps", 1),
    ("ranking.pairs", 0),
    ("scores", 2),
    ("scores", 1),
)
"""Which lists of a concise answer about many trials are shortened, in this order, and what stays of each."""
Include = Literal["problems", "all"]
SCORES_SHOWN, PAIRS_SHOWN, GROUPS_SHOWN, ADVICE_SHOWN = 4, 3, 2, 100
"""In a concise answer."""


class ClassifiedTrial(Output):
    """What happened in one trial, what it counts as, and how we know."""

    left_out_when_empty = frozenset({"row", "model", "agent", "run", "missing"})

    id: Quote
    """Trial id: directory name in Harbor and Terminal-Bench, rollout id in Osmosis."""
    run: Quote | None = None
    """Name of its run, where several were read."""
    task: Quote
    """Full task name."""
    row: int | None = None
    """0-based index in the dataset file (Osmosis)."""
    attempt: int
    """0-based repeat number."""
    model: Quote | None = None
    """Model."""
    agent: Quote | None = None
    """Agent program."""
    outcome: Outcome
    """What the verifier made of it."""
    reward: float | None
    """The number on record; null = absent, which is not 0."""
    answered: bool
    """A deliverable exists and the verifier really graded it."""
    cause: str | None
    """A word of the cause vocabulary; `undetermined` where nothing decides; null on a pass."""
    phase: Phase
    """Where it stopped."""
    evidence_level: Level | None = None
    """`record` > `log` > `inference`."""
    counts_as_score: bool
    """Whether the reward may be recorded as a measurement of the model."""
    incidents: tuple[Incident, ...] = ()
    """What happened beside it and did not decide it."""
    evidence: tuple[Evidence, ...] = ()
    """Decisive one first; where a concise answer lists many trials, that one alone, shortened."""
    disproving_check: Prose = ""
    """The smallest command or look that could show this wrong."""
    missing: Prose = ""
    """Where nothing decides: what would."""


class BookedMeans(Output):
    """Whether the means the harnesses wrote may be set side by side."""

    comparable: bool
    """All follow one rule."""
    why: Prose
    """Which rules were met."""


class ZeroClassification(Report):
    """Answer of classify_zero."""

    left_out_when_empty = frozenset({"ranking", "training_groups", "booked_means"})

    runs: tuple[RunInfo, ...]
    """Which results were read."""
    trials: tuple[ClassifiedTrial, ...]
    """Most telling first; which ones depends on `include`."""
    counts: dict[str, int]
    """Trials by cause, exact, whatever is listed; `passed` and `pending` beside the causes."""
    outcomes: dict[str, int]
    """Trials by outcome, exact."""
    scores: tuple[Score, ...]
    """Totals, one per (task set, agent, model)."""
    ranking: Ranking | None = None
    """Where several models were read: does their order survive?"""
    booked_means: BookedMeans | None = None
    """Where several booked means were read: may they be compared?"""
    training_groups: tuple[TrainingGroup, ...] = ()
    """Groups of attempts whose training baseline holds infrastructure zeros."""


def classify_zero(
    runs: Run | Sequence[Run],
    *,
    trial: str | None = None,
    include: Include = "problems",
    response_format: ResponseFormat = "concise",
    offset: int = 0,
    limit: int | None = None,
    progress: Progress = None,
) -> ZeroClassification:
    """Say for every trial what happened, what it counts as, and what the honest score is.

    Args:
        runs: one run, or several to be compared.
        include: `problems` lists all that is not a pass, `all` every trial; counts are exact either way.
        limit: trials listed; None = adaptive in `concise`, all in `detailed`.
        progress: called with (trials read, trials expected or None).
    """
    several = list(runs) if isinstance(runs, Sequence) else [runs]
    narrowed = trial is not None
    tally = ZeroTally(several, include=include, response_format=response_format, offset=offset, limit=limit, narrowed=narrowed)
    for run, one, verdict in judged(several, trial=trial, progress=progress):
        tally.add(run, one, verdict)
    return tally.report()


class ZeroTally:
    """One pass over the trials of one run or several: counters, what the totals need, and the first trials of each class."""

    def __init__(
        self,
        runs: Sequence[Run],
        *,
        include: Include = "problems",
        response_format: ResponseFormat = "concise",
        offset: int = 0,
        limit: int | None = None,
        narrowed: bool = False,
    ) -> None:
        self.runs = runs
        self.whole = not narrowed and all(run.read_all is None for run in runs)
        self.include: Include = include
        self.response_format: ResponseFormat = response_format
        self.offset, self.limit = offset, limit
        self.counts: Counter[str] = Counter()
        self.outcomes: Counter[str] = Counter()
        self.scored: list[Scored] = []
        self.classes: dict[tuple[int, Phase, str], list[ClassifiedTrial]] = {}
        self._keep = offset + (limit or (COMPACT if response_format == "concise" else 1_000_000))
        self._own: dict[Path, Finding | None] = {}
        self._versions: dict[tuple[Path, str], list[str]] = {}

    def add(self, run: Run, trial: Trial, verdict: Verdict) -> None:
        """Count one trial of a run."""
        if verdict.outcome is Outcome.PENDING and verdict.finding is None and (own := self._finding(run)) is not None:
            verdict = verdict.model_copy(update={"finding": own, "phase": own.phase, "missing": ""})
        entry = _classified(trial, verdict, run.name if len(self.runs) > 1 else None)
        self.scored.append(_scored(trial, verdict, self._version(run, trial)))
        self.outcomes[verdict.outcome.value] += 1
        self.counts[entry.cause or "passed"] += 1
        if self.include == "problems" and entry.cause is None:
            return
        group = self.classes.setdefault(_rank_of(entry), [])
        if len(group) < self._keep:
            group.append(entry)

    def _finding(self, run: Run) -> Finding | None:
        """What kept the run itself from going on."""
        if run.root not in self._own:
            self._own[run.root] = run_finding(run)
        return self._own[run.root]

    def _version(self, run: Run, trial: Trial) -> int:
        """Which version of its task this trial attempted, by checksum; 0 where none is recorded."""
        if trial.checksum is None:
            return 0
        seen = self._versions.setdefault((run.root, trial.task), [])
        if trial.checksum not in seen:
            seen.append(trial.checksum)
        return seen.index(trial.checksum)

    def report(self) -> ZeroClassification:
        """What the trials counted so far amount to."""
        runs, scored, counts, concise = self.runs, self.scored, self.counts, self.response_format == "concise"
        total = sum(n for cause, n in counts.items() if self.include == "all" or cause != "passed")
        page = _page(self.classes, total, self.response_format, self.offset, self.limit)
        listed = tuple(_thin(one) for one in page) if concise and total > FULL else page
        left = total - len(listed) - min(self.offset, total)
        booked = [mean for run in runs for mean in run.booked_means] if self.whole else []
        concurrency = next((run.concurrency for run in runs if run.concurrency), None)
        by_group = groups(scored)
        models = {(key[1], key[2]) for key in by_group}
        scores = [score(group, booked, concurrency, tiers=max(1, len(models))) for group in by_group.values()]
        ranking = rank(scored) if len(models) > 1 else None
        tainted = tainted_groups(scored)
        shown_problems, more_problems = unread(p for run in runs for p in (*run.problems, *run.trial_problems))
        omitted = {"trials": left, "problems": more_problems}
        if concise:
            omitted["scores"] = len(scores) - SCORES_SHOWN
            omitted["training_groups"] = len(tainted) - GROUPS_SHOWN
            if ranking:
                omitted["ranking_pairs"] = len(ranking.pairs) - PAIRS_SHOWN
                ranking = ranking.model_copy(update={"pairs": ranking.pairs[:PAIRS_SHOWN]})
            tainted_shown = tuple(g.model_copy(update={"siblings": ()}) for g in tainted[:GROUPS_SHOWN])
        else:
            tainted_shown = tainted
        answer = ZeroClassification(
            runs=tuple(run_info(run) for run in runs),
            trials=listed,
            counts=dict(counts.most_common()),
            outcomes=dict(self.outcomes.most_common()),
            scores=tuple(scores[:SCORES_SHOWN] if concise else scores),
            ranking=ranking,
            booked_means=_comparable(booked),
            training_groups=tainted_shown,
            summary=_summary(runs, scored, counts, scores, ranking, tainted),
            next_steps=_next_steps(runs, listed, counts, left, self.offset, self.include),
            problems=shown_problems,
            omitted={what: n for what, n in omitted.items() if n > 0},
        )
        if concise and self.limit is None and total > COMPACT:
            answer = _brief(answer)
        lost = given_up(page, answer.trials, ("evidence", "incidents", "disproving_check"))
        return answer.model_copy(update={"omitted": {**answer.omitted, **lost}}) if lost else answer


def _brief(answer: ZeroClassification) -> ZeroClassification:
    """Within the size of a concise answer; advice that repeats itself goes before any total does."""
    if len(answer.scores) > 1:
        shorter = tuple(one.model_copy(update={"advice": _beginning(one.advice)}) for one in answer.scores)
        answer = answer.model_copy(update={"scores": shorter})
    return within_limit(answer, GIVEN_UP)


def _beginning(advice: str) -> str:
    """Its first sentences, as many as find room, one at least."""
    first, *more = re.split(r"(?<=[.]) ", advice)
    for sentence in more:
        if len(first) + len(sentence) >= ADVICE_SHOWN:
            break
        first = f"{first} {sentence}"
    return first


SCORE_CAUSES = frozenset(cause.name for cause in CAUSES if cause.counts_as_score)


def is_score(verdict: Verdict) -> bool:
    """The reward may be recorded as a measurement of the model."""
    if verdict.outcome is Outcome.GRADED_PASS:
        return True
    return verdict.answered and verdict.finding is not None and verdict.finding.cause in SCORE_CAUSES


def _classified(trial: Trial, verdict: Verdict, run: str | None) -> ClassifiedTrial:
    found: Finding | None = verdict.finding
    passed = verdict.outcome is Outcome.GRADED_PASS and found is None
    return ClassifiedTrial(
        id=trial.id,
        run=run,
        task=trial.task,
        row=trial.row,
        attempt=trial.attempt,
        model=trial.model,
        agent=trial.agent,
        outcome=verdict.outcome,
        reward=trial.reward.value,
        answered=verdict.answered,
        cause=None if passed else "pending" if verdict.outcome is Outcome.PENDING and not found else cause_word(verdict),
        phase=verdict.phase,
        evidence_level=found.evidence_level if found else None,
        counts_as_score=is_score(verdict),
        incidents=verdict.incidents,
        evidence=found.evidence if found else (),
        disproving_check=found.disproving_check if found else "",
        missing=verdict.missing,
    )


def _scored(trial: Trial, verdict: Verdict, version: int) -> Scored:
    graded = is_score(verdict)
    return Scored(
        id=trial.id,
        task=trial.task if trial.row is None else f"{trial.task} row {trial.row}",
        dataset=trial.dataset,
        agent=trial.agent,
        model=trial.model,
        attempt=trial.attempt,
        version=version,
        value=trial.reward.value if graded else None,
        booked=trial.reward.value,
        cause=None if verdict.outcome is Outcome.GRADED_PASS else cause_word(verdict),
        whose=verdict.finding.whose if verdict.finding else None,
        is_score=graded,
        skipped=verdict.outcome is Outcome.SKIPPED,
        pending=verdict.outcome is Outcome.PENDING,
        timed_out=any(i.what == "clock" for i in verdict.incidents) or cause_word(verdict) == "clock",
        seconds=trial.duration if trial.duration is not None else Span("trial", trial.started_at, trial.finished_at).seconds,
    )


def _rank_of(entry: ClassifiedTrial) -> tuple[int, Phase, str]:
    """Most telling first: what is no score though a number stands there, then other failures, then wrong answers, then passes."""
    if entry.cause is None:
        return 3, entry.phase, ""
    if entry.counts_as_score or entry.cause in ("skipped", "pending"):
        return 2, entry.phase, entry.cause
    return (0 if entry.reward is not None else 1), entry.phase, entry.cause


def _page(
    classes: dict[tuple[int, Phase, str], list[ClassifiedTrial]],
    total: int,
    response_format: ResponseFormat,
    offset: int,
    limit: int | None,
) -> tuple[ClassifiedTrial, ...]:
    """Round robin over the classes."""
    order = [classes[key] for key in sorted(classes, key=lambda k: (k[0], PHASE_ORDER[k[1]], k[2]))]
    turns = max((len(group) for group in order), default=0)
    mixed = [group[turn] for turn in range(turns) for group in order if turn < len(group)]
    show = limit or (total if response_format == "detailed" or total <= COMPACT else SHORT)
    return tuple(mixed[offset : offset + show])


def _thin(entry: ClassifiedTrial) -> ClassifiedTrial:
    """As one of many in a concise answer."""
    return entry.model_copy(
        update={
            "evidence": shortened(entry.evidence),
            "incidents": (),
            "disproving_check": "",
            "missing": clean(entry.missing, 160),
        }
    )


def _comparable(booked: Sequence[Booked]) -> BookedMeans | None:
    if len(booked) < 2:
        return None
    rules = list(dict.fromkeys(mean.rule for mean in booked))
    told = "; ".join(RULES.get(rule, RULES["unknown"]) for rule in rules)
    if len(rules) == 1 and rules[0] != "unknown":
        return BookedMeans(comparable=True, why=f"All follow one rule: {told}.")
    return BookedMeans(comparable=False, why=f"They follow different or unknown rules: {told}. Compare the recomputed scores.")


def _summary(
    runs: Sequence[Run],
    scored: Iterable[Scored],
    counts: Counter[str],
    scores: Sequence[Score],
    ranking: Ranking | None,
    tainted: Sequence[TrainingGroup],
) -> str:
    trials = list(scored)
    name = runs[0].name if len(runs) == 1 else f"{len(runs)} runs"
    valued = sum(t.value is not None for t in trials)
    no_grade = sum(not t.is_score and t.booked is not None and not t.skipped for t in trials)
    causes = ", ".join(f"{n} {cause}" for cause, n in counts.most_common(8))
    count = "1 trial" if len(trials) == 1 else f"{len(trials)} trials"
    parts = [f"{name}: {count}, {valued} of them {'a score' if valued == 1 else 'scores'} of the model ({causes})."]
    if no_grade:
        parts.append(f"{no_grade} {'carries' if no_grade == 1 else 'carry'} a number that measures nothing about the model.")
    if len(scores) == 1 and scores[0].bounds and scores[0].answered < scores[0].trials:
        low, high = scores[0].bounds
        parts.append(f"The mean lies between {low:.3f} and {high:.3f}, depending on what the unanswered would have scored.")
    if ranking is not None and not ranking.survives:
        parts.append("The order of the models does not survive every treatment of the unanswered trials.")
    if tainted:
        groups = "1 group of attempts holds" if len(tainted) == 1 else f"{len(tainted)} groups of attempts hold"
        parts.append(f"{groups} infrastructure zeros: mask before training.")
    return " ".join(parts) + (one_of_several(runs[0]) if len(runs) == 1 else "")


def _next_steps(
    runs: Sequence[Run], listed: Sequence[ClassifiedTrial], counts: Counter[str], left: int, offset: int, include: Include
) -> tuple[NextStep, ...]:
    path = str(folder_of(runs))
    steps: list[NextStep] = []
    broken = next((t for t in listed if t.cause and not t.counts_as_score and t.cause not in ("skipped", "pending")), None)
    if broken is not None:
        steps.append(
            NextStep(
                tool="locate_failed_phase",
                arguments={
                    "path": next((str(run.own or run.root) for run in runs if run.name == broken.run), path),
                    "trial": broken.id,
                },
                why="Shows the first error of this trial and what could disprove the diagnosis.",
            )
        )
    if left > 0:
        same = {"include": include} if include != "problems" else {}
        steps.append(
            NextStep(
                tool="classify_zero",
                arguments={"path": path, **same, "response_format": "detailed", "offset": offset + len(listed)},
                why="Lists the trials that are counted but not shown here (`omitted`).",
            )
        )
    if any(counts[cause] for cause in ("passed", *SCORE_CAUSES)):
        steps.append(
            NextStep(
                tool="check_staleness",
                arguments={"path": path},
                why="Before the number is cited or compared: says whether it still answers today's task (named as `task`).",
            )
        )
    if counts["wrong_answer"] > 1:
        steps.append(
            NextStep(
                tool="partition_disputed_rows",
                arguments={"paths": [path]},
                why="Several wrong answers: says whether they accuse the models or the key (named as `oracle`, with `key`).",
            )
        )
    return tuple(steps)


__all__ = ["ClassifiedTrial", "Include", "ZeroClassification", "ZeroTally", "classify_zero", "is_score"]
