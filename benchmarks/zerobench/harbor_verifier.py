"""What a Harbor verifier leaves: reward file, pytest's output, ctrf.json, submissions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from benchmarks.zerobench.places import write_json, write_text
from benchmarks.zerobench.story import Story, Task


@dataclass
class Tests:
    """What the verifier made of it. `passed` None = its tests did not run."""

    passed: int | None
    reward: float | None
    output: str = ""
    """Printed before the tests, or instead of them."""
    ctrf: bool = True
    failures: tuple[str, ...] = ()
    """Messages of the failing tests; the last one stands for the rest."""
    reward_text: str | None = None
    """Raw text of reward.txt, where it is not the number."""
    submitted: tuple[str, ...] = ()
    began: datetime | None = None
    """When the tests say they began, where that is not in the verifier's phase."""
    collected: bool = True
    """False = the suite was there and held nothing."""


def right(task: Task) -> Tests:
    return Tests(len(task.tests), 1.0)


def wrong(task: Task, reward: float = 0.0) -> Tests:
    return Tests(len(task.tests) - 1, reward, failures=(task.wrong,))


def nothing(task: Task) -> Tests:
    """The tests looked for the deliverable and did not find it."""
    gone = f"AssertionError: {task.deliverable} does not exist"
    later = f"FileNotFoundError: [Errno 2] No such file or directory: '{task.deliverable}'"
    return Tests(0, 0.0, failures=(gone, later))


def write_verifier(folder: Path, story: Story, tests: Tests, began: datetime) -> None:
    """The files below verifier/."""
    if tests.reward_text is not None:
        write_text(folder / "verifier/reward.txt", tests.reward_text)
    elif tests.reward is not None:
        write_text(folder / "verifier/reward.txt", f"{tests.reward:g}\n")
    output = tests.output
    if tests.passed is not None:
        output += _pytest(folder, story, tests, tests.began or began)
    write_text(folder / "verifier/test-stdout.txt", output)
    for name in tests.submitted:
        write_text(folder / "verifier" / name, "{}\n")


def _pytest(folder: Path, story: Story, tests: Tests, began: datetime) -> str:
    names = story.task.tests if tests.collected else ()
    results = []
    for index, name in enumerate(names):
        bad = bool(tests.failures) and index >= (tests.passed or 0)
        said = tests.failures[min(index - (tests.passed or 0), len(tests.failures) - 1)] if bad else ""
        trace = f"    def {name}():\n>       check()\nE       {said}\n\n/tests/test_outputs.py:{12 + index}: {said.split(':')[0]}"
        results.append({"name": f"test_outputs.py::{name}", "status": "failed" if bad else "passed", "duration": 10})
        results[-1] |= {"trace": trace, "message": said} if bad else {}
    failed = [r for r in results if r["status"] == "failed"]
    if tests.ctrf:
        at = int(began.timestamp() * 1000)
        counts = {
            "tests": len(names),
            "passed": len(names) - len(failed),
            "failed": len(failed),
            "skipped": 0,
            "pending": 0,
            "other": 0,
        }
        write_json(
            folder / "verifier/ctrf.json",
            {"results": {"tool": {"name": "pytest"}, "summary": counts | {"start": at, "stop": at + 900}, "tests": results}},
        )
    lines = [f"{' test session starts ':=^80}", f"collected {len(names)} items", ""]
    lines += [f"../tests/test_outputs.py {''.join('F' if r in failed else '.' for r in results)}", ""]
    if failed:
        lines.append(f"{' FAILURES ':=^80}")
    for r in failed:
        lines += [f"{' ' + str(r['name']).split('::')[1] + ' ':_^80}", *str(r["trace"]).splitlines(), ""]
    if results:
        lines.append(f"{' short test summary info ':=^80}")
    lines += [f"PASSED ../tests/{r['name']}" for r in results if r not in failed]
    lines += [f"FAILED ../tests/{r['name']} - {str(r['message'])[:60]}" for r in failed]
    told = [f"{len(failed)} failed"] * bool(failed) + [f"{len(names) - len(failed)} passed"] * (len(names) > len(failed))
    closing = f" {', '.join(told)} in 0.12s " if names else " no tests ran in 0.01s "
    return "\n".join([*lines, f"{closing:=^80}"]) + "\n"
