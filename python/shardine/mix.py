"""Several datasets in one Loader."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, List, Optional, Tuple, Union

import numpy

from . import _core
from .arguments import count, explained, real, shown
from .dataset import Dataset, Path
from .sample import Sample
from .selection import Selection

Part = Union[Dataset, Selection, Path]


class Mix:
    """Several datasets, or selections of some, each by its weight: a Loader takes it in
    place of a dataset.

    >>> import shardine
    >>> boats = shardine.Dataset("data").select("boat")
    >>> mix = shardine.Mix([("data", 2), (boats, 1)], samples=24)
    >>> loader = shardine.Loader(mix, batch_size=6, raw=True)
    >>> parts = [int(p) for batch in loader for p in mix.origin(batch.positions)[0]]
    >>> len(loader), parts.count(0), parts.count(1)
    (4, 16, 8)
    >>> len(mix), mix.classes, len(mix.order_digest)
    (32, ['boat', 'house', 'tree'], 32)
    >>> part, position = mix.origin(24)
    >>> mix.dataset_of(part).key(int(position)) == boats.dataset.key(0)
    True
    >>> mix.key(24) == boats.sample(0).key == mix.sample(24).key
    True

    parts: pairs (dataset, weight); a dataset as Loader takes it. samples: how many an
    epoch has, over all ranks; by default as many as all have together. Counts of each
    are the same in every epoch: samples * weight / sum, rounded so that they add up
    (largest remainders). In its dataset no sample comes again before all others came,
    from epoch to epoch: a small one goes round several times an epoch, a large one goes
    on in the next.

    Classes have the same labels and names in all that have them. Ids may be the same
    in several, and draws are others: batch.repetitions of part p begin with p * 2**40.
    len(), sample() and key() count the samples that there are, part after part.
    batch.positions are where samples are in all datasets one after another, selected
    or not, and origin() says in which. Orders "shuffle" and "sequential", dataset
    after dataset.
    """

    @explained("Mix", elsewhere={"proportions": "parts", "weights": "parts",
                                 "datasets": "parts", "epoch_size": "samples",
                                 "seed": "Loader(seed=...)"})
    def __init__(
        self,
        parts: Iterable[Tuple[Part, float]],
        *,
        samples: Optional[int] = None,
    ) -> None:
        pairs = _pairs(parts)
        self.parts: List[Union[Dataset, Selection]] = [part for part, _ in pairs]
        self.weights = [weight for _, weight in pairs]
        self.samples = samples
        self._samples = 0 if samples is None else count("samples", samples, 62)
        if samples is not None and self._samples == 0:
            raise ValueError("samples: an epoch of none")
        sizes = [len(whole_of(part)) for part in self.parts]
        self._firsts = numpy.cumsum([0, *sizes])

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    @property
    def order_digest(self) -> str:
        """The digest of the datasets' order digests."""
        return self._core().order_digest

    @property
    def classes(self) -> List[str]:
        """Names of all, in ascending order of their labels."""
        return [each.name.decode(errors="surrogateescape")
                for each in self._core().classes]

    def origin(self, positions: Any) -> Tuple[Any, Any]:
        """The numbers of parts for batch.positions, and the positions in their
        datasets. IndexError: there is no such position."""
        where = numpy.asarray(positions)
        where = where.astype("i8", casting="same_kind" if where.size else "unsafe")
        if where.size and not (0 <= where.min() and where.max() < self._firsts[-1]):
            raise IndexError(
                f"positions: {where.min()} to {where.max()} of {self._firsts[-1]} samples"
            )
        numbers = numpy.searchsorted(self._firsts, where, side="right") - 1
        return numbers, where - self._firsts[numbers]

    def sample(self, number: int) -> Sample:
        """The Sample of that number, below len(). For one of batch.positions: number,
        own = mix.origin(position); mix.dataset_of(number).sample(own)."""
        dataset, own = self._at(number)
        return dataset.sample(own)

    def key(self, number: int) -> str:
        """The key of sample(number), without reading the sample."""
        dataset, own = self._at(number)
        return dataset.key(own)

    def dataset_of(self, part: int) -> Dataset:
        """The dataset of a part, which origin() numbers."""
        return whole_of(self.parts[int(part)])

    def _at(self, number: int) -> Tuple[Dataset, int]:
        at = operator.index(number)
        if not 0 <= at < len(self):
            raise IndexError(f"sample {at} of {len(self)}")
        for part in self.parts:
            if at < len(part):
                break
            at -= len(part)
        own = part.positions[at] if isinstance(part, Selection) else at
        return whole_of(part), own

    def _core(self) -> _core.Dataset:
        datasets = [whole_of(part)._core() for part in self.parts]
        return _core.Dataset.concatenate(datasets)

    def _positions(self) -> Optional[List[int]]:
        """The positions of all selections; None where all datasets are whole."""
        if not any(isinstance(part, Selection) for part in self.parts):
            return None
        return [
            int(first) + position
            for part, first in zip(self.parts, self._firsts)
            for position in (
                part.positions if isinstance(part, Selection) else range(len(part))
            )
        ]

    def _native(self) -> Any:
        sizes = [len(part) for part in self.parts]
        return _core.MixedSampling(sizes, self.weights, self._samples)

    @shown
    def __repr__(self) -> str:
        return f"<shardine.Mix of {list(zip(self.parts, self.weights))!r}>"


def whole_of(samples: Union[Dataset, Selection]) -> Dataset:
    """The dataset that these are of."""
    return samples.dataset if isinstance(samples, Selection) else samples


def _pairs(parts: Any) -> List[Tuple[Union[Dataset, Selection], float]]:
    wrong = f"parts: {parts!r} is no list of pairs (dataset, weight)"
    if isinstance(parts, (str, bytes)) or not isinstance(parts, Iterable):
        raise TypeError(wrong)
    pairs = list(parts)
    if not pairs:
        raise ValueError("parts: there are none")
    made = []
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise TypeError(wrong)
        part, weight = pair
        if not isinstance(part, (Dataset, Selection)):
            part = Dataset(part)
        made.append((part, real("weight", weight)))
    return made
