"""A disk that is really full: a small file system in memory."""

import os
import pathlib
import subprocess
import time
from collections.abc import Iterator

import pytest
from conftest import PHOTOS

import shardine

MEBIBYTES = 32


@pytest.fixture
def disk(tmp_path: pathlib.Path) -> Iterator[pathlib.Path]:
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={MEBIBYTES}m", "tmpfs", place],
        capture_output=True, text=True,
    )
    if mounted.returncode != 0:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


def fill(disk: pathlib.Path) -> pathlib.Path:
    """Takes all room that is left."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while file.write(bytes(size)) == size:
                    pass
            except OSError:
                continue
    return filler


def photos() -> list[bytes]:
    return [path.read_bytes() for path in sorted(PHOTOS.rglob("*.JPEG"))]


@pytest.mark.parametrize("name", ["recordio", "tfrecord", "lmdb", "hdf5", "webdataset"])
@pytest.mark.parametrize("reshuffle", [None, 3])
def test_close_on_a_full_disk_can_be_called_again(
    disk: pathlib.Path, tmp_path: pathlib.Path, name: str, reshuffle: int | None
) -> None:
    """Field report A7: finished work can be closed again."""
    places = (tmp_path / "roomy", disk / "out")
    for place in places:
        writer = shardine.Writer(place, format=name, threads=1)
        for number, photo in enumerate(photos()):
            writer.write({"image": photo, "label": number % 3})
        if place.is_relative_to(disk):
            filler = fill(disk)
            for _ in range(2):
                with pytest.raises(shardine.ShardineError, match="No space left|full"):
                    writer.close(reshuffle=reshuffle)
            filler.unlink()
        writer.close(reshuffle=reshuffle)
    made = [{str(file.relative_to(place)): file.read_bytes()
             for file in place.rglob("*") if file.is_file()
             # A manifest names the reshuffled dataset, by its path.
             and (reshuffle is None or file.name != "shardine.json")}
            for place in places]
    assert made[0] == made[1]
    assert shardine.verify(places[1]).sound


def test_what_was_there_outlives_a_writer_on_a_full_disk(disk: pathlib.Path) -> None:
    out = disk / "out"
    with shardine.Writer(out, threads=1) as writer:
        writer.write({"image": photos()[0], "label": 0})
    before = {file.name: file.read_bytes() for file in out.rglob("*") if file.is_file()}
    second = shardine.Writer(out, threads=1, replace=True)
    second.write({"image": photos()[1], "label": 1})
    filler = fill(disk)
    with pytest.raises(shardine.ShardineError):
        second.close()
    second.abandon()
    assert before == {file.name: file.read_bytes()
                      for file in out.rglob("*") if file.is_file()
                      and ".pack" not in file.parts}
    filler.unlink()
    assert shardine.verify(out).sound


@pytest.mark.skipif(
    os.environ.get("SHARDINE_SWEEP") != "whole",
    reason="a write between two looks at the room may meet the full disk first, "
    "which ends a Writer; SHARDINE_SWEEP=whole runs it",
)
def test_a_sample_that_finds_no_room_can_come_again(disk: pathlib.Path) -> None:
    """Field report A7: nothing that was written is lost when the disk gets full."""
    images = photos()
    writer = shardine.Writer(disk / "out", threads=1, shard_size="1M")
    samples, refused = 0, 0
    filler = None
    while samples < 150:
        try:
            writer.write({"image": images[samples % len(images)], "label": 0},
                         key=str(samples))
        except shardine.StorageError:
            assert filler is not None
            refused += 1
            if refused > 2:
                filler.unlink()
        else:
            samples += 1
        if samples == 60 and filler is None:
            # A disk fills up in this way: a little is left, and then nothing.
            filler = fill(disk)
            os.truncate(filler, filler.stat().st_size - (3 << 20))
    assert refused == 3
    assert writer.close().samples == samples
    assert shardine.verify(disk / "out").sound


@pytest.mark.parametrize("name", ["tfrecord", "lmdb/fields", "hdf5", "webdataset"])
def test_a_large_sample_that_finds_no_room_can_come_again(
    disk: pathlib.Path, name: str
) -> None:
    sample = {"image": photos()[0], "label": 0, "noise": os.urandom(4 << 20)}
    writer = shardine.Writer(disk / "out", format=name, threads=1)
    filler = fill(disk)
    with pytest.raises(shardine.StorageError, match="call it again"):
        writer.write(sample)
    filler.unlink()
    writer.write(sample)
    assert writer.close().samples == 1


def test_a_write_that_fails_in_a_shard_says_that_the_writer_ended(
    disk: pathlib.Path,
) -> None:
    samples = [{"image": photo, "label": 0} for photo in photos()]
    writer = shardine.Writer(disk / "out", threads=1, shard_size="50K")
    writer.write(samples[0])
    filler = fill(disk)
    said = ""
    for sample in samples * 4:
        try:
            writer.write(sample)
        except shardine.StorageError as error:
            said = str(error)
            if "the writer has ended" in said:
                break
            time.sleep(1)  # for the thread that writes shards
            filler.unlink(missing_ok=True)
    assert "write all samples with a new Writer" in said
    assert not [path for path in (disk / "out").rglob("*") if path.is_file()]
    filler.unlink(missing_ok=True)
    with shardine.Writer(disk / "out", threads=1) as writer:
        for sample in samples:
            writer.write(sample)
    assert shardine.verify(disk / "out").sound


def test_a_writer_that_waits_for_room_takes_no_more_samples(
    disk: pathlib.Path,
) -> None:
    writer = shardine.Writer(disk / "out", threads=1)
    writer.write({"image": photos()[0], "label": 0})
    filler = fill(disk)
    with pytest.raises(shardine.StorageError):
        writer.close()
    with pytest.raises((ValueError, shardine.ShardineError)):
        writer.write({"image": photos()[1], "label": 0})
    filler.unlink()
    assert writer.close().samples == 1
