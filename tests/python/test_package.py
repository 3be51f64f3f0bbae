"""The package itself: version, exports, type stubs."""

import importlib.metadata
import os
import pathlib
import re
import shutil
import subprocess
import sys

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


def test_everything_exported_is_there() -> None:
    assert all(hasattr(shardine, name) for name in shardine.__all__)


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
