"""Which package index uv and pip are told of: by their variables, else by their configuration files.

Places and precedence are those that uv and pip document. Only the address of the default index is read. A server reads below its
roots only, so there the files of the user and of the system do not count.
"""

from __future__ import annotations

import configparser
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from whyzero.readers.files import Folder

VARIABLES = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL")
_NAMED = re.compile(r"[A-Za-z0-9._-]+=(?=https?://)")


def package_index(workspace: Path | None = None) -> str:
    """The address of the index, as it stands there; empty where none is set.

    A workspace is another's text: what its own files name counts only over https.
    """
    named = next((value for name in VARIABLES if (value := os.environ.get(name, "").strip())), "")
    return _NAMED.sub("", named, count=1) or _of_workspace(workspace) or next(_of_user(), "")


def _of_workspace(workspace: Path | None) -> str:
    if workspace is None or os.environ.get("UV_NO_CONFIG"):
        return ""
    folder = Folder(workspace)
    if folder.is_file("uv.toml"):
        address = _of_uv(_toml(folder, "uv.toml"))
    else:
        address = _of_uv(_below(_toml(folder, "pyproject.toml"), "tool", "uv"))
    return address if address.startswith("https://") else ""


def _of_user() -> Iterator[str]:
    """What the files of the user and of the system name, strongest first."""
    for path in _uv_files():
        if address := _of_uv(_toml(Folder(path.parent), path.name)):
            yield address
    for path in _pip_files():
        if address := _of_pip(Folder(path.parent).text(path.name) or ""):
            yield address


def _uv_files() -> tuple[Path, ...]:
    if os.environ.get("UV_NO_CONFIG"):
        return ()
    if named := os.environ.get("UV_CONFIG_FILE"):
        return (Path(named),)
    return tuple(folder / "uv/uv.toml" for folder in (_config_home(), *_config_folders(), Path("/etc")))


def _pip_files() -> tuple[Path, ...]:
    """The one that `PIP_CONFIG_FILE` names is the weakest; the null device switches all off."""
    named = os.environ.get("PIP_CONFIG_FILE", "")
    if named == os.devnull:
        return ()
    environment = os.environ.get("VIRTUAL_ENV")
    site = (Path(environment) / "pip.conf",) if environment else ()
    user = (_config_home() / "pip/pip.conf", Path.home() / ".pip/pip.conf")
    system = (Path("/etc/pip.conf"), *(folder / "pip/pip.conf" for folder in _config_folders()))
    return (*site, *user, *system, *((Path(named),) if named else ()))


def _config_home() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")


def _config_folders() -> tuple[Path, ...]:
    return tuple(Path(folder) for folder in (os.environ.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(":") if folder)


def _of_uv(settings: Any) -> str:
    """`[[index]]` with `default = true`, else `index-url`."""
    listed = _below(settings, "index")
    default = [_below(one, "url") for one in listed if _below(one, "default") is True] if isinstance(listed, list) else []
    address = default[0] if default else _below(settings, "index-url")
    return address.strip() if isinstance(address, str) else ""


def _of_pip(text: str) -> str:
    """`index-url` of `[install]`, else of `[global]`."""
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except (configparser.Error, ValueError):
        return ""
    for section in ("install", "global"):
        if parser.has_section(section):
            for name, value in parser.items(section):
                if name.replace("_", "-") == "index-url" and value:
                    return value.split()[0]
    return ""


def _toml(folder: Folder, name: str) -> Any:
    try:
        return tomllib.loads(folder.text(name) or "")
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _below(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


__all__ = ["VARIABLES", "package_index"]
