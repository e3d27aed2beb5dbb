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
# German, French, Spanish, Portuguese, Italian, Russian; stems long enough to be no English word
_MAKES_ELSEWHERE = (
    r"schreib\w*|speicher\w*|erstell\w*|erzeug\w*|écri\w+|écrivez|enregistr\w+|crée\w*|génér\w+|sauvegard\w+|escrib\w+|guarda\w*"
    r"|genera(?:r|d)?\b|escrev\w+|salv(?:ar|e)\b|scriv\w+|salva\b|запиш\w+|записать|сохран\w+|созда\w+|напиш\w+"
)
_TAKES_ELSEWHERE = (
    r"lies\b|lesen\b|öffne\w*|verwende\w*|analysiere\w*|lire|lisez|ouvr(?:ez|ir)|utilis(?:ez|er)|leer\b|lee\b|abrir\b|leia\b|leggi\b"
    r"|прочита\w+|прочти\w*|откр\w+|используй\w*"
)
# no blanks between words: the verb stands right before the name, or in Japanese and Korean after it
_MAKES_UNSPACED = r"写入|写到|写出|写进|保存|输出|输出到|创建|生成|新建|导出|存入|存到|寫入|儲存|建立"
_TAKES_UNSPACED = r"读取|读入|打开|解析|分析|使用|根据|讀取"
_VERB = re.compile(
    rf"(?:\b(?:(?P<makes>{_MAKES}|{_MAKES_ELSEWHERE})|(?P<takes>{_TAKES}|{_TAKES_ELSEWHERE}))\b)"
    rf"|(?P<makes_unspaced>{_MAKES_UNSPACED})|(?P<takes_unspaced>{_TAKES_UNSPACED})",
    re.I,
)
_MADE_AFTER = re.compile(
    r"^[`'\"”」]?\s?(?:に|へ|として|에|로|으로)\s?[^。.\n]{0,20}?(?:書き|保存|出力|作成|生成|쓰|저장|작성|생성)"
)
_BEFORE = re.compile(
    r"\b(?P<word>to|into|as|at|named|called|in|of|from|using|with|against|than|like|by|on|for|nach|unter|als|dans|vers|sous|aus|von|mit|depuis|desde)\b"
    r"(?:\s+(?:a|an|the|new|single|local|output|following|file|script|program|path|directory|folder))*[\s:`'\"“‘(*]*$",
    re.I,
)
_OUT = frozenset({"to", "into", "as", "at", "named", "called", "nach", "unter", "als", "dans", "vers", "sous"})
_SENTENCE_END = re.compile(r"[.;!?](?=\s)|[。；！？]|\n\s*\n|\n\s*(?:[-*]|\d+\.)\s")
_NO_FILE = re.compile(r"(?i)^(?:e\.g|i\.e|etc|vs|cf|.*\.(?:com|org|io|net|ai|dev|gov|edu))$")


def deliverable_names(text: str) -> tuple[str, ...]:
    """File names and paths the brief says to write, in the order of the text; empty where it names none."""
    text = text[:BRIEF_LIMIT]
    names = (
        match.group("name")
        for match in _TOKEN.finditer(text)
        if _is_file(match.group("name"))
        and (_is_asked(text, match.start()) or _MADE_AFTER.match(text[match.end() : match.end() + 40]))
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
        return any(_makes(verb) or verb.group(0).lower() == "convert" for verb in verbs)
    if word and word != "in":
        return False
    return _makes(verbs[-1]) and verbs[-1].group(0).lower() != "convert"


def _makes(verb: re.Match[str]) -> bool:
    return bool(verb.group("makes") or verb.group("makes_unspaced"))
