"""Mean and standard deviation, by name or in torchvision's scale."""

from __future__ import annotations

import math
from typing import Any, Literal, Optional, Sequence, Tuple, Union

from .arguments import reals

Triple = Tuple[float, float, float]
# For values from 0 to 1, as torchvision.transforms.Normalize takes them.
Normalization = Union[Literal["imagenet"], Tuple[Sequence[float], Sequence[float]]]

# For values that stay as they are.
NO_MEAN, NO_STD = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
# Mean and deviation of ImageNet's training images, scaled to 0 to 1, as torchvision's
# models use them.
_IMAGENET = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))


def mean_and_std(normalize: Any) -> Tuple[Triple, Triple]:
    """Mean and deviation for pixels from 0 to 255: `normalize` times 255.

    ValueError: they are for pixels from 0 to 255 already; std has a 0.

    >>> mean_and_std("imagenet")[0]
    (123.675, 116.28, 103.53)
    """
    if isinstance(normalize, str):
        if normalize != "imagenet":
            raise ValueError(f'normalize: "{normalize}" is not imagenet')
        normalize = _IMAGENET
    if not isinstance(normalize, (tuple, list)) or len(normalize) != 2:
        raise TypeError(
            f'normalize: {normalize!r} is neither "imagenet" nor a pair (mean, std)'
        )
    mean = reals("normalize: mean", normalize[0], 3)
    std = reals("normalize: std", normalize[1], 3)
    if not all(0 <= value <= 1 for value in mean + std):
        raise ValueError(
            f"normalize: mean {mean} and std {std} are not of values from 0 to 1; "
            "those of pixels from 0 to 255 are mean= and std="
        )
    if 0 in std:
        raise ValueError(f"normalize: std {std} has a 0")
    return _scaled(mean), _scaled(std)


def chosen(
    normalize: Optional[Normalization], mean: Any, std: Any
) -> Tuple[Any, Any]:
    """(mean, std) of pixels from 0 to 255: as given, or those of `normalize`.
    ValueError: both were given."""
    if normalize is None:
        return mean, std
    scaled = mean_and_std(normalize)
    if (mean, std) != (NO_MEAN, NO_STD):
        raise ValueError("give either normalize=, or mean= and std=")
    return scaled


def checked_scale(mean: Any, std: Any) -> Tuple[Triple, Triple]:
    """(mean, std) of pixels from 0 to 255, as the Loader's native part would take
    them.

    ValueError: one is not finite, or std not above 0; or they are for values from 0 to
    1, and would make pixels from 0 to 255 large numbers.

    >>> checked_scale((123.675, 116.28, 103.53), (58.395, 57.12, 57.375))[0]
    (123.675, 116.28, 103.53)
    """
    means, deviations = _triple("mean", mean), _triple("std", std)
    if not all(value > 0 for value in deviations):
        raise ValueError(f"std: {deviations} is not above 0")
    for name, values, none in (("mean", means, NO_MEAN), ("std", deviations, NO_STD)):
        if values != none and all(0 <= value <= 1 for value in values):
            raise ValueError(
                f"{name}: {values} is for values from 0 to 1, but pixels are "
                "0 to 255; normalize=(mean, std) takes it"
            )
    return means, deviations


def _triple(name: str, values: Any) -> Triple:
    red, green, blue = reals(name, values, 3)
    if not all(map(math.isfinite, (red, green, blue))):
        raise ValueError(f"{name}: {(red, green, blue)} is not finite")
    return red, green, blue


def _scaled(values: Sequence[float]) -> Triple:
    # 0.456 * 255 is 116.28 and a little, which no one writes.
    red, green, blue = (round(value * 255, 9) for value in values)
    return red, green, blue
