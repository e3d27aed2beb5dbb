"""Sets of rows as whole numbers: bit r is row r. A hundred thousand rows of one trial take 12.5 kB."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, count

BLOCK = 4096
"""Rows turned over at a time."""


def mask_of(rows: Iterable[int], size: int) -> int:
    """The set that holds these rows, out of `size`."""
    bits = bytearray((size >> 3) + 1)
    for row in rows:
        bits[row >> 3] |= 1 << (row & 7)
    return int.from_bytes(bits, "little")


def everything(size: int) -> int:
    return (1 << size) - 1


def rows_of(mask: int) -> Iterator[int]:
    """The rows of a set, ascending."""
    return compress(count(), map(int, reversed(f"{mask:b}"))) if mask else iter(())


def holds(mask: int, row: int) -> bool:
    return bool(mask >> row & 1)


def bits_of(mask: int, size: int) -> bytes:
    """A set laid out for many look-ups: row r is in it when `bits[r >> 3] >> (r & 7) & 1`."""
    return mask.to_bytes((size >> 3) + 1, "little")


def columns(masks: Sequence[int], size: int) -> Iterator[tuple[int, int]]:
    """The other way round: every row that some set holds, with the mask over the sets that hold it."""
    held = union(masks)
    for start in range(0, size, BLOCK):
        width = min(BLOCK, size - start)
        part = everything(width)
        if not held >> start & part:
            continue
        lines = (f"{mask >> start & part:0{width}b}" for mask in reversed(masks))
        for place, column in enumerate(zip(*lines, strict=True)):
            if "1" in column:
                yield start + width - 1 - place, int("".join(column), 2)


def counts(masks: Iterable[int], size: int) -> list[int]:
    """For each row, how many of the sets hold it: added up bit by bit, all rows at once."""
    planes: list[int] = []
    for mask in masks:
        carry, at = mask, 0
        while carry:
            if at == len(planes):
                planes.append(0)
            planes[at], carry = planes[at] ^ carry, planes[at] & carry
            at += 1
    totals = [0] * size
    for at, plane in enumerate(planes):
        for row in rows_of(plane):
            totals[row] += 1 << at
    return totals


def union(masks: Sequence[int]) -> int:
    result = 0
    for mask in masks:
        result |= mask
    return result
