"""The grading code of a rollout, apart from its workflow: what a grader's verdict can depend on, read and never executed.

Roots are the classes with a `grade` method, or a base called `…Grader`, in modules that the entrypoint imports, and what is
passed as `grader…=`; the `tests/` of a sandbox task grade too, and before them. From there names are followed to the statements that bind them, through imports inside the rollout, and
to the files they name. Formatting, comments and docstrings do not count.
"""

from __future__ import annotations

import ast
import hashlib
import symtable
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from whyzero.readers.digests import NoDigestError, source_paths
from whyzero.readers.files import Folder

FILE_LIMIT, SIZE_LIMIT = 400, 2**20
DYNAMIC = frozenset({"eval", "exec", "compile", "__import__", "importlib", "globals", "runpy"})
"""Names by which code reaches what no reading of it shows."""
NO_DATA = frozenset({"pyproject.toml", "README.md", ".gitignore", ".python-version"})
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class _UnknownError(Exception):
    """The grading code cannot be told apart."""


def grader_digest(folder: Folder, root: str, entrypoint: str) -> str | None:
    """Digest of the grading code of the rollout at `root`; None where it cannot be told apart from the rest."""
    try:
        closure = _Closure(_Rollout(folder, root, entrypoint))
        closure.follow()
        return closure.digest()
    except (_UnknownError, NoDigestError, SyntaxError, ValueError, RecursionError):
        return None


@dataclass(slots=True)
class _Module:
    """One file: statements by the names they bind, and who refers to what."""

    path: str
    tree: ast.Module
    scopes: dict[tuple[str, int], symtable.SymbolTable]
    bindings: dict[str, list[ast.stmt]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for statement in self.tree.body:
            for name in _bound(statement):
                self.bindings.setdefault(name, []).append(statement)

    def names(self, node: ast.AST) -> set[str]:
        """Names of the module that a statement or expression refers to; a function's own variables are not among them."""
        if not isinstance(node, Definition):
            inner = [n for n in ast.iter_child_nodes(node) if isinstance(n, ast.stmt)]
            if inner:
                outer = [n for n in ast.iter_child_nodes(node) if not isinstance(n, ast.stmt)]
                return set().union(*map(self.names, inner), *map(_loaded, outer))
            return _loaded(node)
        table = self.scopes.get((node.name, node.lineno))
        outside: list[ast.AST] = [*node.decorator_list]
        if isinstance(node, ast.ClassDef):
            outside += [*node.bases, *node.keywords]
        else:
            outside.append(node.args)
        return set().union(_global(table) if table else _loaded(node), *map(_loaded, outside))


class _Rollout:
    """Modules that the entrypoint imports, however deep, and the other files."""

    def __init__(self, folder: Folder, root: str, entrypoint: str) -> None:
        paths = ["/".join(parts) for parts in source_paths(folder, root)]
        if len(paths) > FILE_LIMIT or entrypoint not in paths:
            raise _UnknownError
        self._folder, self._root, self._paths = folder, root, frozenset(paths)
        self.data = [p for p in paths if not p.endswith(".py") and PurePosixPath(p).name not in NO_DATA]
        tests = tuple(p.removesuffix("test.sh") for p in paths if p.endswith("tests/test.sh"))
        self.tests = [p for p in paths if p.startswith(tests)]
        at = str(PurePosixPath(entrypoint).parent)
        self._places = tuple(dict.fromkeys(("" if at == "." else f"{at}/", "", "src/")))
        self._read: dict[str, _Module] = {}
        self.modules: list[_Module] = []
        self._reach(entrypoint)

    def _reach(self, path: str) -> None:
        waiting = [path]
        while waiting:
            module = self.module(waiting.pop())
            if module in self.modules:
                continue
            self.modules.append(module)
            for node in ast.walk(module.tree):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    waiting += [place for place, _ in self.imported(module, node)]

    def module(self, path: str) -> _Module:
        if path not in self._read:
            source = self._folder.text(f"{self._root}/{path}", SIZE_LIMIT)
            if source is None or len(source) >= SIZE_LIMIT:
                raise _UnknownError
            table = symtable.symtable(source, path, "exec")
            self._read[path] = _Module(path, ast.parse(source), dict(_scopes(table)))
        return self._read[path]

    def bytes_of(self, path: str) -> str:
        digest = hashlib.sha256()
        if not self._folder.feed(f"{self._root}/{path}", digest.update):
            raise _UnknownError
        return digest.hexdigest()

    def imported(self, module: _Module, node: ast.Import | ast.ImportFrom, only: str | None = None) -> Iterator[tuple[str, str]]:
        """(file, name in it) for what an import brings from inside the rollout; the name is empty for a whole module.

        Args:
            only: the one name that matters, as bound by the import.
        """
        for alias in node.names:
            bound = alias.asname or alias.name.split(".")[0]
            if only is not None and only != bound and alias.name != "*":
                continue
            if isinstance(node, ast.Import):
                if place := self._file(alias.name):
                    yield place, ""
                continue
            above = "/".join(PurePosixPath(module.path).parts[: -node.level]) if node.level else None
            home = node.module or ""
            if below := self._file(f"{home}.{alias.name}".lstrip("."), above):
                yield below, ""
            elif place := self._file(home, above):
                yield place, "" if alias.name == "*" else alias.name

    def named(self, value: object) -> tuple[str, str] | None:
        """The file and the name that `package.module:Class` means."""
        home, _, name = value.partition(":") if isinstance(value, str) else ("", "", "")
        place = self._file(home) if name else None
        return (place, name) if place else None

    def _file(self, dotted: str, above: str | None = None) -> str | None:
        path = dotted.replace(".", "/")
        places = self._places if above is None else (f"{above}/" if above else "",)
        for place in places:
            for candidate in (f"{place}{path}.py", f"{place}{path}/__init__.py".replace("//", "/")):
                if candidate in self._paths:
                    return candidate
        return None


class _Closure:
    """Statements that a grader's verdict can depend on."""

    def __init__(self, rollout: _Rollout) -> None:
        self._rollout = rollout
        self._said: set[str] = set()
        self._seen: set[tuple[str, str]] = set()
        self._own: set[tuple[str, str]] = set()
        """(file, name) that are bound by a statement taken in, imports aside."""
        self._constants: set[str] = set()
        self._names: set[str] = set()

    def follow(self) -> None:
        """Take in everything from the roots on.

        Raises:
            _UnknownError: there is no grader, or it reaches what reading does not show.
        """
        for module in self._rollout.modules:
            for node in ast.walk(module.tree):
                if isinstance(node, ast.ClassDef) and _is_grader(node):
                    self._statement(module, node)
                    self._own.add((module.path, node.name))
                for keyword in node.keywords if isinstance(node, ast.Call) else ():
                    if keyword.arg and keyword.arg.startswith("grader"):
                        self._statement(module, keyword)
        if not self._own and not self._rollout.tests:
            raise _UnknownError
        for module in self._rollout.modules:
            for statement in module.tree.body:
                if self._changes_what_was_taken_in(module, statement):
                    self._said.add(_dump(statement))
        if self._names & DYNAMIC:
            raise _UnknownError

    def digest(self) -> str:
        files = {self._rollout.bytes_of(path) for path in self._rollout.data if self._reads(path)}
        files |= {f"{path} {self._rollout.bytes_of(path)}" for path in self._rollout.tests}
        return hashlib.sha256("\0".join(sorted(self._said | files)).encode()).hexdigest()

    def _reads(self, path: str) -> bool:
        """The code names the file or its folder, or works with its own place."""
        first, name = path.split("/", 1)[0], PurePosixPath(path).name
        return "__file__" in self._names or any(
            text in (path, name) or ("/" in path and text.removeprefix("./").split("/")[0] == first) for text in self._constants
        )

    def _statement(self, module: _Module, node: ast.AST) -> None:
        self._said.add(_dump(node))
        self._constants |= {n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
        for name in module.names(node):
            self._name(module, name)
        for inner in ast.walk(node):
            if isinstance(inner, ast.Import | ast.ImportFrom):
                self._import(module, inner)
        if (
            isinstance(node, ast.keyword)
            and isinstance(node.value, ast.Constant)
            and (found := self._rollout.named(node.value.value))
        ):
            self._name(self._rollout.module(found[0]), found[1])

    def _name(self, module: _Module, name: str) -> None:
        self._names.add(name)
        if (module.path, name) in self._seen:
            return
        self._seen.add((module.path, name))
        for statement in module.bindings.get(name, ()):
            if isinstance(statement, ast.Import | ast.ImportFrom):
                self._import(module, statement, name)
            else:
                self._own.add((module.path, name))
                self._statement(module, statement)
        if name not in module.bindings:
            for statement in module.tree.body:
                if isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*":
                    self._import(module, statement)

    def _import(self, module: _Module, node: ast.Import | ast.ImportFrom, only: str | None = None) -> None:
        inside = list(self._rollout.imported(module, node, only))
        for path, name in inside:
            other = self._rollout.module(path)
            if name:
                self._name(other, name)
            elif (path, "") not in self._seen:
                self._seen.add((path, ""))
                for statement in other.tree.body:
                    self._own |= {(path, bound) for bound in _bound(statement)}
                    self._statement(other, statement)
        if not inside:
            home = f"{'.' * node.level}{node.module or ''}" if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names:
                bound = alias.asname or alias.name.split(".")[0]
                if only in (None, bound) or alias.name == "*":
                    self._names |= {home.split(".")[0], alias.name.split(".")[0]}
                    self._said.add(f"import {home} {alias.name} {bound}")

    def _changes_what_was_taken_in(self, module: _Module, statement: ast.stmt) -> bool:
        """`WEIGHTS["x"] = 2`, `Grader.grade = other`, `register(Grader)`: no definition, but it bears on one."""
        if isinstance(statement, ast.Expr):
            touched = _loaded(statement, skip_grader_keywords=True)
        elif isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Delete):
            targets = [statement.target] if isinstance(statement, ast.AugAssign | ast.AnnAssign) else statement.targets
            touched = set().union(*map(_loaded, targets))
        else:
            return False
        return any((module.path, name) in self._own for name in touched)


def _is_grader(node: ast.ClassDef) -> bool:
    if any(isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) and n.name == "grade" for n in node.body):
        return True
    bases = (
        base.attr if isinstance(base, ast.Attribute) else base.id if isinstance(base, ast.Name) else "" for base in node.bases
    )
    return any(base.endswith("Grader") for base in bases)


def _bound(statement: ast.stmt) -> set[str]:
    """Names that a statement of a module binds; of an `if` or `try` those bound inside."""
    if isinstance(statement, Definition):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name.split(".")[0] for alias in statement.names}
    names = {n.id for n in _shallow(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return names.union(
        *(
            _bound(n)
            for n in ast.walk(statement)
            if n is not statement and isinstance(n, Definition | ast.Import | ast.ImportFrom)
        )
    )


def _shallow(node: ast.AST) -> Iterator[ast.AST]:
    """A statement's nodes without the insides of functions and classes."""
    yield node
    for below in ast.iter_child_nodes(node):
        if not isinstance(below, Definition | ast.Lambda):
            yield from _shallow(below)


def _loaded(node: ast.AST, skip_grader_keywords: bool = False) -> set[str]:
    if skip_grader_keywords and isinstance(node, ast.keyword) and (node.arg or "").startswith("grader"):
        return set()
    own = {node.id} if isinstance(node, ast.Name) else set()
    return own.union(*(_loaded(below, skip_grader_keywords) for below in ast.iter_child_nodes(node)))


def _scopes(table: symtable.SymbolTable) -> Iterator[tuple[tuple[str, int], symtable.SymbolTable]]:
    for below in table.get_children():
        yield (below.get_name(), below.get_lineno()), below
        yield from _scopes(below)


def _global(table: symtable.SymbolTable) -> set[str]:
    """Names that a function or class, and what is inside it, takes from the module."""
    own = {
        s.get_name() for s in table.get_symbols() if s.is_referenced() and (s.is_global() or isinstance(table, symtable.Class))
    }
    return own.union(*map(_global, table.get_children()))


def _dump(node: ast.AST) -> str:
    return ast.dump(_Undocumented().visit(ast.parse(ast.unparse(node)) if isinstance(node, ast.stmt) else node))


class _Undocumented(ast.NodeTransformer):
    """Drops docstrings."""

    def _strip(self, node: ast.AST) -> ast.AST:
        self.generic_visit(node)
        body: list[ast.stmt] = getattr(node, "body", [])
        if (
            body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
            and isinstance(body[0].value.value, str)
        ):
            node.body = body[1:] or [ast.Pass()]  # type: ignore[attr-defined]
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _strip
