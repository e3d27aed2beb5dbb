"""A task as it lies: a Harbor or old Terminal-Bench task folder, or a brief in a text file."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from whyzero.errors import UsageError
from whyzero.model import Problem
from whyzero.question import Change, Digest, KeyFile, Question, Text
from whyzero.readers import digests
from whyzero.readers.brief import deliverable_names
from whyzero.readers.files import Folder
from whyzero.readers.git_history import GitHistory
from whyzero.readers.shapes import obj, text
from whyzero.readers.tables import SUFFIXES, VALUE, Table, read_table

BRIEF = "instruction.md"
OLD = "task.yaml"
KEY_FOLDERS = ("tests/", "solution/")
KEY_LIMIT = 50
"""Data files below `tests/` and `solution/` that are read as keys."""
TEXT_LIMIT = 2**20

_CANARY = re.compile(r"(?i)^(?:<!--.*canary.*-->|#.*canary.*)$")


def is_task(folder: Folder, at: str = ".") -> bool:
    """A Harbor task, in one step or several, or an old Terminal-Bench task."""
    base = "" if at == "." else f"{at}/"
    return any(folder.is_file(base + name) for name in (BRIEF, OLD)) or (
        folder.is_file(base + "task.toml") and folder.is_dir(base + "steps")
    )


def read_task(root: Path, history: GitHistory) -> Question:
    """The task in a folder, with every digest Harbor would record for it."""
    folder = Folder(root)
    try:
        files = digests.tree_files(folder)
        kept = digests.kept_by_harbor(folder, files)
        plain, newest = digests.checksum(files), digests.checksum(kept)
        why_not = ""
    except digests.NoDigestError as error:
        files, plain, newest, why_not = {}, "", "", str(error)
    covers = [(newest, "task folder"), *([(plain, "task folder with its ignored files")] if plain != newest else [])]
    return Question(
        path=str(folder.root),
        kind="task folder",
        names=_names(folder),
        briefs=(briefs := tuple(_briefs(folder))),
        deliverables=asked_names(briefs),
        keys=tuple(_keys_inside(folder, history)),
        digests=tuple(Digest(value, what, str(folder.root)) for value, what in covers if value),
        parts=files,
        no_digest=why_not,
        problems=tuple(_outside(folder.root, folder.problems)),
    )


def read_brief(path: Path) -> Question:
    """A brief in a text file: a question without key and digest."""
    folder = Folder(path.parent)
    said = folder.text(path.name, TEXT_LIMIT)
    if said is None or not said.strip():
        raise UsageError(f"The task {path.name!r} is neither a task folder nor a text file that can be read. Name one of these.")
    briefs = (Text(str(folder.root / path.name), without_canary(said)),)
    return Question(
        path=str(folder.root / path.name),
        kind="brief",
        names=tuple(dict.fromkeys((path.stem, folder.root.name))),
        briefs=briefs,
        deliverables=asked_names(briefs),
    )


def of_files(files: Mapping[str, bytes], path: str) -> Question:
    """The task that consists of these files, as they were at a commit."""
    parts = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    names = _step_briefs(files, _toml(files.get("task.toml", b"").decode("utf-8", "replace")))
    said = ((name, files[name].decode("utf-8", "replace")) for name in names if name in files)
    briefs = tuple(Text(f"{path}:{name}", without_canary(brief)) for name, brief in said)
    value = digests.checksum(parts) if parts else ""
    return Question(
        path=path,
        kind="task folder",
        briefs=briefs,
        deliverables=asked_names(briefs),
        digests=(Digest(value, "task folder", path),) if value else (),
        parts=parts,
    )


def without_canary(said: str) -> str:
    """The brief as Harbor gives it: without canary lines at its start."""
    lines = said.split("\n")
    start = 0
    while start < len(lines) and _CANARY.match(lines[start].strip()):
        start += 1
    while start < len(lines) and not lines[start].strip():
        start += 1
    return "\n".join(lines[start:])


def asked_names(briefs: Iterable[Text]) -> tuple[str, ...]:
    """Names, without folders, of the files that the brief says to write."""
    names = (PurePosixPath(name).name for brief in briefs for name in deliverable_names(brief.text))
    return tuple(dict.fromkeys(names))


def _names(folder: Folder) -> tuple[str, ...]:
    """The folder's name and the name task.toml gives, with and without the organisation."""
    given = text(obj(_toml(folder.text("task.toml") or "" if folder.is_file("task.toml") else "").get("task")).get("name"))
    return tuple(dict.fromkeys((folder.root.name, *((given, given.rsplit("/", 1)[-1]) if given else ()))))


def _toml(said: str) -> dict[str, object]:
    try:
        return tomllib.loads(said)
    except tomllib.TOMLDecodeError:
        return {}


def _briefs(folder: Folder) -> Iterable[Text]:
    present = {BRIEF: b""} if folder.is_file(BRIEF) else {}
    present |= {f"steps/{name}/{BRIEF}": b"" for name in folder.names("steps") if folder.is_file(f"steps/{name}/{BRIEF}")}
    for name in _step_briefs(present, _toml(folder.text("task.toml") or "" if folder.is_file("task.toml") else "")):
        said = folder.text(name, TEXT_LIMIT)
        if said is not None:
            yield Text(str(folder.root / name), without_canary(said))
    if not present and folder.is_file(OLD):
        said = _yaml_instruction(folder.text(OLD, TEXT_LIMIT) or "")
        if said:
            yield Text(str(folder.root / OLD), said)


def _step_briefs(present: Mapping[str, object], settings: Mapping[str, object]) -> list[str]:
    """The brief, or those of the steps in the order of task.toml."""
    steps = settings.get("steps")
    order = [text(obj(step).get("name")) for step in steps] if isinstance(steps, list) else []
    below = sorted(name for name in present if re.fullmatch(rf"steps/[^/]+/{re.escape(BRIEF)}", name))
    ranked = sorted(below, key=lambda name: order.index(name.split("/")[1]) if name.split("/")[1] in order else len(order))
    return ranked or [name for name in (BRIEF,) if name in present]


def _yaml_instruction(said: str) -> str:
    """The top-level `instruction` of a task.yaml: a block (`|`, `>`) or one line."""
    match = re.search(r"(?m)^instruction:[ \t]*(?P<rest>.*)$", said)
    if match is None:
        return ""
    rest = match["rest"].strip()
    if rest[:1] not in {"|", ">"}:
        return rest.strip("\"'")
    lines = []
    for line in said[match.end() + 1 :].split("\n"):
        if line.strip() and not line.startswith((" ", "\t")):
            break
        lines.append(line)
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    block = [line[indent:] for line in lines]
    return ("\n" if rest.startswith("|") else " ").join(block).strip()


def _keys_inside(folder: Folder, history: GitHistory) -> Iterable[KeyFile]:
    every = folder.walk(".", limit=5000)
    data = [p for p in every if PurePosixPath(p).suffix.lower() in SUFFIXES and (p.startswith(KEY_FOLDERS) or _in_step(p))]
    for path in sorted(data, key=lambda path: not path.startswith("tests/"))[:KEY_LIMIT]:
        yield _key(Folder(folder.root), path, path, history, inside=True)


def _in_step(path: str) -> bool:
    parts = path.split("/")
    return len(parts) > 3 and parts[0] == "steps" and f"{parts[2]}/" in KEY_FOLDERS


def read_keys(paths: Iterable[Path], task: Question | None, history: GitHistory) -> tuple[KeyFile, ...]:
    """The answer keys that the caller names.

    Raises:
        UsageError: one of them is no readable file.
    """
    found = []
    for path in paths:
        folder = Folder(path.parent)
        if not folder.is_file(path.name):
            raise UsageError(f"The oracle {str(path)!r} is no file. Name the file that holds the answer key.")
        inside = task is not None and task.kind == "task folder" and (folder.root / path.name).is_relative_to(task.path)
        found.append(_key(folder, path.name, str(path), history, inside=inside))
    return tuple(found)


def _key(folder: Folder, path: str, name: str, history: GitHistory, *, inside: bool) -> KeyFile:
    table = read_table(folder, path) if PurePosixPath(path).suffix.lower() in SUFFIXES or not inside else None
    fields, flat = _fields(table) if table else ((), False)
    real = folder.real(path)
    change = history.change(real) if real else Change(None, "", "the file cannot be read")
    return KeyFile(str(folder.root / path), name, change, fields, flat=flat, inside=inside)


def _fields(table: Table) -> tuple[tuple[str, ...], bool]:
    """Keys of the rows in their order; and whether they are the members of one object of plain values."""
    rows = table.rows
    if table.names is not None and any(set(row) == {VALUE} for row in rows):
        below = (item for row in rows for item in (row[VALUE] if isinstance(row.get(VALUE), list) else ()))
        inner = (name for item in below if isinstance(item, dict) for name in item)
        return tuple(dict.fromkeys((*table.names, *inner))), True
    return tuple(dict.fromkeys(name for row in rows for name in row)), False


def _outside(root: Path, problems: Iterable[Problem]) -> Iterable[Problem]:
    for problem in problems:
        yield Problem(str(root / problem.path), problem.reason)


@dataclass(slots=True)
class TaskSet:
    """Tasks in a folder, or in folders of it, each read when a run asks for it."""

    root: Path
    history: GitHistory
    places: dict[str, str] = field(default_factory=dict)
    read: dict[str, Question] = field(default_factory=dict)

    def find(self, name: str) -> Question | None:
        """The task of that name; a name with an organisation is looked up with and without it."""
        place = self.places.get(name) or self.places.get(name.rsplit("/", 1)[-1])
        if place is None:
            return None
        if place not in self.read:
            self.read[place] = read_task(self.root / place, self.history)
        return self.read[place]


def read_task_set(root: Path, history: GitHistory) -> TaskSet | None:
    """Tasks one or two levels below `root`; None where there is none."""
    folder = Folder(root)
    tasks = TaskSet(folder.root, history)
    for name in folder.names():
        if is_task(folder, name):
            tasks.places[name] = name
            continue
        for below in folder.names(name, 2000) if folder.is_dir(name) else ():
            if is_task(folder, f"{name}/{below}"):
                tasks.places.setdefault(below, f"{name}/{below}")
    return tasks if tasks.places else None
