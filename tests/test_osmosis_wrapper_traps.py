"""Programs, answers and configs that are not as they should be: nothing crashes, nothing is left behind, nothing is paid for in vain."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from lab.processes import let_children_be_interrupted
from osmosis_trees import CONFIG
from test_verify_fix import FAILED_ON_1, made
from whyzero import processes
from whyzero.analyses.platform_run import locate_on_platform
from whyzero.errors import UsageError
from whyzero.osmosis_cli.answer import read_answer
from whyzero.osmosis_cli.eval_run import plan_run, read_request
from whyzero.osmosis_cli.find import find_cli, lacking
from whyzero.osmosis_cli.managed import read_managed
from whyzero.readers import open_run
from whyzero.reproduce import reproduce

ROOT = Path(__file__).parents[1]


def program(at: Path, source: str) -> Path:
    """An `osmosis` of that source, which has `words` and the folder `here`; it notes each call but that for the version."""
    at.parent.mkdir(parents=True, exist_ok=True)
    head = f"""#!{sys.executable}
import json, os, pathlib, signal, subprocess, sys, time
words, here = sys.argv[1:], pathlib.Path({str(at.parent)!r})
if words == ["--version"]:
    print("osmosis-ai, version 0.3.8"); sys.exit()
(here / "calls").open("a").write(" ".join(words) + "\\n")
"""
    at.write_text(head + source)
    at.chmod(0o755)
    return at


def calls(at: Path) -> list[str]:
    noted = at.parent / "calls"
    return noted.read_text().splitlines() if noted.exists() else []


def request(**changes: Any) -> dict[str, Any]:
    return {"config": "configs/eval/arith.toml", "rows": [1], "attempts": 1, "timeout_s": 30, "authorized": True} | changes


# ---- answers


@pytest.mark.parametrize("odd", ["\u2028", "\u2029", "\x85", "\x0b", "\x1c"])
def test_only_a_line_end_ends_a_line(odd: str) -> None:
    envelope = {"error": {"code": "NOT_FOUND", "message": f"no{odd}run", "details": {}}}
    line = json.dumps(envelope, ensure_ascii=False) if odd.isprintable() or ord(odd) > 0x1F else json.dumps(envelope)
    answer = read_answer("osmosis", 1, "", f"{line}\r\nLLM bridge error: a{odd}b\n", None, 0.1)
    assert (answer.code, answer.text_lines) == ("NOT_FOUND", (f"LLM bridge error: a{odd}b",))


@pytest.mark.parametrize(
    ("status", "stopped", "sentence"),
    [
        (-9, None, "The command was ended from outside, by signal 9."),
        (None, "deadline", "The command did not end in time and was stopped."),
        (None, "output", "The command printed more than is kept and was stopped."),
        (None, "cancelled", "The command was stopped before its end."),
    ],
)
def test_an_object_before_a_violent_end_is_no_whole_answer(status: int | None, stopped: str | None, sentence: str) -> None:
    answer = read_answer("osmosis", status, '{"data": {}}\n', "", stopped, 0.1)
    assert (answer.ok, answer.sentence) == (False, sentence)


@pytest.mark.parametrize("stdout", ["", '{"a": 1}\n{"b": 2}\n', "\x00\xff", "[]", '{"data": '])
def test_a_good_end_without_an_answer_is_said_to_be_one(stdout: str) -> None:
    answer = read_answer("osmosis", 0, stdout, "", None, 0.1)
    assert (answer.ok, answer.sentence) == (False, "The command ended well, and what it printed is no answer of a known form.")


@pytest.mark.parametrize("name", ["\ud800", "A=B", "a\x00b", "é", ""])
def test_no_name_of_a_secret_is_too_strange(name: str, tmp_path: Path) -> None:
    data = json.dumps({"data": {"eval_run": {"status": "failed"}, "resolved_secret_scopes": {name: None}}})
    found = find_cli(tmp_path, program(tmp_path / "osmosis", f"print({data!r})\n"))
    assert locate_on_platform(read_managed(found, "eval", "night", tmp_path), "eval").cause in ("secret_missing", "undetermined")


@pytest.mark.parametrize(
    ("said", "version"),
    [
        ("osmosis-ai, version 0.3.8", "0.3.8"),
        ("osmosis 0.4.0rc1+local.2", "0.4.0rc1+local.2"),
        ("osmosis 9.9.9\\x1b[31m[x](http://x)", "9.9.9"),
        ("osmosis 1.2" + ".3" * 500, "1.2" + ".3" * 20),
    ],
)
def test_a_version_is_a_version_whatever_stands_behind_it(said: str, version: str, tmp_path: Path) -> None:
    at = program(tmp_path / "osmosis", "")
    at.write_text(f"#!{sys.executable}\nprint('{said}')\n")
    assert find_cli(tmp_path, at).version == version


def test_a_platform_that_does_not_answer_in_time_is_asked_no_further(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "run", partial(_impatient, processes.run))
    at = program(tmp_path / "osmosis", "time.sleep(60)\n")
    report = locate_on_platform(read_managed(find_cli(tmp_path, at), "eval", "night", tmp_path), "eval")
    assert (report.cause, len(calls(at))) == ("undetermined", 1)
    assert "did not end in time" in report.problems[0].reason


def _impatient(run: Any, words: Any, **more: Any) -> Any:
    return run(words, **more | {"deadline": 1.0})


# ---- other versions

OLDER = """
if "--help" in words:
    print("Usage: osmosis\\n\\n  eval   Evaluate.\\n  rollout   Rollouts.\\n" if words == ["--help"] else
          "  info   One.\\n  run   Run.\\n" if words == ["eval", "--help"] else
          "  list   All.\\n" if words == ["rollout", "--help"] else "  --rows TEXT\\n  --name TEXT\\n  --yes\\n  --json\\n")
    sys.exit()
if "info" in words:
    print(json.dumps({"data": {"eval_run": {"status": "failed"}}})); sys.exit()
print(json.dumps({"error": {"code": "VALIDATION", "message": "No such command"}}), file=sys.stderr); sys.exit(2)
"""


def test_what_this_version_lacks_is_said(tmp_path: Path) -> None:
    at = program(tmp_path / "bin/osmosis", OLDER)
    run = read_managed(find_cli(tmp_path, at), "eval", "night", tmp_path)
    assert "osmosis 0.3.8 has no `eval logs`. A newer osmosis-ai may have it." in [p.reason for p in run.problems]
    assert locate_on_platform(run, "eval").cause == "undetermined"


def test_a_flag_that_is_missing_is_named(tmp_path: Path) -> None:
    at = program(tmp_path / "bin/osmosis", OLDER)
    run = open_run(made(tmp_path / "ws", FAILED_ON_1))
    report = reproduce(run, read_request(request()), program=at)
    assert "osmosis 0.3.8 `eval run` has no --dataset-file, --max-in-flight." in report.cost_note
    assert report.verdict == "inconclusive"


@pytest.mark.parametrize("ends", ["sys.exit(3)", "print('nothing of the kind')", "time.sleep(0)"])
def test_a_program_that_tells_nothing_of_itself_lacks_nothing(ends: str, tmp_path: Path) -> None:
    found = find_cli(tmp_path, program(tmp_path / "osmosis", ends + "\n"))
    assert lacking(found, ("eval", "run"), frozenset({"--rows"})) is None


@pytest.mark.parametrize(("written", "stopped"), [(999, None), (1000, None), (1001, "output"), (10**7, "output")])
def test_a_program_is_ended_only_for_more_than_is_kept(written: int, stopped: str | None) -> None:
    done = processes.run([sys.executable, "-c", f"print('x' * {written}, end='')"], deadline=20, output_limit=1000)
    assert (done.stopped, len(done.stdout)) == (stopped, min(written, 1000))


# ---- plans


@pytest.mark.parametrize(
    "config",
    [
        "experiment = 3",
        "evaluation = 'x'",
        "secrets = 'x'",
        "[secrets]\nrequired = 3",
        "[secrets]\nrequired = 'ABC'",
        "[[secrets]]\nrequired = ['A']",
        "x = " + "[" * 3000 + "]" * 3000,
        "\x00",
        "",
    ],
)
def test_no_config_is_too_strange_to_be_planned(config: str, tmp_path: Path) -> None:
    run = open_run(made(tmp_path / "ws", FAILED_ON_1))
    (tmp_path / "ws/configs/eval/arith.toml").write_text(config)
    assert plan_run(run, read_request(request())).secret_names == ()


@pytest.mark.parametrize(("rows", "says"), [([99], "has no row 99"), ([0], "without full marks"), ([1, 99], "has no row 99")])
def test_rows_that_can_show_nothing_are_not_paid_for(rows: list[int], says: str, tmp_path: Path) -> None:
    at = program(tmp_path / "bin/osmosis", "")
    with pytest.raises(UsageError, match=says):
        reproduce(open_run(made(tmp_path / "ws", FAILED_ON_1)), read_request(request(rows=rows)), program=at)
    assert calls(at) == []


def test_a_dataset_that_was_mended_is_the_one_that_is_run(tmp_path: Path) -> None:
    run = open_run(made(tmp_path / "ws", FAILED_ON_1))
    data = tmp_path / "ws/data/dev.jsonl"
    data.write_text(data.read_text().replace('"2"', '"3"'))
    plan = plan_run(run, read_request(request()))
    assert ("--dataset-file data/dev.jsonl" in plan.command, plan.refusal) == (True, None)


@pytest.mark.parametrize("left", [(), ("data/one.jsonl", "data/two.jsonl"), ("data/notes.md",)], ids=str)
def test_a_dataset_that_is_gone_is_not_fetched(left: tuple[str, ...], tmp_path: Path) -> None:
    run = open_run(made(tmp_path / "ws", FAILED_ON_1))
    (tmp_path / "ws/data/dev.jsonl").unlink()
    for name in left:
        (tmp_path / "ws" / name).write_text("{}\n")
    at = program(tmp_path / "bin/osmosis", "")
    with pytest.raises(UsageError, match="No file below data/ is the dataset"):
        reproduce(run, read_request(request()), program=at)
    assert calls(at) == []
    planned = reproduce(run, read_request(request(authorized=False)), program=at)
    assert "would fetch one from the platform" in planned.cost_note


ENDLESS = """
run = pathlib.Path('.osmosis/evals', words[words.index('--name') + 1]); run.mkdir()
MORE
time.sleep(60)
"""


def test_a_run_that_was_ended_at_its_deadline_says_so(tmp_path: Path) -> None:
    old = made(tmp_path / "ws", FAILED_ON_1)
    copy = (
        f"manifest = json.loads(pathlib.Path({str(old / 'manifest.json')!r}).read_text()); manifest['local_run_id'] = 'n' * 32\n"
    )
    copy += "(run / 'manifest.json').write_text(json.dumps(manifest))"
    at = program(tmp_path / "bin/osmosis", ENDLESS.replace("MORE", copy))
    report = reproduce(open_run(old), read_request(request(timeout_s=1)), program=at)
    assert report.cost_note.endswith("The command did not end in time and was stopped.")
    assert report.verdict in ("inconclusive", "not_comparable")


def test_a_folder_with_nothing_in_it_is_no_run(tmp_path: Path) -> None:
    """It lies beside other runs of the workspace, the one with the fault among them."""
    at = program(tmp_path / "bin/osmosis", ENDLESS.replace("MORE", ""))
    report = reproduce(open_run(made(tmp_path / "ws", FAILED_ON_1)), read_request(request(timeout_s=1)), program=at)
    assert (report.verdict, report.after) == ("inconclusive", None)
    assert report.cost_note.endswith("No run was made: The command did not end in time and was stopped.")
    assert report.command.startswith("osmosis eval run ")


def test_a_talkative_run_is_not_ended_for_its_words(tmp_path: Path) -> None:
    at = program(tmp_path / "bin/osmosis", ENDLESS.replace("MORE", "print('x' * 2**22, file=sys.stderr); sys.exit(1)"))
    report = reproduce(open_run(made(tmp_path / "ws", FAILED_ON_1)), read_request(request()), program=at)
    assert "printed more" not in report.cost_note


# ---- ended with us

STUBBORN = """
signal.signal(signal.SIGINT, signal.SIG_IGN); signal.signal(signal.SIGTERM, signal.SIG_IGN)
run = pathlib.Path('.osmosis/evals', words[words.index('--name') + 1]); run.mkdir()
server = subprocess.Popen(['sleep', '60'], start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
token = pathlib.Path(f'/proc/{server.pid}/stat').read_text().rpartition(')')[2].split()[19]
(run / 'server.json').write_text(json.dumps({'pid': server.pid, 'pgid': server.pid, 'start_token': token}))
(here / 'pids').write_text(f'{os.getpid()} {server.pid}'); time.sleep(60)
"""
POLITE = "(here / 'pids').write_text(str(os.getpid())); time.sleep(60)\n"
linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="which processes live is told by /proc")


def alive(pids: list[int]) -> list[int]:
    found = []
    for pid in pids:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        found += [pid] if state != "Z" else []
    return found


@pytest.fixture
def paid(tmp_path: Path) -> Iterator[list[Any]]:
    """A call of whyzero that makes a run; ended whatever happens."""
    let_children_be_interrupted()
    started: list[Any] = []
    yield started
    for process, pids in started:
        process.kill()
        process.wait()
        for pid in alive(pids):
            os.kill(pid, signal.SIGKILL)


def start(tmp_path: Path, source: str, paid: list[Any]) -> tuple[subprocess.Popen[bytes], list[int]]:
    at = program(tmp_path / "bin/osmosis", source)
    run = made(tmp_path / "ws", FAILED_ON_1)
    (tmp_path / "run.json").write_text(json.dumps(request()))
    words = [sys.executable, "-m", "whyzero", "verify-fix", str(run), "--run", str(tmp_path / "run.json"), "--osmosis", str(at)]
    process = subprocess.Popen(
        words,
        env={**os.environ, "PYTHONPATH": str(ROOT / "server")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    noted, until = at.parent / "pids", time.monotonic() + 30
    while not (noted.exists() and noted.read_text()) and time.monotonic() < until:
        time.sleep(0.02)
    pids = [int(word) for word in noted.read_text().split()]
    paid.append((process, pids))
    return process, pids


@linux
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_run_does_not_outlive_the_command_that_made_it(number: signal.Signals, tmp_path: Path, paid: list[Any]) -> None:
    process, pids = start(tmp_path, POLITE, paid)
    process.send_signal(number)
    assert process.wait(15) == 130
    assert alive(pids) == []


@linux
def test_a_command_in_the_background_ends_its_run_as_fast(tmp_path: Path, paid: list[Any]) -> None:
    """A shell lets what it starts in the background ignore interrupts, and so would all that is started from there."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process, pids = start(tmp_path, POLITE, paid)
    finally:
        signal.signal(signal.SIGINT, before)
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 130
    assert alive(pids) == []


@linux
def test_a_second_interrupt_ends_a_program_that_hears_none_and_its_server(tmp_path: Path, paid: list[Any]) -> None:
    process, pids = start(tmp_path, STUBBORN, paid)
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert alive(pids) == pids
    process.send_signal(signal.SIGINT)
    assert process.wait(15) == 130
    assert alive(pids) == []


@linux
def test_a_run_does_not_outlive_the_server_that_made_it(tmp_path: Path, paid: list[Any]) -> None:
    at = program(tmp_path / "bin/osmosis", POLITE)
    made(tmp_path / "ws", FAILED_ON_1)
    process = subprocess.Popen(
        [sys.executable, "-m", "whyzero", "serve", "--allow-programs", "--root", str(tmp_path / "ws")],
        env={**os.environ, "PYTHONPATH": str(ROOT / "server"), "PATH": f"{at.parent}{os.pathsep}{os.environ['PATH']}"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    pids: list[int] = []
    paid.append((process, pids))
    assert process.stdin is not None
    assert process.stdout is not None
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    call = {"name": "verify_fix", "arguments": {"before": ".", "run": request()}}
    for message in (
        {"id": 1, "method": "initialize", "params": about},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": call},
    ):
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        process.stdin.flush()
        if message.get("id") == 1:
            process.stdout.readline()
    noted, until = at.parent / "pids", time.monotonic() + 30
    while not (noted.exists() and noted.read_text()) and time.monotonic() < until:
        time.sleep(0.02)
    pids += [int(word) for word in noted.read_text().split()]
    process.send_signal(signal.SIGTERM)
    process.wait(20)
    process.stdin.close()
    process.stdout.close()
    assert alive(pids) == []


def test_the_config_of_these_tests_is_a_good_one(tmp_path: Path) -> None:
    made(tmp_path / "ws", FAILED_ON_1)
    assert (tmp_path / "ws/configs/eval/arith.toml").read_text() == CONFIG
