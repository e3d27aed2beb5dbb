"""Which files a brief asks for: names of deliverables, read from the text a trial was given."""

from __future__ import annotations

import re

BRIEF_LIMIT = 40_000
NAME_LIMIT = 20

_TOKEN = re.compile(r"(?<![\w./:@-])(?P<name>(?:~|\.{1,2})?/?(?:[\w.-]+/)*[\w-][\w.-]*\w)(?![\w(<{]|/\w)")
_MAKES = (
    r"writ(?:e|es|ing|ten)|creat(?:e|es|ing|ed)|produc(?:e|es|ing|ed)|sav(?:e|es|ing|ed)|generat(?:e|es|ing|ed)|outputs?|outputting"
    r"|stor(?:e|es|ing|ed)|puts?|plac(?:e|es|ing|ed)|exports?|exported|dumps?|delivers?|submits?|implements?|convert|compile|record"
    r"|print|prints|located|results? (?:in|go(?:es)?)|deliverables?|your (?:answer|report|solution|submission)|class called"
)
_TAKES = (
    r"reads?|reading|givens?|provided|inputs?|us(?:e|es|ing)|sees?|opens?|loads?|parses?|analy[sz]es?|runs?|running|calls?|calling"
    r"|contains?|holds?|found|finds?|exists?|count|checks?|based|according|fix(?:es)?|tests?|compares?|matching|lists?|called by|convert|extracts?"
)
_VERB = re.compile(rf"\b(?:(?P<makes>{_MAKES})|(?P<takes>{_TAKES}))\b", re.I)
_BEFORE = re.compile(
    r"\b(?P<word>to|into|as|at|named|called|in|of|from|using|with|against|than|like|by|on|for)\b"
    r"(?:\s+(?:a|an|the|new|single|local|output|following|file|script|program|path|directory|folder))*[\s:`'\"“‘(*]*$",
    re.I,
)
_OUT = frozenset({"to", "into", "as", "at", "named", "called"})
_SENTENCE_END = re.compile(r"[.;!?](?=\s)|\n\s*\n|\n\s*(?:[-*]|\d+\.)\s")
_NO_FILE = re.compile(r"(?i)^(?:e\.g|i\.e|etc|vs|cf|.*\.(?:com|org|io|net|ai|dev|gov|edu))$")


def deliverable_names(text: str) -> tuple[str, ...]:
    """File names and paths the brief says to write, in the order of the text; empty where it names none."""
    text = text[:BRIEF_LIMIT]
    names = (
        match.group("name") for match in _TOKEN.finditer(text) if _is_file(match.group("name")) and _is_asked(text, match.start())
    )
    return tuple(dict.fromkeys(names))[:NAME_LIMIT]


def _is_file(name: str) -> bool:
    """A file name with an extension, or an absolute path of two parts and more."""
    if _NO_FILE.match(name):
        return False
    if re.fullmatch(r".*\w\.[A-Za-z][A-Za-z0-9]{0,7}", name):
        return True
    return name.startswith(("/", "~/")) and len([p for p in name.split("/") if p and p != "~"]) >= 2


def _is_asked(text: str, start: int) -> bool:
    """The last verb before the name, in its sentence, is one of making; `of X` and `from X` name a source."""
    sentence = text[max(0, start - 240) : start]
    ends = list(_SENTENCE_END.finditer(sentence))
    sentence = sentence[ends[-1].end() :] if ends else sentence
    verbs = list(_VERB.finditer(sentence))
    if not verbs:
        return False
    before = _BEFORE.search(sentence)
    word = before.group("word").lower() if before else ""
    if word in _OUT:
        return any(verb.group("makes") or verb.group("takes").lower() == "convert" for verb in verbs)
    if word and word != "in":
        return False
    return bool(verbs[-1].group("makes")) and verbs[-1].group(0).lower() != "convert"
