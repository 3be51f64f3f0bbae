#!/usr/bin/env python3
"""stateful_loader.py DATASET: torchdata's StatefulDataLoader goes on exactly
where it was cut: around a shardine.Loader, around a shardine.Dataset with and
without workers, around a Loader in each worker. Every cut of two epochs; states
go through pickle. Prints the comparisons; exits with 1 if anything differs.
"""
import hashlib
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy
import torch
import torchdata
from torch.utils.data import IterableDataset, get_worker_info
from torchdata.stateful_dataloader import StatefulDataLoader

import shardine

Digest = tuple[tuple[int, ...], str]

BATCH = 50
# The worker processes of each resumption take a second to come and go.
CUTS_OF_WORKERS = 4


def digest(ids: Iterable[int], *arrays: Any) -> Digest:
    sha = hashlib.sha256()
    for array in arrays:
        sha.update(numpy.ascontiguousarray(array).data)
    return tuple(map(int, ids)), sha.hexdigest()


def make_loader(path: str, **options: Any) -> shardine.Loader:
    return shardine.Loader(path, batch_size=BATCH, seed=3, threads=2, last_batch="short",
                           transform=shardine.RandomResizedCrop(32), **options)


class Stream(IterableDataset):
    """A Loader with its state, as StatefulDataLoader iterates one."""

    def __init__(self, path: str) -> None:
        self.loader = make_loader(path)

    def __iter__(self) -> Iterator[Digest]:
        return (digest(b.ids, b.images, b.labels) for b in self.loader)

    def state_dict(self) -> dict[str, Any]:
        return self.loader.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.loader.load_state_dict(state)


class Shares(IterableDataset):
    """A Loader in each worker, of its part of every step."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.loader: shardine.Loader | None = None

    def open(self) -> shardine.Loader:
        if self.loader is None:
            worker = get_worker_info()
            self.loader = make_loader(self.path, rank=worker.id, world=worker.num_workers)
        return self.loader

    def __iter__(self) -> Iterator[Digest]:
        return (digest(b.ids, b.images, b.labels) for b in self.open())

    def state_dict(self) -> dict[str, Any]:
        return self.open().state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.open().load_state_dict(state)


def collate(samples: list[shardine.Sample]) -> Digest:
    arrays = [numpy.frombuffer(s.image, numpy.uint8) for s in samples]
    return digest([s.id for s in samples], *arrays)


def over_loader(path: str) -> Any:
    return StatefulDataLoader(Stream(path), batch_size=None)


def over_shares(path: str) -> Any:
    return StatefulDataLoader(Shares(path), batch_size=None, num_workers=2,
                              persistent_workers=True)


def over_dataset(path: str, workers: int = 0) -> Any:
    torch.manual_seed(4)  # of the order
    return StatefulDataLoader(shardine.Dataset(path), batch_size=BATCH, shuffle=True,
                              num_workers=workers, collate_fn=collate)


def over_dataset_with_workers(path: str) -> Any:
    return over_dataset(path, 2)


def check(make: Callable[[str], Any], path: str, cuts: int | None) -> None:
    """Two epochs, cut behind each batch or so many of them, and gone on with by
    another loader."""
    loader, whole, states = make(path), [], []
    for _ in range(2):
        for batch in loader:
            whole.append(batch)
            states.append((len(whole), pickle.dumps(loader.state_dict())))
    half = len(whole) // 2
    samples = list(range(len(shardine.Dataset(path))))
    for epoch in (whole[:half], whole[half:]):
        if sorted(id for ids, _ in epoch for id in ids) != samples:
            sys.exit(f"{make.__name__}: not every sample was there once")
    if whole[:half] == whole[half:]:
        sys.exit(f"{make.__name__}: two epochs are the same")
    states = states[:: max(1, len(states) // cuts)] if cuts else states
    for done, state in states:
        fresh = make(path)
        fresh.load_state_dict(pickle.loads(state))
        # After the last batch of an epoch ours begins the next one.
        is_ours = make in (over_loader, over_shares)
        end = half if done < half or done == half and not is_ours else 2 * half
        if done == 2 * half and is_ours:
            continue
        if list(fresh) != whole[done:end]:
            sys.exit(f"{make.__name__}: another rest behind batch {done}")
        # Epochs of ours follow from the state alone.
        if make is over_loader and end == half and list(fresh) != whole[half:]:
            sys.exit(f"{make.__name__}: another epoch behind batch {done}")
    print(f"{make.__name__}: {len(states)} cuts of {len(whole)} batches")


def main(path: str) -> None:
    print(f"torchdata {torchdata.__version__}, torch {torch.__version__}")
    check(over_loader, path, None)
    check(over_dataset, path, None)
    check(over_dataset_with_workers, path, CUTS_OF_WORKERS)
    check(over_shares, path, CUTS_OF_WORKERS)


if __name__ == "__main__":
    main(sys.argv[1])
