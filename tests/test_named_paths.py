"""A path as it is typed: relative, `.`, misspelt, or the whole disk."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.harbor_trees import result, trial, write

import terminal_bench_trees as terminal_bench
from whyzero.analyses.locate_failed_phase import locate_failed_phase
from whyzero.cli.app import main
from whyzero.errors import UnknownFormatError
from whyzero.model import Phase, Run
from whyzero.readers import LISTED, open_run, open_runs, runs_below
from whyzero.readers.files import Folder

EXAMPLES = Path(__file__).parent.parent / "examples"


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


# ---- whatever lies in a folder is read, or named as not read

BENCH = {"play/play.1-of-1/results.json": terminal_bench.record(*terminal_bench.WRONG)}
BENCH_RUN = {"results.json": {"results": [], "n_resolved": 0, "accuracy": 0.0}, **BENCH}
OTHER = "a run of another kind, not read here; name it"


def lay(root: Path, *kinds: str) -> Path:
    """A folder with one of each kind, named by it: `job`, `bare` (a Harbor trial), `osmosis`, `bench`, or below a folder."""
    for kind in kinds:
        at = root / kind
        match kind.rsplit("/", 1)[-1]:
            case "job" | "job2" as name:
                at.mkdir(parents=True)
                (at / "result.json").write_text('{"id": "a", "n_total_trials": 1, "stats": {}}')
                trial(at / f"{name}__abc1234", result(f"{name}__abc1234"))
            case "bare" | "bare2" as name:
                at.parent.mkdir(parents=True, exist_ok=True)
                trial(at, result(f"{name}__abc1234"))
            case "bench":
                write(at, BENCH_RUN)
            case "osmosis":
                shutil.copytree(OSMOSIS, at)
    return root


def read(runs: list[Run]) -> dict[str, int]:
    """Trials by run."""
    return {run.name: len(list(run.read_trials())) for run in runs}


@pytest.mark.parametrize(
    ("kinds", "runs"),
    [
        (("bare", "job"), {"bare": 1, "job": 1}),
        (("bare", "bare2", "job", "job2"), {"bare": 1, "bare2": 1, "job": 1, "job2": 1}),
        (("bare", "deep/job"), {"bare": 1, "deep": 1}),
        (("bare", "osmosis"), {"bare": 1, "dev-run": 4}),
        (("bench", "job"), {"bench": 1, "job": 1}),
        (("bare", "bench", "deep/osmosis"), {"bare": 1, "bench": 1, "dev-run": 4}),
        (("bare", "bare2"), {"all": 2}),
    ],
)
def test_every_run_and_every_bare_trial_of_a_folder_is_read(kinds: tuple[str, ...], runs: dict[str, int], tmp_path: Path) -> None:
    root = lay(tmp_path / "all", *kinds)
    assert read(open_runs(root)) == runs
    assert read(runs_below(root)) == runs
    assert [one.problems for one in open_runs(root)] == [()] * len(runs)


@pytest.mark.parametrize(
    ("kinds", "format_", "trials", "left"),
    [
        (("bare", "job"), "harbor", 2, []),
        (("bench", "job"), "harbor", 1, ["bench"]),
        (("bare", "bench", "osmosis"), "harbor", 1, ["bench", "osmosis"]),
        (("bench", "deep/osmosis"), "terminal-bench", 1, ["deep/osmosis"]),
    ],
)
def test_of_a_mixed_folder_what_one_reader_passes_over_is_named(
    kinds: tuple[str, ...], format_: str, trials: int, left: list[str], tmp_path: Path
) -> None:
    run = open_run(lay(tmp_path / "all", *kinds))
    assert (run.format, len(list(run.read_trials()))) == (format_, trials)
    assert [(one.path, one.reason) for one in run.problems] == [(path, OTHER) for path in left]


def test_many_runs_of_another_kind_are_counted_where_they_are_not_named(tmp_path: Path) -> None:
    lay(tmp_path, "job")
    for number in range(LISTED + 3):
        write(tmp_path / f"bench-{number:02}", BENCH_RUN)
    problems = [(one.path, one.reason) for one in open_run(tmp_path).problems]
    assert problems[:-1] == [(f"bench-{number:02}", OTHER) for number in range(LISTED)]
    assert problems[-1] == (".", "3 more runs of another kind, not read here")


def test_folders_beyond_the_bound_are_said_to_be_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whyzero.readers.CHILDREN", 2)
    first, second = open_runs(lay(tmp_path, "bare", "job", "job2"))
    assert (first.name, second.name) == ("bare", "job")
    assert [(one.path, one.reason) for one in first.problems] == [
        (".", "3 entries; runs were looked for in the first 2, name the others")
    ]
    assert second.problems == ()


def test_a_second_name_of_a_run_or_trial_is_no_second_one(tmp_path: Path) -> None:
    """`latest` is often a link to the newest job."""
    root = lay(tmp_path / "all", "job", "job2", "bench")
    (root / "a-latest").symlink_to("job2")
    (root / "job" / "again").symlink_to("job__abc1234")
    (root / "bench" / "play" / "again").symlink_to("play.1-of-1")
    assert read(open_runs(root)) == {"job": 1, "job2": 1, "bench": 1}
    run = open_run(root)
    assert (run.found, run.parts, sorted(one.spot.path for one in run.read_trials())) == (
        2,
        2,
        ["job/job__abc1234/result.json", "job2/job2__abc1234/result.json"],
    )
    assert read([open_run(root / "a-latest")]) == {"job2": 1}


def test_a_folder_that_may_not_be_looked_into_is_a_problem(tmp_path: Path) -> None:
    lay(tmp_path / "all", "job", "osmosis", "deep/osmosis")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "all" / "deep" / "out").symlink_to(tmp_path / "elsewhere")
    problems = [(one.path, one.reason) for run in open_runs(tmp_path / "all") for one in run.problems]
    assert problems == [("deep/out", "a symbolic link or `..` leads outside the run; not opened")]


def test_folders_deeper_than_looked_for_are_said_to_be_left(job: Path, tmp_path: Path) -> None:
    """Three levels down; what lies in hidden folders is nobody's results."""
    for below in ("a/b/c/d/e/f/deep", ".cache/b/c/d/e/f/deep"):
        shutil.copytree(job, tmp_path / below)
    runs = open_runs(tmp_path)
    assert [run.name for run in runs] == ["job"]
    told = {problem.path: problem.reason for problem in runs[0].problems}
    assert told == {"a/b/c": "3 folders down: runs deeper in it were not looked for; name them"}


def test_of_a_workspace_with_several_runs_the_steps_lead_to_the_one_that_was_read(tmp_path: Path) -> None:
    """By the time of a fix the newest run is another one."""
    workspace = tmp_path / "workspace"
    shutil.copytree(EXAMPLES / "osmosis-workspace", workspace)
    alone = locate_failed_phase(open_run(workspace))
    assert {str(step.arguments.get("before", step.arguments.get("path"))) for step in alone.next_steps} == {str(workspace)}
    assert "runs in this workspace" not in alone.summary
    evals = workspace / ".osmosis" / "evals"
    shutil.copytree(evals / "dev-run", evals / "a-copy")
    several = locate_failed_phase(open_run(workspace))
    told = {str(step.arguments.get("before", step.arguments.get("path"))) for step in several.next_steps}
    assert told == {str(evals / "dev-run")}
    assert "It is the newest of the 2 runs in this workspace" in several.summary
    assert all((workspace / one.path).is_file() for one in several.evidence), "evidence still counts from the workspace"
