"""Reports as people and agents read them; log text stays text in each form."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from whyzero.analyses.locate_failed_phase import Affected, FailedPhase, FailedTrial, PhaseCounts
from whyzero.analyses.report import NextStep, Report, RunInfo, Unread
from whyzero.evidence import Evidence, Level
from whyzero.model import Phase
from whyzero.render import html, markdown, plain
from whyzero.render.blocks import Document, Quotes, Table
from whyzero.render.commands import as_call, as_command
from whyzero.render.markdown import code, to_markdown
from whyzero.render.terminal import Rendered

HOSTILE = (
    "[bold red]x[/] \x1b[31mred\x1b[0m \x1b]8;;http://evil\x07link "
    "<script>alert(1)</script> `code` | cell\n# heading\n```\n:warning:"
)


def evidence(quote: str = "429 rate_limit_error") -> Evidence:
    return Evidence(path="t__1/agent/claude-code.txt", line=14, pointer="/error", quote=quote)


def report(quote: str = "429 rate_limit_error", cause: str | None = "rate_limited") -> FailedPhase:
    return FailedPhase(
        summary="job-1 (harbor 0.26.0): 2 trials read, 1 passed.",
        next_steps=(NextStep(tool="classify_zero", arguments={"path": "jobs/my job"}, why="Says whether the zero is a score."),),
        problems=(Unread(path="t__2/result.json", reason="does not parse as JSON (line 1, column 2)"),),
        omitted={"trials": 7},
        run=RunInfo(name="job-1", format="harbor", writer="harbor 0.26.0", command="harbor run"),
        phase=Phase.TRAJECTORY if cause else Phase.NONE,
        affected=Affected(trial="t__1", task="sales", attempt=0),
        cause=cause,
        likely_cause="A provider limit ended the trial.",
        evidence=(evidence(quote),) if cause else (),
        disproving_check="grep -c 429 t__1/agent/claude-code.txt",
        evidence_level=Level.LOG,
        trials=(
            FailedTrial(
                id="t__1", task="sales", attempt=0, phase=Phase.TRAJECTORY, cause="rate_limited", first_error=quote,
                evidence=(evidence(quote), evidence("second quote")),
            ),
        ),
        counts=PhaseCounts(by_phase={"trajectory": 1}, by_cause={"rate_limited": 1}, trials=2, passed=1),
    )  # fmt: skip


def terminal(shown: FailedPhase, colour: bool = False, width: int = 100) -> str:
    from whyzero.render import document

    out = io.StringIO()
    Console(file=out, force_terminal=colour, width=width, highlight=False).print(Rendered(document(shown)))
    return out.getvalue()


def test_markdown_holds_every_part_of_the_diagnosis_in_order() -> None:
    assert markdown(report()) == (
        "# whyzero · diagnosis · job-1 · harbor 0.26.0\n\n"
        "**1 of 2 trials without full marks: rate_limited in phase trajectory**\n\n"
        "A provider limit ended the trial.\n\n"
        "job-1 (harbor 0.26.0): 2 trials read, 1 passed.\n\n"
        "- first affected: trial t__1, task sales, attempt 0\n"
        "- command: harbor run\n\n"
        "## Evidence (a log line by the one who knows says it)\n\n"
        "- `t__1/agent/claude-code.txt:14 /error`\n"
        "  > 429 rate_limit_error\n\n"
        "## What could show this wrong\n\n"
        "grep -c 429 t__1/agent/claude-code.txt\n\n"
        "## Trials without full marks\n\n"
        "| trial | task | attempt | phase | cause | first error |\n"
        "| --- | --- | --- | --- | --- | --- |\n"
        "| t__1 | sales | 0 | trajectory | rate_limited | 429 rate_limit_error |\n\n"
        "## t__1: rate_limited\n\n"
        "- `t__1/agent/claude-code.txt:14 /error`\n"
        "  > second quote\n\n"
        "## Not read, or only in part\n\n"
        "- t__2/result.json: does not parse as JSON (line 1, column 2)\n\n"
        "Left out of this answer: 7 trials.\n\n"
        "## Next\n\n"
        '- `classify_zero(path="jobs/my job")`: Says whether the zero is a score.\n'
    )


def test_a_pipe_gets_commands_where_an_agent_gets_calls() -> None:
    assert "whyzero classify-zero 'jobs/my job'" in plain(report())
    assert "classify_zero(" not in plain(report())


def test_a_platform_run_is_asked_for_with_flags_on_the_command_line() -> None:
    managed = {"kind": "eval", "name": "night run", "workspace": "/w"}
    step = NextStep(tool="locate_failed_phase", arguments={"managed": managed}, why="Again.")
    assert as_command(step) == "whyzero locate-failed-phase --managed 'night run' --kind eval --workspace /w --allow-network"
    assert as_call(step) == 'locate_failed_phase(managed={"kind": "eval", "name": "night run", "workspace": "/w"})'


def test_a_passing_run_says_so_first() -> None:
    assert markdown(report(cause=None)).splitlines()[2] == "**Nothing failed**"


def test_hostile_text_stays_inside_its_quote_in_markdown() -> None:
    text = markdown(report(HOSTILE))
    assert not {"\x1b", "\x07"} & set(text)
    quoted = [line for line in text.splitlines() if "heading" in line or "```" in line or "<script>" in line]
    assert quoted
    assert all(line.startswith(("  > ", "| ")) for line in quoted)
    assert all(line.count(" | ") == 5 for line in text.splitlines() if line.startswith("| t__1"))


def test_hostile_text_is_never_markup_on_a_terminal() -> None:
    shown = terminal(report(HOSTILE), colour=False, width=400)
    assert "[bold red]x[/]" in shown
    assert ":warning:" in shown
    assert "\x1b" not in shown


def test_a_colour_terminal_gets_only_our_own_escape_sequences() -> None:
    shown = terminal(report(HOSTILE), colour=True, width=400)
    assert "\x1b[1;31m1 of 2 trials without full marks: rate_limited in phase trajectory" in shown
    assert "evil" not in re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert "\x1b]" not in shown


def test_hostile_text_is_escaped_on_the_page() -> None:
    page = html(report(HOSTILE))
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "default-src 'none'" in page


@pytest.mark.parametrize("form", [markdown, plain, html])
def test_a_report_without_a_layout_is_shown_field_by_field(form: object) -> None:
    class Later(Report):
        verdict: str
        """A word."""

    assert callable(form)
    text = form(Later(summary="All of it.", verdict="inconclusive"))
    assert "All of it." in text
    assert "inconclusive" in text


def test_inline_code_cannot_be_closed_from_inside() -> None:
    assert code("a `` b") == "``` a `` b ```"
    assert code("plain") == "`plain`"


def test_table_cells_cannot_add_columns() -> None:
    text = to_markdown(Document("t", (Table(("a", "b"), (("x | y", "z\nw"),)),)))
    assert "| x \\| y | z w |" in text


def test_each_line_of_a_quote_is_marked() -> None:
    text = to_markdown(Document("t", (Quotes((Evidence(path="a.txt", line=1, quote="one\ntwo"),)),)))
    assert text == "# t\n\n- `a.txt:1`\n  > one\n  > two\n"


def test_next_steps_become_commands_and_calls() -> None:
    step = NextStep(
        tool="partition_disputed_rows",
        arguments={"paths": ["a b", "c"], "fields": ["x", "y"], "wide": None, "key": "id", "tolerance": 0.5},
        why="",
    )
    assert as_command(step) == "whyzero partition-disputed-rows 'a b' c --field x --field y --key id --tolerance 0.5"
    assert as_call(NextStep(tool="verify_fix", arguments={"before": "a"}, why="")) == 'verify_fix(before="a")'
