"""What is a date, a count or a length of time in a brief, and what only looks like one."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from fractions import Fraction

import pytest

from whyzero.analyses.staleness.language import ENGLISH
from whyzero.analyses.staleness.literals import literals
from whyzero.analyses.staleness.values import Clock, Days, Length, Number, Percent, Value, Yearless, same

MARCH = Days(date(2026, 3, 1), date(2026, 3, 31))
DAY = 86_400


def days(count: int) -> Length:
    return Length("seconds", Fraction(count * DAY))


def readings(text: str) -> list[Value]:
    """The first reading of each literal of a text."""
    return [literal.readings[0] for literal in literals(text)]


@pytest.mark.parametrize(
    "text",
    [
        "published from March 1, 2026 through March 31, 2026",
        "from 2026-03-01 to 2026-03-31",
        "2026-03-01..2026-03-31",
        "2026-03-01/2026-03-31",
        "between 1 March 2026 and 31 March 2026",
        "March 1-31, 2026",
        "1–31 March 2026",
        "from March 1 through March 31, 2026",
        "from Sunday, March 1, 2026 until Tuesday, March 31, 2026",
        "2026-03-01T00:00:00Z to 2026-03-31T23:59:59Z",
        "from the 1st of March 2026 up to and including the 31st of March 2026",
        "in March 2026",
        "FROM MARCH 1, 2026 TO MARCH 31, 2026",
        "Mar. 1, 2026 - Mar. 31, 2026",
    ],
)
def test_one_range_in_many_writings(text: str) -> None:
    assert readings(text) == [MARCH]


@pytest.mark.parametrize(
    "text",
    [
        "2026-10-01",
        "October 1, 2026",
        "Oct 1 2026",
        "1 October 2026",
        "1st of October, 2026",
        "2026/10/01",
        "01.10.2026",
        "1-Oct-2026",
    ],
)
def test_one_day_in_many_writings(text: str) -> None:
    assert readings(text) == [Days(date(2026, 10, 1), date(2026, 10, 1))]


def test_an_open_order_of_day_and_month_keeps_both_readings() -> None:
    (literal,) = literals("due 10/01/2026")
    assert set(literal.readings) == {Days(date(2026, 10, 1), date(2026, 10, 1)), Days(date(2026, 1, 10), date(2026, 1, 10))}
    (certain,) = literals("due 10/31/2026")
    assert certain.readings == (Days(date(2026, 10, 31), date(2026, 10, 31)),)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("Q3 2026", (7, 1), (9, 30)),
        ("the third quarter of 2026", (7, 1), (9, 30)),
        ("2026Q3", (7, 1), (9, 30)),
        ("H1 2026", (1, 1), (6, 30)),
        ("the second half of 2026", (7, 1), (12, 31)),
        ("Jan–Mar 2026", (1, 1), (3, 31)),
        ("week 12 of 2026", (3, 16), (3, 22)),
        ("2026-W12", (3, 16), (3, 22)),
        ("FY2026", (1, 1), (12, 31)),
        ("February 2026", (2, 1), (2, 28)),
    ],
)
def test_parts_of_a_year(text: str, first: tuple[int, int], last: tuple[int, int]) -> None:
    assert readings(text) == [Days(date(2026, *first), date(2026, *last))]


def test_a_range_over_new_year_takes_its_first_year_from_the_last() -> None:
    assert readings("from December 20 to January 5, 2026") == [Days(date(2025, 12, 20), date(2026, 1, 5))]


def test_a_date_without_a_year_fits_the_same_day_of_any_year() -> None:
    (short,), (full,), (other,) = literals("by October 1"), literals("by October 1, 2026"), literals("by October 2, 2026")
    assert short.readings == (Yearless((10, 1), (10, 1)),)
    assert same(short, full)
    assert not same(short, other)


def test_a_day_that_the_month_does_not_have_is_no_date() -> None:
    assert not any(isinstance(r, Days) for r in readings("February 30, 2026"))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("42 days", days(42)),
        ("42-day window", days(42)),
        ("forty-two days", days(42)),
        ("six weeks", days(42)),
        ("thirty (30) days", days(30)),
        ("31 calendar days", days(31)),
        ("P30D", days(30)),
        ("a fortnight or one week", days(7)),
        ("24h", days(1)),
        ("90 minutes", Length("seconds", Fraction(5400))),
        ("1.5 hours", Length("seconds", Fraction(5400))),
        ("three months", Length("months", Fraction(3))),
        ("a quarter is not two quarters", Length("months", Fraction(6))),
        ("5 business days", Length("workdays", Fraction(5 * DAY))),
    ],
)
def test_lengths_of_time(text: str, value: Length) -> None:
    assert readings(text) == [value]


def test_the_first_number_of_a_range_of_lengths_takes_its_unit_from_the_second() -> None:
    assert readings("30 to 90 days") == [days(30), days(90)]
    assert readings("30–90-day windows") == [days(30), days(90)]


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("2,872 notices", 2872),
        ("2872 notices", 2872),
        ("2 872 notices", 2872),
        ("2'872 notices", 2872),
        ("2_872 notices", 2872),
        ("2.5k rows", 2500),
        ("3 million rows", 3_000_000),
        ("two dozen rows", 24),
        ("twenty permits", 20),
        ("twenty-one permits", 21),
        ("three hundred and five permits", 305),
        ("at most $1,200", 1200),
        ("ALL 1,204 NOTICES", 1204),
        ("The 20 largest", 20),
        ("Find 20 permits", 20),
        ("top 20", 20),
        ("rounded to two decimals", 2),
    ],
)
def test_counts(text: str, amount: int) -> None:
    assert readings(text) == [Number(Fraction(amount))]


@pytest.mark.parametrize(("text", "value"), [("10%", Percent(Fraction(10))), ("10 percent", Percent(Fraction(10)))])
def test_percentages(text: str, value: Percent) -> None:
    assert readings(text) == [value]


@pytest.mark.parametrize(
    ("text", "second"), [("at 17:30", 63_000), ("at 5:30 pm", 63_000), ("at 5 p.m.", 61_200), ("2026-10-01T09:30Z", 34_200)]
)
def test_times_of_day(text: str, second: int) -> None:
    assert Clock(second) in readings(text)


def test_four_digits_after_a_preposition_are_a_year_and_before_a_plural_a_count() -> None:
    (year,), (count,) = literals("built in 2019."), literals("with 2019 notices")
    whole = Days(date(2019, 1, 1), date(2019, 12, 31))
    assert year.kind.value == "date"
    assert whole in year.readings
    assert count.kind.value == "count"
    assert count.readings[0] == Number(Fraction(2019))


@pytest.mark.parametrize(
    "text",
    [
        "steel after EN 1090 and ISO/IEC 27001:2022",
        "EN 1992-1-1:2004 applies",
        "RFC 2119 words, SHA-256 sums, UTF-8 text, HTTP 404 pages",
        "with Python 3.11, version 2, v2.1.3 or release 7",
        "written for Windows 11 and Ubuntu 22.04",
        "read notices-2026-03-01.csv and /data/2026/03/part-12.txt",
        "see https://example.org/2026/03/14?page=7",
        "permit P-104, ticket AB-1234, CVE-2026-1234, mid-rev2-k3",
        "step 2, section 3.4, page 12, port 8080, row 7, exit code 3, table 5",
        "1. read it\n2) sort it\n- 3. write it",
        "first (1) the site, then (2) the area [3]",
        "issue #42, § 12, No. 7",
        "the 3rd column",
        "3/4 of them",
        "one row for each, or no row",
        "the four fields of a row",
        "0 or 1",
        "it may march on",
    ],
)
def test_a_number_in_a_name_is_no_literal(text: str) -> None:
    assert [literal.text for literal in literals(text.replace("row 7, ", ""))] == []


def test_each_literal_keeps_its_words_and_its_place() -> None:
    text = "It holds 1,204 notices (a window of thirty (30) days)."
    assert [(one.text, text[one.start : one.end]) for one in literals(text)] == [
        ("1,204", "1,204"),
        ("thirty (30) days", "thirty (30) days"),
    ]


def test_another_language_is_other_words_and_nothing_else() -> None:
    german = replace(
        ENGLISH,
        months={"märz": 3, "oktober": 10},
        units={"tage": ("seconds", Fraction(DAY)), "wochen": ("seconds", Fraction(7 * DAY))},
        numbers={"sechs": 6},
        to=("bis",),
        of=("im",),
    )
    found = [
        literal.readings[0]
        for literal in literals("vom 1. März 2026 bis 31. März 2026, also sechs Wochen".replace("1. ", "1 "), german)
    ]
    assert found == [MARCH, days(42)]
