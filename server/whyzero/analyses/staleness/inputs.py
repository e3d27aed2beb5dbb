"""Inputs: are the digests and settings the harness recorded those of today?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from whyzero.analyses.staleness.checked import Checked, Moved, cannot_tell, fresh, stale
from whyzero.evidence import Evidence
from whyzero.model import Run, Spot, Trial
from whyzero.question import Question, Setting

SHOWN = 20
GRADING = frozenset({"pass_threshold"})
"""Settings that only decide how a reward is read."""
GRADER_FOLDERS = ("tests/", "solution/")


def check_inputs(run: Run, trial: Trial, question: Question | None, given: Question | None) -> tuple[Checked, bool]:
    """The verdict, and whether all that moved belongs to grading.

    Args:
        given: the task the trial was given, where the caller says which (against).
    """
    if question is None:
        return cannot_tell("The task of today is not known: give it (task)."), False
    if question.kind == "brief":
        return cannot_tell("A brief in a text file has no digest to compare."), False
    if question.kind == "workspace":
        return _osmosis(run, question)
    if trial.checksum:
        return _checksum(trial, question, given), False
    if given is not None and given.parts and question.parts:
        return _against(question, given)
    return cannot_tell("The run recorded no digest of the task."), False


def _checksum(trial: Trial, question: Question, given: Question | None) -> Checked:
    """Harbor's digest covers the whole task folder, so that any file that moved moves it."""
    assert trial.checksum is not None
    recorded = trial.checksum.removeprefix("sha256:")
    if not question.digests:
        return cannot_tell(
            f"Today's digest of {question.path} cannot be worked out: {question.no_digest or 'nothing to digest'}."
        )
    found = next((d for d in question.digests if d.value == recorded), None)
    evidence = Spot(trial.spot.path, pointer="/task_checksum")
    if found is not None:
        return fresh(f"The recorded task_checksum {recorded[:12]} is that of today's {found.covers}.")
    today = question.digests[0]
    moved = [Moved(what="task_checksum", recorded=recorded, current=today.value)]
    if given is not None and given.parts and recorded in {d.value for d in given.digests}:
        moved += _files(given.parts, question.parts)
    why = f"The recorded task_checksum {recorded[:12]} is not that of today's {today.covers} ({today.value[:12]})."
    return stale(
        why,
        tuple(moved[:SHOWN]),
        (evidence.evidence(recorded), Evidence(path=today.path, quote=f"{today.covers}: {today.value}")),
    )


def _against(question: Question, given: Question) -> tuple[Checked, bool]:
    """No digest on record: today's folder beside the one the caller says the run was given."""
    moved = list(_files(given.parts, question.parts))
    if not moved:
        return fresh(f"Today's task folder is file by file that of {given.path}."), False
    paths = [one.what.removeprefix("file ") for one in moved]
    only_grading = all(path.startswith(GRADER_FOLDERS) for path in paths)
    why = f"{len(moved)} files differ between {given.path} and today's task folder ({', '.join(paths[:3])})."
    return stale(why, tuple(moved[:SHOWN]), (Evidence(path=question.path, quote=why),)), only_grading


def _files(then: Mapping[str, str], now: Mapping[str, str]) -> Iterator[Moved]:
    for path in sorted(then.keys() | now.keys()):
        if then.get(path) != now.get(path):
            yield Moved(what=f"file {path}", recorded=_short(then.get(path)), current=_short(now.get(path)))


def _short(digest: str | None) -> str | None:
    return digest[:12] if digest else None


def _osmosis(run: Run, question: Question) -> tuple[Checked, bool]:
    """The inputs of manifest.json against config, data files and rollout source of the workspace."""
    recorded = run.inputs.settings
    if not recorded:
        return cannot_tell("The run has no manifest with its inputs."), False
    moved, same, unknown = [], [], []
    for name, then in recorded.items():
        now = _dataset(question, then) if name == "dataset.sha256" else question.settings.get(name)
        if now is None:
            unknown.append(name)
        elif now.value == then:
            same.append(name)
        else:
            moved.append((name, then, now))
    if moved:
        pairs = tuple(Moved(what=name, recorded=then, current=now.value) for name, then, now in moved[:SHOWN])
        evidence = tuple(Evidence(path=now.path, quote=f"{name}: {now.value}") for name, _, now in moved[:3])
        why = f"{', '.join(name for name, _, _ in moved)} of the run's manifest.json {'is' if len(moved) == 1 else 'are'} not what the workspace gives today."
        return stale(why, pairs, evidence), {name for name, _, _ in moved} <= GRADING
    if not {"dataset.sha256", "rollout.source_digest"} & set(same):
        why = question.no_digest or "no data file and no rollout source"
        return cannot_tell(f"The workspace gives nothing to compare with the run's manifest.json ({why})."), False
    told = [f"{name} {recorded[name][:12]}" if len(recorded[name]) == 64 else name for name in same]
    beside = [name for name in unknown if not name.startswith("versions.")]
    not_told = f" Not to be compared: {', '.join(beside)}." if beside else ""
    return fresh(f"The workspace still gives what the run's manifest.json records: {', '.join(told)}.{not_told}"), False


def _dataset(question: Question, then: str) -> Setting | None:
    """The dataset is any data file with the recorded digest; where none has it, the first stands for today's."""
    if then in question.datasets:
        return Setting(then, question.datasets[then])
    return next((Setting(digest, path) for digest, path in question.datasets.items()), None)
