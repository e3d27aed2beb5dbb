"""What calls of `osmosis` said, from recordings and from streams as hostile as they come; and which calls can be built at all."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from osmosis_recordings import OTHERS, RECORDED, split
from whyzero.errors import UsageError
from whyzero.osmosis_cli.allowed import COMMANDS, arguments
from whyzero.osmosis_cli.answer import OUR_WORDS, Answer, read_answer

EVERY_CODE = [
    "VALIDATION",
    "AUTH_REQUIRED",
    "NOT_FOUND",
    "CONFLICT",
    "UPGRADE_REQUIRED",
    "RATE_LIMITED",
    "PLATFORM_ERROR",
    "INTERNAL",
    "INTERACTIVE_REQUIRED",
    "WORKSPACE_REQUIRED",
    "NETWORK",
    "SUBSCRIPTION_REQUIRED",
    "BILLING_REQUIRED",
    "KEYRING_UNAVAILABLE",
    "CREDENTIALS_UNAVAILABLE",
    "CREDENTIALS_PARSE_FAILED",
    "CREDENTIALS_VERSION_CHANGED",
    "ENV_TOKEN_PLATFORM_REQUIRED",
    "ENV_TOKEN_PLATFORM_MISMATCH",
    "TOKEN_NOT_FOUND",
    "KEYRING_CLEANUP_FAILED",
    "TOKEN_REVOKE_FAILED",
]
WARNING = '{"schema_version": 1, "cli_version": "0.3.8", "warning": {"code": "INSECURE_PLATFORM_URL", "message": "no TLS"}}'


def envelope(code: str = "AUTH_REQUIRED", message: str = "Not logged in.", **details: Any) -> str:
    error = {"code": code, "message": message, "details": details}
    return json.dumps({"schema_version": 1, "command": "eval info", "cli_version": "0.3.8", "error": error})


def answered(stdout: str = "", stderr: str = "", status: int | None = 0, stopped: str | None = None) -> Answer:
    return read_answer("osmosis eval info x", status, stdout, stderr, stopped, 0.1)


@pytest.mark.parametrize("one", [one for one in RECORDED if "--json" in one["command"]], ids=lambda one: one["name"])
def test_every_recorded_json_call_is_read_as_its_exit_status_says(one: dict[str, Any]) -> None:
    answer = answered(one["stdout"], one["stderr"], one["exit_code"])
    assert answer.ok is (one["exit_code"] == 0)
    assert (answer.code is None) is answer.ok
    if not answer.ok:
        assert answer.code in EVERY_CODE
        assert answer.message
        assert answer.next_step


def test_every_code_has_a_sentence_and_a_next_step_of_its_own() -> None:
    assert sorted(OUR_WORDS) == sorted(EVERY_CODE)
    for code in EVERY_CODE:
        answer = answered(stderr=envelope(code, status_code=500), status=1)
        assert (answer.code, answer.sentence, answer.next_step) == (code, *OUR_WORDS[code])
    assert len({sentence for sentence, _ in OUR_WORDS.values()}) == len(EVERY_CODE)


def test_a_code_of_a_later_version_is_kept_and_not_explained_away() -> None:
    answer = answered(stderr=envelope("QUANTUM_REQUIRED"), status=1)
    assert (answer.ok, answer.code) == (False, "QUANTUM_REQUIRED")
    assert answer.sentence == "The command failed with exit status 1 and no error of a known kind."


def test_a_platform_error_without_a_status_is_no_connection() -> None:
    assert answered(stderr=envelope("PLATFORM_ERROR"), status=1).sentence == "The platform could not be reached."
    assert answered(stderr=envelope("PLATFORM_ERROR", status_code=503), status=1).sentence == OUR_WORDS["PLATFORM_ERROR"][0]


def test_text_between_json_lines_is_text() -> None:
    stderr = f"LLM bridge error: 401 no such key\n{WARNING}\nRetrying result read\n\n{envelope()}\nTraceback (most recent call last):\n"
    answer = answered(stderr=stderr, status=1)
    assert answer.code == "AUTH_REQUIRED"
    assert answer.warnings == (("INSECURE_PLATFORM_URL", "no TLS"),)
    assert answer.text_lines == (
        "LLM bridge error: 401 no such key",
        "Retrying result read",
        "Traceback (most recent call last):",
    )


def test_a_debug_traceback_behind_the_error_changes_nothing() -> None:
    trace = (
        'Traceback (most recent call last):\n  File "x.py", line 1, in f\n    {"error": {"code": "NOT_FOUND"}}\nKeyError: \'a\'\n'
    )
    answer = answered(stderr=envelope("INTERNAL", "KeyError: 'a'") + "\n" + trace, status=1)
    assert answer.code == "INTERNAL"
    assert answer.text_lines[0] == "Traceback (most recent call last):"


def test_the_first_error_counts() -> None:
    assert answered(stderr=f"{envelope('NOT_FOUND')}\n{envelope('INTERNAL')}", status=1).code == "NOT_FOUND"


def test_an_error_beside_an_object_on_stdout_is_an_error() -> None:
    assert not answered('{"status": "success"}', envelope(), 1).ok


@pytest.mark.parametrize("cut", [1, 20, 60, len(envelope()) - 1])
def test_a_cut_off_error_is_text_and_no_success(cut: int) -> None:
    answer = answered(stderr=envelope()[:cut], status=1)
    assert (answer.ok, answer.code) == (False, None)
    assert answer.text_lines == (envelope()[:cut],)
    assert not answered('{"data": {"eval_run"', status=0).ok


@pytest.mark.parametrize("stdout", ["", "[]", "null", "3", "ok", "{} {}", "\ufeff{}", '{"a": ' * 5000, "[" * 100_000])
def test_what_is_no_object_is_no_answer(stdout: str) -> None:
    assert not answered(stdout).ok


def test_a_program_that_was_stopped_did_not_answer() -> None:
    late = answered(status=None, stopped="deadline")
    much = answered("{" + "x" * 2**20, status=None, stopped="output")
    assert (late.ok, late.sentence) == (False, "The command did not end in time and was stopped.")
    assert (much.ok, much.sentence) == (False, "The command printed more than is kept and was stopped.")


def test_of_many_lines_the_last_are_kept() -> None:
    answer = answered(stderr="".join(f"line {n}\n" for n in range(100_000)) + envelope(), status=1)
    assert answer.code == "AUTH_REQUIRED"
    assert (len(answer.text_lines), answer.text_lines[-1]) == (400, "line 99999")


@pytest.mark.parametrize("error", [{}, {"code": None}, {"code": 7, "message": []}, {"details": "x"}, {"code": {"a": 1}}])
def test_a_malformed_error_is_still_an_error(error: dict[str, Any]) -> None:
    answer = answered(stderr=json.dumps({"error": error}), status=1)
    assert not answer.ok
    assert answer.details == {}
    assert answer.sentence


@given(stdout=st.text(), stderr=st.text(), status=st.integers(-15, 255) | st.none())
@settings(deadline=None)
def test_no_output_is_too_strange_to_be_read(stdout: str, stderr: str, status: int | None) -> None:
    answer = answered(stdout, stderr, status)
    assert answer.sentence
    assert answer.ok or answer.next_step


# ---- which calls can be built


@pytest.mark.parametrize("one", OTHERS, ids=lambda one: one["name"])
def test_a_recorded_call_that_is_not_read_only_cannot_be_made(one: dict[str, Any]) -> None:
    asked = split(one["command"])
    if asked is not None:
        with pytest.raises(UsageError):
            arguments(*asked)
    words = shlex.split(one["command"])[1:]
    for cut in range(1, len(words) + 1):
        command = tuple(words[:cut])
        if command not in COMMANDS:
            with pytest.raises(UsageError):
                arguments(command)


@given(name=st.text(max_size=40) | st.sampled_from(["--fix", "-o", "--json", "submit", "; rm -rf /", "$(id)", "a\nb", "--", "-"]))
@settings(max_examples=300, deadline=None)
def test_no_name_becomes_a_word_or_a_flag(name: str) -> None:
    for command, allowed in COMMANDS.items():
        try:
            built = arguments(command, name if allowed.needs_name else None, dict.fromkeys(allowed.options, name))
        except UsageError:
            continue
        head = ["--json", *command]
        assert built[: len(head)] == head
        behind = built[len(head) :]
        if allowed.needs_name:
            assert behind[-2:] == ["--", name]
            behind = behind[:-2]
        assert behind[::2] == list(allowed.options) or set(behind[::2]) == set(allowed.options)
        assert all(not value.startswith("-") for value in behind[1::2])
