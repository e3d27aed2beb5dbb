"""What is installed and packed: enough to start from where it was put, and nothing beside it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from typing import Any

import anyio
import pathspec
import pytest
from mcp import Client, StdioServerParameters

import whyzero

ROOT = Path(__file__).parent.parent
TOOLS = 6


def read(name: str) -> Any:
    return json.loads((ROOT / name).read_text(encoding="utf-8"))


def build_wheel(source: Path, folder: Path) -> Path:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=source, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(ROOT, tmp_path_factory.mktemp("dist"))


def spoken_to(command: str, arguments: list[str], environment: dict[str, str], cwd: Path) -> tuple[str, str, int]:
    """Name, version and number of tools of a server, asked as a host asks."""

    async def ask() -> tuple[str, str, int]:
        started = StdioServerParameters(command=command, args=arguments, env=environment, cwd=cwd)
        async with Client(started) as client:
            about = client.server_info
            return about.name, about.version, len((await client.list_tools()).tools)

    return anyio.run(ask)


# ---- the wheel


def test_the_wheel_holds_package_skills_and_references_and_nothing_beside_them(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    info = f"whyzero-{whyzero.__version__}.dist-info/"
    assert [name for name in names if not name.startswith(("whyzero/", info))] == []
    sources = {path.relative_to(ROOT / "server").as_posix() for path in (ROOT / "server").rglob("*.py")}
    assert sources <= names
    assert {"whyzero/py.typed", f"{info}licenses/LICENSE", f"{info}entry_points.txt"} <= names
    skills = {f"whyzero/_skills/{path.relative_to(ROOT / 'skills')}" for path in (ROOT / "skills").rglob("*.md")}
    pages = {f"whyzero/_references/{path.relative_to(ROOT / 'references')}" for path in (ROOT / "references").rglob("*.md")}
    assert skills | pages == {name for name in names if name.startswith(("whyzero/_skills/", "whyzero/_references/"))}
    assert len(skills) == 6


def test_the_published_page_proves_who_owns_the_name_in_the_registry(wheel: Path) -> None:
    info = f"whyzero-{whyzero.__version__}.dist-info/METADATA"
    page = zipfile.ZipFile(wheel).read(info).decode()
    assert re.findall(r"<!-- mcp-name: (\S+) -->", page) == [read("server.json")["name"]]


def test_the_program_starts_from_the_wheel_alone(wheel: Path, tmp_path: Path) -> None:
    code = "import whyzero; from whyzero.cli import main; main(['diagnose', '--help'])"
    environment = {**os.environ, "PYTHONPATH": str(wheel)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert "PATH" in done.stdout


def test_it_starts_from_an_environment_of_its_own_as_pipx_and_uvx_make_one(wheel: Path, tmp_path: Path) -> None:
    """Only the dependencies are borrowed; package, script and `python -m whyzero` are those of the wheel."""
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "own")], check=True)
    own = tmp_path / "own" / "bin"
    install = [str(own / "python"), "-m", "pip", "install", "-qq", "--no-deps", "--no-index", "--disable-pip-version-check"]
    subprocess.run([*install, str(wheel)], check=True)
    borrowed = tmp_path / "own" / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages" / "borrowed.pth"
    borrowed.write_text(sysconfig.get_paths()["purelib"] + "\n")
    (tmp_path / "runs").mkdir()
    plain = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    for command in ([str(own / "whyzero")], [str(own / "python"), "-m", "whyzero"]):
        done = subprocess.run([*command, "--version"], cwd=tmp_path, env=plain, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, f"whyzero {whyzero.__version__}\n")
        serve = [*command[1:], "serve", "--root", str(tmp_path / "runs")]
        assert spoken_to(command[0], serve, plain, tmp_path) == ("whyzero", whyzero.__version__, TOOLS)
    where = [str(own / "python"), "-c", "import whyzero; print(whyzero.__file__)"]
    told = subprocess.run(where, cwd=tmp_path, env=plain, capture_output=True, text=True, check=True).stdout
    assert told.startswith(str(tmp_path))


# ---- the bundle


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the bundle unpacks to: what is committed and not ignored for it."""
    ignored = pathspec.GitIgnoreSpec.from_lines((ROOT / ".mcpbignore").read_text(encoding="utf-8").splitlines())
    unpacked = tmp_path_factory.mktemp("bundle")
    for path in ROOT.rglob("*"):
        name = path.relative_to(ROOT)
        if name.parts[0] in (".git", ".cache") or not path.is_file() or ignored.match_file(name):
            continue
        (unpacked / name).parent.mkdir(parents=True, exist_ok=True)
        (unpacked / name).write_bytes(path.read_bytes())
    return unpacked


def test_the_bundle_holds_what_it_starts_from_and_no_more(bundle: Path) -> None:
    names = {path.relative_to(bundle).parts[0] for path in bundle.rglob("*") if path.is_file()}
    assert {"manifest.json", "pyproject.toml", "README.md", "LICENSE", "server", "skills", "icon.png"} <= names
    assert names.isdisjoint({"tests", "examples", "benchmarks", ".git", ".venv", ".cache", ".ci"})
    assert not list(bundle.rglob("__pycache__"))
    assert sum(path.stat().st_size for path in bundle.rglob("*") if path.is_file()) < 4 * 2**20


def test_the_unpacked_bundle_starts_its_server_below_the_chosen_folder(bundle: Path, tmp_path: Path) -> None:
    """`uv run` builds the project it is pointed at; so does this, with the same back end, and starts what came out."""
    manifest = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))
    assert (bundle / manifest["server"]["entry_point"]).is_file()
    configured = manifest["server"]["mcp_config"]
    assert configured["command"] == "uv"
    assert configured["args"][:5] == ["run", "--directory", "${__dirname}", "--no-dev", "whyzero"]
    assert manifest["user_config"]["runs"]["required"] is True
    chosen = [word.replace("${user_config.runs}", str(tmp_path)) for word in configured["args"][5:]]
    assert chosen == ["serve", "--root", str(tmp_path)]
    built = build_wheel(bundle, tmp_path / "dist")
    code = "from whyzero.cli import main; main()"
    environment = {**os.environ, "PYTHONPATH": str(built)}
    assert spoken_to(sys.executable, ["-c", code, *chosen], environment, tmp_path) == ("whyzero", whyzero.__version__, TOOLS)


def test_a_variable_that_a_host_left_unfilled_is_no_root(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "server")}
    arguments = ["-m", "whyzero", "serve", "--root", "${user_config.runs}"]
    assert spoken_to(sys.executable, arguments, environment, tmp_path)[0] == "whyzero"


# ---- the manifests of the hosts

MANIFESTS = ("manifest.json", ".claude-plugin/plugin.json", "plugin.json", "gemini-extension.json", "server.json")


@pytest.mark.parametrize("name", MANIFESTS)
def test_every_manifest_says_the_same_of_it(name: str) -> None:
    manifest = read(name)
    assert manifest["version"] == whyzero.__version__
    assert manifest["name"].rpartition("/")[2] == "whyzero"
    assert manifest["description"] == "Tells why an agent rollout failed or scored zero, with evidence."
    assert len(manifest["description"]) <= 100, "the registry takes no more"


def test_versions_inside_the_manifests_are_the_same() -> None:
    assert [package["version"] for package in read("server.json")["packages"]] == [whyzero.__version__]
    market = read(".claude-plugin/marketplace.json")
    assert market["metadata"]["version"] == market["plugins"][0]["version"] == whyzero.__version__


@pytest.mark.parametrize(
    ("name", "folder", "root"),
    [
        (".mcp.json", "${CLAUDE_PLUGIN_ROOT}", ["--root", "${CLAUDE_PROJECT_DIR}"]),
        ("mcp.json", "${PLUGIN_ROOT}", []),
        ("gemini-extension.json", "${extensionPath}", ["--root", "${workspacePath}"]),
    ],
)
def test_every_host_starts_the_server_of_its_own_copy(name: str, folder: str, root: list[str]) -> None:
    server = read(name)["mcpServers"]["whyzero"]
    assert server["command"] == "uv"
    assert server["args"] == ["run", "--project", folder, "--no-dev", "whyzero", "serve", *root]


def test_one_owner_everywhere() -> None:
    """The placeholder is replaced in one go before publication."""
    owner = read("server.json")["name"].removeprefix("io.github.").partition("/")[0]
    home = f"https://github.com/{owner}/whyzero"
    assert {read(name)["homepage"] for name in (".claude-plugin/plugin.json", "plugin.json")} == {home}
    assert read("server.json")["repository"]["url"] == home
