"""Does an answer say the same as a label, only written otherwise?"""

from __future__ import annotations

import re

_NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?")
_WORD = re.compile(r"\w+")
_YES_NO = {"true": "yes", "1": "yes", "false": "no", "0": "no", "yes": "yes", "no": "no"}


def says_the_same(label: str, answer: str) -> bool:
    """True where the answer holds the label's value and not the label's text: no grader that compares texts can see it."""
    if not label.strip():
        return False
    if label != label.strip():
        return _verbatim(label.strip(), answer) or says_the_same(label.strip(), answer)
    if _verbatim(label, answer):
        return False
    return _same_number(label, answer) or _same_words(label, answer)


def _verbatim(label: str, answer: str) -> bool:
    """The label stands in the answer as it is, not inside a longer word or number."""
    return re.search(rf"(?<![\w.]){re.escape(label)}(?![\w]|\.\d)", answer) is not None


def _same_number(label: str, answer: str) -> bool:
    """The label is one number, and the last number of the answer has its value."""
    wanted = _NUMBER.findall(label)
    given = _NUMBER.findall(answer)
    rest = _NUMBER.sub("", label, count=1).strip(" '\"[](){}<>$€£%.,;:=")
    if len(wanted) != 1 or not given or len(rest) > 12:
        return False
    try:
        return float(wanted[0].replace(",", "")) == float(given[-1].replace(",", ""))
    except ValueError:
        return False


def _same_words(label: str, answer: str) -> bool:
    """The label's words, case and punctuation aside, are the last words of the answer; or both say yes or no."""
    wanted, given = _WORD.findall(label.casefold()), _WORD.findall(answer.casefold())
    if not wanted or not given or all(word.isdigit() for word in wanted):
        return False
    if given[-len(wanted) :] == wanted:
        return True
    return len(wanted) == 1 and wanted[0] in ("true", "false") and _YES_NO.get(given[-1]) == _YES_NO[wanted[0]]
