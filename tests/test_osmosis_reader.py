"""What is read of Osmosis runs and workspaces: facts only, in the places where real ones hold them."""

from __future__ import annotations

import json
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from osmosis_trees import (
    BRIDGE,
    HEAD,
    START,
    Rollout,
    Tree,
    envelope,
    in_grader,
    in_workflow,
    opened,
    rollout_id,
    sdk,
    trial,
    user,
    workspace,
)
from whyzero.analyses.locate_failed_phase import locate_failed_phase
from whyzero.causes.engine import judge
from whyzero.errors import UnknownFormatError
from whyzero.findings import Outcome
from whyzero.model import Recorded, Speaker
from whyzero.readers import open_run, osmosis
from whyzero.readers.files import Folder
from whyzero.readers.osmosis.dataset import dataset_defects
from whyzero.readers.osmosis.json_records import lines_of_record
from whyzero.readers.osmosis.manifest import selected
from whyzero.readers.reported import read_reported

DATA = Path(__file__).parent / "data" / "osmosis"


# ---- real runs


@pytest.mark.parametrize("case", sorted(p.name for p in DATA.iterdir()))
def test_a_real_run_is_told_as_it_was_made(case: str) -> None:
    """Each was made by the real CLI with one known fault; every row that failed is named, no row that passed is."""
    wanted = json.loads((DATA / case / "expected.json").read_text())
    error = (DATA / case / wanted["reported_error"]).read_text() if wanted["reported_error"] else None
    run = open_run(DATA / case / wanted["input"], error)
    report = locate_failed_phase(run)
    assert report.phase in wanted["phase"]
    if "run" in wanted["causes"]:
        assert report.cause in wanted["causes"]["run"]
    for one in run.read_trials():
        verdict = judge(one, run)
        told = verdict.finding.cause if verdict.finding else None
        labels = wanted["causes"]
        accepted = labels.get(f"{one.row_index}.{one.attempt}", labels.get(str(one.row_index), labels.get("*")))
        if verdict.outcome in (Outcome.GRADED_PASS, Outcome.PENDING) or accepted is None:
            assert told is None or verdict.outcome is Outcome.PENDING
        else:
            assert told in accepted


# ---- where a path belongs


@pytest.mark.parametrize(
    "inside",
    [
        ".",
        "logs.txt",
        "events.jsonl",
        "rollout_trials",
    ],
)
def test_a_path_in_a_run_opens_the_run(tmp_path: Path, inside: str) -> None:
    root = Tree([Rollout(0), Rollout(1)]).write(tmp_path / "dev-run")
    run = open_run(root / inside)
    assert (run.root, run.name, run.format, run.writer) == (root, "dev-run", "osmosis", "osmosis-ai 0.3.8")
    assert len(list(run.read_trials())) == 2


@pytest.mark.parametrize(
    "inside",
    [f"rollout_trials/{rollout_id(1)}", f"rollout_trials/{rollout_id(1)}/trajectory.json", "trajectories/row_1_run_0.json"],
)
def test_a_path_in_one_rollout_reads_that_one(tmp_path: Path, inside: str) -> None:
    root = Tree([Rollout(0), Rollout(1)]).write(tmp_path / "dev-run")
    (root / "trajectories").mkdir()
    shutil.copy(root / "rollout_trials" / rollout_id(1) / "trajectory.json", root / "trajectories/row_1_run_0.json")
    run = open_run(root / inside)
    assert [t.id for t in run.read_trials()] == [rollout_id(1)]
    assert run.read_all is not None
    assert len(list(run.read_all())) == 2


@pytest.mark.parametrize(
    "inside", [".", ".osmosis", ".osmosis/evals", "configs/eval/arith.toml", "data", "rollouts/arith/main.py"]
)
def test_a_path_in_a_workspace_opens_its_newest_run(tmp_path: Path, inside: str) -> None:
    root = workspace(tmp_path / "ws")
    older = Tree([Rollout(0, reward=0.0)]).write(root / ".osmosis/evals/older")
    metrics = json.loads((older / "metrics.json").read_text())
    metrics["eval_run"]["started_at"] = "2026-02-01T00:00:00Z"
    (older / "metrics.json").write_text(json.dumps(metrics))
    Tree([Rollout(0)]).write(root / ".osmosis/evals/newer")
    Tree([Rollout(0, reward=0.0)]).write(root / ".osmosis/evals/newer.archive-20260301T120000Z")
    run = open_run(root / inside)
    assert (run.root, run.name) == (root, "newer")
    assert run.workspace is not None
    assert run.workspace.runs == (".osmosis/evals/newer", ".osmosis/evals/older", ".osmosis/evals/newer.archive-20260301T120000Z")
    assert [t.spot.path for t in run.read_trials()] == [".osmosis/evals/newer/events.jsonl"]


def test_the_run_that_the_error_names_is_the_one_meant(tmp_path: Path) -> None:
    root = workspace(tmp_path / "ws")
    for name in ("first", "second"):
        Tree([Rollout(0)]).write(root / ".osmosis/evals" / name)
    message = "run 'first' was created with different resolved inputs, so resuming it would mix versions. Changed: rollout."
    assert open_run(root, envelope(message)).name == "first"


def test_an_archive_is_a_run_of_its_own(tmp_path: Path) -> None:
    root = Tree([Rollout(0)]).write(tmp_path / "dev-run.archive-20260301T120000Z")
    assert osmosis.detect(root) == root


def test_results_of_another_harness_in_a_workspace_are_left_to_it(tmp_path: Path) -> None:
    root = workspace(tmp_path / "ws")
    (root / "jobs/a").mkdir(parents=True)
    assert osmosis.detect(root / "jobs/a") is None


def test_a_folder_of_several_runs_lists_them(tmp_path: Path) -> None:
    for name in ("a-run", "b-run"):
        Tree([Rollout(0)]).write(tmp_path / "kept" / name)
    with pytest.raises(UnknownFormatError, match="a-run, b-run"):
        open_run(tmp_path / "kept")


def test_a_folder_with_nothing_known_says_what_was_looked_for(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing")
    with pytest.raises(UnknownFormatError, match=r"events\.jsonl.*result\.json.*results\.json"):
        open_run(tmp_path)


def test_a_download_has_no_manifest_and_no_journal(tmp_path: Path) -> None:
    """metrics.json, summary.jsonl and trajectories, as `eval download` leaves them."""
    made = Tree([Rollout(0), Rollout(1, error="agent_error", traceback=in_grader(error="KeyError: 'x'"))]).write(
        tmp_path / "made"
    )
    root = tmp_path / "cloud-run"
    (root / "trajectories").mkdir(parents=True)
    shutil.copy(made / "metrics.json", root / "metrics.json")
    lines = [json.loads(line) for line in (made / "events.jsonl").read_text().splitlines()]
    for line in lines:
        line.pop("source_row_index")
        name = f"row_{line['row_index']}_run_0.json"
        shutil.copy(made / "rollout_trials" / line["rollout_id"] / "trajectory.json", root / "trajectories" / name)
        line["trajectory_filename"] = name
    (root / "summary.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    run = open_run(root / "trajectories/row_1_run_0.json")
    (one,) = run.read_trials()
    assert (run.planned, one.row, one.recorded, one.workflow_finished, one.label) == (None, 1, Recorded.FAILED, True, "84")
    assert [t.reward.value for t in open_run(root).read_trials()] == [1.0, None]
    assert judge(one, run).finding is not None


# ---- the journal decides


def test_the_last_record_of_a_work_item_counts(tmp_path: Path) -> None:
    root = Tree([Rollout(0, error="agent_error"), Rollout(1)]).write(tmp_path / "dev-run")
    again = {"row_index": 0, "run_index": 0, "rollout_id": "f" * 32, "status": "success", "reward": 1.0, "duration_ms": 5.0}
    with (root / "events.jsonl").open("a") as journal:
        journal.write(json.dumps(again) + "\n")
    assert [(t.row_index, t.id, t.reward.value) for t in open_run(root).read_trials()] == [
        (0, "f" * 32, 1.0),
        (1, rollout_id(1), 1.0),
    ]


def test_an_index_ahead_of_a_cut_journal_does_not_count(tmp_path: Path) -> None:
    root = Tree([Rollout(0), Rollout(1)]).write(tmp_path / "dev-run")
    shutil.copy(root / "events.jsonl", root / "index.jsonl")
    (root / "events.jsonl").write_text((root / "events.jsonl").read_text()[:-1])
    run = open_run(root)
    assert [(t.row, t.recorded) for t in run.read_trials()] == [(0, Recorded.FINISHED), (1, Recorded.PENDING)]
    assert [(d.kind, d.spot.line) for d in run.defects] == [("journal_cut", 2)]


def test_rows_of_a_selection_keep_their_place_in_the_dataset(tmp_path: Path) -> None:
    root = Tree([Rollout(0, source_row=3), Rollout(1, source_row=7)], rows=3).write(tmp_path / "dev-run")
    manifest = json.loads((root / "manifest.json").read_text())
    manifest["inputs"]["dataset"]["selected_source_rows"] = "3,7-8"
    (root / "manifest.json").write_text(json.dumps(manifest))
    assert [(t.row_index, t.row, t.recorded) for t in open_run(root).read_trials()] == [
        (0, 3, Recorded.FINISHED),
        (1, 7, Recorded.FINISHED),
        (2, 8, Recorded.PENDING),
    ]


@pytest.mark.parametrize(
    ("text", "rows"), [("0-3,7", (0, 1, 2, 3, 7)), ("5", (5,)), (None, None), ("", None), ("a-b", None), ("0-99999999999", None)]
)
def test_a_selection_of_rows(text: str | None, rows: tuple[int, ...] | None) -> None:
    assert selected(text) == rows


# ---- the log


def test_a_traceback_belongs_to_the_rollout_that_ends_directly_after_it(tmp_path: Path) -> None:
    """Row 0 prints a traceback of its own and goes on; row 1 fails. Both ends stand in one log."""
    noise = ("Traceback (most recent call last):", *user(9, "run", "{}['noise']").splitlines(), "KeyError: 'noise'")
    tree = Tree(
        [
            Rollout(0, told=noise),
            Rollout(
                1,
                error="agent_error",
                traceback=in_workflow(user(71, "run", "raise OSError(path)"), error="OSError: disk\nTypeError: not this"),
            ),
        ]
    )
    run = opened(tree, tmp_path)
    assert trial(run, 0).exceptions == ()
    (raised,) = trial(run, 1).exceptions
    assert (raised.type, raised.message, raised.during, raised.by_deadline) == ("OSError", "disk", "workflow", False)
    assert raised.user_frame is not None
    assert (raised.user_frame.path, raised.user_frame.line) == ("rollouts/arith/main.py", 71)
    assert (raised.frames[-1].function, raised.frames[-1].source, raised.frames[-1].user) == ("run", "raise OSError(path)", True)


def test_a_warning_with_a_traceback_of_its_own_belongs_to_no_rollout(tmp_path: Path) -> None:
    """The trajectory of row 0 could not be saved; row 1 then ends as a failure that logged nothing."""
    warning = f"2026-03-01 10:00:01,000 WARNING osmosis_ai.rollout.trajectory.save: Failed to save the trajectory for rollout {rollout_id(0)}"
    raised = (HEAD.strip(), *sdk("trajectory/save.py", 60, "save_trajectory", "await _save(").splitlines(), "ValueError: no step")
    tree = Tree([Rollout(0, trajectory=False), Rollout(1, error="timeout", trajectory=False, calls=(), told=(warning, *raised))])
    run = opened(tree, tmp_path)
    assert (trial(run, 0).workflow_finished, trial(run, 1).exceptions) == (True, ())


def test_a_message_that_looks_like_the_servers_own_line_attributes_nothing(tmp_path: Path) -> None:
    forged = f"the judge said:\nTypeError: not yours\nRollout {rollout_id(0)} finished with status failure"
    tree = Tree([Rollout(0), Rollout(1, error="agent_error", traceback=in_grader(error=f"JudgeDown: {forged}"))])
    run = opened(tree, tmp_path)
    found = judge(trial(run, 0), run)
    assert (found.outcome, found.finding) == (Outcome.GRADED_PASS, None)


def test_exceptions_outside_the_backend_name_their_rollout(tmp_path: Path) -> None:
    tree = Tree([Rollout(0, error="internal_error", silent_log=True)])
    root = tree.write(tmp_path / "dev-run")
    line = f"2026-03-01T10:00:01.500000Z INFO [rollout-server] 2026-03-01 10:00:01,500 ERROR osmosis_ai.rollout.server.app: Rollout {rollout_id(0)} failed: {HEAD}"
    rest = "2026-03-01T10:00:01.500000Z INFO [rollout-server] RuntimeError: boom\n"
    with (root / "logs.txt").open("a") as log:
        log.write(line + rest)
    (raised,) = trial(open_run(root)).exceptions
    assert (raised.type, raised.message, raised.during) == ("RuntimeError", "boom", None)


def test_model_calls_are_told_by_the_servers_http_client(tmp_path: Path) -> None:
    run = opened(Tree([Rollout(0, calls=(429, 502, 200)), Rollout(1, calls=(200, 401), error="agent_error")]), tmp_path)
    first, second = (trial(run, row).log for row in (0, 1))
    assert first is not None
    assert second is not None
    assert [(e.status, e.speaker, e.overcome) for e in first.errors] == [
        (429, Speaker.PROVIDER, True),
        (502, Speaker.PROVIDER, True),
    ]
    assert [(e.status, e.overcome) for e in second.errors] == [(401, False)]
    assert BRIDGE.format(id=rollout_id(1)) in second.errors[0].text


def test_silence_is_measured_between_lines_of_the_server(tmp_path: Path) -> None:
    run = opened(Tree([Rollout(0, seconds=4.0, calls=())]), tmp_path)
    silence = trial(run).silence
    assert silence is not None
    assert silence.seconds == 4.0
    assert silence.started_at == START + timedelta(seconds=0.9)


def test_no_silence_reaches_from_one_call_into_the_next(tmp_path: Path) -> None:
    """Row 1 was at work when the first call was killed; the second was stopped before it came to that row."""
    stopped = ("WARNING [cancel] supervisor cancellation requested",)
    first = Tree([Rollout(0), Rollout(1, finishes=False)], rows=3).write(tmp_path / "first")
    second = Tree([Rollout(2)], rows=3, after=stopped).write(tmp_path / "second")
    later = (second / "logs.txt").read_text().replace("T10:", "T11:")
    root = Tree([Rollout(0), Rollout(2)], rows=3).write(tmp_path / "dev-run")
    (root / "logs.txt").write_text((first / "logs.txt").read_text() + later)
    assert trial(open_run(root), 1).silence is None


def test_the_log_of_an_earlier_call_stays_with_its_rollouts(tmp_path: Path) -> None:
    first = Tree([Rollout(0, error="agent_error", traceback=in_workflow(error="OSError: disk"))], rows=2).write(
        tmp_path / "first"
    )
    both = Tree([Rollout(0, error="agent_error"), Rollout(1)]).write(tmp_path / "dev-run")
    second = Tree([Rollout(1)]).write(tmp_path / "second")
    (both / "logs.txt").write_text((first / "logs.txt").read_text() + (second / "logs.txt").read_text())
    run = open_run(both)
    assert [e.type for e in trial(run, 0).exceptions] == ["OSError"]
    assert min(u.spot.line or 0 for u in run.logs) > len((first / "logs.txt").read_text().splitlines())


def test_a_run_without_a_log_is_read_all_the_same(tmp_path: Path) -> None:
    root = Tree([Rollout(0), Rollout(1, reward=0.0)]).write(tmp_path / "dev-run")
    (root / "logs.txt").unlink()
    assert [t.reward.value for t in open_run(root).read_trials()] == [1.0, 0.0]


@pytest.mark.parametrize("name", ["manifest.json", "progress.json", "metrics.json", "events.jsonl", "logs.txt"])
@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"[]", b'{"inputs": 3, "eval_run": []}', b"null\n{]\n"])
def test_damaged_files_are_read_around(tmp_path: Path, name: str, content: bytes) -> None:
    root = Tree([Rollout(0), Rollout(1, reward=0.0)]).write(tmp_path / "dev-run")
    (root / name).write_bytes(content)
    run = open_run(root)
    list(run.read_trials())
    locate_failed_phase(run)


def test_a_trajectory_of_another_rollout_is_not_used(tmp_path: Path) -> None:
    root = Tree([Rollout(0), Rollout(1)]).write(tmp_path / "dev-run")
    other = root / "rollout_trials" / rollout_id(1) / "trajectory.json"
    shutil.copy(other, root / "rollout_trials" / rollout_id(0) / "trajectory.json")
    run = open_run(root)
    assert trial(run, 0).label is None
    assert any("another rollout" in problem.reason for problem in run.trial_problems)


# ---- what the user saw


def test_the_kinds_of_what_a_user_saw() -> None:
    text = (
        'LLM bridge error: {"error": {"message": "Rate limit reached.", "type": "x", "code": "429"}}\n'
        "Retrying result read for rollout " + "a" * 32 + " after ReadTimeout (attempt 1) in 0.10s\n"
        + json.dumps({"schema_version": 1, "warning": {"code": "ROLLOUT_SDK_VERSION_MISMATCH", "message": "uses 0.3.0"}}) + "\n"
        + envelope("model preflight failed for 'openai/policy': AuthenticationError: litellm.AuthenticationError: no")
        + "and then it stopped\n"
    )  # fmt: skip
    assert [(u.speaker, u.kind, u.code, u.status, u.spot.line) for u in read_reported(text)] == [
        (Speaker.PROVIDER, "bridge", None, 429, 1),
        (Speaker.HARNESS, "retry", None, None, 2),
        (Speaker.HARNESS, "warning", "ROLLOUT_SDK_VERSION_MISMATCH", None, 3),
        (Speaker.HARNESS, "preflight", "VALIDATION", None, 4),
        (Speaker.PROVIDER, "preflight", "litellm.AuthenticationError", 401, 4),
        (Speaker.UNKNOWN, "", None, None, 5),
    ]


def test_a_plain_error_holds_its_following_lines() -> None:
    (said,) = read_reported("Error: Invalid eval config:\n  - evaluation.timeout_s: Unrecognized key\n")
    assert (said.speaker, said.kind, said.text) == (
        Speaker.HARNESS,
        "config_invalid",
        "Invalid eval config: - evaluation.timeout_s: Unrecognized key",
    )


@pytest.mark.parametrize("text", [None, "", "  \n\n"])
def test_nothing_seen_is_nothing_said(text: str | None) -> None:
    assert read_reported(text) == ()


# ---- rows of a dataset


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ('{"user_prompt": "a", "ground_truth": "b"}', None),
        ('{"user_prompt": "a", "label": 0}', None),
        ('{"user_prompt": "a", "metadata": null}', None),
        ('{"metadata": {"n": 1}}', None),
        ('{"metadata": "{\\"n\\": 1}"}', None),
        ('{"user_prompt": "a"}', "label_missing"),
        ('{"user_prompt": "a", "ground_truth": null}', "label_missing"),
        ('{"user_prompt": "", "ground_truth": "b"}', "prompt_missing"),
        ('{"metadata": {}}', "prompt_missing"),
        ('{"user_prompt": "a", "metadata": [1]}', "metadata_invalid"),
        ('{"user_prompt": "a", ', "dataset_syntax"),
        ("[1]", "dataset_syntax"),
    ],
)
def test_rows_by_the_rules_of_a_run(tmp_path: Path, line: str, kind: str | None) -> None:
    (tmp_path / "dev.jsonl").write_text(line + "\n")
    assert [d.kind for d in dataset_defects(Folder(tmp_path), "dev.jsonl")] == ([kind] if kind else [])


def test_a_long_log_keeps_its_last_stages(tmp_path: Path) -> None:
    noise = tuple(f"INFO [tunnel] still here {n}" for n in range(2000))
    halt = 'ERROR [dispatch] halting dispatch {"reason":"the rollout server exited with code 1"}'
    run = opened(Tree([Rollout(0)], rows=2, after=(*noise, halt)), tmp_path)
    assert len(run.logs) < 1000
    assert run.logs[-1].text == halt


def test_of_many_refused_calls_the_first_and_the_last_are_kept(tmp_path: Path) -> None:
    log = trial(opened(Tree([Rollout(0, calls=(*[429] * 30, 200, 502), error="agent_error")]), tmp_path)).log
    assert log is not None
    assert (len(log.errors), log.errors[0].overcome, log.errors[-1].status, log.errors[-1].overcome) == (20, True, 502, False)


def test_records_in_json_are_read_as_the_lines_of_a_plain_log() -> None:
    raised = {"level": "error", "event": 'Traceback (most recent call last):\n  File "main.py", line 3, in run\nKeyError: 1'}
    assert lines_of_record(json.dumps(raised)) == (
        "ERROR: Traceback (most recent call last):",
        '  File "main.py", line 3, in run',
        "KeyError: 1",
    )
    assert lines_of_record('{"severity": "WARNING", "message": "slow", "exc_info": "KeyError: 1"}') == (
        "WARNING: slow",
        "KeyError: 1",
    )
    for plain in ("INFO: ready", '{"answer": "HTTP 429"}', "{not json}", '["event"]'):
        assert lines_of_record(plain) == (plain,)
