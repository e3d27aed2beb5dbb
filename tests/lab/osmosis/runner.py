"""Makes a scenario's call of the real CLI in a fresh workspace and keeps all that it printed and wrote."""

from __future__ import annotations

import json
import os
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import processes, tool_environment
from .scenarios import EVAL_RUN, Scenario
from .stub_model import StubModel
from .workspace import LOCK, locked_versions

PASSED_ON = ("SSL_CERT_FILE", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY")
"""How this machine reaches its package index. Nothing else of the caller's environment reaches the CLI."""
RUN = ".osmosis/evals/dev-run"
"""Where the run lies in the workspace."""
MADE_UP_KEY = "lab-made-up-key-000000000001"
"""Not a credential; long enough for the CLI to treat it as one."""


@dataclass(frozen=True)
class Made:
    """A run that was made. Everything in it can be read after the processes are gone."""

    scenario: Scenario
    folder: Path
    """Holds `workspace/` and `steps/1/` (`step.json`, `stdout.txt`, `stderr.txt`)."""
    exit_code: int
    seconds: float
    outlived: tuple[processes.Process, ...]
    """Processes of the run that were alive after the CLI had ended; they were killed then."""
    left: tuple[processes.Process, ...]
    """Those still there at the very end."""
    underway: Any = None
    """What `look` made of the run while it was still at work, just before it was stopped."""
    orphaned: Any = None
    """What `look` made of it when the CLI was gone and its server was not."""

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    @property
    def run(self) -> Path:
        return self.workspace / RUN

    @property
    def stderr(self) -> str:
        return (self.folder / "steps/1/stderr.txt").read_text()

    def recorded(self) -> dict[int, str] | None:
        """The journal in the words of `Scenario.recorded`. None where the run left no folder."""
        if not self.run.is_dir():
            return None
        lines = (self.run / "events.jsonl").read_text().splitlines() if (self.run / "events.jsonl").is_file() else []
        events = [json.loads(line) for line in lines]
        return {e["row_index"]: str(e.get("reward", e.get("error_type", e["status"]))) for e in events}


class Laboratory:
    """The CLI in its own environment, with a private HOME and one uv cache for all runs."""

    def __init__(self, home: Path, constraints: Sequence[str] = locked_versions()) -> None:
        if not Path("/proc/self/stat").exists():
            raise tool_environment.Unavailable("which processes a run leaves behind can be told on Linux only")
        self.bin = tool_environment.install("osmosis-venv", LOCK)
        self.home, self.constraints = home, constraints
        home.mkdir(parents=True, exist_ok=True)

    def make(self, scenario: Scenario, folder: Path, look: Callable[[Path], Any] = bool) -> Made:
        """Run `scenario` in the new folder `folder`. May be called from several threads at once.

        `look` is called with the run's folder in moments that do not come back (`Made.underway`, `Made.orphaned`).
        """
        workspace, outputs, mark = folder / "workspace", folder / "steps/1", uuid.uuid4().hex
        scenario.workspace.write(workspace, self.constraints)
        outputs.mkdir(parents=True)
        started = time.monotonic()
        underway = orphaned = None
        with StubModel(scenario.model) as model:
            ports = {"model_port": model.port, "free_port": processes.free_port()}
            arguments = [*EVAL_RUN, *(a.format(**ports) for a in scenario.arguments)]
            try:
                with self._started(arguments, workspace, outputs, model, mark) as cli:
                    if scenario.stopped_by:
                        _wait_for_the_third_row(cli, workspace, model)
                        underway = look(workspace / RUN)
                        cli.send_signal(scenario.stopped_by)
                    exit_code = cli.wait(scenario.seconds)
                if processes.of_run(mark):
                    orphaned = look(workspace / RUN)
            finally:
                outlived = tuple(processes.of_run(mark))
                for process in outlived:
                    processes.end(process)
        seconds = time.monotonic() - started
        record = {
            "command": " ".join(["osmosis", *arguments]),
            "exit_code": exit_code,
            "wall_s": round(seconds, 2),
            "signal": scenario.stopped_by.name if scenario.stopped_by else None,
            "model_played": model.played,
        }
        (outputs / "step.json").write_text(json.dumps(record, indent=2) + "\n")
        left = tuple(processes.of_run(mark))
        return Made(scenario, folder, exit_code, seconds, outlived, left, underway, orphaned)

    @contextmanager
    def _started(
        self, arguments: list[str], workspace: Path, outputs: Path, model: StubModel, mark: str
    ) -> Iterator[subprocess.Popen[bytes]]:
        """The CLI at work. It does not outlive the block."""
        with (outputs / "stdout.txt").open("wb") as stdout, (outputs / "stderr.txt").open("wb") as stderr:
            cli = subprocess.Popen(
                [self.bin / "osmosis", *arguments],
                cwd=workspace,
                env=self._environment(workspace, model, mark),
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
            try:
                yield cli
            finally:
                cli.kill()
                cli.wait()

    def _environment(self, workspace: Path, model: StubModel, mark: str) -> dict[str, str]:
        same_disk = workspace.stat().st_dev == tool_environment.CACHE.stat().st_dev
        return {
            **{name: os.environ[name] for name in PASSED_ON if name in os.environ},
            processes.MARK: mark,
            "HOME": str(self.home),
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "NO_COLOR": "1",
            "COLUMNS": "160",
            "UV_PYTHON": os.path.realpath(self.bin / "python"),
            "UV_PYTHON_DOWNLOADS": "never",
            "UV_CACHE_DIR": str(tool_environment.CACHE / "uv"),
            "UV_LINK_MODE": "hardlink" if same_disk else "copy",
            "UV_NO_PROGRESS": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "OPENAI_API_KEY": MADE_UP_KEY,
            "OPENAI_API_BASE": model.url,
            "OSMOSIS_TOKEN_STORE": "file",
            "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        }


def _wait_for_the_third_row(cli: subprocess.Popen[bytes], workspace: Path, model: StubModel) -> None:
    """Until two rows are in the journal and the model holds back its answer to the third."""
    journal, deadline = workspace / RUN / "events.jsonl", time.monotonic() + 60
    while cli.poll() is None and time.monotonic() < deadline:
        if "hang" in model.played and journal.read_bytes().count(b"\n") == 2:
            return
        time.sleep(0.05)
    raise RuntimeError(f"the third row was never asked for; the CLI ended with {cli.poll()}")
