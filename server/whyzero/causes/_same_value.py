"""Does an answer say the same as a label, only written otherwise?"""

from __future__ import annotations

import re

_NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?")
_WORD = re.compile(r"\w+")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?:{'|'.join(MONTHS)})[a-z]*"
_DATE = re.compile(
    r"\b(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})\b"
    rf"|\b(?P<month>{_MONTH})\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}})\b"
    rf"|\b(?P<day2>\d{{1,2}})(?:st|nd|rd|th|\.)? (?P<month2>{_MONTH})\.?,? (?P<year2>\d{{4}})\b",
    re.I,
)
_COMMAND = re.compile(r"\\[a-z]+", re.I)
"""Of LaTeX: it says how a value is set, not what it is."""
_MONEY = re.compile(r"[$€£¥₹]")
_DENIED = frozenset(
    {"not", "never", "no", "nor", "neither", "cannot", "except", "without", "isn", "wasn", "aren", "don", "doesn"}
)
_YES_NO = {"true": "yes", "1": "yes", "false": "no", "0": "no", "yes": "yes", "no": "no"}


def says_the_same(label: str, answer: str) -> bool:
    """True where the answer holds the label's value and not the label's text: no grader that compares texts can see it."""
    if not label.strip():
        return False
    if label != label.strip():
        return _verbatim(label.strip(), answer) or says_the_same(label.strip(), answer)
    if _verbatim(label, answer):
        return False
    return _same_date(label, answer) or _same_number(label, answer) or _same_words(label, answer)


def _verbatim(label: str, answer: str) -> bool:
    """The label stands in the answer as it is, not inside a longer word or number."""
    return re.search(rf"(?<![\w.]){re.escape(label)}(?![\w]|\.\d)", answer) is not None


def _same_date(label: str, answer: str) -> bool:
    """The label is one day, and the last day the answer names is that one; `03/04/2026` is read neither way."""
    wanted = _dates(label)
    return len(wanted) == 1 and _DATE.sub("", label).strip(" .") == "" and _dates(answer)[-1:] == wanted


def _dates(text: str) -> list[tuple[int, int, int]]:
    found = []
    for match in _DATE.finditer(text):
        month = match.group("month") or match.group("month2")
        day = match.group("day") or match.group("day2")
        if month is None:
            found.append((int(match.group("y")), int(match.group("m")), int(match.group("d"))))
        else:
            found.append((int(match.group("year") or match.group("year2")), MONTHS.index(month[:3].lower()) + 1, int(day)))
    return found


def _same_number(label: str, answer: str) -> bool:
    """The label is one number, and the last number of the answer has its value."""
    wanted = _NUMBER.findall(label)
    given = list(_NUMBER.finditer(answer))
    rest = _NUMBER.sub("", label, count=1).strip(" '\"[](){}<>$€£%.,;:=")
    if len(wanted) != 1 or not given or len(rest) > 12:
        return False
    if _denied(answer[: given[-1].start()]) or not _of_the_same_thing(rest, label, answer):
        return False
    try:
        return float(wanted[0].replace(",", "")) == float(given[-1][0].replace(",", ""))
    except ValueError:
        return False


def _of_the_same_thing(rest: str, label: str, answer: str) -> bool:
    """What stands beside the label's number (a unit, a name, a currency) stands in the answer too."""
    said = answer.casefold()
    beside = _WORD.findall(_COMMAND.sub(" ", rest).casefold())
    money, paid = set(_MONEY.findall(label)), set(_MONEY.findall(answer))
    return all(re.search(rf"(?<![^\W\d_]){re.escape(word)}", said) for word in beside) and not (
        money and paid and not money & paid
    )


def _denied(before: str) -> bool:
    """The answer says of the value that it is not the one."""
    words = _WORD.findall(before.casefold())[-3:]
    return bool(_DENIED.intersection(words)) or words[-2:] == ["anything", "but"]


def _same_words(label: str, answer: str) -> bool:
    """The label's words, case and punctuation aside, are the last words of the answer; or both say yes or no."""
    wanted, given = _WORD.findall(label.casefold()), _WORD.findall(answer.casefold())
    if not wanted or not given or all(word.isdigit() for word in wanted):
        return False
    if given[-len(wanted) :] == wanted:
        return not _denied(" ".join(given[: -len(wanted)]))
    return len(wanted) == 1 and wanted[0] in ("true", "false") and _YES_NO.get(given[-1]) == _YES_NO[wanted[0]]
