"""Writes a Harbor task: sum paid orders per region into a report, graded by pytest."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

NAME = "sales-report"
ORDERS = """order_id,region,amount,status
1001,north,120.50,paid
1002,south,80.00,paid
1003,north,15.25,refunded
1004,east,310.00,paid
1005,west,42.10,paid
1006,south,99.90,pending
"""
INSTRUCTION = """Read /app/orders.csv and write /app/report.json: a JSON object that maps each
region to the sum of `amount` over its orders with status `paid`, rounded to two
decimals. Include every region that appears in the file.
"""
TESTS = """import json
from pathlib import Path

REPORT = Path("/app/report.json")
EXPECTED = {"north": 120.5, "south": 80.0, "east": 310.0, "west": 42.1}


def test_report_exists():
    assert REPORT.exists(), f"{REPORT} does not exist"


def test_regions():
    assert sorted(json.loads(REPORT.read_text())) == sorted(EXPECTED)


def test_totals():
    report = json.loads(REPORT.read_text())
    for region, total in EXPECTED.items():
        assert abs(report[region] - total) < 0.01, (region, report[region], total)
"""
RUN_TESTS = "pytest --ctrf /logs/verifier/ctrf.json /tests/test_outputs.py -rA -p no:cacheprovider"
TEST_SCRIPT = f"""#!/bin/bash
cd /app
{RUN_TESTS}
if [ $? -eq 0 ]; then
  echo 1 > /logs/verifier/reward.txt
else
  echo 0 > /logs/verifier/reward.txt
fi
"""
RIGHT = """python3 - <<'PY'
import csv, json
totals = {}
for row in csv.DictReader(open("/app/orders.csv")):
    totals.setdefault(row["region"], 0.0)
    if row["status"] == "paid":
        totals[row["region"]] += float(row["amount"])
json.dump({k: round(v, 2) for k, v in totals.items()}, open("/app/report.json", "w"))
PY"""
WRONG = RIGHT.replace('== "paid"', '!= "refunded"')
DOCKERFILE = "FROM python:3.12-slim\nWORKDIR /app\nCOPY orders.csv .\n"


@dataclass(frozen=True)
class Task:
    """The task, told by how it differs from the sound one. Times in seconds."""

    test_script: str = TEST_SCRIPT
    solution: str = RIGHT
    dockerfile: str = DOCKERFILE
    agent_timeout: float = 90
    verifier_timeout: float = 60

    def write(self, folder: Path) -> Path:
        """Lay it out under `folder`; returns the task's own folder."""
        task = folder / NAME
        for path, text in {
            "task.toml": self._settings(),
            "instruction.md": INSTRUCTION,
            "environment/Dockerfile": self.dockerfile,
            "environment/orders.csv": ORDERS,
            "tests/test.sh": self.test_script,
            "tests/test_outputs.py": TESTS,
            "solution/solve.sh": f"#!/bin/bash\n{self.solution}\n",
        }.items():
            (task / path).parent.mkdir(parents=True, exist_ok=True)
            (task / path).write_text(text)
        return task

    def _settings(self) -> str:
        return (
            'version = "1.0"\n\n[metadata]\ndifficulty = "easy"\ncategory = "data"\n\n'
            f"[agent]\ntimeout_sec = {self.agent_timeout}\n\n[verifier]\ntimeout_sec = {self.verifier_timeout}\n\n"
            "[environment]\nbuild_timeout_sec = 60.0\ncpus = 1\nmemory_mb = 1024\nstorage_mb = 1024\n"
        )
