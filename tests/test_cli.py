"""The program as it is called: what goes to stdout, what to stderr, how it ends."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import whyzero
from whyzero.analyses.check_staleness import Staleness
from whyzero.analyses.classify_zero import ZeroClassification
from whyzero.analyses.locate_failed_phase import Affected, FailedPhase, PhaseCounts
from whyzero.analyses.report import Report, RunInfo
from whyzero.analyses.verify_fix import FixVerdict, FixVerification
from whyzero.cli.app import main
from whyzero.cli.arguments import reported
from whyzero.cli.exit_codes import exit_code
from whyzero.cli.output import answer
from whyzero.cli.reading import SignOfLife
from whyzero.errors import PathRefusedError, UsageError
from whyzero.model import Phase

SERVER = str(Path(whyzero.__file__).parent.parent)


def whyzero_program(*arguments: str, stdin: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    """The real program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "whyzero", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": SERVER, **more},
        check=False,
    )


def ended(*arguments: str) -> int:
    """Exit code of the program run in this process."""
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    assert isinstance(end.value.code, int)
    return end.value.code


def diagnosis(cause: str | None, by_cause: dict[str, int], pending: int = 0) -> FailedPhase:
    return FailedPhase(
        summary="job-1: 2 trials read.",
        run=RunInfo(name="job-1", format="harbor"),
        phase=Phase.NONE,
        affected=Affected(),
        cause=cause,
        likely_cause="One sentence.",
        counts=PhaseCounts(by_cause=by_cause, pending=pending),
    )


def classification(counts: dict[str, int]) -> ZeroClassification:
    return ZeroClassification(summary="s", runs=(), trials=(), counts=counts, outcomes={}, scores=())


def staleness(**window: int) -> Staleness:
    return Staleness(summary="s", runs=(), trials=(), sweeps=(), counts={"window": window, "advice": {"reuse": 1}})


def fix(verdict: FixVerdict) -> FixVerification:
    return FixVerification(summary="s", verdict=verdict, why="w", before=RunInfo(name="old", format="osmosis"))


# ---- the program


def test_version() -> None:
    done = whyzero_program("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"whyzero {whyzero.__version__}\n", "")


def test_the_program_starts_without_the_protocol_and_without_what_only_a_report_needs() -> None:
    slow = {"mcp", "mcp_types", "rich", "pydantic", "numpy", "whyzero.readers", "whyzero.analyses"}
    code = f"import sys, whyzero.cli; sys.exit(bool({slow} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": SERVER}, check=False).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "culprit"),
    [
        (["diagnose"], "PATH"),
        (["diagnose", "x", "--row", "seven"], "--row"),
        (["diagnose", "x", "--nonsense"], "--nonsense"),
        (["diagnos", "x"], "diagnos"),
        (["explain", "no_such_cause"], "no_such_cause"),
        (["classify-zero", "x", "--include", "some"], "--include"),
        (["diagnose", "x", "--error", "@no/such/file"], "no/such/file"),
        (["diagnose", "x", "--error", "missing.log"], "missing.log"),
    ],
)
def test_bad_usage_is_two_and_names_the_culprit(
    arguments: list[str], culprit: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert ended(*arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert culprit in said.err
    assert "Traceback" not in said.err


def test_without_a_command_the_help_is_shown_and_the_code_is_two() -> None:
    done = whyzero_program()
    assert done.returncode == 2
    assert "locate-failed-phase" in done.stderr
    assert done.stdout == ""


def test_an_unexpected_exception_is_two_without_a_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("secret words")

    monkeypatch.setattr("whyzero.catalogue.page", broken)
    monkeypatch.delenv("WHYZERO_DEBUG", raising=False)
    assert ended("explain", "clock") == 2
    said = capsys.readouterr().err
    assert "RuntimeError" in said
    assert "secret words" not in said
    assert "Traceback" not in said
    monkeypatch.setenv("WHYZERO_DEBUG", "1")
    with pytest.raises(RuntimeError):
        main(["explain", "clock"])


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m whyzero causes; echo $? >&2"
    done = subprocess.run(
        ["bash", "-c", f"({command}) | true"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": SERVER},
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_explain_prints_the_page_and_accepts_dashes(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended("explain", "undetermined") == 0
    assert capsys.readouterr().out.startswith("# undetermined\n")


def test_causes_as_json_lists_undetermined_last(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended("causes", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert listed[-1]["name"] == "undetermined"
    assert set(listed[0]) == {"name", "phase", "whose", "counts_as_score", "summary"}


# ---- what the exit code says


@pytest.mark.parametrize(
    ("report", "code"),
    [
        (diagnosis(None, {}), 0),
        (diagnosis(None, {"skipped": 2}), 0),
        (diagnosis(None, {"no_agent": 1}), 0),
        (diagnosis("rate_limited", {"rate_limited": 1}), 1),
        (diagnosis("wrong_answer", {"wrong_answer": 1}), 1),
        (diagnosis("config_invalid", {}), 1),
        (diagnosis("undetermined", {"undetermined": 2}), 2),
        (diagnosis("undetermined", {"undetermined": 1, "clock": 1}), 1),
        (diagnosis(None, {}, pending=3), 2),
        (classification({"passed": 3}), 0),
        (classification({"passed": 3, "skipped": 1}), 0),
        (classification({"passed": 3, "clock": 1}), 1),
        (classification({"undetermined": 1, "passed": 1}), 2),
        (staleness(fresh=2), 0),
        (staleness(fresh=2, cannot_tell=1), 0),
        (staleness(fresh=2, stale=1), 1),
        (staleness(cannot_tell=2), 2),
        (fix(FixVerdict.VERIFIED), 0),
        (fix(FixVerdict.REFUTED), 1),
        (fix(FixVerdict.INCONCLUSIVE), 2),
        (fix(FixVerdict.NOT_COMPARABLE), 2),
    ],
)
def test_the_exit_code_says_clean_found_or_could_not_tell(report: Report, code: int) -> None:
    assert exit_code(report)[0] == code
    assert bool(exit_code(report)[1]) == (code == 2)


def test_json_is_the_object_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(diagnosis("rate_limited", {"rate_limited": 1}), as_json=True) == 1
    said = capsys.readouterr()
    shown = json.loads(said.out)
    assert shown["cause"] == "rate_limited"
    assert shown["counts"]["by_cause"] == {"rate_limited": 1}
    assert said.err == ""


def test_could_not_tell_says_why_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(diagnosis("undetermined", {"undetermined": 1}), as_json=True) == 2
    said = capsys.readouterr()
    assert json.loads(said.out)["cause"] == "undetermined"
    assert said.err == "whyzero: could not tell. job-1: 2 trials read.\n"


def test_html_is_written_beside_the_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "report.html"
    answer(diagnosis("clock", {"clock": 1}), as_json=False, page=page)
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert capsys.readouterr().out.startswith("# whyzero")
    with pytest.raises(PathRefusedError, match="--html"):
        answer(diagnosis("clock", {"clock": 1}), as_json=False, page=tmp_path / "no" / "where.html")


# ---- what the user saw


def test_error_is_a_file_with_or_without_the_sign_or_the_text_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("seen").write_text("HTTP 401\n", encoding="utf-8")
    assert reported("seen") == "HTTP 401\n"
    assert reported("@seen") == "HTTP 401\n"
    assert reported("Not logged in. Run osmosis login.") == "Not logged in. Run osmosis login."
    assert reported("429") == "429"
    assert reported(None) is None


def test_error_from_a_pipe_is_read_as_it_comes() -> None:
    code = "import sys; from whyzero.cli.arguments import reported; sys.stdout.write(reported('-'))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=b"caf\xc3\xa9 \xff",
        capture_output=True,
        env={**os.environ, "PYTHONPATH": SERVER},
        check=False,
    )
    assert done.stdout.decode() == "café \ufffd"


def test_an_error_that_cannot_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    with pytest.raises(PathRefusedError):
        reported("@pipe")
    with pytest.raises(PathRefusedError):
        reported("@.")
    with pytest.raises(UsageError):
        reported("  ")


# ---- a sign of life


def test_a_long_read_says_so_once_on_stderr_and_a_short_one_is_silent(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("whyzero.cli.reading.PATIENCE", 0.02)
    with SignOfLife("job-1") as life:
        life.tick(1, 20_000)
        time.sleep(0.2)
        life.tick(2, 20_000)
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "whyzero: reading job-1 ...\n")
    with SignOfLife("job-1", quiet=True):
        time.sleep(0.2)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("whyzero.cli.reading.PATIENCE", 30)
    with SignOfLife("job-1") as life:
        life.tick(1, 1)
    assert capsys.readouterr().err == ""


def test_on_a_terminal_a_bar_shows_how_far_it_is_and_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr("whyzero.cli.reading.PATIENCE", 0.02)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    with SignOfLife("[bold]job") as life:
        time.sleep(0.2)
        life.tick(7, 20_000)
        time.sleep(0.3)
    shown = terminal.getvalue()
    assert "reading [bold]job" in shown
    assert "7/20000" in shown
    assert shown.endswith("\x1b[2K")
    assert "\x1b[?25h" in shown
