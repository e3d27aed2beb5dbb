"""What the trial was asked against what is asked today: fields, dates and counts, and when their absence proves anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from staleness.bench import BRIEF, HARNESS_NOTE, KEY, agent, ask, checksum, job, only, task, trial, user, write
from whyzero.analyses.check_staleness import StaleTrial
from whyzero.readers.git_history import GitHistory
from whyzero.readers.task_folder import read_task

ZONED = BRIEF.replace("`site` and `area`", "`site`, `area` and `zone`")
ZONED_KEY = [{**KEY[0], "zone": "A"}]


def judged(
    tmp_path: Path, said: list[dict[str, object]], today: str = BRIEF, key: object = KEY, **trial_options: object
) -> StaleTrial:
    """One trial that was told `said`, against a brief in a text file and a key beside it."""
    trial(job(tmp_path / "jobs"), steps=said, **trial_options)  # type: ignore[arg-type]
    brief, oracle = write(tmp_path / "brief.md", today), write(tmp_path / "keys" / "expected.json", key)
    return only(ask(tmp_path / "jobs" / "sweep-1", task=brief, oracle=(oracle,)))


# ---- key


def test_a_field_the_brief_did_not_ask_for_is_stale(tmp_path: Path) -> None:
    found = judged(tmp_path, [user(BRIEF)], ZONED, ZONED_KEY)
    assert (found.key, found.window, found.advice) == ("stale", "fresh", "rerun")
    assert [(m.what, m.recorded, m.current) for m in found.moved] == [
        ("field zone", None, f"`zone` in {tmp_path}/keys/expected.json")
    ]


def test_a_field_that_was_asked_for_is_fresh(tmp_path: Path) -> None:
    assert judged(tmp_path, [user(ZONED)], ZONED, ZONED_KEY).key == "fresh"


def test_without_the_anchor_an_absent_field_is_no_evidence(tmp_path: Path) -> None:
    """The recorded text does not name permits.json: it may be anything."""
    found = judged(tmp_path, [user("Continue with the work you began.")], ZONED, ZONED_KEY)
    assert (found.key, found.window, found.advice) == ("cannot_tell", "cannot_tell", "reuse")


def test_a_field_inside_another_word_is_not_asked_for(tmp_path: Path) -> None:
    brief = "Write the list to /app/permits.json with `id` for each of the permits generated.\n"
    found = judged(tmp_path, [user(brief)], brief, [{"id": "1", "rate": 2}])
    assert found.key == "stale"
    assert [m.what for m in found.moved] == ["field rate"]


def test_a_field_inside_a_file_name_is_not_asked_for(tmp_path: Path) -> None:
    brief = "Read /data/zone.csv and write the list to /app/permits.json with `id` for each.\n"
    assert judged(tmp_path, [user(brief)], brief, [{"id": "1", "zone": "A"}]).key == "stale"
    assert judged(tmp_path / "b", [user(brief + "Give the zone too.")], brief, [{"id": "1", "zone": "A"}]).key == "fresh"


@pytest.mark.parametrize(
    "beside",
    [
        [agent("I will add the zone and write zone values to permits.json.")],
        [agent("I look at the notes.", result="each permit has a zone, from January 1, 2026 on")],
    ],
    ids=["agent text", "file it read"],
)
def test_what_the_agent_said_or_read_was_not_given_to_it(tmp_path: Path, beside: list[dict[str, object]]) -> None:
    assert judged(tmp_path, [user(BRIEF), *beside], ZONED, ZONED_KEY).key == "stale"


def test_an_anchor_in_the_agents_own_words_is_no_anchor(tmp_path: Path) -> None:
    said = [user("Continue."), agent("I write the list to /app/permits.json.")]
    assert judged(tmp_path, said, ZONED, ZONED_KEY).key == "cannot_tell"


def test_the_brief_may_come_after_a_note_of_the_harness(tmp_path: Path) -> None:
    found = judged(tmp_path, [user(HARNESS_NOTE), user(ZONED)], ZONED, ZONED_KEY)
    assert (found.key, found.window) == ("fresh", "fresh")


def test_a_second_step_was_given_too(tmp_path: Path) -> None:
    today = BRIEF + "\nThen add the `zone` of each permit to the same file.\n"
    found = judged(
        tmp_path, [user(BRIEF), agent("Done."), user("Then add the `zone` of each permit to the same file.")], today, ZONED_KEY
    )
    assert (found.key, found.window) == ("fresh", "fresh")


def test_the_deliverable_may_be_named_by_the_caller(tmp_path: Path) -> None:
    trial(job(tmp_path / "jobs"), steps=[user("Give `id` of each permit in result.txt.")], submitted=False)
    brief, oracle = write(tmp_path / "brief.md", "Permits, please."), write(tmp_path / "expected.json", KEY)
    unnamed = only(ask(tmp_path / "jobs", task=brief, oracle=(oracle,)))
    named = only(ask(tmp_path / "jobs", task=brief, oracle=(oracle,), deliverable="result.txt"))
    assert (unnamed.key, named.key) == ("cannot_tell", "stale")


def test_fields_named_by_the_caller_replace_those_of_the_key(tmp_path: Path) -> None:
    trial(job(tmp_path / "jobs"), steps=[user(BRIEF)])
    oracle = write(tmp_path / "expected.json", ZONED_KEY)
    assert only(ask(tmp_path / "jobs", oracle=(oracle,), fields=("id", "site"))).key == "fresh"
    assert only(ask(tmp_path / "jobs", oracle=(oracle,), fields=("id", "owner"))).key == "stale"


def test_another_answer_file_is_another_question(tmp_path: Path) -> None:
    found = judged(tmp_path, [user(BRIEF)], BRIEF.replace("permits.json", "register.json"))
    assert found.key == "stale"
    assert [(m.what, m.recorded, m.current) for m in found.moved] == [("answer file", "permits.json", "register.json")]


def test_members_of_one_object_count_as_fields_only_where_the_brief_names_them(tmp_path: Path) -> None:
    brief = "Write the totals by region to /app/permits.json.\n"
    assert judged(tmp_path / "a", [user(brief)], brief, {"north": 184.5, "south": 330.0}).key == "cannot_tell"
    named = "Write `total` and `mean` to /app/permits.json.\n"
    today = "Write `total`, `mean` and `spread` to /app/permits.json.\n"
    assert judged(tmp_path / "b", [user(named)], today, {"total": 1, "mean": 2, "spread": 3}).key == "stale"


def test_data_beside_the_tests_is_no_key_unless_todays_brief_names_its_fields(tmp_path: Path) -> None:
    """A fixture of the grader has columns nobody was asked for."""
    root = task(tmp_path / "permits", files={"tests/fixture.csv": "lane,kerb,depth\n1,2,3\n"})
    trial(job(tmp_path / "jobs"), steps=[user(BRIEF)])
    assert only(ask(tmp_path / "jobs", task=root)).key == "fresh"


# ---- window


@pytest.mark.parametrize(
    "today",
    [
        BRIEF.replace("March 1, 2026 through March 31, 2026", "2026-03-01 to 2026-03-31"),
        BRIEF.replace("published from March 1, 2026 through March 31, 2026", "of March 2026"),
        BRIEF.replace("1,204", "1204").replace("31 days", "31 calendar days"),
        BRIEF.replace(
            "List every permit in it.", "Please find and list each permit that the folder mentions; leave nothing out."
        ),
        BRIEF.replace(", a window of 31 days", ""),
        BRIEF.replace("from March 1, 2026 through March 31, 2026", "on or after March 1, 2026 and not after March 31, 2026"),
        "List every permit. " + BRIEF.replace("\n\nList every permit in it. ", " "),
        BRIEF + "\nThe site is written as in EN 1090, with Python 3.12 if you like, see step 2 of notes-2026.txt.\n",
    ],
    ids=["iso", "month", "plain numbers", "reworded", "length left out", "two ends apart", "reordered", "names with numbers"],
)
def test_writing_the_same_window_otherwise_is_fresh(tmp_path: Path, today: str) -> None:
    found = judged(tmp_path, [user(BRIEF)], today)
    assert (found.window, found.moved, found.advice) == ("fresh", (), "reuse")


@pytest.mark.parametrize(
    ("today", "recorded", "current"),
    [
        (BRIEF.replace("March 31", "March 30"), "March 1, 2026 through March 31, 2026", "March 1, 2026 through March 30, 2026"),
        (BRIEF.replace("1,204", "1,205"), "1,204 notices", "1,205 notices"),
        (BRIEF.replace("31 days", "30 days"), "31 days", "30 days"),
        (BRIEF.replace(" from March 1, 2026 through March 31, 2026", ""), "March 1, 2026 through March 31, 2026", None),
        (BRIEF.replace("List every permit", "List the first 20 permits"), None, "20 permits"),
        (BRIEF.replace("for each permit", "for each permit built in 2019"), None, "2019"),
    ],
    ids=["range", "count", "length", "taken out", "put in", "year"],
)
def test_another_window_is_stale_and_both_sides_are_quoted(
    tmp_path: Path, today: str, recorded: str | None, current: str | None
) -> None:
    found = judged(tmp_path, [user(BRIEF)], today)
    assert (found.key, found.window, found.advice) == ("fresh", "stale", "rerun")
    assert (recorded, current) in [(m.recorded, m.current) for m in found.moved]
    assert found.evidence


def test_values_that_changed_places_moved(tmp_path: Path) -> None:
    then = "Train on the first 30 days, test on the last 7 days. Write /app/permits.json with `id`, `site`, `area`.\n"
    now = "Train on the first 7 days, test on the last 30 days. Write /app/permits.json with `id`, `site`, `area`.\n"
    assert judged(tmp_path, [user(then)], now).window == "stale"


def test_a_value_that_another_one_had_before_moved(tmp_path: Path) -> None:
    then = "Keep 31 days of notices, 31 days of mail and 90 days of logs. Write /app/permits.json: `id`, `site`, `area`.\n"
    now = then.replace("31 days of notices", "90 days of notices")
    found = judged(tmp_path, [user(then)], now)
    assert found.window == "stale"
    assert [(m.recorded, m.current) for m in found.moved] == [("31 days", "90 days")]


def test_the_length_of_a_range_is_implied_only_while_no_length_moved(tmp_path: Path) -> None:
    """From March 1 to 31 it is 30 days by one way to count and 31 by another: that excuses no edit of the number."""
    assert judged(tmp_path, [user(BRIEF)], BRIEF.replace("a window of 31 days", "which makes 30 days")).window == "stale"


def test_a_date_in_a_note_of_the_harness_is_not_part_of_the_brief(tmp_path: Path) -> None:
    found = judged(tmp_path, [user(HARNESS_NOTE), user("Today is November 30, 2026. You have 60 minutes."), user(BRIEF)])
    assert found.window == "fresh"


def test_a_note_in_tags_is_no_part_of_the_brief_it_stands_before(tmp_path: Path) -> None:
    note = "<system-reminder>\nToday is November 30, 2026. The zone of this machine is UTC. 60 minutes are left.\n</system-reminder>\n"
    found = judged(tmp_path, [user(note + BRIEF)], BRIEF, ZONED_KEY)
    assert (found.window, found.key) == ("fresh", "stale")


def test_a_brief_in_tags_is_the_brief(tmp_path: Path) -> None:
    found = judged(tmp_path, [user(f"<user_request>\n{BRIEF}</user_request>")])
    assert (found.window, found.key) == ("fresh", "fresh")


def test_a_note_that_happens_to_hold_todays_date_excuses_nothing(tmp_path: Path) -> None:
    today = BRIEF.replace("March 1, 2026 through March 31, 2026", "November 30, 2026")
    assert judged(tmp_path, [user("Today is November 30, 2026."), user(BRIEF)], today).window == "stale"


def test_an_agents_own_prompt_around_the_brief_is_not_the_brief(tmp_path: Path) -> None:
    wrapped = f"Answer within 180 seconds, in at most 50 steps.\n\nTask Description:\n{BRIEF}\n\n\nCurrent terminal state:\nroot@box:/app# 2026-11-30\n"
    assert judged(tmp_path, [user(wrapped)], agent_name="terminus-2").window == "fresh"


def test_words_of_an_unknown_agent_around_the_brief_decide_nothing(tmp_path: Path) -> None:
    wrapped = f"You may take 50 steps and not one more of them.\n\n{BRIEF}"
    found = judged(tmp_path, [user(wrapped)], agent_name="my_agent:Agent")
    assert (found.window, found.advice) == ("cannot_tell", "reuse")
    moved = judged(tmp_path / "b", [user(wrapped)], BRIEF.replace("31 days", "60 days"), agent_name="my_agent:Agent")
    assert moved.window == "stale"


def test_a_passage_taken_out_of_a_brief_that_is_passed_on_whole_moved_the_window(tmp_path: Path) -> None:
    found = judged(tmp_path, [user(f"{BRIEF}\nLeave out whatever is older than 14 days.\n")])
    assert found.window == "stale"
    assert [(m.recorded, m.current) for m in found.moved] == [("14 days", None)]


def test_without_a_task_of_today_there_is_nothing_to_compare(tmp_path: Path) -> None:
    trial(job(tmp_path / "jobs"), steps=[user(BRIEF)])
    found = only(ask(tmp_path / "jobs"))
    assert (found.key, found.window, found.oracle, found.inputs, found.advice) == (*["cannot_tell"] * 4, "reuse")
    assert "nothing could be checked" in found.why
    report = ask(tmp_path / "jobs")
    assert report.next_steps[0].tool == "check_staleness"


# ---- where the brief comes from


def test_without_a_recorded_prompt_the_task_at_the_recorded_digest_stands_for_it(tmp_path: Path) -> None:
    """The digest is today's, so brief and key are what the trial was given."""
    root = task(tmp_path / "permits")
    trial(job(tmp_path / "jobs"), steps=None, checksum=checksum(root))
    found = only(ask(tmp_path / "jobs", task=root))
    assert (found.key, found.window, found.oracle, found.inputs) == ("fresh",) * 4


def test_against_a_folder_tells_what_the_run_was_given(tmp_path: Path) -> None:
    before, now = task(tmp_path / "before" / "permits"), task(tmp_path / "permits", ZONED, ZONED_KEY)
    trial(job(tmp_path / "jobs"), steps=None)
    assert only(ask(tmp_path / "jobs", task=now)).key == "cannot_tell"
    found = only(ask(tmp_path / "jobs", task=now, against=str(before)))
    assert (found.key, found.window) == ("stale", "fresh")


def test_a_recorded_prompt_wins_over_against(tmp_path: Path) -> None:
    before, now = task(tmp_path / "before" / "permits"), task(tmp_path / "permits", ZONED, ZONED_KEY)
    trial(job(tmp_path / "jobs"), steps=[user(ZONED)])
    assert only(ask(tmp_path / "jobs", task=now, against=str(before))).key == "fresh"


def test_steps_of_a_task_are_one_brief_in_their_order(tmp_path: Path) -> None:
    root = tmp_path / "permits"
    write(root / "task.toml", '[[steps]]\nname = "list"\n\n[[steps]]\nname = "add"\n')
    write(root / "steps" / "add" / "instruction.md", "Add the `zone` of each to /app/permits.json within 5 days.\n")
    write(root / "steps" / "list" / "instruction.md", BRIEF)
    write(root / "steps" / "list" / "tests" / "expected.json", ZONED_KEY)
    assert [brief.text.split()[0] for brief in read_task(root, GitHistory()).briefs] == ["The", "Add"]
    both = [user(BRIEF), agent("Done."), user("Add the `zone` of each to /app/permits.json within 5 days.")]
    trial(job(tmp_path / "jobs"), steps=both)
    found = only(ask(tmp_path / "jobs", task=root))
    assert (found.key, found.window) == ("fresh", "fresh")
