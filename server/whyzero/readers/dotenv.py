"""A `.env` file: its names may be told, its values are only kept from being shown."""

from __future__ import annotations

from whyzero.readers.files import Folder
from whyzero.text import hide

FILE = ".env"
LIMIT = 200


def dotenv(folder: Folder) -> dict[str, str]:
    """Variables that the folder's `.env` sets, without quotes around the values."""
    found: dict[str, str] = {}
    if not folder.is_file(FILE):
        return found
    for _, line in folder.lines(FILE):
        name, sign, value = line.partition("=")
        name = name.strip().removeprefix("export ").strip()
        if sign and name.isidentifier() and len(found) < LIMIT:
            found[name] = value.strip().strip("\"'")
    return found


def hide_dotenv(folder: Folder) -> None:
    """Keep the secrets of the folder's `.env` out of everything that is said from now on."""
    hide(dotenv(folder))
