"""An environment of its own for a tool under observation, built once from a hashed lock file and kept in `.cache`."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CACHE = Path(__file__).resolve().parents[2] / ".cache"
SUPPORTED = [(3, 12), (3, 13), (3, 14)]


class Unavailable(Exception):
    """This machine cannot run the tool. The text says why, for a reader of a skipped test."""


def find_python() -> Path:
    """An interpreter on this machine that the tools support, the oldest supported version first. Nothing is downloaded."""
    found = {version: path for path in _candidates() if (version := _version(path)) in SUPPORTED}
    if not found:
        raise Unavailable(
            "no Python 3.12, 3.13 or 3.14 on PATH, among pyenv's versions or known to uv (or in WHYZERO_LAB_PYTHON)"
        )
    return found[min(found)]


def install(name: str, lock: Path) -> Path:
    """The environment `.cache/<name>` holding exactly what `lock` names. Returns its `bin` folder."""
    python, folder = find_python(), CACHE / name
    recipe = hashlib.sha256(lock.read_bytes() + str(python).encode()).hexdigest()
    stamp = folder / ".recipe"
    with held(CACHE / f"{name}.lock"):
        if not stamp.is_file() or stamp.read_text() != recipe:
            shutil.rmtree(folder, ignore_errors=True)
            _run([python, "-m", "venv", folder])
            pip = [folder / "bin/python", "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
            _run([*pip, "--require-hashes", "--no-deps", "--only-binary", ":all:", "--requirement", lock])
            stamp.write_text(recipe)
    return folder / "bin"


@contextmanager
def held(path: Path) -> Iterator[None]:
    """One builder at a time, across test processes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _candidates() -> Iterator[Path]:
    """In reverse order of preference: a later one of the same version wins."""
    if uv := shutil.which("uv"):
        for major, minor in SUPPORTED:
            asked = subprocess.run(
                [uv, "python", "find", "--no-python-downloads", f"{major}.{minor}"], capture_output=True, text=True, check=False
            )
            if asked.returncode == 0:
                yield Path(asked.stdout.strip())
    yield from sorted(Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob("versions/3.*/bin/python3"))
    for name in ("python3", *(f"python{major}.{minor}" for major, minor in SUPPORTED)):
        if path := shutil.which(name):
            yield Path(path)
    yield Path(sys.executable)
    if named := os.environ.get("WHYZERO_LAB_PYTHON"):
        yield Path(named)


def _version(python: Path) -> tuple[int, int] | None:
    """None for what does not run (a pyenv shim of a version that is not selected) or cannot make environments."""
    question = "import ensurepip, sys, venv; print(*sys.version_info[:2])"
    try:
        answer = subprocess.run([python, "-c", question], capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    major, minor = answer.stdout.split()
    return int(major), int(minor)


def _run(command: list[str | Path]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Unavailable(f"{' '.join(map(str, command[:4]))} … failed: {done.stderr.strip()[-400:]}")
