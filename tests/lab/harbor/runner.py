"""Makes a scenario's `harbor run` with a fresh task and keeps the job directory."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import processes, tool_environment
from .scenarios import Scenario
from .stub_model import StubModel

LOCK = Path(__file__).parent / "requirements.lock"
TESTS = Path(__file__).parents[2]
MADE_UP_KEY = "sk-lab-0000-made-up"
NEEDED = ("unshare", "nsenter", "chroot", "mount", "tmux")
LIMIT = 150
"""Seconds, after which a job is killed and the laboratory is at fault."""


@dataclass(frozen=True)
class Made:
    """A job that was made. Everything in it can be read after the processes are gone."""

    scenario: Scenario
    job: Path
    """Harbor's job directory; `../tasks` holds the task, `../harbor.log` what the CLI printed."""
    exit_code: int
    seconds: float
    outlived: tuple[processes.Process, ...]
    """Processes of the job that were alive after the CLI had ended; they were killed then."""
    left: tuple[processes.Process, ...]
    """Those still there at the very end."""

    def result(self) -> dict[str, Any]:
        """The trial's result.json."""
        (path,) = self.job.glob("*/result.json")
        return json.loads(path.read_text())

    def recorded(self) -> tuple[float | None, str | None]:
        """Reward and exception class on record."""
        result = self.result()
        rewards = (result["verifier_result"] or {}).get("rewards") or {}
        return rewards.get("reward"), (result["exception_info"] or {}).get("exception_type")


class Laboratory:
    """Harbor in its own environment, with a private HOME."""

    def __init__(self, home: Path) -> None:
        _check_machine()
        self.bin = tool_environment.install("harbor-venv", LOCK)
        self.home = home
        home.mkdir(parents=True, exist_ok=True)

    def make(self, scenario: Scenario, folder: Path) -> Made:
        """Run `scenario` in the new folder `folder`. May be called from several threads at once."""
        for name in ("tasks", "sandboxes"):
            (folder / name).mkdir(parents=True)
        task, mark, started = scenario.task.write(folder / "tasks"), uuid.uuid4().hex, time.monotonic()
        with StubModel(scenario.script) as model:
            config = folder / "job.json"
            config.write_text(json.dumps(self._job(scenario, folder, task, model)))
            try:
                exit_code = self._call(config, folder, mark)
            finally:
                outlived = tuple(processes.of_run(mark))
                for process in outlived:
                    processes.end(process)
        shutil.rmtree(folder / "sandboxes")
        seconds = time.monotonic() - started
        return Made(scenario, folder / "job", exit_code, seconds, outlived, tuple(processes.of_run(mark)))

    def _job(self, scenario: Scenario, folder: Path, task: Path, model: StubModel) -> dict[str, Any]:
        agent: dict[str, Any] = {"name": scenario.agent}
        if scenario.agent == "terminus-2":
            agent |= {
                "model_name": "openai/gpt-5-mini",
                "kwargs": {"api_base": model.url, "record_terminal_session": False},
                "env": {"OPENAI_API_KEY": MADE_UP_KEY},
            }
        return {
            "job_name": "job",
            "jobs_dir": str(folder),
            "quiet": True,
            "environment": {"import_path": "lab.harbor.sandbox:Sandbox"},
            "agents": [agent],
            "tasks": [{"path": str(task)}],
            "retry": {"max_retries": 0},
        }

    def _call(self, config: Path, folder: Path, mark: str) -> int:
        with (folder / "harbor.log").open("wb") as output:
            cli = subprocess.Popen(
                [self.bin / "harbor", "run", "-c", config, "-y", "--skip-credential-checks"],
                cwd=folder,
                env={
                    processes.MARK: mark,
                    "LAB_SANDBOXES": str((folder / "sandboxes").resolve()),
                    "HOME": str(self.home),
                    "PATH": f"{self.bin}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
                    "PYTHONPATH": str(TESTS),
                    "LANG": "C.UTF-8",
                    "COLUMNS": "160",
                    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
                    "HARBOR_TELEMETRY": "0",
                    "DO_NOT_TRACK": "1",
                },
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
            try:
                return cli.wait(LIMIT)
            finally:
                cli.kill()
                cli.wait()


def _check_machine() -> None:
    if os.uname().sysname != "Linux" or os.geteuid() != 0:
        raise tool_environment.Unavailable("the sandbox without a container engine needs root on Linux")
    if missing := [name for name in NEEDED if shutil.which(name) is None]:
        raise tool_environment.Unavailable(f"not installed: {', '.join(missing)}")
    tried = subprocess.run(["unshare", "-m", "-p", "-f", "--kill-child", "true"], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        raise tool_environment.Unavailable(f"namespaces are not allowed here: {tried.stderr.strip()}")
