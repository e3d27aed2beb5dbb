"""`make conformance`: every outside judge of the protocol, the skills and the packages, one line each.

Exit code 1 where one was not passed. One that cannot be installed here is skipped and said so; with --strict that fails too.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from checkers import NotHere
from checks import CHECKS, Failed


def main() -> int:
    """Make the checks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", help="Words of the checks to make; default: all.")
    parser.add_argument("--strict", action="store_true", help="A skipped check fails.")
    asked = parser.parse_args()
    chosen = {name: check for name, check in CHECKS.items() if not asked.only or any(word in name for word in asked.only)}
    failed, skipped = [], []
    for name, check in chosen.items():
        begun = time.monotonic()
        with tempfile.TemporaryDirectory() as scratch:
            try:
                said, word = check(Path(scratch)), "passed"
            except NotHere as why:
                said, word = f"cannot be installed here: {why}", "SKIPPED"
                skipped.append(name)
            except Failed as why:
                said, word = str(why), "FAILED"
                failed.append(name)
        print(f"{word:8} {name}  [{time.monotonic() - begun:.0f} s]\n         {said}".rstrip(), flush=True)
    made = len(chosen) - len(skipped)
    print(f"\n{made} of {len(chosen)} checks made, {len(failed)} failed, {len(skipped)} skipped.")
    return 1 if failed or not chosen or (asked.strict and skipped) else 0


if __name__ == "__main__":
    sys.exit(main())
