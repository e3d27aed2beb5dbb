"""`whyzero serve`: the MCP server. Only here is it imported, because importing it takes about a second."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Roots = Annotated[
    list[Path] | None,
    typer.Option("--root", metavar="DIR", help="Read only below this folder (repeatable); default: the working directory."),
]
Network = Annotated[bool, typer.Option("--allow-network", help="Offer the probe that calls a model provider.")]
Http = Annotated[
    int | None,
    typer.Option("--http", metavar="PORT", min=0, max=65535, help="Serve HTTP on this machine instead; 0 takes any free port."),
]
Programs = Annotated[bool, typer.Option("--allow-programs", help="Let the client name a scorer program to be run.")]


def serve(root: Roots = None, allow_network: Network = False, allow_programs: Programs = False, http: Http = None) -> int:
    """Start the MCP server on stdin and stdout."""
    from whyzero import mcp_server

    mcp_server.serve(root or (), allow_network, http, allow_programs)
    return 0
