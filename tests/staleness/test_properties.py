"""For any brief: rewriting its values changes nothing, moving one is always seen, and without the anchor nothing is ever stale."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from whyzero.analyses.staleness.checked import Freshness
from whyzero.analyses.staleness.given import Given, Message
from whyzero.analyses.staleness.key import check_key
from whyzero.analyses.staleness.window import check_window
from whyzero.question import Change, KeyFile, Question, Text

ANCHOR = "permits.json"
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
WORDS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
]
END = "Write the list to /app/permits.json."


@dataclass(frozen=True)
class Slot:
    """A value of a brief and a sentence that says it."""

    kind: str
    value: tuple[int, ...]
    sentence: str

    def text(self, form: int) -> str:
        return self.sentence.format(SPELL[self.kind](self.value)[form % len(SPELL[self.kind](self.value))])


def day_forms(day: date) -> list[str]:
    month = MONTHS[day.month - 1]
    return [
        day.isoformat(),
        f"{month} {day.day}, {day.year}",
        f"{day.day} {month} {day.year}",
        f"{month[:3]} {day.day} {day.year}",
    ]


def spell_day(value: tuple[int, ...]) -> list[str]:
    return day_forms(date.fromordinal(value[0]))


def spell_range(value: tuple[int, ...]) -> list[str]:
    first, last = day_forms(date.fromordinal(value[0])), day_forms(date.fromordinal(value[0] + value[1]))
    return [f"{first[0]} to {last[0]}", f"{first[1]} through {last[2]}", f"{first[3]} – {last[1]}", f"{first[0]}..{last[0]}"]


def spell_count(value: tuple[int, ...]) -> list[str]:
    (number,) = value
    return [f"{number:,}", str(number), *([WORDS[number]] if number <= 20 else [])]


def spell_length(value: tuple[int, ...]) -> list[str]:
    (days,) = value
    weeks = [f"{days // 7} weeks"] if days % 7 == 0 else []
    return [f"{days} days", f"{days:,} calendar days", *weeks]


def spell_quarter(value: tuple[int, ...]) -> list[str]:
    year, quarter = value
    names = ["first", "second", "third", "fourth"]
    last = [31, 30, 30, 31][quarter - 1]
    first_month, last_month = MONTHS[3 * quarter - 3], MONTHS[3 * quarter - 1]
    return [
        f"Q{quarter} {year}",
        f"the {names[quarter - 1]} quarter of {year}",
        f"{first_month} 1 through {last_month} {last}, {year}",
    ]


SPELL = {"day": spell_day, "range": spell_range, "count": spell_count, "length": spell_length, "quarter": spell_quarter}
FEW_DAYS = st.integers(date(2026, 3, 1).toordinal(), date(2026, 3, 5).toordinal())
ORDINALS = st.one_of(FEW_DAYS, st.integers(date(2001, 1, 1).toordinal(), date(2039, 12, 31).toordinal()))
"""Few enough that values of one brief often meet."""
VALUES = {
    "day": ORDINALS.map(lambda n: (n,)),
    "range": st.tuples(ORDINALS, st.one_of(st.integers(1, 5), st.integers(1, 400))),
    "count": st.one_of(st.integers(2, 8), st.integers(2015, 2030), st.integers(2, 99_999)).map(lambda n: (n,)),
    "length": st.one_of(st.integers(2, 8), st.integers(2, 2000)).map(lambda n: (n,)),
    "quarter": st.tuples(st.integers(2001, 2039), st.integers(1, 4)),
}
SENTENCES = {
    "day": ["Only mail sent before {} counts.", "Leave out what was built since {} in the harbour."],
    "range": ["The folder holds what was published from {} in the gazette.", "Readings span {} without gaps."],
    "count": ["There are {} notices to read.", "At most {} pages may be opened."],
    "length": ["The window is {} long.", "A permit lapses within {} of its issue."],
    "quarter": ["Sum the fees of {} by site.", "Compare them with those of {} by lane."],
}


@st.composite
def briefs(draw: st.DrawFn) -> list[Slot]:
    """Two to six sentences, each with one value."""
    chosen = draw(
        st.lists(st.sampled_from([(k, s) for k, v in SENTENCES.items() for s in v]), min_size=2, max_size=6, unique=True)
    )
    return [Slot(kind, draw(VALUES[kind]), sentence) for kind, sentence in chosen]


def written(slots: list[Slot], forms: list[int], end: str = END) -> str:
    return " ".join([*(slot.text(form) for slot, form in zip(slots, forms, strict=True)), end])


def verdict(then: str, now: str) -> Freshness:
    given_ = Given((Message(then, then, "trajectory.json"),), "the prompt on record")
    question = Question("brief.md", "brief", briefs=(Text("brief.md", now),), deliverables=(ANCHOR,))
    return check_window(given_, question, (ANCHOR,), unmoved=None).verdict


FORMS = st.lists(st.integers(0, 11), min_size=6, max_size=6)


@settings(max_examples=300, deadline=None)
@given(briefs(), FORMS, FORMS, st.randoms(use_true_random=False))
def test_reformatting_and_reordering_never_makes_a_window_stale(
    slots: list[Slot], then: list[int], now: list[int], random: object
) -> None:
    again = list(slots)
    random.shuffle(again)  # type: ignore[attr-defined]
    assert verdict(written(slots, then[: len(slots)]), written(again, now[: len(slots)])) is Freshness.FRESH


@settings(max_examples=300, deadline=None)
@given(briefs(), FORMS, FORMS, st.data())
def test_moving_one_value_is_always_stale_while_the_anchor_is_there(
    slots: list[Slot], then: list[int], now: list[int], data: st.DataObject
) -> None:
    index = data.draw(st.integers(0, len(slots) - 1))
    old = slots[index]
    value = data.draw(VALUES[old.kind].filter(lambda value: value != old.value))
    moved = [*slots[:index], Slot(old.kind, value, old.sentence), *slots[index + 1 :]]
    assert verdict(written(slots, then[: len(slots)]), written(moved, now[: len(slots)])) is Freshness.STALE


@settings(max_examples=150, deadline=None)
@given(briefs(), briefs(), FORMS, st.lists(st.sampled_from(["zone", "owner", "rate"]), max_size=3, unique=True))
def test_without_the_anchor_nothing_is_ever_stale_by_content(
    then: list[Slot], now: list[Slot], forms: list[int], fields: list[str]
) -> None:
    old = written(then, forms[: len(then)], end="Write the list.")
    new = written(now, forms[: len(now)], end=END + " Give zone, owner and rate.")
    assert verdict(old, new) is not Freshness.STALE
    given_ = Given((Message(old, old, "trajectory.json"),), "the prompt on record")
    question = Question("brief.md", "brief", briefs=(Text("brief.md", new),), deliverables=(ANCHOR,))
    key = KeyFile("/expected.json", "expected.json", Change(None, ""), tuple(fields))
    found = check_key(given_, question, (key,), (), (ANCHOR,), pointed_at=True, unmoved=None)
    assert found.verdict is not Freshness.STALE


def test_the_values_of_the_properties_are_those_meant() -> None:
    assert spell_range((date(2026, 3, 1).toordinal(), 30))[0] == "2026-03-01 to 2026-03-31"
    assert date.fromordinal(date(2026, 3, 1).toordinal()) + timedelta(days=30) == date(2026, 3, 31)
    assert spell_quarter((2026, 1))[2] == "January 1 through March 31, 2026"
