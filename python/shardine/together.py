"""Samples of a server that are read together: as one wait for all, not one for each."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Iterable, Iterator

from .errors import ShardineError

if TYPE_CHECKING:
    from .dataset import Dataset
    from .sample import Sample

# An iteration may end at any sample. It reads _FIRST of them in its first call, and
# later up to _MOST, or as many as have _BYTES.
_FIRST = 8
_MOST = 64
_BYTES = 32 << 20


def makes_own(items: object, base: type) -> bool:
    """Whether a subclass of the user's makes items or samples of its own."""
    return any(getattr(type(items), name) is not getattr(base, name)
               for name in ("__getitem__", "sample") if hasattr(base, name))


def one_by_one(dataset: Dataset, positions: Iterable[int]) -> Iterator[Sample]:
    """The samples in their order. A server's next samples are prefetched."""
    if b"://" not in dataset._address:
        yield from map(dataset.sample, positions)
        return
    left = iter(positions)
    count = _FIRST
    while window := list(itertools.islice(left, count)):
        size = 0
        for sample in _read(dataset, window):
            size += sum(getattr(field, "nbytes", None) or len(field)
                        for field in sample.fields.values())
            yield sample
        count = min(_MOST, 2 * count, max(1, _BYTES * len(window) // max(size, 1)))


def _read(dataset: Dataset, window: list[int]) -> Iterable[Sample]:
    try:
        return dataset.samples_at(window)
    except ShardineError:
        # The caller gets all samples before the one that cannot be read.
        return map(dataset.sample, window)
