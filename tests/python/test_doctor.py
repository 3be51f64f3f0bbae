"""The machine and the cost of an epoch on it, as doctor() and the program say."""

import dataclasses
import importlib.metadata
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import time
import types
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from command_line import json_of
from conftest import PHOTOS, SHARDINE

import shardine
from shardine.doctor_results import Epoch, EpochChange

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
    """The best of some, on a machine that others use, too."""
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


def state_of(folder: pathlib.Path) -> list[tuple[str, int, int, bytes]]:
    """Contents and times of change of all files."""
    return [(str(each), each.stat().st_mtime_ns, each.stat().st_ctime_ns,
             each.read_bytes() if each.is_file() else b"")
            for each in sorted([folder, *folder.rglob("*")])]


def epoch_of(path: pathlib.Path, **options: Any) -> Epoch:
    epoch = shardine.doctor(path, **options).epoch
    assert epoch is not None
    return epoch


def test_an_epoch_of_a_dataset_has_rows_of_all_ways_to_read_it(
    packed: pathlib.Path,
) -> None:
    before = state_of(packed)
    epoch = epoch_of(packed)
    assert (epoch.samples, epoch.split, epoch.more_samples) == (24, "train", False)
    assert [(row.reading, row.variant, row.estimated) for row in epoch.rows] == [
        ("loose files", "original", True),
        ("shuffled shards", "original", False),
        ("blocks", "original", False),
        ("shuffled shards", "sz/320", True),
        ("blocks", "sz/320", True),
        ("shuffled shards", "sz/160", False),
        ("blocks", "sz/160", False),
    ]
    for row in epoch.rows:
        assert row.images_per_second * row.hours * 3600 == pytest.approx(24)
    assert all(rates.bytes > 0 and rates.decoded > 0 for rates in epoch.images)
    storage = epoch.storage
    assert storage is not None and epoch.server is None and epoch.cache is None
    assert min(storage.seeks, storage.random_bytes, storage.sequential) > 0
    assert epoch.rows[epoch.now].reading == "shuffled shards" and epoch.page_hours > 0
    assert state_of(packed) == before


def test_an_epoch_of_a_folder_is_that_of_its_files(tmp_path: pathlib.Path) -> None:
    photos = pathlib.Path(shutil.copytree(PHOTOS, tmp_path / "photos"))
    (photos / ".hidden.jpg").write_bytes(b"")
    (photos / "notes.txt").write_text("no image")
    before = state_of(photos)
    epoch = epoch_of(photos)
    assert (epoch.samples, epoch.split) == (len(list(PHOTOS.glob("*/*"))), "")
    assert [row.estimated for row in epoch.rows[:3]] == [False, True, True]
    assert epoch.rows[epoch.now].reading == "loose files"
    sizes = [path.stat().st_size for path in PHOTOS.glob("*/*")]
    assert epoch.images[0].bytes == pytest.approx(sum(sizes) / len(sizes))
    assert state_of(photos) == before


def test_the_text_of_an_epoch_is_a_table_and_advice(packed: pathlib.Path) -> None:
    found = shardine.doctor(packed)
    assert found.epoch is not None
    lines = str(found).splitlines()
    table = lines[lines.index(""):]
    assert table[1].split() == ["reading", "images", "images/s", "hours", "limited", "by"]
    assert len([line for line in table if line.startswith(("loose", "shuffled", "blocks"))]
               ) == len(found.epoch.rows)
    now = found.epoch.rows[found.epoch.now]
    assert f"limited by {now.limit} ({now.reading})" in lines
    assert lines[-1].startswith("change")
    assert all(line == line.rstrip() for line in lines)


def changed(epoch: Epoch, change: EpochChange, then: int) -> str:
    """The last line of the report on such an epoch."""
    found = dataclasses.replace(shardine.doctor(),
                                epoch=dataclasses.replace(epoch, change=change, then=then))
    return str(found).splitlines()[-1]


def test_each_change_has_its_words(packed: pathlib.Path) -> None:
    epoch = epoch_of(packed)
    places = {(row.reading, row.variant): place for place, row in enumerate(epoch.rows)}
    blocks = places["blocks", "original"]
    assert changed(epoch, "nothing", epoch.now).startswith("change nothing: ")
    assert changed(epoch, "blocks", blocks).startswith('change: Loader(order="blocks"): ')
    assert "cache_size" in changed(epoch, "cache", blocks)
    assert changed(epoch, "pack", blocks).startswith(
        'change: shardine.pack(source, out), and Loader(order="blocks"): ')
    assert changed(epoch, "size", places["shuffled shards", "sz/160"]).startswith(
        'change: Dataset(variant="sz/160"): ')
    assert 'shardine.pack(variants="original,sz/320")' in changed(
        epoch, "size", places["shuffled shards", "sz/320"])


def test_the_epoch_is_what_the_program_says_in_json(packed: pathlib.Path) -> None:
    epoch = epoch_of(packed, split="train", jobs=3).to_dict()
    said = json_of("doctor", packed, split="train", jobs=3)["epoch"]

    def shape(value: Any) -> Any:
        """All but the measured values."""
        if isinstance(value, dict):
            return {name: shape(each) for name, each in value.items()
                    if name not in ("limit", "then", "change")}
        if isinstance(value, list):
            return [shape(each) for each in value]
        return float if isinstance(value, float) else value

    assert shape(epoch) == shape(said) and epoch["threads"] == 3


def test_samples_without_images_have_nothing_to_decode(tmp_path: pathlib.Path) -> None:
    with shardine.Writer(tmp_path / "numbers", format="webdataset") as writer:
        for number in range(20):
            writer.write({"vector": numpy.full(3000, number, numpy.float32)})
    epoch = epoch_of(tmp_path / "numbers")
    assert [rates.decoded for rates in epoch.images] == [0.0]
    assert all(row.limit != "decoding" and row.hours > 0 for row in epoch.rows)


def test_damaged_images_are_left_out_and_none_is_an_error(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "tree" / "class"
    folder.mkdir(parents=True)
    (folder / "bad.jpg").write_bytes(b"\xff\xd8\xff\xe0 nothing")
    with pytest.raises(shardine.ShardineError):
        shardine.doctor(tmp_path / "tree")
    shutil.copy(PHOTOS / "hounds" / "made_gray.jpg", folder)
    assert epoch_of(tmp_path / "tree").images[0].decoded > 0


def test_what_cannot_be_examined_is_refused(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    with pytest.raises(shardine.NotFoundError, match="no such file or folder"):
        shardine.doctor(tmp_path / "nowhere")
    with pytest.raises(shardine.NotFoundError, match="neither a dataset nor a folder"):
        shardine.doctor(tmp_path)
    with pytest.raises(shardine.InvalidArgumentError, match="val"):
        shardine.doctor(packed, split="val")
    with pytest.raises(shardine.NotFoundError, match="is a file, not a dataset"):
        shardine.doctor(PHOTOS / "hounds" / "made_gray.jpg")
    with pytest.raises(TypeError, match="doctor: split needs a path"):
        shardine.doctor(split="train")
    with pytest.raises(TypeError, match="unknown option spilt; did you mean split"):
        shardine.doctor(packed, spilt="train")  # type: ignore[call-arg]


def test_torch_is_imported_where_a_measurement_takes_seconds(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "torch.py").write_text(
        "class cuda:\n"
        "    is_available = staticmethod(lambda: True)\n"
        "    device_count = staticmethod(lambda: 1)\n"
        "    get_device_name = staticmethod(lambda each: 'H100')\n")
    script = (f"import shardine; found = shardine.doctor({str(packed)!r}); "
              "print(found.torch_gpus, 'torch gpu' in str(found))")
    path = f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True,
                          text=True, env={**os.environ, "PYTHONPATH": path})
    assert done.stdout == "('H100',) True\n"
