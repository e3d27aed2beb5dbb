"""Sub-agents refused, and work handed out that nobody collected; beside them the runs that delivered all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_log_trees import Claude, Codex
from ended_trials import TIMEOUT, cause, decisive, ended
from harbor_trees import RIGHT, WRONG, exception
from whyzero.model import Phase

REFUSED = "Failed to authenticate. API Error: 401 Missing Authentication header"
NESTED_REFUSED = """{"type":"turn.started"}
{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized: Missing Authentication header, url: https://api.openai.com/v1/responses"}}"""


def delegating(answer: str, **extra: object) -> Claude:
    """A main agent that hands the work to one sub-agent and gets this answer."""
    log = Claude().runs("ls", "orders.csv").calls("Agent", "toolu_a", prompt="SUBTASK", description="part", subagent_type="x")
    return log.gets("toolu_a", answer, status="completed", agentId="a1", **extra)


# ---- subagent_auth


@pytest.mark.positive("subagent_auth")
def test_every_subagent_refused_while_the_main_agent_works(tmp_path: Path) -> None:
    found = ended(tmp_path, "claude-subagents-refused")
    assert cause(found) == "subagent_auth"
    path, line = decisive(found)
    assert ("/subagents/agent-" in str(path), line) == (True, 2)
    assert found.finding is not None
    told = found.finding.likely_cause
    assert "2 of 2 sub-agents refused while 4 turns of the main agent succeeded" in told
    assert "the credential was missing" in told
    assert "no token was written" in told
    assert found.finding.phase is Phase.TRAJECTORY


@pytest.mark.positive("subagent_auth")
def test_a_nested_program_that_lost_the_gateway(tmp_path: Path) -> None:
    found = ended(tmp_path, "codex-nested-unauthorized")
    assert (cause(found), decisive(found)) == ("subagent_auth", ("agent/codex.txt", 9))
    assert found.finding is not None
    assert "127.0.0.1:4443" in " ".join(e.quote for e in found.finding.evidence)
    assert "OPENAI_API_KEY (empty)" in found.finding.likely_cause


@pytest.mark.positive("subagent_auth")
def test_the_vendors_own_endpoint_is_named(tmp_path: Path) -> None:
    log = Codex().runs("ls", "x").runs("OPENAI_API_KEY= codex exec --json 'SUBTASK'", NESTED_REFUSED).says("They could not run.")
    found = ended(tmp_path, {"codex.txt": log.completed().text()})
    assert cause(found) == "subagent_auth"
    assert found.finding is not None
    assert "the vendor's own endpoint api.openai.com" in found.finding.likely_cause


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("API Error: 401 invalid x-api-key", "rejected"),
        (REFUSED, "missing"),
        ("API Error: 401 OAuth token has expired", "expired"),
    ],
)
@pytest.mark.positive("subagent_auth")
def test_missing_and_rejected_are_told_apart(words: str, told: str, tmp_path: Path) -> None:
    log = delegating(words, totalTokens=0).says("They could not run.").result("They could not run.")
    found = ended(tmp_path, {"claude-code.txt": log.text()})
    assert (cause(found), decisive(found)) == ("subagent_auth", ("agent/claude-code.txt", 5))
    assert found.finding is not None
    assert f"the credential was {told}" in found.finding.likely_cause


@pytest.mark.lookalike("subagent_auth")
@pytest.mark.positive("agent_auth")
def test_a_main_agent_that_is_refused_too(tmp_path: Path) -> None:
    log = delegating(REFUSED, totalTokens=0).api_error(REFUSED, "authentication_failed").result(REFUSED, error=True, status=401)
    found = ended(tmp_path, {"claude-code.txt": log.text()})
    assert (cause(found), decisive(found)) == ("agent_auth", ("agent/claude-code.txt", 6))


@pytest.mark.lookalike("subagent_auth")
def test_a_subagent_that_only_writes_about_401(tmp_path: Path) -> None:
    log = delegating("The log shows 401 Unauthorized and invalid x-api-key.", totalTokens=812).says("Next I will write it.")
    assert cause(ended(tmp_path, {"claude-code.txt": log.result("Next I will write it.").text()})) == "early_stop"


@pytest.mark.lookalike("subagent_auth")
def test_a_refused_subagent_beside_a_delivered_answer_is_an_incident(tmp_path: Path) -> None:
    log = (
        delegating(REFUSED, totalTokens=0)
        .runs("python3 totals.py > /app/report.json", "", "toolu_b")
        .says("Done.")
        .result("Done.")
    )
    found = ended(tmp_path, {"claude-code.txt": log.text()}, RIGHT, WRONG)
    assert cause(found) == "wrong_answer"
    assert "subagent_auth" in [i.what for i in found.incidents]


@pytest.mark.lookalike("subagent_auth")
@pytest.mark.positive("model_not_found")
def test_subagents_that_ask_for_a_model_the_gateway_does_not_have(tmp_path: Path) -> None:
    words = "There's an issue with the selected model (claude-haiku-9). It may not exist or you may not have access to it."
    log = delegating(words, totalTokens=0).says("They could not run.").result("They could not run.")
    found = ended(tmp_path, {"claude-code.txt": log.text()})
    assert (cause(found), decisive(found)) == ("model_not_found", ("agent/claude-code.txt", 5))


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("API Error: Request rejected (429) · This request would exceed your account's rate limit.", "rate_limited"),
        ("API Error: 400 You have reached your specified API usage limits.", "quota_exhausted"),
        ("API Error: 529 Overloaded.", "provider_error"),
    ],
)
def test_other_refusals_of_the_subagents_alone_are_the_provider_s(words: str, name: str, tmp_path: Path) -> None:
    log = delegating(words, totalTokens=0).says("They could not run.").result("They could not run.")
    found = ended(tmp_path, {"claude-code.txt": log.text()})
    assert (cause(found), decisive(found)) == (name, ("agent/claude-code.txt", 5))


# ---- abandoned_delegation


@pytest.mark.parametrize(
    ("log", "line"),
    [
        pytest.param("claude-background-agent", 11, marks=pytest.mark.positive("abandoned_delegation")),
        pytest.param("claude-background-shell", 8, marks=pytest.mark.positive("abandoned_delegation")),
    ],
)
def test_a_turn_that_ended_on_a_promise(log: str, line: int, tmp_path: Path) -> None:
    found = ended(tmp_path, log)
    assert (cause(found), decisive(found)) == ("abandoned_delegation", ("agent/claude-code.txt", line))
    assert not found.answered


@pytest.mark.positive("abandoned_delegation")
@pytest.mark.lookalike("clock")
def test_a_program_that_waits_for_its_sub_agent_until_the_deadline(tmp_path: Path) -> None:
    found = ended(tmp_path, "claude-background-agent", info=TIMEOUT)
    assert (cause(found), decisive(found)) == ("abandoned_delegation", ("agent/claude-code.txt", 11))
    assert "clock" in [i.what for i in found.incidents]


def _background(name: str, **given: object) -> Claude:
    log = Claude().runs("ls", "orders.csv").calls(name, "toolu_a", run_in_background=True, **given)
    words = "Async agent launched successfully." if name == "Agent" else "Command running in background with ID: b1."
    return log.gets("toolu_a", words, status="async_launched" if name == "Agent" else None, agentId="a1")


@pytest.mark.lookalike("abandoned_delegation")
def test_a_background_agent_beside_a_delivered_answer(tmp_path: Path) -> None:
    found = ended(tmp_path, "claude-async-own-work", RIGHT, WRONG)
    assert cause(found) == "wrong_answer"
    assert "abandoned_delegation" in [i.what for i in found.incidents]


@pytest.mark.lookalike("abandoned_delegation")
@pytest.mark.parametrize("words", ["The server listens on port 8000.", "The preview runs in the background on port 8000."])
def test_a_server_left_running_is_no_handed_out_work(words: str, tmp_path: Path) -> None:
    log = _background("Bash", command="python3 -m http.server").says(words).result(words)
    assert cause(ended(tmp_path, {"claude-code.txt": log.text()})) == "early_stop"


@pytest.mark.lookalike("abandoned_delegation")
def test_a_result_that_was_collected_and_not_used(tmp_path: Path) -> None:
    log = _background("Agent", prompt="SUBTASK", subagent_type="x").says("I wait.")
    log.add(type="system", subtype="task_notification", task_id="a1", tool_use_id="toolu_a", status="completed")
    text = log.says("Next I will write the report.").result("Next I will write the report.").text()
    assert cause(ended(tmp_path, {"claude-code.txt": text})) == "early_stop"


@pytest.mark.lookalike("abandoned_delegation")
def test_a_main_agent_at_work_when_the_time_ran_out(tmp_path: Path) -> None:
    log = _background("Agent", prompt="SUBTASK", subagent_type="x").calls("Bash", "toolu_z", command="sleep 900")
    assert cause(ended(tmp_path, {"claude-code.txt": log.text()}, info=TIMEOUT)) == "clock"


@pytest.mark.lookalike("abandoned_delegation")
def test_a_foreground_sub_agent_still_at_work_when_the_time_ran_out(tmp_path: Path) -> None:
    log = (
        Claude().runs("ls", "x").calls("Agent", "toolu_a", prompt="SUBTASK", subagent_type="x").says("I look.", parent="toolu_a")
    )
    assert cause(ended(tmp_path, {"claude-code.txt": log.text()}, info=TIMEOUT)) == "clock"


@pytest.mark.lookalike("abandoned_delegation", "subagent_auth")
def test_a_late_notification_after_the_answer(tmp_path: Path) -> None:
    log = Claude().runs("python3 totals.py > /app/report.json", "").says("The report is written.")
    log.result("[ede_diagnostic] late notification", error=True, subtype="error_during_execution")
    found = ended(tmp_path, {"claude-code.txt": log.text()}, RIGHT, WRONG, info=exception("NonZeroAgentExitCodeError", "exit 1"))
    assert (cause(found), found.answered) == ("wrong_answer", True)
