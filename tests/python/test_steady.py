"""A process's resources stay the same, however often loaders come and go."""

import gc
import os
import pathlib
from typing import Any

import pytest

import shardine
from conftest import threads_and_files

CYCLES = 200
KINDS: list[dict[str, Any]] = [
    {"raw": True}, {"transform": shardine.RandomResizedCrop(32)}
]


def held() -> tuple[int, int]:
    """Threads and open files, without those that a collection frees."""
    gc.collect()
    return threads_and_files()


def use(path: pathlib.Path, number: int) -> None:
    """A dataset and a loader: read to the end, abandoned in the middle of an
    epoch, or before it began; closed, or just let go of."""
    dataset = shardine.Dataset(path, variant="sz/160")
    loader = shardine.Loader(
        dataset, batch_size=4, threads=2, **KINDS[number % 2]
    )
    if number % 3 == 0:
        assert sum(map(len, loader)) == 24
    elif number % 3 == 1:
        next(iter(loader))
    if number % 4 == 0:
        loader.close()


def test_threads_and_files_are_those_there_were(packed: pathlib.Path) -> None:
    for number in range(12):  # each way once: such objects stay
        use(packed, number)
    before = held()
    for number in range(CYCLES):
        use(packed, number)
        if number % 10 == 9:
            assert held() == before


class Ring:
    """Something that only the collector of cycles frees."""

    def __init__(self, *held: object) -> None:
        self.held = (self, *held)


def test_what_ended_badly_leaves_nothing_behind(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    """Cycles, exceptions that hold a loader, children that were forked, Writers that
    were given up."""

    def use_badly(number: int) -> None:
        dataset = shardine.Dataset(packed)
        loader = shardine.Loader(dataset, batch_size=2, raw=True)
        batches = iter(loader)
        Ring(loader, batches, next(batches))
        try:
            raise ValueError(loader)
        except ValueError as error:
            Ring(error)
        with pytest.raises(shardine.ShardineError):
            shardine.Loader(dataset, batch_size=10**6, raw=True)
        with pytest.raises(shardine.NotFoundError):
            shardine.Dataset(tmp_path)
        writer = shardine.Writer(tmp_path / str(number), format="tfrecord")
        writer.write({"n": number})
        writer.abandon()
        Ring(writer)
        if number % 10 == 0:
            child = os.fork()
            if child == 0:
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0

    use_badly(0)
    before = held()
    for number in range(60):
        use_badly(number)
    assert held() == before


@pytest.mark.parametrize("kind", KINDS, ids=["raw", "crop"])
def test_batches_that_are_held_leave_nothing_behind(
    packed: pathlib.Path, kind: dict[str, Any]
) -> None:
    before = held()
    loader = shardine.Loader(
        packed, batch_size=4, threads=2, **kind
    )
    batches = list(loader)
    loader.close()
    assert sum(map(len, batches)) == 24
    del batches, loader
    assert held() == before
