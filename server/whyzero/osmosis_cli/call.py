"""One read-only call, with the few variables the program needs and nothing else."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Mapping
from pathlib import Path

from whyzero import processes
from whyzero.osmosis_cli.allowed import arguments
from whyzero.osmosis_cli.answer import Answer, read_answer
from whyzero.osmosis_cli.find import PLAIN, Cli, passed

DEADLINE = 60.0
PASSED_ON = (
    "OSMOSIS_TOKEN",
    "OSMOSIS_TOKEN_PLATFORM_URL",
    "OSMOSIS_PLATFORM_URL",
    "OSMOSIS_ALLOW_INSECURE_PLATFORM_URL",
    "OSMOSIS_TOKEN_STORE",
    "PYTHON_KEYRING_BACKEND",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
)
"""What the program needs for platform and login; read only to be handed on."""


def call(
    cli: Cli,
    workspace: Path,
    command: tuple[str, ...],
    name: str | None = None,
    options: Mapping[str, str | int] | None = None,
    deadline: float = DEADLINE,
    cancelled: threading.Event | None = None,
) -> Answer:
    """Call one command of the allow-list in the workspace and read its answer; ended when `cancelled` is set.

    Raises:
        UsageError: the command is not in the table, or the program cannot be started.
    """
    built = arguments(command, name, options)
    variables = PLAIN | passed((*PASSED_ON, *cli.variables))
    done = processes.run([*cli.program, *built], deadline=deadline, folder=workspace, variables=variables, cancelled=cancelled)
    return read_answer(shlex.join(["osmosis", *built]), done.status, done.stdout, done.stderr, done.stopped, done.seconds)
