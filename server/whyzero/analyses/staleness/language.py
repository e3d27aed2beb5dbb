"""The words one language uses for dates, numbers and units. Another language is another `Language`, nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """All words in lower case; matching ignores case except where a capital decides (`May 10`, not `may 10`)."""

    months: dict[str, int]
    """Full and short names, the short ones without their dot."""
    weekdays: frozenset[str]
    numbers: dict[str, int]
    """Number words that count something; `one` is left out, being a pronoun more often than a count."""
    multipliers: dict[str, int]
    units: dict[str, tuple[str, Fraction]]
    """Word for a length of time -> (base: `seconds`, `months` or `workdays`, how many of it)."""
    short_units: dict[str, tuple[str, Fraction]]
    """Letters that mean a length of time only when they touch the number (`24h`)."""
    ordinals: dict[str, int]
    """First to fourth, for quarters and halves."""
    quarter: str
    half: str
    week: str
    to: tuple[str, ...]
    """Between the two ends of a range."""
    both: str
    """Before a range that is joined by `both_joined` (`between A and B`)."""
    both_joined: str
    of: tuple[str, ...]
    before_month: frozenset[str]
    """Words after which a month's name stands for the month (`in March`)."""
    before_year: frozenset[str]
    """Words after which four digits are a year (`in 2019`)."""
    percent: tuple[str, ...]
    whole: tuple[str, ...]
    """Adjectives that leave a length of time as it is (`31 calendar days`)."""
    working: tuple[str, ...]
    labels: frozenset[str]
    """Words whose number is a name (`version 3`, `step 2`, `port 8080`)."""
    plain: frozenset[str] = field(default_factory=frozenset)
    """Words that are capitalised only by their place in the sentence."""
    layout: frozenset[str] = field(default_factory=frozenset)
    """Nouns whose number word tells the shape of the answer, not of the question (`the four fields`)."""


_DAY = 86_400

_MONTHS = "january february march april may june july august september october november december"
_SHORT = "jan feb mar apr may jun jul aug sep oct nov dec"
_COUNTS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _seconds(words: str, seconds: int) -> dict[str, tuple[str, Fraction]]:
    return {word: ("seconds", Fraction(seconds)) for word in words.split()}


def _months(words: str, months: int) -> dict[str, tuple[str, Fraction]]:
    return {word: ("months", Fraction(months)) for word in words.split()}


ENGLISH = Language(
    months={word: n for n, word in enumerate(_MONTHS.split(), 1)}
    | {word: n for n, word in enumerate(_SHORT.split(), 1)}
    | {"sept": 9},
    weekdays=_set("monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun"),
    numbers={word: n for n, word in enumerate(_COUNTS.split())} | {word: 10 * n for n, word in enumerate(_TENS.split(), 2)},
    multipliers={"dozen": 12, "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9},
    units=_seconds("second seconds sec secs", 1)
    | _seconds("minute minutes min mins", 60)
    | _seconds("hour hours hr hrs", 3600)
    | _seconds("day days", _DAY)
    | _seconds("week weeks wk wks", 7 * _DAY)
    | _seconds("fortnight fortnights", 14 * _DAY)
    | _months("month months", 1)
    | _months("quarter quarters", 3)
    | _months("year years yr yrs", 12)
    | _months("decade decades", 120),
    short_units=_seconds("s", 1) | _seconds("h", 3600) | _seconds("d", _DAY) | _seconds("w", 7 * _DAY) | _months("y", 12),
    ordinals={"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4},
    quarter="quarter",
    half="half",
    week="week",
    to=("to", "through", "until", "till", "thru", "up to", "up until", "up to and including"),
    both="between",
    both_joined="and",
    of=("of", "in"),
    before_month=_set(
        "in of since until till through thru during from to by before after last this next early late mid between and for"
    ),
    before_year=_set(
        "in of since until till through thru during from to by before after between and for year early late mid over"
    ),
    percent=("percent", "per cent", "pct"),
    whole=("calendar", "consecutive", "full", "whole", "straight", "complete"),
    working=("business", "working", "work"),
    labels=_set("""version ver v release revision rev build edition step steps section sections chapter chapters page pages line lines
        figure fig table tables appendix annex part parts article clause clauses paragraph rule rules question item items issue
        ticket port ports code codes status exit error http https python node java ruby go php perl ubuntu debian windows android
        ios postgres mysql utf sha md no nr number id seed option note phase sprint room floor gate route highway zone district
        block bay berth pier lot platform channel sector level tier type class model grade series schedule form standard"""),
    plain=_set("""a an the all any both each every some no this that these those its their our your my of in on at by for from to with
        and or but as if when while since until through during before after between over under about around up down out into only
        exactly least most more less fewer than top first last next past previous another other same such
        is are was were be has have had do does did will would should must may can there it we you they list find read write use
        take keep give make count cover covers contains holds hold has spans lists collect gather report return include extract"""),
    layout=_set("field fields key keys column columns step steps part parts thing things point points way ways"),
)
