"""Operations that make one image of two in the batch: MixUp and CutMix. The header
shardine/mixing.h has the formulas, each random draw, and its equality on other threads,
in other batches and in another world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Literal, NamedTuple, Optional, Sequence, Union

from . import _core
from .arguments import explained, real
from .pixel_operations import probability

MixPer = Literal["batch", "sample"]


class BatchMixing:
    """MixUp or CutMix, for Loader(mix=...).

    >>> isinstance(shardine.MixUp(), shardine.mixing.BatchMixing)
    True
    """

    p: Optional[float]

    def _native(self, p: float) -> Any:
        raise NotImplementedError

    def __post_init__(self) -> None:
        self._native(1.0 if self.p is None else probability(self.p))


@dataclass(frozen=True)
class MixUp(BatchMixing):
    """Each image becomes `weight` of itself and the rest of its partner's, the image
    before it in the batch; weight is drawn from Beta(alpha, alpha). p: the probability;
    in a list of several, those without one share the rest to 1.

    >>> mixes = [shardine.MixUp(alpha=0.2), shardine.CutMix(alpha=1.0)]
    >>> loader = shardine.Loader("data", batch_size=4, mix=mixes, one_hot=4,
    ...                          transform=shardine.RandomResizedCrop(32))
    >>> images, targets = next(iter(loader))
    >>> targets.shape, targets.sum(axis=1).round(5).tolist()
    ((4, 4), [1.0, 1.0, 1.0, 1.0])
    """

    alpha: float = 1.0
    p: Optional[float] = None

    def _native(self, p: float) -> Any:
        return _core.MixUp(real("alpha", self.alpha), p)


@dataclass(frozen=True)
class CutMix(BatchMixing):
    """A box of each image becomes its partner's. Its share of the area is 1 - weight,
    which is drawn from Beta(alpha, alpha), less the part of the box beyond the image. p
    is as MixUp's.

    >>> loader = shardine.Loader("data", batch_size=4, mix=shardine.CutMix(), seed=2,
    ...                          transform=shardine.RandomResizedCrop(32))
    >>> images, (labels, partners, weight) = next(iter(loader))
    >>> images.shape, labels.shape, partners.shape, weight.dtype
    ((4, 3, 32, 32), (4,), (4,), dtype('float32'))
    """

    alpha: float = 1.0
    p: Optional[float] = None

    def _native(self, p: float) -> Any:
        return _core.CutMix(real("alpha", self.alpha), p)


for _mixing in (MixUp, CutMix):
    _mixing.__init__ = explained(_mixing.__name__)(  # type: ignore[method-assign]
        _mixing.__init__
    )

Mixing = Union[BatchMixing, Sequence[BatchMixing]]


class MixFactors(NamedTuple):
    """The parts that a batch's images are mixed of, or are to be.

    weight: float32: the share of itself in each sample.
    partner: int64: the number of the other in the batch: the one before it, or the last
      for the first.
    box: int32, n x 4: x, y, width, height of the partner's part, in pixels of the
      batch's images; without width where it is not CutMix's. An unmixed sample has
      weight 1.

    >>> loader = shardine.Loader("data", batch_size=4, mix=shardine.CutMix(),
    ...                          mix_apply=False, transform=shardine.CenterCrop(32))
    >>> images, targets, mix = next(iter(loader))  # images are as without mix
    >>> mix.weight.shape, mix.partner.tolist(), mix.box.shape
    ((4,), [3, 0, 1, 2], (4, 4))
    """

    weight: Any
    partner: Any
    box: Any


class MixedLabels(NamedTuple):
    """The labels of mixed images, as weighted pairs: `labels` are the samples' own,
    `partners` their partners', and the first count `weight`, the others 1 - weight, as
    in weight * loss(out, labels) + (1 - weight) * loss(out, partners).

    >>> loader = shardine.Loader("data", batch_size=4, mix=shardine.MixUp(0.2),
    ...                          transform=shardine.CenterCrop(32))
    >>> mixed = next(iter(loader)).mixed_labels
    >>> mixed.partners.tolist() == mixed.labels[[3, 0, 1, 2]].tolist()
    True
    """

    labels: Any
    partners: Any
    weight: Any


def mix_choices(mix: Any) -> List[Any]:
    """The native mixings of a loader's `mix`, with all probabilities set."""
    several = [mix] if isinstance(mix, BatchMixing) else mix
    if not isinstance(several, (list, tuple)):
        raise TypeError(f"mix: {mix!r} is neither MixUp, CutMix nor a list of them")
    for each in several:
        if not isinstance(each, BatchMixing):
            raise TypeError(f"mix: {each!r} is neither MixUp nor CutMix")
    if not several:
        raise ValueError("mix: an empty list; None is what mixes nothing")
    given = [float(each.p) for each in several if each.p is not None]
    rest = 1 - sum(given)
    if rest < 0 and len(given) < len(several):
        raise ValueError(f"mix: p of {several!r} leave nothing to the others")
    left = rest / max(len(several) - len(given), 1)
    return [
        each._native(left if each.p is None else float(each.p)) for each in several
    ]
