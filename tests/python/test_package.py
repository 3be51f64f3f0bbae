"""The package itself: version, exports, type stubs."""

import pathlib
import re
import subprocess
import sys

import shardine

ROOT = pathlib.Path(__file__).parents[2]


def test_one_version_everywhere() -> None:
    for name, pattern in (
        ("pyproject.toml", r'^version = "([^"]+)"'),
        ("CMakeLists.txt", r"^project\(shardine VERSION (\S+)"),
    ):
        found = re.search(pattern, (ROOT / name).read_text(), re.MULTILINE)
        assert found and found[1] == shardine.__version__


def test_everything_exported_is_there() -> None:
    assert all(hasattr(shardine, name) for name in shardine.__all__)


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
