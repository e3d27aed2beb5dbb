"""The command line: a thin shell around the analyses. The only part that prints."""

from whyzero.cli.app import main

__all__ = ["main"]
