"""What is installed: the package and nothing beside it, able to start from where it was put."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import whyzero

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_the_package_and_nothing_beside_it(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    info = f"whyzero-{whyzero.__version__}.dist-info/"
    assert [name for name in names if not name.startswith(("whyzero/", info))] == []
    sources = {path.relative_to(ROOT / "server").as_posix() for path in (ROOT / "server").rglob("*.py")}
    assert sources <= set(names)
    assert {"whyzero/py.typed", f"{info}licenses/LICENSE", f"{info}entry_points.txt"} <= set(names)


def test_the_program_starts_from_the_wheel_alone(wheel: Path, tmp_path: Path) -> None:
    code = "import whyzero; from whyzero.cli import main; main(['diagnose', '--help'])"
    environment = {**os.environ, "PYTHONPATH": str(wheel)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert "PATH" in done.stdout


def test_the_bundle_starts_the_server_below_a_chosen_folder() -> None:
    manifest = json.loads((ROOT / "manifest.json").read_text(encoding="utf-8"))
    command = manifest["server"]["mcp_config"]
    assert command["args"][-4:] == ["whyzero", "serve", "--root", "${user_config.runs}"]
    assert manifest["user_config"]["runs"]["required"] is True
    assert (ROOT / manifest["server"]["entry_point"]).is_file()
