"""A Harbor environment without a container engine: a throw-away root in a mount and pid namespace of its own.

Loaded by Harbor's process, in Harbor's environment (`environment.import_path`). The host's /usr and /etc are bound read-only;
/app, /logs, /tests and the rest are fresh folders, so agents and verifiers see a container's paths and none of the host's.
Needs root on Linux. Not a security boundary: network and uid 0 are the host's.

The Dockerfile is played (WORKDIR, ENV, COPY, RUN); a failing RUN raises in the words of Harbor's Docker environment.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities

from ..processes import MARK

PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
PACKAGES = f"/opt/venv/lib/{PYTHON}/site-packages"
COMMANDS = {
    "python3": f'LD_LIBRARY_PATH=/opt/python/lib exec /opt/python/bin/{PYTHON} "$@"',
    "pytest": f'LD_LIBRARY_PATH=/opt/python/lib PYTHONPATH={PACKAGES} exec /opt/python/bin/{PYTHON} -m pytest "$@"',
}
"""Name on PATH and how it starts: the interpreter that runs Harbor, with Harbor's own pytest."""

FOLDERS = [
    "usr",
    "etc",
    "dev",
    "proc",
    "tmp",
    "root",
    "run",
    "var/tmp",
    "app",
    "opt/python",
    "opt/venv",
    ".local/bin",
    "installed-agent",
]
ENTER = r"""
set -e
root=$1; python=$2; packages=$3; shift 3
mount --bind /usr $root/usr
mount --bind $root/.local $root/usr/local
mount --bind /etc $root/etc
mount --rbind /dev $root/dev
mount -t proc proc $root/proc
mount --bind $python $root/opt/python
mount --bind $packages $root/opt/venv
for folder in usr etc opt/python opt/venv; do mount -o remount,ro,bind $root/$folder; done
while [ $# -gt 1 ]; do mkdir -p "$1" "$root$2"; mount --bind "$1" "$root$2"; shift 2; done
exec chroot $root /bin/bash -c 'trap "exit 0" TERM; while :; do sleep 3600 & wait $!; done'
"""


class Sandbox(BaseEnvironment):
    """One sandbox per trial, under the folder named by LAB_SANDBOXES."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._root = Path(tempfile.mkdtemp(prefix="sbx-", dir=os.environ["LAB_SANDBOXES"]))
        self._holder: subprocess.Popen[bytes] | None = None
        self._pid1 = 0
        self._image_env: dict[str, str] = {}
        self._workdir = self.task_env_config.workdir or "/app"

    @staticmethod
    def type() -> str:
        return "local-process"

    @property
    def capabilities(self) -> EnvironmentCapabilities:
        return EnvironmentCapabilities(mounted=True)

    def _validate_definition(self) -> None:
        if not self.environment_dir.exists():
            raise FileNotFoundError(f"{self.environment_dir} not found")

    async def start(self, force_build: bool) -> None:
        for name in FOLDERS:
            (self._root / name).mkdir(parents=True, exist_ok=True)
        for name in ("bin", "lib", "lib64", "sbin"):
            os.symlink(f"usr/{name}", self._root / name)
        (self._root / "tmp").chmod(0o1777)
        for name, line in COMMANDS.items():
            path = self._root / ".local/bin" / name
            path.write_text(f"#!/bin/bash\n{line}\n")
            path.chmod(0o755)
        binds = [str(mount[end]) for mount in self._host_mounts if mount["type"] == "bind" for end in ("source", "target")]
        self._holder = subprocess.Popen(
            [
                *("unshare", "-m", "-p", "-f", "--kill-child", "--propagation", "private"),
                *("bash", "-c", ENTER, "holder", str(self._root), sys.base_prefix, sys.prefix, *binds),
            ],
            env={"PATH": PATH, MARK: os.environ.get(MARK, "")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        await self._wait_for_pid1()
        await self.ensure_dirs(self._mount_targets(writable_only=True))
        await self._build()
        await self._upload_environment_dir_after_start()

    async def _wait_for_pid1(self) -> None:
        """Until it has entered the new root: before that, commands would land in the host's."""
        assert self._holder is not None
        children = Path(f"/proc/{self._holder.pid}/task/{self._holder.pid}/children")
        for _ in range(600):
            if self._holder.poll() is not None:
                raise RuntimeError(f"sandbox failed: {self._holder.stderr.read().decode()}")
            pids = children.read_text().split()
            if pids and os.readlink(f"/proc/{pids[0]}/root") == str(self._root):
                self._pid1 = int(pids[0])
                return
            await asyncio.sleep(0.05)
        raise RuntimeError("sandbox did not start in 30 seconds")

    async def _build(self) -> None:
        dockerfile = (self.environment_dir / "Dockerfile").read_text()
        for line in dockerfile.replace("\\\n", " ").splitlines():
            word, _, rest = line.strip().partition(" ")
            match word.upper():
                case "WORKDIR":
                    self._workdir = rest.strip()
                    await self.exec(f"mkdir -p {shlex.quote(self._workdir)}", cwd="/")
                case "ENV":
                    key, _, value = rest.partition("=")
                    self._image_env[key.strip()] = value.strip().strip('"')
                case "COPY":
                    source, target = rest.split()
                    await self.upload_file(self.environment_dir / source, str(Path(self._workdir, target)))
                case "RUN":
                    await self._build_step(rest)

    async def _build_step(self, command: str) -> None:
        result = await self.exec(command)
        if result.return_code != 0:
            raise RuntimeError(
                f"Docker compose command failed for environment {self.environment_name}. "
                f"Command: docker compose --project-name {self.session_id.lower()} build. "
                f"Return code: {result.return_code}. Stdout: {result.stdout}. Stderr: {result.stderr}. "
            )

    async def stop(self, delete: bool) -> None:
        if self._holder is not None:
            if self._pid1 and self._holder.poll() is None:
                os.kill(self._pid1, signal.SIGKILL)  # takes the whole pid namespace with it
            self._holder.kill()
            self._holder.wait()
        if delete:
            shutil.rmtree(self._root, ignore_errors=True)

    async def exec(
        self,
        command: str,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        timeout_sec: int | None = None,
        user: str | int | None = None,
    ) -> ExecResult:
        variables = {"PATH": PATH, "HOME": "/root", "LANG": "C.UTF-8", "TERM": "xterm", MARK: os.environ.get(MARK, "")}
        variables |= {**self._image_env, **(self._merge_env(env) or {})}
        # A file, not a pipe: a background child that inherits it must not hold the call.
        with tempfile.TemporaryFile() as output:
            process = await asyncio.create_subprocess_exec(
                *("nsenter", "-t", str(self._pid1), "-m", "-p", "-r", "--"),
                *("/usr/bin/env", "-i", "-C", cwd or self._workdir),
                *(f"{name}={value}" for name, value in variables.items() if value is not None),
                *("bash", "-c", command),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd="/",
            )
            try:
                await asyncio.wait_for(process.wait(), timeout_sec)
            except TimeoutError:
                process.kill()
                raise RuntimeError(f"Command timed out after {timeout_sec} seconds") from None
            output.seek(0)
            text = output.read().decode(errors="replace")
        return ExecResult(stdout=text or None, stderr=None, return_code=process.returncode or 0)

    def _on_host(self, path: str | Path) -> Path:
        """Where a path of the sandbox lies outside; what is bound there is seen from inside only."""
        inside = Path(self._workdir, path)
        for mount in self._host_mounts:
            if mount["type"] == "bind" and inside.is_relative_to(mount["target"]):
                return Path(mount["source"]) / inside.relative_to(mount["target"])
        return self._root / inside.relative_to("/")

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        target = self._on_host(target_path)
        if target_path.endswith("/") or target.is_dir():
            target = target / Path(source_path).name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source_path, target)

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        shutil.copytree(source_dir, self._on_host(target_dir), dirs_exist_ok=True)

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        Path(target_path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self._on_host(source_path), target_path)

    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        source = self._on_host(source_dir)
        if not source.is_dir():
            raise RuntimeError(f"no such directory in the environment: {source_dir}")
        shutil.copytree(source, target_dir, dirs_exist_ok=True, symlinks=True)
