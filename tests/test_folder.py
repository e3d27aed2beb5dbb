"""Reading inside one folder: what is a link, what leads outside, and that the quick look says what the thorough one says."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from whyzero.readers.files import BOUNDS, Folder

OUTSIDE = "a symbolic link or `..` leads outside the run; not opened"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A run with links of every kind beside plain files, and a secret next to it."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("secret")
    run = tmp_path / "run"
    (run / "trial" / "agent").mkdir(parents=True)
    (run / "trial" / "agent" / "log.txt").write_text("said")
    (run / "trial" / "result.json").write_text("{}")
    (run / "in").symlink_to("trial")
    (run / "out").symlink_to(tmp_path / "outside")
    (run / "leaf.txt").symlink_to(tmp_path / "outside" / "secret.txt")
    (run / "dangling").symlink_to("nowhere")
    (run / "loop").symlink_to("loop")
    (run / "trial" / "up").symlink_to("..")
    os.mkfifo(run / "pipe")
    with socket.socket(socket.AF_UNIX) as one:
        here = Path.cwd()
        os.chdir(run)
        one.bind("socket")
        os.chdir(here)
    return run


PATHS = (
    *(".", "", "trial", "trial/", "./trial//agent/./log.txt", "trial/agent", "trial/agent/log.txt", "trial/result.json"),
    *("nowhere", "trial/nowhere/below", "trial/result.json/below", "x" * 300, "trial/" + "y" * 300),
    *("in", "in/agent/log.txt", "in/nowhere", "trial/up/trial/result.json", "trial/up/nowhere"),
    *("out", "out/secret.txt", "out/nowhere", "leaf.txt", "dangling", "dangling/below", "loop", "loop/below"),
    *("..", "../outside/secret.txt", "trial/../result.json", "trial/../../outside/secret.txt", "in/../out/secret.txt"),
    *("/etc/passwd", "//etc/passwd", "~", "pipe", "pipe/below", "socket", "trial\\..\\..", "a\0b", "\udcff/x", " "),
)


def seen(folder: Folder, path: str) -> tuple[object, ...]:
    """All that a folder says of a path."""
    said = (folder.is_file(path), folder.is_dir(path), folder.real(path), folder.size(path), folder.mtime(path))
    return (*said, folder.names(path), folder.walk(path), folder.data(path), folder.json(path), list(folder.lines(path)))


@pytest.mark.parametrize("path", PATHS)
def test_the_quick_look_says_what_resolving_every_link_says(tree: Path, path: str) -> None:
    quick, thorough = Folder(tree), Folder(tree)
    assert quick._identity is not None
    thorough._identity = None
    assert seen(quick, path) == seen(thorough, path)
    assert quick.problems == thorough.problems


def test_most_paths_of_a_run_are_told_by_the_quick_look(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Folder(tree)
    monkeypatch.setattr("os.path.realpath", lambda path: pytest.fail(f"{path} was resolved"))
    assert folder.text("trial/agent/log.txt") == "said"
    assert folder.walk("trial") == ["trial/agent/log.txt", "trial/result.json"]


@pytest.mark.parametrize("path", ["out/secret.txt", "leaf.txt", "../outside/secret.txt", "trial/up/../outside/secret.txt"])
def test_what_lies_outside_is_not_read_and_that_is_said(tree: Path, path: str) -> None:
    folder = Folder(tree)
    assert (folder.is_file(path), folder.real(path), folder.text(path), folder.size(path)) == (False, None, None, None)
    assert [(one.path, one.reason) for one in folder.problems] == [(path, OUTSIDE)]


def test_a_link_within_the_run_is_followed(tree: Path) -> None:
    folder = Folder(tree)
    assert folder.text("in/agent/log.txt") == "said"
    assert folder.real("in/agent") == tree.resolve() / "trial" / "agent"
    assert folder.problems == []


def test_a_folder_that_is_replaced_by_a_link_while_reading_is_seen(tree: Path) -> None:
    """Nothing of a first look is trusted in the second."""
    folder = Folder(tree)
    (tree.parent / "outside" / "log.txt").write_text("secret")
    assert folder.text("trial/agent/log.txt") == "said"
    (tree / "trial" / "agent").rename(tree / "trial" / "before")
    (tree / "trial" / "agent").symlink_to(tree.parent / "outside")
    assert not folder.is_file("trial/agent/log.txt")
    assert folder.text("trial/agent/log.txt") is None
    assert (folder.names("trial/agent"), folder.size("trial/agent/log.txt")) == ([], None)
    assert {one.reason for one in folder.problems} == {OUTSIDE}


@pytest.mark.parametrize("replaced", ["place/run", "place"])
def test_a_root_that_is_replaced_by_a_link_while_reading_is_seen(tmp_path: Path, replaced: str) -> None:
    """The run itself, or the folder above it: what stands there now is not what was opened."""
    for place, text in (("place/run", "own"), ("outside/run", "secret"), ("outside", "secret")):
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
        (tmp_path / place / "result.json").write_text(text)
    folder = Folder(tmp_path / "place" / "run")
    assert folder.text("result.json") == "own"
    (tmp_path / replaced).rename(tmp_path / "before")
    (tmp_path / replaced).symlink_to(tmp_path / "outside")
    assert folder.text("result.json") is None
    assert not folder.is_file("result.json")
    assert [(one.path, one.reason) for one in folder.problems] == [("result.json", OUTSIDE)]


def test_a_root_outside_the_bounds_is_looked_at_thoroughly(tree: Path) -> None:
    token = BOUNDS.set((tree.resolve() / "trial",))
    try:
        folder = Folder(tree)
    finally:
        BOUNDS.reset(token)
    assert folder.text("trial/result.json") == "{}"
    assert (folder.names("."), folder.real("in/agent"), folder.is_file("pipe")) == ([], tree.resolve() / "trial/agent", False)


def test_a_run_at_the_top_of_the_disk_is_a_folder_like_others() -> None:
    folder = Folder(Path("/"))
    assert folder.is_dir("etc")
    assert folder.real("etc") == Path("/etc")


def test_a_walk_lists_files_in_order_and_follows_no_link(tree: Path) -> None:
    assert Folder(tree).walk() == ["pipe", "socket", "trial/agent/log.txt", "trial/result.json"]
    assert Folder(tree).walk(limit=1) == ["pipe"]
    assert Folder(tree).walk(depth=1) == ["pipe", "socket", "trial/result.json"]
    assert Folder(tree / "trial" / "result.json").walk() == []
