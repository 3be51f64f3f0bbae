"""Scans of bare shards in the user's cache folder: by several processes at once, after
a change of the file, with a damaged cache and without one."""

import json
import os
import pathlib
import subprocess
import sys
import time
import warnings
from typing import Any

import numpy
import pytest

import shardine

IMAGES = 40
OPEN = """
import json, sys, warnings
import shardine

def read_bytes():
    with open("/proc/self/io") as io:
        return int(io.readline().split()[1])

with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    before = read_bytes()
    dataset = shardine.Dataset(sys.argv[1])
    read = read_bytes() - before
    labels = [int(sample.label) for sample in dataset]
    print(json.dumps([read, labels,
          [str(each.message) for each in said]]))
"""


def write(out: pathlib.Path, format: str, first: int = 0) -> pathlib.Path:
    """Noise of more than the 8 MiB from which on a scan is kept, as a bare shard."""
    with shardine.Writer(out, format=format) as writer:
        for number in range(IMAGES):
            noise = numpy.random.default_rng(number).integers(0, 256, (300, 300, 3))
            writer.write({"image": noise.astype("uint8"), "label": first + number})
    shards = [
        each
        for each in out.iterdir()
        if each.is_file()
        and each.suffix in (".rec", ".tfrecord", ".tar", ".lmdb", ".h5")
    ]
    (shard,) = shards
    bare = out.parent / f"{out.name}-bare{shard.suffix}"
    os.replace(shard, bare)
    settle(bare)
    return bare


def settle(file: pathlib.Path, age: float = 100) -> None:
    """A file that changed just now may change again within its clock's tick."""
    then = time.time() - age
    os.utime(file, (then, then))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return write(tmp_path_factory.mktemp("made") / "out", "recordio")


@pytest.fixture
def rec(made: pathlib.Path, tmp_path: pathlib.Path) -> pathlib.Path:
    copy = tmp_path / "bare.rec"
    copy.write_bytes(made.read_bytes())
    settle(copy)
    return copy


@pytest.fixture
def cache(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "shardine" / "datasets"


def start(shard: pathlib.Path, **variables: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-B", "-c", OPEN, str(shard)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **variables},
    )


def ended(process: "subprocess.Popen[str]") -> Any:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return json.loads(out), err


def opened(shard: pathlib.Path, **variables: str) -> Any:
    return ended(start(shard, **variables))[0]


def test_four_processes_scan_once(rec: pathlib.Path, cache: pathlib.Path) -> None:
    size = rec.stat().st_size
    assert size > 8 << 20
    results = [ended(each)[0] for each in [start(rec) for _ in range(4)]]
    assert sum(read > size for read, _, _ in results) == 1
    assert sum(any("scanned" in text for text in said) for _, _, said in results) == 1
    assert all(labels == list(range(IMAGES)) for _, labels, _ in results)
    (kept,) = cache.glob("*.scan")
    assert kept.stat().st_mode & 0o777 == 0o600
    assert not list(cache.glob("*.part"))
    read, labels, said = opened(rec)
    assert read < size / 20
    assert (labels, said) == (list(range(IMAGES)), [])


def test_a_killed_scan_leaves_the_next_one_free(
    rec: pathlib.Path, cache: pathlib.Path
) -> None:
    for delay in (0.2, 0.3, 0.4, 0.5):
        process = start(rec)
        time.sleep(delay)
        process.kill()
        process.communicate()
    assert opened(rec)[1] == list(range(IMAGES))
    assert opened(rec)[2] == []


def test_a_changed_file_is_scanned(rec: pathlib.Path, cache: pathlib.Path) -> None:
    opened(rec)
    other = write(rec.parent / "other", "recordio", first=100)
    assert other.stat().st_size == rec.stat().st_size
    other_bytes = other.read_bytes()
    times = rec.stat()
    with open(rec, "r+b") as file:  # the same inode and size, another time
        file.write(other_bytes)
    settle(rec, 50)
    assert opened(rec)[1] == list(range(100, 100 + IMAGES))
    os.utime(other, ns=(times.st_atime_ns, times.st_mtime_ns))
    os.replace(other, rec)  # the same size and time, another inode
    assert opened(rec)[1] == list(range(100, 100 + IMAGES))


@pytest.mark.parametrize("harm", ["flip", "cut", "empty", "mode", "other"])
def test_a_damaged_cache_file_is_not_believed(
    rec: pathlib.Path, cache: pathlib.Path, harm: str
) -> None:
    opened(rec)
    (kept,) = cache.glob("*.scan")
    sound = kept.read_bytes()
    if harm == "flip":
        kept.write_bytes(sound[:2000] + bytes([sound[2000] ^ 1]) + sound[2001:])
    elif harm == "cut":
        kept.write_bytes(sound[:-100])
    elif harm == "empty":
        kept.write_bytes(b"")
    elif harm == "mode":
        kept.chmod(0o666)
    else:  # a sound one of another shard
        other = write(rec.parent / "other", "recordio", first=100)
        opened(other)
        (kept_other,) = set(cache.glob("*.scan")) - {kept}
        os.replace(kept_other, kept)
    read, labels, said = opened(rec)
    assert read > rec.stat().st_size and "scanned" in said[0]
    assert labels == list(range(IMAGES))
    assert opened(rec)[2] == []
    assert kept.read_bytes() == sound


def test_without_a_cache_it_works_and_says_so(rec: pathlib.Path) -> None:
    for variables, reason in [
        ({"XDG_CACHE_HOME": "", "HOME": ""}, "neither XDG_CACHE_HOME nor HOME"),
        ({"XDG_CACHE_HOME": "/proc/none"}, "/proc/none"),
    ]:
        (_, labels, said), err = ended(start(rec, **variables))
        assert labels == list(range(IMAGES))
        assert len([each for each in said if "is not kept" in each]) == 1
        assert reason in said[0]
        assert f"shardine.index(['{rec}'], 'DATASET')" in said[0]
        assert err == ""


@pytest.mark.parametrize("format", ["tfrecord", "webdataset", "lmdb", "hdf5"])
def test_a_kept_scan_says_the_same(
    tmp_path: pathlib.Path, cache: pathlib.Path, format: str
) -> None:
    bare = write(tmp_path / "out", format)
    seen: list[list[Any]] = []
    for _ in range(2):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            dataset = shardine.Dataset(bare)
        texts = [str(each.message) for each in said]
        seen.append(
            [
                [text for text in texts if "scanned" not in text],
                dataset.classes,
                [(each.key, each.id, each.label, each.image) for each in dataset],
            ]
        )
        scanned = len(texts) - len(seen[-1][0])
    assert scanned == 0
    assert seen[0] == seen[1]


def test_patterns_have_braces(
    rec: pathlib.Path, cache: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    folder = tmp_path / "[set]"
    folder.mkdir()
    for name in ("a.rec", "b.rec", "c.rec"):
        os.link(rec, folder / name)
    several: list[tuple[Any, int]] = [(f"{tmp_path}/*/{{a,c}}.rec", 2), (folder, 3)]
    for given, count in several:
        with pytest.warns(UserWarning):
            batches = shardine.ImageRecordIter(given, (3, 32, 32), 8)
        assert len(batches.dataset) == count * IMAGES
