"""Operations that choose other operations for each sample: torchvision's policies, with
its tables. The header shardine/augmentation_policies.h has each random draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Literal, Optional, Tuple

from . import _core
from .affine_operations import Interpolation, outside
from .arguments import count, counts, text
from .pixel_operations import Color, PixelOperation, operation


class AugmentationPolicy(PixelOperation):
    """One of those below.

    >>> isinstance(shardine.RandAugment(), shardine.augmentation_policies.AugmentationPolicy)
    True
    """

    def drawn(
        self,
        sample: int,
        size: Tuple[int, int],
        *,
        seed: int = 0,
        epoch: int = 0,
        place: int = 0,
        repetition: int = 0,
    ) -> List[Tuple[str, float]]:
        """The operations of a loader with that seed on a sample in an epoch:
        torchvision's names of operations, and magnitudes, 0 for operations without one.

        size: height and width of the images. place: how many operations come
        before this one in the list, not counting crops. repetition: the one in
        batch.repetitions, where samples come several times an epoch.

        >>> shardine.TrivialAugmentWide().drawn(7, (224, 224), seed=1)
        [('Identity', 0.0)]
        """
        height, width = counts("size", size, 2)
        drawn = self._native().drawn(
            count("sample", sample, 64),
            width,
            height,
            count("seed", seed, 64),
            count("epoch", epoch, 64),
            count("place", place),
            count("repetition", repetition, 64),
        )
        return [(str(name), float(magnitude)) for name, magnitude in drawn]


@operation
@dataclass(frozen=True)
class TrivialAugmentWide(AugmentationPolicy):
    """One of 14 operations by a random magnitude. fill: the color of pixels outside the
    image, or None: black.

    >>> shardine.TrivialAugmentWide(interpolation="bilinear").num_magnitude_bins
    31
    """

    num_magnitude_bins: int = 31
    interpolation: Interpolation = "nearest"
    fill: Optional[Color] = None

    def _native(self) -> Any:
        return _core.TrivialAugmentWide(
            count("num_magnitude_bins", self.num_magnitude_bins),
            text("interpolation", self.interpolation),
            outside(self.fill),
        )


@operation
@dataclass(frozen=True)
class RandAugment(AugmentationPolicy):
    """num_ops of 14 operations, one after the other, by magnitude number
    `magnitude` of num_magnitude_bins.

    >>> len(shardine.RandAugment(num_ops=3).drawn(0, (224, 224)))
    3
    """

    num_ops: int = 2
    magnitude: int = 9
    num_magnitude_bins: int = 31
    interpolation: Interpolation = "nearest"
    fill: Optional[Color] = None

    def _native(self) -> Any:
        return _core.RandAugment(
            count("num_ops", self.num_ops),
            count("magnitude", self.magnitude),
            count("num_magnitude_bins", self.num_magnitude_bins),
            text("interpolation", self.interpolation),
            outside(self.fill),
        )


@operation
@dataclass(frozen=True)
class AutoAugment(AugmentationPolicy):
    """One of the 25 pairs of operations that were learned on "imagenet", "cifar10"
    or "svhn", each operation with the probability learned.

    >>> shardine.AutoAugment("cifar10").fill is None
    True
    """

    policy: Literal["imagenet", "cifar10", "svhn"] = "imagenet"
    interpolation: Interpolation = "nearest"
    fill: Optional[Color] = None

    def _native(self) -> Any:
        return _core.AutoAugment(
            text("policy", self.policy),
            text("interpolation", self.interpolation),
            outside(self.fill),
        )
