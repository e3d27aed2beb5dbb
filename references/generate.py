"""Writes references/causes.md from the pages of the causes. Run it after a page changed; a test compares."""

from pathlib import Path

from whyzero.catalogue import reference

if __name__ == "__main__":
    (Path(__file__).parent / "causes.md").write_text(reference(), encoding="utf-8")
