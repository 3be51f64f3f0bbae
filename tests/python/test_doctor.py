"""What the machine is, as doctor() says and the program says."""

import importlib.metadata
import os
import pathlib
import platform
import subprocess
import sys
import time
import types
from collections.abc import Callable

import pytest
from command_line import json_of
from conftest import SHARDINE

import shardine

NAMES = ["shardine", "system", "glibc", "processor", "simd", "cores", "libraries", "tls",
         "certificates", "gpu"]


def names_of(text: str) -> list[str]:
    return [line.split()[0] for line in text.splitlines() if not line.startswith("missing")]


def test_the_text_has_a_line_of_each_fact() -> None:
    assert names_of(str(shardine.doctor())) == [
        *NAMES, "work", "cache", "python", "packages"]
    said = subprocess.run([SHARDINE, "doctor"], check=True, capture_output=True, text=True)
    assert names_of(said.stdout) == [*NAMES, "work", "cache", "python"]


def test_the_machine_is_what_the_program_says_in_json() -> None:
    machine = shardine.doctor().to_dict()["machine"]
    said = json_of("doctor")["machine"]
    for each in (*machine["folders"], *said["folders"]):
        each.pop("free")
    assert machine == said


def test_packages_are_named_with_their_versions() -> None:
    found = shardine.doctor()
    assert found.python == platform.python_version()
    assert found.packages["numpy"] == importlib.metadata.version("numpy")
    assert list(found.packages) == ["numpy", "torch", "torchvision", "pillow", "tqdm"]
    assert f"numpy {found.packages['numpy']}" in str(found)


def test_a_package_that_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    known = importlib.metadata.version

    def version(name: str) -> str:
        if name == "tqdm":
            raise importlib.metadata.PackageNotFoundError(name)
        return known(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    found = shardine.doctor()
    assert found.packages["tqdm"] is None and "tqdm not installed" in str(found)


def test_torch_is_not_imported_for_its_version(tmp_path: pathlib.Path) -> None:
    (tmp_path / "torch.py").write_text("raise SystemExit('torch was imported')")
    script = "import shardine; print(shardine.doctor().torch_gpus)"
    path = f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True,
                          text=True, env={**os.environ, "PYTHONPATH": path})
    assert done.stdout == "()\n"


def test_gpus_are_named_where_torch_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    cuda = types.SimpleNamespace(is_available=lambda: True, device_count=lambda: 2,
                                 get_device_name=lambda each: f"GPU {each}")
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(cuda=cuda))
    found = shardine.doctor()
    assert found.torch_gpus == ("GPU 0", "GPU 1")
    assert str(found).splitlines()[-1].split(maxsplit=2)[2] == "GPU 0, GPU 1"


def seconds_of(call: Callable[[], object]) -> float:
    """Of the best of some, on a machine that others use, too."""
    times = []
    for _ in range(5):
        begin = time.monotonic()
        call()
        times.append(time.monotonic() - begin)
    return min(times)


def test_it_takes_less_than_a_second_and_writes_nothing(tmp_path: pathlib.Path) -> None:
    def program() -> None:
        subprocess.run([SHARDINE, "doctor"], check=True, capture_output=True, cwd=tmp_path)

    assert seconds_of(program) < 1
    assert seconds_of(shardine.doctor) < 1
    assert os.listdir(tmp_path) == []
