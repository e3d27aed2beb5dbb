"""From trials to answers: which submissions take part, and each of them compared with the key."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import current_process, get_context
from pathlib import Path, PurePosixPath

from whyzero.analyses.partition.compare import Answer, Lookup, Values
from whyzero.analyses.partition.key import AnswerKey, RowKey
from whyzero.analyses.partition.masks import bits_of, columns, everything, rows_of
from whyzero.analyses.partition.records import Record
from whyzero.errors import UsageError
from whyzero.model import Problem
from whyzero.readers.files import BOUNDS, Folder
from whyzero.readers.tables import SUFFIXES, read_table

CELLS_KEPT = 4_000_000
"""Up to so many trials x rows, every wrong value is kept; beyond, those of rows that nobody found."""
VARIANTS_KEPT = 8
"""Different wrong values kept per row beyond that."""
INVENTED_KEPT = 100_000
BYTES_ALONE = 100 * 2**20
"""More bytes of submissions than this are compared by several processes."""
WORKERS = 4

Tick = Callable[[int, int | None], None]


@dataclass
class Gathered:
    """The answers in the order of their records, and what was sent instead."""

    records: list[Record] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    unusable: list[tuple[Record, str]] = field(default_factory=list)
    wrong: dict[int, dict[Values, int]] = field(default_factory=dict)
    """Row -> what was sent instead -> mask over the answers."""
    crowded: set[int] = field(default_factory=set)
    """Rows with more different wrong values than are kept."""
    invented: dict[RowKey, dict[Values, int]] = field(default_factory=dict)
    invented_not_kept: int = 0
    """Inventions (a row in a trial) that were counted only."""
    complete: bool = True
    """Wrong values of all rows were kept."""
    repeated: int = 0
    problems: list[Problem] = field(default_factory=list)


def deliverable_of(records: Sequence[Record], asked: str | None, oracle: Path) -> str:
    """Name of the file to compare: the one asked for, else the one data file that briefs ask for and trials hold.

    Raises:
        UsageError: several would do.
    """
    if asked:
        return PurePosixPath(asked).name
    names = Counter(
        name
        for record in records
        for name in record.copies
        if (name in record.asked_for or not record.asked_for) and PurePosixPath(name).suffix.lower() in SUFFIXES
    )
    if not names:
        wanted = Counter(name for record in records for name in record.asked_for)
        return wanted.most_common(1)[0][0] if wanted else oracle.name
    if len(names) > 1 and oracle.name not in names:
        raise UsageError(f"Several files could be the submission ({', '.join(sorted(names)[:5])}). Name one with --deliverable.")
    return oracle.name if len(names) > 1 else next(iter(names))


def gather(records: Sequence[Record], name: str, key: AnswerKey, tick: Tick | None = None) -> Gathered:
    """Read and compare every submission called `name`; what cannot be used is listed with its reason."""
    found = Gathered()
    jobs: list[tuple[Record, str]] = []
    for record in records:
        path = record.copies.get(name)
        if path is None:
            found.unusable.append((record, _absence(record, name)))
        elif not record.graded:
            found.unusable.append((record, f"{name} is there, but the verifier never graded it"))
        else:
            jobs.append((record, path))
    found.complete = len(jobs) * len(key) <= CELLS_KEPT
    merge = Merge(found, key)
    for done, ((record, path), (answer, problems)) in enumerate(zip(jobs, _compared(jobs, key, merge), strict=True), 1):
        found.problems += problems
        merge.take(record, path, answer)
        if tick:
            tick(done, len(jobs))
    merge.finish()
    return found


def _absence(record: Record, name: str) -> str:
    others = sorted(record.copies)
    beside = f"; other files lie there ({', '.join(others[:3])}), which are not it" if others else ""
    return f"no {name} in its submission{beside}"


class Merge:
    """Takes the answers one by one, in their order."""

    def __init__(self, found: Gathered, key: AnswerKey) -> None:
        self.found = found
        self.key = key
        self.open = everything(len(key))
        """Rows that no answer so far found; only theirs are kept where not all can be."""

        self._first: dict[int, dict[int, Values]] = {}
        """Reader -> row -> the first wrong values it reported."""
        self._as_before: list[tuple[int, int]] = []
        """Per answer, its reader and the rows in which it repeats that reader's first values."""

    @property
    def keep(self) -> int | None:
        return None if self.found.complete else self.open

    def take(self, record: Record, path: str, answer: Answer | None) -> None:
        """Add one answer to the whole."""
        if answer is None:
            self.found.unusable.append((record, f"{path} holds no rows that can be read"))
            return
        if answer.unidentified and not answer.sent and not answer.invented:
            named = ", ".join(self.key.fields)
            self.found.unusable.append((record, f"none of its {answer.unidentified} rows has the key field {named}"))
            return
        bit = 1 << len(self.found.answers)
        self.found.records.append(record)
        self.found.answers.append(answer)
        self.found.repeated += answer.repeated
        if answer.unidentified:
            self.found.problems.append(Problem(path, f"{answer.unidentified} rows without a key; they were not compared"))
        if not self.found.complete and answer.present.issuperset(self.key.values):
            self._close(answer.found(self.key.values))
        self._as_before.append((answer.reader, answer.as_before))
        still_open = bits_of(self.open, len(self.key))
        first = self._first.setdefault(answer.reader, {})
        for row, values in answer.wrong.items():
            if self.found.complete:
                self._add(values, bit, row)
                continue
            first.setdefault(row, values)
            if still_open[row >> 3] >> (row & 7) & 1:
                self._add(values, bit, row)
        for name, values in answer.invented.items():
            if name in self.found.invented or self.found.complete or len(self.found.invented) < INVENTED_KEPT:
                variants = self.found.invented.setdefault(name, {})
                variants[values] = variants.get(values, 0) | bit
            else:
                self.found.invented_not_kept += 1
        answer.wrong, answer.invented = {}, {}

    def finish(self) -> None:
        """Add what was reported as a repetition."""
        repeated = [rows & self.open for _, rows in self._as_before]
        if not any(repeated):
            return
        readers = {reader: 0 for reader, _ in self._as_before}
        for number, (reader, _) in enumerate(self._as_before):
            readers[reader] |= 1 << number
        for row, who in columns(repeated, len(self.key)):
            for reader, theirs in readers.items():
                if who & theirs:
                    self._add(self._first[reader][row], who & theirs, row)

    def _add(self, values: Values, who: int, row: int) -> None:
        variants = self.found.wrong.setdefault(row, {})
        if values in variants or self.found.complete or len(variants) < VARIANTS_KEPT:
            variants[values] = variants.get(values, 0) | who
        else:
            self.found.crowded.add(row)

    def _close(self, rows: int) -> None:
        """Somebody found these rows: what else was sent for them is not kept."""
        newly = self.open & rows
        self.open &= ~rows
        if newly:
            for row in rows_of(newly):
                self.found.wrong.pop(row, None)
                self.found.crowded.discard(row)


Outcome = tuple[Answer | None, list[Problem]]


def _compared(jobs: Sequence[tuple[Record, str]], key: AnswerKey, merge: Merge) -> Iterator[Outcome]:
    """Answers in the order of the jobs, by one process or by several."""
    workers = min(WORKERS, os.cpu_count() or 1, len(jobs))
    size = sum(Folder(record.root).size(path) or 0 for record, path in jobs)
    done = 0
    if workers > 1 and size > BYTES_ALONE and not current_process().daemon:
        try:
            with ProcessPoolExecutor(workers, get_context("spawn"), _prepare, (key, BOUNDS.get())) as pool:
                for outcome in _by_several(pool, workers, jobs, merge):
                    done += 1
                    yield outcome
            return
        except (OSError, BrokenProcessPool):
            pass
    lookup = Lookup(key)
    for record, path in jobs[done:]:
        yield compare_file(lookup, record.root, path, merge.keep)


def _by_several(pool: Executor, workers: int, jobs: Sequence[tuple[Record, str]], merge: Merge) -> Iterator[Outcome]:
    """Keep every worker busy and hand the outcomes on in order."""
    ahead = iter(jobs)
    waiting = deque(pool.submit(_compare, r.root, path, merge.keep) for r, path in islice(ahead, 2 * workers))
    while waiting:
        yield waiting.popleft().result()
        for record, path in islice(ahead, 1):
            waiting.append(pool.submit(_compare, record.root, path, merge.keep))


_lookup: Lookup | None = None


def _prepare(key: AnswerKey, bounds: tuple[Path, ...]) -> None:
    global _lookup
    BOUNDS.set(bounds)
    _lookup = Lookup(key)


def _compare(root: Path, path: str, keep: int | None) -> Outcome:
    assert _lookup is not None
    return compare_file(_lookup, root, path, keep)


def compare_file(lookup: Lookup, root: Path, path: str, keep: int | None) -> Outcome:
    """One submission against the key; None where it holds no table."""
    folder = Folder(root)
    table = read_table(folder, path, lookup.key.fields)
    if table is None:
        return None, folder.problems
    if table.stray:
        folder.note(path, f"{table.stray} elements that are no rows; they were not compared")
    return lookup.compare(table, keep), folder.problems
