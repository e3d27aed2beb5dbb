"""Telling "it is not there" from "it is wrong" in the words of a failed check."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PATH = r"(?:~?/?(?:[\w.-]+/)+[\w.-]*\w|[\w-]+\.[A-Za-z][A-Za-z0-9]{0,7})"
_THING = rf"(?:{_PATH}|files?|director(?:y|ies)|folders?|outputs?|submissions?|deliverables?|scripts?|binar(?:y|ies)|reports?|answers?|solutions?)"
_QUOTE = r"[`'\"”’)\]]*"
NO_SUCH_FILE_ELSEWHERE = (
    r"Datei oder Verzeichnis nicht gefunden|Aucun fichier ou (?:dossier|répertoire) de ce (?:type|nom)|No existe el (?:fichero|archivo) o el directorio"
    r"|File o directory non esistente|(?:Arquivo ou diretório inexistente|Ficheiro ou directoria inexistente)|Нет такого файла или каталога"
    r"|没有那个文件或目录|そのようなファイルやディレクトリはありません|그런 파일이나 디렉터리가 없습니다|Nie ma takiego pliku ani katalogu"
)
"""The same words of the C library in other languages."""
NOT_THERE_ELSEWHERE = rf"{NO_SUCH_FILE_ELSEWHERE}|existiert nicht|nicht gefunden|n'existe pas|introuvable|no existe|не существует|не найден|不存在|未找到|找不到|存在しません|見つかりません"
_ABSENT = (
    re.compile(rf"{_PATH}{_QUOTE}[:,]?\s*(?:文件)?(?:{NOT_THERE_ELSEWHERE})", re.I),
    re.compile(
        rf"\b{_THING}{_QUOTE}(?: file| directory)?(?: named \S+| at \S+)?\s+(?:does not|doesn't|do not|don't|did not) exist\b(?! in\b)",
        re.I,
    ),
    re.compile(
        rf"{_THING}{_QUOTE}\s+(?:was|is|were|are)\s+(?:not found|missing|never created|not created|not present|absent)\b(?! in\b)",
        re.I,
    ),
    re.compile(rf"\b{_THING}{_QUOTE}\s+not found\b(?! in\b)", re.I),
    re.compile(rf"{_PATH}{_QUOTE}:? (?:is )?(?:missing|absent|not (?:found|generated|created|produced|written))[.!]?$", re.I),
    re.compile(
        rf"\b(?:agent|model)\b.{{0,20}}\b(?:did not|didn't|failed to) (?:produce|create|write|generate|submit|leave)\b"
        rf"|\b(?:did not|didn't) (?:produce|create|write|generate|submit|leave) {_QUOTE}(?!/logs/){_PATH}",
        re.I,
    ),
    re.compile(rf"{_PATH}{_QUOTE} (?:was|were) (?:never|not) (?:written|generated|produced|submitted)\b", re.I),
    re.compile(rf"^\W*(?:fail(?:ed|ure)?|error|wrong)\W{{1,3}}no {_PATH}\W*$", re.I),
    re.compile(rf"{_PATH}{_QUOTE}\b.{{0,40}}\bfound (?:nothing|none)\b", re.I),
    re.compile(r"\bnothing (?:to grade|was submitted|submitted)\b|\(no (?:submission|answer|output)\)", re.I),
    re.compile(r"^\{.*\"\w*(?:exists?|present|created|submitted)\": ?false\b"),
    re.compile(rf"\bENOENT\b.*[\"'`]{_PATH}|{_PATH} \(No such file or directory\)", re.I),
    re.compile(
        rf"\bno (?:{_PATH}|submission|deliverable|patch|model\.patch|output file|answer file)\b[^.]{{0,20}}\b(?:submitted|found|produced|created|exists?)",
        re.I,
    ),
    re.compile(r"\bwhere False = (?:<function )?(?:os\.path\.)?(?:exists|isfile|isdir|is_file|is_dir|lexists)\b"),
    re.compile(r"(?:FileNotFoundError|NotADirectoryError)\b.*No such file or directory: [\"']?\S*[./]\S*", re.I),
    re.compile(rf"{_PATH}{_QUOTE}[:,]? (?:\[Errno 2\] )?No such file or directory", re.I),
    re.compile(rf"\bcannot (?:stat|open|access) [`'\"]?{_PATH}", re.I),
)
_MISSING = re.compile(
    rf"\b(?:missing|could not find|cannot find|can't find|couldn't find|not found:)\b(?P<between>(?:(?!\bin\b).){{0,60}}?)(?P<thing>{_THING})",
    re.I,
)
_PART_OF_AN_ANSWER = re.compile(
    r"[{(\[]\s*\(|\b(?:rows?|entr(?:y|ies)|items?|records?|keys?|fields?|columns?|values?|pairs?|edges?|links?|imports?|references?|calls?"
    r"|symbols?|places?|findings?|matches|names?|dependenc(?:y|ies))\b",
    re.I,
)
"""Before a path: it is a member of something that was handed in, and not the work itself."""
_IN_A_LIST = re.compile(r"[{(\[]")
_OWN_FILES = re.compile(r"[\"'`\s(](?:/tests?|/solution|/usr/lib|/usr/local/lib|/oracle|/verifier)/\S+")
_SYSTEM_FILES = re.compile(r"(?:^|[\"'`\s(:])/(?:usr|opt|bin|sbin|lib|lib64|root/\.[\w-]+)/\S+")
_NO_MODULE = re.compile(r"No module named [\"']([\w.]+)[\"']")


def says_absent(lines: Iterable[str], names: tuple[str, ...] = ()) -> str | None:
    """The first line that says a file was not there, or None; `names` are the brief's files (a module of that name counts)."""
    modules = {name.rsplit("/", 1)[-1].removesuffix(".py") for name in names if name.endswith(".py")}
    for line in lines:
        if _own(line) or (_SYSTEM_FILES.search(line) and not any(name in line for name in names)):
            continue
        if any(pattern.search(line) for pattern in _ABSENT) or _missing(line, names):
            return line.strip()
        missing = _NO_MODULE.search(line)
        if missing and missing.group(1).split(".")[0] in modules:
            return line.strip()
    return None


def _missing(line: str, names: tuple[str, ...]) -> bool:
    """Not where an answer lacks a path: beside other values, among rows or edges, or in a list of other files than the brief names."""
    asked = {name.rsplit("/", 1)[-1] for name in names}
    return any(
        found["thing"].rsplit("/", 1)[-1] in asked
        or not (_PART_OF_AN_ANSWER.search(found["between"]) or (asked and _IN_A_LIST.search(found["between"])))
        for found in _MISSING.finditer(line)
    )


def _own(line: str) -> bool:
    return bool(_OWN_FILES.search(line))
