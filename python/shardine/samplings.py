"""Which samples an epoch has, and how often each: Loader(sampling=...).

Counts are exact in every epoch, over all ranks together, and a state_dict() resumes
any of these in any world. Draws of a sample that comes again in an epoch are others:
batch.repetitions says which time it is, and 0 has the pixels of a loader without
sampling.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Iterable, Mapping, Sized
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Union

import numpy

from . import _core
from .arguments import count, explained, flag, real, shown
from .selection import label_of

if TYPE_CHECKING:
    from .dataset import Dataset

Weights = Union[Mapping[Any, float], Iterable[float]]

# The names of others' samplers.
_ELSEWHERE = {
    "num_samples": "samples",
    "length_before_new_iter": "samples",
    "epoch_size": "samples",
    "num_repeats": "times",
    "selected_ratio": "samples",
    "selected_round": "samples",
    "n_way": "way",
    "n_shot": "shot",
    "n_query": "query",
    "n_tasks": "episodes",
    "seed": "Loader(seed=...)",
    "generator": "Loader(seed=...)",
    "shuffle": "Loader(order=...)",
    "num_replicas": "Loader(world=...)",
    "rank": "Loader(rank=...)",
}


def _samples(value: Optional[int]) -> int:
    """The samples of an epoch; 0 for its natural length."""
    if value is None:
        return 0
    samples = count("samples", value, 62)
    if samples == 0:
        raise ValueError("samples: an epoch of none")
    return samples


class Sampling:
    """One of those below. Immutable, since loaders are made from it."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__:
            raise AttributeError(f"{name}: samplings cannot be changed")
        super().__setattr__(name, value)

    def _native(self, dataset: Dataset) -> Any:
        """The native sampling for a loader of some or all samples of that dataset."""
        raise NotImplementedError

    @shown
    def __repr__(self) -> str:
        names = inspect.signature(type(self).__init__).parameters
        given = (f"{name}={getattr(self, name)!r}" for name in names if name != "self")
        return f"shardine.{type(self).__name__}({', '.join(given)})"


class Repeated(Sampling):
    """Each sample several times, with draws of its own each time: repeated
    augmentation. Copies are in one step, on as many ranks as there are, as
    RASampler of DeiT and timm has them.

    >>> import shardine
    >>> loader = shardine.Loader("data", batch_size=6, sampling=shardine.Repeated(3),
    ...                          transform=shardine.RandomResizedCrop(32))
    >>> batch = next(iter(loader))
    >>> len(loader), batch.repetitions.tolist()
    (12, [0, 1, 2, 0, 1, 2])

    samples: of an epoch, over all ranks; by default all of them `times` times.
    Repeated(3, samples=len(dataset)) has epochs as long as without, as RASampler
    has, of three copies of a third of the samples each; unlike there the next
    epochs have the other thirds. Repeated(1, samples=...) has epochs of any length
    of the plain stream, in which nothing comes again before all came.
    Any order but "ratio".
    """

    @explained("Repeated", elsewhere=_ELSEWHERE)
    def __init__(self, times: int, *, samples: Optional[int] = None) -> None:
        self.times = count("times", times)
        self.samples = samples
        _samples(samples)

    def _native(self, dataset: Dataset) -> Any:
        return _core.RepeatedSampling(self.times, _samples(self.samples))


class ClassBalanced(Sampling):
    """Each class as often as any other: counts differ by 1 at most, in an epoch and
    over all epochs so far.

    >>> loader = shardine.Loader("data", batch_size=6, raw=True,
    ...                          sampling=shardine.ClassBalanced())
    >>> labels = [int(label) for batch in loader for label in batch.labels]
    >>> [labels.count(label) for label in range(3)]
    [8, 8, 8]

    samples: of an epoch, over all ranks; by default as many as there are. In its
    class no sample comes again before all others came, from epoch to epoch;
    replacement=True draws each from its whole class instead. Samples have one
    label, an integer: one of several would come in the turns of all, and counts
    could not be exact. Orders "shuffle" and, without replacement, "sequential":
    classes in turn.
    """

    @explained("ClassBalanced", elsewhere=_ELSEWHERE)
    def __init__(
        self, *, samples: Optional[int] = None, replacement: bool = False
    ) -> None:
        self.samples = samples
        self.replacement = flag("replacement", replacement)
        _samples(samples)

    def _native(self, dataset: Dataset) -> Any:
        return _core.ClassBalancedSampling(_samples(self.samples), self.replacement)


class Weighted(Sampling):
    """Samples or classes by their weights, which need not add up to anything.

    >>> loader = shardine.Loader(
    ...     "data", batch_size=6, raw=True,
    ...     sampling=shardine.Weighted({"boat": 1, "house": 3, "tree": 0}))
    >>> labels = [int(label) for batch in loader for label in batch.labels]
    >>> [labels.count(label) for label in range(3)]
    [6, 18, 0]
    >>> weights = [1.0] * 12 + [3.0] * 12  # of dataset[0], dataset[1], ...
    >>> sampling = shardine.Weighted(weights, samples=48)
    >>> loader = shardine.Loader("data", batch_size=6, raw=True, sampling=sampling)
    >>> positions = [int(at) for batch in loader for at in batch.positions]
    >>> positions.count(0), positions.count(23)
    (1, 3)

    weights: a mapping of each class, by name or label, or one for each sample of the
    loader's dataset or Selection, in its order. samples: of an epoch, over all ranks;
    by default as many as there are.

    By class, counts are the same in every epoch: samples * weight / sum, rounded so
    that they add up (largest remainders); in its class no sample comes again before
    all others came, from epoch to epoch. A class without samples has no weight or 0.
    By sample, each comes so often an epoch, rounded down or up, and over the epochs
    exactly so often on the mean: none twice as long as no weight is beyond sum /
    samples. Each epoch draws in an order of its own, so that the stored order does
    not decide which samples come together. replacement=True: independent draws, as
    torch's WeightedRandomSampler has them; by class, the counts of classes stay exact.
    Orders "shuffle" and, without replacement, "sequential".
    """

    @explained("Weighted", elsewhere=_ELSEWHERE)
    def __init__(
        self,
        weights: Weights,
        *,
        samples: Optional[int] = None,
        replacement: bool = False,
    ) -> None:
        self.weights = _weights(weights)
        self.samples = samples
        self.replacement = flag("replacement", replacement)
        _samples(samples)

    def _native(self, dataset: Dataset) -> Any:
        samples = _samples(self.samples)
        if isinstance(self.weights, list):
            return _core.WeightedSampling(self.weights, samples, self.replacement)
        by_label = [
            (label_of(dataset, name, "weights") if isinstance(name, str) else name, each)
            for name, each in self.weights.items()
        ]
        return _core.ClassWeightedSampling(by_label, samples, self.replacement)

    @shown
    def __repr__(self) -> str:
        if isinstance(self.weights, list) and len(self.weights) > 4:
            return f"<shardine.Weighted: {len(self.weights)} samples>"
        return super().__repr__()


def _weights(weights: Weights) -> Union[List[float], Dict[Union[str, int], float]]:
    if isinstance(weights, Mapping):
        by_class: Dict[Union[str, int], float] = {}
        for name, weight in weights.items():
            label = _class_of(name)
            if label in by_class:
                raise ValueError(f"weights: class {label!r} has two")
            by_class[label] = real("weights", weight)
        return by_class
    if isinstance(weights, (str, bytes)) or not hasattr(weights, "__iter__"):
        raise TypeError(
            f"weights: {weights!r} is neither weights by class nor one for each sample"
        )
    listed = weights.tolist() if hasattr(weights, "tolist") else list(weights)
    if not isinstance(listed, list):
        raise TypeError("weights: one number; there is one for each sample")
    return [real("weights", weight) for weight in listed]


def _class_of(name: Any) -> Union[str, int]:
    """A name or a label, of any type of integers."""
    if isinstance(name, str):
        return name
    try:
        if isinstance(name, (bool, numpy.bool_)):
            raise TypeError
        return operator.index(name)
    except TypeError:
        raise TypeError(f"weights: {name!r} is no class") from None


class Episodes(Sampling):
    """Few-shot episodes: of `way` classes at random, `shot` and `query` samples at
    random, none twice in an episode. First the shots, class by class, then the
    queries; a batch is one episode, or several, whole.

    >>> loader = shardine.Loader("data", batch_size=2 * (1 + 3), raw=True,
    ...                          sampling=shardine.Episodes(2, 1, 3, episodes=10))
    >>> labels = next(iter(loader)).labels
    >>> len(loader), labels[2:5].tolist() == [labels[0]] * 3
    (10, True)

    episodes: of an epoch, over all ranks; by default as many as have as many samples
    as there are. batch_size is a multiple of way * (shot + query). Samples have one
    label, an integer, and each class shot + query of them: select() such samples. Order
    "shuffle" alone.
    """

    @explained("Episodes", elsewhere=_ELSEWHERE)
    def __init__(
        self, way: int, shot: int, query: int, *, episodes: Optional[int] = None
    ) -> None:
        self.way = count("way", way)
        self.shot = count("shot", shot)
        self.query = count("query", query)
        self.episodes = episodes
        self._episodes = 0 if episodes is None else count("episodes", episodes, 62)
        if episodes is not None and self._episodes == 0:
            raise ValueError("episodes: an epoch of none")

    def _native(self, dataset: Dataset) -> Any:
        return _core.EpisodeSampling(self.way, self.shot, self.query, self._episodes)


def as_sampling(value: Any) -> Optional[Sampling]:
    if value is None or isinstance(value, Sampling):
        return value
    hint = ""
    if isinstance(value, type) and issubclass(value, Sampling):
        hint = f"; {value.__name__}() is one"
    elif isinstance(value, Sized) and isinstance(value, Iterable):
        hint = "; positions are those of dataset.select(...)"
    raise TypeError(
        f"sampling: {value!r} is none of shardine.Repeated, ClassBalanced, Weighted "
        f"and Episodes{hint}"
    )
