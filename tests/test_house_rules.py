"""The invariants of ARCHITECTURE.md, checked on the source itself."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import whyzero
from whyzero.catalogue import page
from whyzero.causes import CAUSES, ORDER
from whyzero.evidence import Output

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "server" / "whyzero"

LAYERS = (
    ("errors", "text", "values", "evidence", "processes", "network"),
    ("model",),
    ("findings", "causes.cause", "question"),
    ("readers",),
    ("osmosis_cli", "roundtrip"),
    ("causes",),
    ("catalogue", "skills"),
    ("analyses",),
    ("reproduce",),
    ("render",),
    ("cli", "mcp_server"),
)
"""A module imports from its own part or from a line above, never from below, never from a neighbour on its line."""

BASE = LAYERS[0]
"""The only line whose members may import each other."""

FORBIDDEN = {"causes": {"readers", "osmosis_cli"}, "readers": {"findings", "causes"}, "osmosis_cli": {"findings", "causes"}}
"""Beyond the order: readers record and decide nothing, causes decide and read nothing."""

LAZY = {("cli", "mcp_server")}
"""Imported inside a function only, because it is slow."""

FILE_CALLS = {"open", ".open", ".fdopen", ".read_text", ".read_bytes", ".write_text", ".write_bytes"}
MAY_OPEN = {
    "readers.files": {".open", ".fdopen"},
    "analyses.partition.audit": {".write_text"},
    "cli.output": {".open", ".write_text"},
    "cli.install": {".write_text"},
}
"""Module and what it may call. Runs are read in one place; what a user asked for is written in others."""

# fmt: off
VOCABULARY = frozenset({
    "wrong_answer", "below_pass_threshold", "harness_incompatibility", "rate_limited", "quota_exhausted", "provider_error",
    "agent_auth", "model_not_found", "clock", "abandoned_delegation", "subagent_auth", "context_length", "output_length",
    "refusal", "early_stop", "malformed_output", "no_agent", "oracle_failed", "workflow_error", "harness_crash",
    "event_loop_blocked", "no_sample", "environment_failure", "agent_setup_failure", "grader_error", "grader_timeout",
    "reward_missing", "reward_invalid", "tests_never_ran", "stale_reward", "label_missing", "label_format",
    "dataset_invalid", "config_invalid", "secret_missing", "dependency_failure", "import_failure", "server_start_failure",
    "version_mismatch", "server_died", "interrupted", "run_control", "skipped", "not_logged_in", "git_out_of_sync",
    "upload_refused", "platform_unreachable", "scheduling",
})
# fmt: on
"""Public words: callers match on them, so none is renamed or dropped. `undetermined` is the absence of all."""

HEADINGS = ["## What it means", "## Evidence", "## What to do", "## Not to be confused with"]


@cache
def modules() -> dict[str, ast.Module]:
    """Dotted name below `whyzero` (`causes.engine`, `causes` for its `__init__`) and its syntax tree."""
    trees = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        trees[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = ast.parse(path.read_text(encoding="utf-8"))
    return trees


def imports(tree: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Dotted names that are imported anywhere in a module; `from a import b` gives `a.b`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "absolute imports only: a module may be run by its path"
            yield from ((f"{node.module}.{alias.name}", node) for alias in node.names)


def inside_functions(tree: ast.Module) -> set[ast.AST]:
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {inner for function in functions for inner in ast.walk(function)}


def part_of(module: str) -> tuple[int, str]:
    """Line in LAYERS and the name there; the longest matching name wins."""
    names = [(name, line) for line, names in enumerate(LAYERS) for name in names if f"{module}.".startswith(f"{name}.")]
    assert names, f"whyzero.{module} has no place in LAYERS: give it one"
    name, line = max(names, key=lambda item: len(item[0]))
    return line, name


def own_imports() -> Iterator[tuple[str, str, bool]]:
    """(importing module, imported module, only inside a function) for imports within whyzero."""
    for module, tree in modules().items():
        if module in ("", "__main__"):
            continue
        lazy = inside_functions(tree)
        for name, node in imports(tree):
            if name.startswith("whyzero."):
                yield module, name.removeprefix("whyzero."), node in lazy


def calls(tree: ast.AST) -> Iterator[str]:
    """Everything that is called: `open` for `open()`, `.open` for `os.open()` and `path.open()`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield node.func.id if isinstance(node.func, ast.Name) else "." + getattr(node.func, "attr", "")


# ---- layers


def test_no_module_imports_from_a_layer_above_its_own() -> None:
    wrong = []
    for module, imported, lazy in own_imports():
        if imported == "__version__":
            continue
        (line, name), (other_line, other) = part_of(module), part_of(imported)
        fine = other_line < line or other == name or (line == 0 == other_line) or (lazy and (name, other) in LAZY)
        if not fine:
            wrong.append(f"{module} imports {imported}")
    assert wrong == []


def test_causes_read_nothing_and_readers_decide_nothing() -> None:
    wrong = [f"{m} imports {i}" for m, i, _ in own_imports() if i.split(".")[0] in FORBIDDEN.get(m.split(".")[0], ())]
    assert wrong == []


def test_only_the_server_knows_the_protocol() -> None:
    protocol = {"mcp", "mcp_types"}
    users = {m.split(".")[0] for m, tree in modules().items() for name, _ in imports(tree) if name.split(".")[0] in protocol}
    assert users <= {"mcp_server"}


def test_the_harnesses_are_never_imported() -> None:
    users = [m for m, tree in modules().items() for name, _ in imports(tree) if name.split(".")[0] in {"osmosis_ai", "harbor"}]
    assert users == []


# ---- output and files


def test_only_the_command_line_prints() -> None:
    wrong = []
    for module, tree in modules().items():
        if module.split(".")[0] == "cli":
            continue
        wrong += [f"{module} calls print" for name in calls(tree) if name == "print"]
        wrong += [f"{module} uses sys.{n.attr}" for n in ast.walk(tree) if is_stdout(n) and module.split(".")[0] != "mcp_server"]
    assert wrong == []


def is_stdout(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Attribute) and node.attr == "stdout" and isinstance(node.value, ast.Name) and node.value.id == "sys"
    )


def test_files_are_opened_in_the_listed_places_only() -> None:
    wrong = [
        f"{module} calls {name}"
        for module, tree in modules().items()
        for name in calls(tree)
        if name in FILE_CALLS and name not in MAY_OPEN.get(module, ())
    ]
    assert wrong == []


def test_programs_are_started_in_one_place_and_code_is_never_taken_from_data() -> None:
    starters = {m for m, tree in modules().items() for name, _ in imports(tree) if name.split(".")[0] in {"subprocess", "pty"}}
    assert starters == {"processes"}
    forbidden = {"eval", "exec", "compile"} | {f"os.{word}" for word in ("system", "popen", "fork", "execv", "execve", "spawnv")}
    wrong = [
        f"{module} calls {called}"
        for module, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and (called := ast.unparse(node.func)) in forbidden
    ]
    assert wrong == []
    unsafe = {"pickle", "marshal", "shelve", "dill"}
    assert [m for m, tree in modules().items() for name, _ in imports(tree) if name.split(".")[0] in unsafe] == []


# ---- causes


def cause_modules() -> set[str]:
    names = {path.stem for path in (PACKAGE / "causes").glob("*.py")}
    return {name for name in names if not name.startswith("_")} - {"cause", "engine"}


def test_every_cause_module_is_registered_under_its_own_name() -> None:
    assert cause_modules() == set(ORDER)
    assert [cause.name for cause in CAUSES] == list(ORDER)
    assert len(ORDER) == len(set(ORDER))


def test_every_word_of_the_vocabulary_is_a_cause_and_no_other() -> None:
    assert set(ORDER) == VOCABULARY


@pytest.mark.parametrize("name", ORDER)
def test_the_page_of_a_cause_has_exactly_the_four_headings(name: str) -> None:
    text = page(name)
    assert text is not None
    assert [line for line in text.splitlines() if line.startswith("## ")] == HEADINGS
    parts = re.split(r"^## .*$", text, flags=re.M)
    assert all(part.strip() for part in parts[1:]), "a heading without a text under it"


@pytest.mark.parametrize("name", ORDER)
def test_a_cause_says_who_can_mend_it_and_how_it_could_be_wrong(name: str) -> None:
    cause = CAUSES[ORDER.index(name)]
    assert cause.find or cause.find_in_run
    assert cause.summary.endswith(".")
    assert cause.check.strip()
    assert cause.whose.strip()


@cache
def marked(mark: str) -> set[str]:
    """Causes named in `pytest.mark.<mark>("…")` anywhere in the tests."""
    found: set[str] = set()
    for path in (ROOT / "tests").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == f"pytest.mark.{mark}":
                found |= {a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)}
    return found


@pytest.mark.parametrize("mark", ["positive", "lookalike"])
def test_every_cause_has_a_proof_and_a_look_alike_among_the_tests(mark: str) -> None:
    assert sorted(set(ORDER) - marked(mark)) == []
    assert sorted(marked(mark) - VOCABULARY) == [], "marks that name no cause"


# ---- texts that must agree with the code


def test_the_catalogue_of_causes_and_the_output_in_the_readme_are_as_generated() -> None:
    check = [sys.executable, str(ROOT / "references" / "generate.py"), "--check"]
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run(check, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_version_is_the_same_everywhere() -> None:
    manifest = json.loads((ROOT / "manifest.json").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert manifest["version"] == whyzero.__version__
    assert project["project"]["dynamic"] == ["version"]
    assert f"## [{whyzero.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_locks_pin_by_hash_and_name_no_host() -> None:
    for name in ("requirements.lock", "requirements-dev.lock"):
        text = (ROOT / name).read_text(encoding="utf-8")
        pins = re.findall(r"^[a-z0-9-]+==\S+.*\\$", text, flags=re.M)
        assert len(pins) > 20
        assert len(re.findall(r"^\S", text, flags=re.M)) == len(pins), f"{name}: a line that is no pin"
        assert "://" not in text
        pinned = set(re.findall(r"^([a-z0-9-]+)==", text, flags=re.M))
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        assert {re.split(r"[<>=!~ \[]", need)[0] for need in project["dependencies"]} <= pinned, f"{name}: run make lock"


def tools_on_the_command_line() -> set[str]:
    from whyzero.cli.app import COMMANDS

    return {name for name in COMMANDS if name not in {"diagnose", "explain", "causes", "serve", "install"}}


def test_the_readme_lists_the_tools_there_are() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \|", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.M)
    assert sorted(rows) == sorted(tools_on_the_command_line())


def test_the_bundle_lists_the_tools_there_are() -> None:
    manifest = json.loads((ROOT / "manifest.json").read_text(encoding="utf-8"))
    assert sorted(t["name"] for t in manifest["tools"]) == sorted(name.replace("-", "_") for name in tools_on_the_command_line())


def test_every_report_has_a_layout_and_an_exit_code() -> None:
    from whyzero.analyses.report import Report
    from whyzero.cli.exit_codes import CODES
    from whyzero.render import LAYOUTS

    for module in modules():
        if module.startswith("analyses."):
            import_module(f"whyzero.{module}")
    reports = {kind for kind in subclasses(Report) if kind.__module__.startswith("whyzero.")}
    assert reports
    assert sorted(kind.__name__ for kind in reports - LAYOUTS.keys()) == []
    assert sorted(kind.__name__ for kind in reports if not CODES.keys() & set(kind.__mro__)) == []


def subclasses(kind: type) -> set[type]:
    return {below for one in kind.__subclasses__() for below in {one, *subclasses(one)}}


# ---- docstrings


def test_every_module_every_class_and_every_export_says_what_it_is() -> None:
    silent = [f"{module}: the module" for module, tree in modules().items() if not ast.get_docstring(tree)]
    for module, tree in modules().items():
        exported = exports(tree)
        for node in tree.body:
            if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) or node.name.startswith("_"):
                continue
            if (isinstance(node, ast.ClassDef) or node.name in exported) and not ast.get_docstring(node):
                silent.append(f"{module}: {node.name}")
    assert silent == []


def exports(tree: ast.Module) -> set[str]:
    """Names in `__all__`."""
    values = [n.value for n in tree.body if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "__all__"]
    return {name for value in values for name in ast.literal_eval(value)}


def test_every_field_of_the_output_is_described() -> None:
    for module in modules():
        if module.split(".")[0] in {"analyses", "findings"}:
            import_module(f"whyzero.{module}")
    kinds = [kind for kind in subclasses(Output) if kind.__module__.startswith("whyzero.")]
    silent = [
        f"{kind.__name__}.{name}"
        for kind in kinds
        for name, field in getattr(kind, "model_fields", {}).items()
        if not field.description
    ]
    assert silent == []


def test_what_is_exported_exists() -> None:
    wrong = []
    for module in modules():
        if module in ("__main__",) or module.split(".")[0] == "mcp_server":
            continue
        loaded = import_module(f"whyzero.{module}" if module else "whyzero")
        exported = getattr(loaded, "__all__", ())
        wrong += [f"{module}: {name}" for name in exported if not hasattr(loaded, name)]
        wrong += [f"{module}: {name} twice" for name in set(exported) if list(exported).count(name) > 1]
    assert wrong == []
