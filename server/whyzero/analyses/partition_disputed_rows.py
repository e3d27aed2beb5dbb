"""Is it the model or the answer key? Rows that no model finds, weighed by chance, by structure and against the source.

The key is suspected where every trial misses the same rows beyond chance, makes up the same rows, or errs in the same regular
way. Hard rows fail together too, so a suspicion is put to two checks that can disagree with it: a second partition from the
source, and a re-grade by a scorer that first has to give every shipped reward.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from whyzero.analyses.locate_failed_phase import ResponseFormat
from whyzero.analyses.partition.asked import Question
from whyzero.analyses.partition.records import Progress, records
from whyzero.analyses.partition.report import DisputedRow, InventedRow, Partition, RowClass, Structure, TaskClass, Verdict
from whyzero.analyses.partition.whole_rows import partition_rows
from whyzero.analyses.partition.whole_tests import partition_tests
from whyzero.model import Run
from whyzero.readers import runs_below


def partition_disputed_rows(
    paths: Path | Run | Sequence[Path | Run],
    oracle: Path | None = None,
    key: Sequence[str] = (),
    *,
    deliverable: str | None = None,
    fields: Sequence[str] = (),
    corpus: Path | None = None,
    rule: str | None = None,
    wide: str | None = None,
    rules: Mapping[str, str] | None = None,
    scorer: Sequence[str] = (),
    original: Path | None = None,
    audit_grader: bool = False,
    response_format: ResponseFormat = "concise",
    limit: int | None = None,
    progress: Progress | None = None,
) -> Partition:
    """Say which side is wrong, row by row; without `oracle` the tests and tasks are partitioned.

    Args:
        paths: trials, runs, or folders of them; or runs that are open already.
        oracle: the answer key of today: JSON list, JSON object of rows, JSON lines, CSV, or Parquet.
        key: field(s) that identify a row of it.
        deliverable: name of the file that the brief asks for; default: the one that briefs ask for and trials hold.
        fields: fields compared beyond the key; default: all that both sides have.
        corpus: folder of text that the key was made from.
        rule: regular expression of a sound row's sentence, searched in one line at a time.
        wide: a wider one, which has to match all that `rule` matches.
        rules: candidates to replace `rule`, by name.
        scorer: argument list, run as `SCORER SUBMISSION ORACLE`; prints `{"reward": x, ...}`. Default: the built-in row scorer.
        original: the key that the shipped rewards were made with, where `oracle` is the corrected one.
        audit_grader: put probes to the scorer.
        limit: disputed rows listed of each class; counts are exact either way.
        progress: called with (trials read, trials expected or None).

    Raises:
        UsageError: arguments that do not fit together, or a key that does not identify a row; the message names the culprit.
        UnknownFormatError: no run lies at one of the paths.
    """
    places = (paths,) if isinstance(paths, Path | Run) else tuple(paths)
    question = Question(
        oracle=oracle,
        key=tuple(key),
        deliverable=deliverable,
        fields=tuple(fields),
        corpus=corpus,
        rule=rule,
        wide=wide,
        rules=dict(rules or {}),
        scorer=tuple(scorer),
        original=original,
        audit_grader=audit_grader,
        paths=tuple(one.root if isinstance(one, Run) else one for one in places),
        detailed=response_format == "detailed",
        limit=limit,
    )
    question.check()
    answer_key = question.read_key()
    runs = [run for one in places for run in ([one] if isinstance(one, Run) else runs_below(one))]
    trials = list(records(runs, progress))
    if answer_key is None:
        return partition_tests(question, runs, trials)
    return partition_rows(question, answer_key, runs, trials, progress)


__all__ = [
    "DisputedRow",
    "InventedRow",
    "Partition",
    "RowClass",
    "Structure",
    "TaskClass",
    "Verdict",
    "partition_disputed_rows",
]
