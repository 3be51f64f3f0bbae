"""The package itself: version, exports, type stubs."""

import importlib
import importlib.metadata
import os
import pathlib
import re
import shutil
import subprocess
import sys
import types

import pytest
import shardine

ROOT = pathlib.Path(__file__).parents[2]


def test_one_version_everywhere() -> None:
    """CMakeLists.txt has it; the rest is made of that, or compared here."""
    lists = (ROOT / "CMakeLists.txt").read_text()
    found = re.search(r"^project\(shardine VERSION (\S+)", lists, re.MULTILINE)
    assert found
    version = found[1]
    program = subprocess.run([os.environ["SHARDINE"], "--version"],
                             stdout=subprocess.PIPE, text=True, check=True)
    newest = re.search(r"^## \[([^]]+)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest
    assert shardine.__version__ == version
    assert program.stdout == f"shardine {version}\n"
    assert newest[1] == version
    # A build's own folder holds no installed package that could say another.
    beside = str(pathlib.Path(shardine.__file__).parents[1])
    for package in importlib.metadata.distributions(path=[beside]):
        if package.metadata["Name"] == "shardine":
            assert package.version == version


def test_python_m_shardine_is_the_program() -> None:
    def run(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, capture_output=True, text=True, check=False)

    for arguments in (["--version"], ["no-such-verb"], ["info", "a folder that is not"]):
        module = run(sys.executable, "-m", "shardine", *arguments)
        program = run(os.environ["SHARDINE"], *arguments)
        assert module.stdout + module.stderr
        assert (module.returncode, module.stdout, module.stderr) == (
            program.returncode, program.stdout, program.stderr)


def test_a_command_does_not_wait_for_numpy() -> None:
    code = "import _shardine_programs, sys; sys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_command_without_its_program_says_so(tmp_path: pathlib.Path) -> None:
    package = tmp_path / "shardine"
    package.mkdir()
    (package / "__init__.py").touch()
    programs = pathlib.Path(shardine.__file__).parents[1] / "_shardine_programs.py"
    shutil.copy(programs, tmp_path)
    said = subprocess.run(
        [sys.executable, "-c", "import _shardine_programs as p; p.im2rec()"],
        cwd=tmp_path, env={}, stderr=subprocess.PIPE, text=True, check=False)
    assert said.returncode == 1
    assert said.stderr == (f"im2rec: {package}/bin/im2rec: No such file or directory: "
                           "install shardine again\n")


def test_the_names_of_the_package_are_the_public_ones() -> None:
    assert sorted(dir(shardine)) == sorted({*shardine.__all__})
    modules = [name for name in dir(shardine)
               if isinstance(getattr(shardine, name), types.ModuleType)]
    assert modules == []
    names: dict[str, object] = {}
    exec("from shardine import *", names)  # noqa: S102
    assert {*names} - {"__builtins__"} == {*dir(shardine)}


def test_the_project_file_says_all_that_an_index_shows() -> None:
    tomllib = pytest.importorskip("tomllib")  # of Python 3.11
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (ROOT / project["readme"]).read_text().startswith("# shardine\n")
    extras = project["optional-dependencies"]
    assert extras["all"] == [f"shardine[{','.join(name for name in extras if name != 'all')}]"]
    assert [name for name in extras if name != "all"] == ["images", "torch"]
    # pipx and uvx run the command that has the package's name.
    for command, place in project["scripts"].items():
        module, function = place.split(":")
        assert callable(getattr(importlib.import_module(module), function)), command
    assert project["name"] in project["scripts"]
    running = "Programming Language :: Python :: {}.{}".format(*sys.version_info)
    assert running in project["classifiers"]


def test_the_types_of_options_are_what_the_library_describes() -> None:
    """The same without --check mends it."""
    package = pathlib.Path(shardine.__file__).parent
    subprocess.run([sys.executable, ROOT / "tools/check/option_types.py", package, "--check"],
                   check=True)


def test_the_stub_is_what_the_module_says(tmp_path: pathlib.Path) -> None:
    """python -m nanobind.stubgen -m shardine._core -o <the stub> mends it."""
    stub = tmp_path / "_core.pyi"
    subprocess.run(
        [sys.executable, "-m", "nanobind.stubgen", "-q"]
        + ["-m", "shardine._core", "-o", str(stub)],
        check=True,
    )
    committed = ROOT / "python" / "shardine" / "_core.pyi"
    assert stub.read_text() == committed.read_text()
