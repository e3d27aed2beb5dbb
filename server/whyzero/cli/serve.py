"""`whyzero serve`: the MCP server. Only here is it imported, because importing it takes about a second."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Annotated

import typer

from whyzero.processes import end_programs_with_us

Roots = Annotated[
    list[Path] | None,
    typer.Option(
        "--root",
        metavar="DIR",
        envvar="WHYZERO_ROOT",
        show_envvar=False,
        help="Read only below this folder (repeatable); default: $WHYZERO_ROOT, else the working directory.",
    ),
]
Network = Annotated[bool, typer.Option("--allow-network", help="Offer the probe that calls a model provider.")]
Http = Annotated[
    int | None,
    typer.Option("--http", metavar="PORT", min=0, max=65535, help="Serve HTTP on this machine instead; 0 takes any free port."),
]
Programs = Annotated[bool, typer.Option("--allow-programs", help="Let the client name a scorer, or authorize an eval run.")]
ProbeHosts = Annotated[
    list[str] | None,
    typer.Option(
        "--probe-host", metavar="HOST", help="A host the probe may ask beyond loopback (repeatable), with --allow-network."
    ),
]


def serve(
    root: Roots = None,
    allow_programs: Programs = False,
    allow_network: Network = False,
    probe_host: ProbeHosts = None,
    http: Http = None,
) -> int:
    """Start the MCP server on stdin and stdout."""
    gc.disable()  # nothing that is imported is garbage: looking for some takes an eighth of the time until the first answer
    from whyzero.mcp_server import build_server
    from whyzero.mcp_server import serve as run

    end_programs_with_us()
    roots = [folder for folder in root or () if not str(folder).startswith("${")]  # a host's variable that nobody filled in
    server = build_server(roots, allow_network, allow_programs, probe_host or ())
    gc.freeze()
    gc.enable()
    run(server, http)
    return 0
