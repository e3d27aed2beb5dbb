"""A document on a terminal. Text goes in as `Text`, so nothing from a log is ever read as markup."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from whyzero.analyses.report import NextStep
from whyzero.render.blocks import (
    Block,
    Bullets,
    Check,
    Document,
    Facts,
    Heading,
    Headline,
    Paragraph,
    Quotes,
    Steps,
    Table,
    Tone,
    flat,
    place,
    quoted_lines,
)
from whyzero.render.commands import as_command, as_sentence

STYLES = {Tone.PLAIN: "", Tone.GOOD: "bold green", Tone.BAD: "bold red", Tone.UNSURE: "bold yellow", Tone.QUIET: "dim"}
INDENT = (0, 0, 0, 2)
GAP = 3
"""Cells between two columns of a table; the outer two want one more each."""
WORD = 12
"""Cells after which a word may break: names and paths are longer, words of the vocabulary hardly ever."""
TALL = 4
"""Lines of a row above which it is read more easily by itself than as a table of narrow columns."""


class Rendered:
    """A document that rich can print."""

    def __init__(self, document: Document) -> None:
        self.document = document

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(flat(self.document.title), style="dim")
        for block in self.document.blocks:
            yield Text()
            yield _renderable(block)


def _renderable(block: Block) -> RenderableType:
    match block:
        case Heading(text):
            return Text(flat(text), style="bold")
        case Headline(text, tone):
            return Text(flat(text), style=STYLES[tone])
        case Paragraph(text, tone):
            return Text(flat(text), style=STYLES[tone])
        case Facts(pairs):
            grid = Grid.grid(padding=(0, 2, 0, 0))
            grid.add_column(no_wrap=True)
            grid.add_column(overflow="fold")
            for label, value in pairs:
                grid.add_row(Text(label, style="dim"), Text(flat(value)))
            return grid
        case Bullets(items):
            return Group(*(_hanging(Text(flat(item))) for item in items))
        case Quotes(evidence):
            parts = [part for one in evidence for part in (Text(place(one), style="cyan"), *map(_quote, quoted_lines(one)))]
            return Padding(Group(*parts), INDENT)
        case Check():
            whole = [_command(as_command(part)) for part in block.parts if isinstance(part, NextStep) and part.arguments]
            return Group(Text(as_sentence(block, lambda one: f"`{as_command(NextStep(tool=one.tool, why=''))}`")), *whole)
        case Steps(steps):
            return Group(*(part for one in steps for part in (_command(as_command(one)), _why(one))))
        case Table(columns, rows, note):
            table = _Rows(columns, tuple(tuple(map(flat, row)) for row in rows))
            return Group(table, Text(flat(note), style="dim")) if note else table


class _Rows:
    """Rows as a table, or one below the other where the terminal is so narrow that words would break or sentences become columns."""

    def __init__(self, columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> None:
        self.columns = columns
        self.rows = rows

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        least = [max(map(_least, cells)) for cells in zip(self.columns, *self.rows, strict=True)]
        room = options.max_width - GAP * (len(least) - 1) - 2
        if sum(least) > room or self._tallest(room) > TALL:
            yield from map(self._record, self.rows)
            return
        table = Grid(box=SIMPLE_HEAD, pad_edge=False, header_style="dim", show_edge=False)
        for column, width in zip(self.columns, least, strict=True):
            table.add_column(Text(column), overflow="fold", min_width=width)
        for row in self.rows:
            table.add_row(*map(Text, row))
        yield table

    def _tallest(self, room: int) -> int:
        """Lines of the tallest row, about, where the widest columns give way first."""
        widths = [max(map(cell_len, cells)) for cells in zip(self.columns, *self.rows, strict=True)]
        while sum(widths) > room:
            widest = max(widths)
            widths[widths.index(widest)] = widest - 1
        return max(
            (-(-cell_len(text) // max(width, 1)) for row in self.rows for text, width in zip(row, widths, strict=True)), default=1
        )

    def _record(self, row: tuple[str, ...]) -> RenderableType:
        first, *more = zip(self.columns, row, strict=True)
        said = [Text.assemble((f"{label} ", "dim"), value) for label, value in more if value != "-"]
        return Group(Text.assemble((f"{first[0]} ", "dim"), first[1]), Padding(Text(" · ", style="dim").join(said), INDENT))


def _least(value: str) -> int:
    """Cells that `value` needs to stay readable: its longest word, of which `WORD` cells are enough."""
    return max((min(cell_len(word), WORD) for word in value.split()), default=1)


def _quote(line: str) -> RenderableType:
    grid = Grid.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=1)
    grid.add_column(overflow="fold")
    grid.add_row(Text("│", style="dim"), Text(line))
    return grid


def _command(command: str) -> Text:
    """On one line, however long: what is pasted must not hold a line break."""
    return Text(f"  $ {command}", no_wrap=True, overflow="ignore")


def _why(step: NextStep) -> RenderableType:
    return Padding(Text(flat(step.why), style="dim"), (0, 0, 0, 4))


def _hanging(text: Text) -> RenderableType:
    grid = Grid.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=1)
    grid.add_column(overflow="fold")
    grid.add_row(Text("-"), text)
    return grid
