"""A path as it is typed: relative, `.`, misspelt, or the whole disk."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.harbor_trees import result, trial

from whyzero.analyses.locate_failed_phase import locate_failed_phase
from whyzero.cli.app import main
from whyzero.errors import UnknownFormatError
from whyzero.model import Phase
from whyzero.readers import open_run, open_runs, runs_below
from whyzero.readers.files import Folder


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A job of two trials, and the working directory beside it."""
    root = tmp_path / "job"
    root.mkdir()
    (root / "config.json").write_text('{"job_name": "job", "jobs_dir": "jobs", "n_attempts": 1}')
    (root / "result.json").write_text('{"id": "a", "n_total_trials": 2, "stats": {}}')
    trial(root / "orders__one1234", result("orders__one1234"))
    trial(root / "orders__two1234", result("orders__two1234"))
    monkeypatch.chdir(tmp_path)
    return root


@pytest.mark.parametrize("named", ["job/orders__two1234", "./job/orders__two1234/", "job/orders__two1234/result.json"])
def test_a_relative_path_of_a_trial_reads_that_trial_alone(job: Path, named: str) -> None:
    for run in (open_run(Path(named)), *open_runs(Path(named)), *runs_below(Path(named))):
        assert [one.id for one in run.read_trials()] == ["orders__two1234"]
        assert run.root == job.resolve()


@pytest.mark.parametrize("below", ["orders__two1234", "orders__two1234/verifier"])
def test_a_dot_is_the_folder_one_stands_in(job: Path, below: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (job / below).mkdir(exist_ok=True)
    monkeypatch.chdir(job / below)
    run = open_run(Path())
    assert run.name == "job"
    assert [one.id for one in run.read_trials()] == ["orders__two1234"]


def test_a_missing_path_is_said_to_be_missing(job: Path) -> None:
    with pytest.raises(UnknownFormatError, match="There is no file or folder 'jbo'"):
        open_run(Path("jbo"))


def test_a_folder_without_results_is_told_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormatError, match=r"Nothing known lies at .* Looked for an Osmosis run"):
        open_run(tmp_path)


def test_a_link_that_may_not_be_read_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As /proc/1/cwd is to everybody: `os.path.realpath` of Python 3.11 raises there."""

    def refuse(path: object) -> str:
        raise PermissionError(13, "Permission denied", str(path))

    (tmp_path / "cwd").symlink_to(tmp_path)
    folder = Folder(tmp_path)
    monkeypatch.setattr("os.path.realpath", refuse)
    assert not folder.is_dir("cwd")
    assert [(one.path, one.reason) for one in folder.problems] == [("cwd", "permission denied")]


# ---- what was seen, where nothing lies

NOT_LOGGED_IN = "Error: Not logged in. Run `osmosis auth login` first."


def test_a_known_sentence_of_the_program_is_answered_in_an_empty_folder(tmp_path: Path) -> None:
    report = locate_failed_phase(open_run(tmp_path, error=NOT_LOGGED_IN))
    assert (report.phase, report.cause) == (Phase.PUBLISH, "not_logged_in")
    assert [(one.path, one.line) for one in report.evidence] == [("error", 1)]


def test_words_that_nobody_knows_leave_an_empty_folder_unknown(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormatError, match="Nothing known lies at"):
        open_run(tmp_path, error="it did not work")


def test_what_was_seen_does_not_excuse_a_misspelt_path(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormatError, match="There is no file or folder"):
        open_run(tmp_path / "nowhere", error=NOT_LOGGED_IN)


def test_what_was_seen_is_enough_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main(["locate-failed-phase", "--error", NOT_LOGGED_IN])
    assert end.value.code == 1
    assert "not_logged_in in phase publish" in capsys.readouterr().out


# ---- a folder with runs of two harnesses

OSMOSIS = Path(__file__).parent.parent / "examples" / "osmosis-workspace"


def test_runs_of_another_kind_beside_the_ones_read_are_named(job: Path) -> None:
    shutil.copytree(OSMOSIS, job.parent / "osmosis")
    run = open_run(Path())
    assert run.format == "harbor"
    assert [(one.path, one.reason) for one in run.problems] == [("osmosis", "a run of another kind, not read here; name it")]
    assert open_run(job).problems == ()


def test_the_runs_of_a_folder_are_found_at_different_depths(job: Path) -> None:
    shutil.copytree(OSMOSIS, job.parent / "more" / "osmosis")
    assert [run.name for run in open_runs(Path())] == ["job", "dev-run"]
    assert [run.name for run in runs_below(Path())] == ["job", "dev-run"]
