"""Return codes that installed agents leave in `agent/` (Harbor 0.1 to 0.2): setup and numbered commands."""

from __future__ import annotations

import re

from whyzero.model import Speaker, Spot, Utterance
from whyzero.readers.files import Folder
from whyzero.readers.shapes import join

_NUMBERED = re.compile(r"^command-\d+$")


def return_codes(folder: Folder, agent: str) -> tuple[Utterance, ...]:
    """One line for each return-code.txt with a number, setup first; the number stands in `code`."""
    names = folder.names(agent)
    parts = [n for n in names if n == "setup"] + [n for n in names if _NUMBERED.match(n)][:20]
    said = []
    for name in parts:
        path = join(agent, f"{name}/return-code.txt")
        code = (folder.text(path, 64) or "").strip() if folder.is_file(path) else ""
        if re.fullmatch(r"-?\d{1,3}", code):
            said.append(
                Utterance(
                    Speaker.HARNESS, code, Spot(path, 1), kind="setup_code" if name == "setup" else "command_code", code=code
                )
            )
    return tuple(said)
