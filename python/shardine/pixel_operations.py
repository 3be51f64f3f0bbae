"""Operations on the pixels, once they have the size of a batch's images.

Names, parameters and pixels are those of torchvision.transforms.v2 on uint8
tensors; the header shardine/pixel_operations.h has each one's formula, the parts that
are equal bit for bit or to one level, and its draws, number by number. Draws are
functions of the loader's seed, the epoch, the sample's id and the operation's place in
the list, and of nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Tuple, Type, TypeVar, Union

from . import _core
from .arguments import count, explained, real, reals

Range = Tuple[float, float]
Jitter = Union[float, Range]
Color = Union[int, Tuple[int, int, int]]


class PixelOperation:
    """One of those below, for a list that begins with a crop.

    >>> import shardine
    >>> shardine.Compose([shardine.CenterCrop(32), shardine.RandomInvert()])
    Compose(transforms=(CenterCrop(size=32, resize=256), RandomInvert(p=0.5)))
    """

    def _native(self) -> Any:
        raise NotImplementedError

    def __post_init__(self) -> None:
        self._native()  # refuses values other than numbers


_Class = TypeVar("_Class", bound=Type[PixelOperation])


def operation(cls: _Class) -> _Class:
    """Calls that do not fit say why."""
    cls.__init__ = explained(cls.__name__)(cls.__init__)  # type: ignore
    return cls


def probability(value: Any) -> float:
    p = real("p", value)
    if not 0 <= p <= 1:
        raise ValueError(f"p: {value!r} is not in 0 to 1")
    return p


def _range(name: str, values: Any) -> Range:
    low, high = reals(name, values, 2)
    return low, high


def color(name: str, value: Any) -> Tuple[int, int, int]:
    """Three bytes, from three or from one."""
    several = value if isinstance(value, (tuple, list)) else (value,) * 3
    if len(several) != 3:
        raise TypeError(f"{name}: {value!r} is neither one number nor three")
    red, green, blue = (count(name, each, 8) for each in several)
    return red, green, blue


def _around(name: str, value: Any, middle: float) -> Range:
    """torchvision's range from one number, which is the way from the middle."""
    if isinstance(value, (tuple, list)):
        return _range(name, value)
    away = real(name, value)
    if not away >= 0:
        raise ValueError(f"{name}: {value!r} is negative")
    # Factors are not below 0, but hue's are turns.
    return max(middle - away, 0.0) if middle else -away, middle + away


@operation
@dataclass(frozen=True)
class RandomHorizontalFlip(PixelOperation):
    """Left becomes right, with probability p; batch.boxes says so. A
    RandomResizedCrop flips by itself unless its flip is 0.

    >>> changes = [shardine.CenterCrop(32), shardine.RandomHorizontalFlip(p=1)]
    >>> next(iter(shardine.Loader("data", batch_size=2, transform=changes))).boxes[:, 4]
    array([1, 1], dtype=int32)
    """

    p: float = 0.5

    def _native(self) -> Any:
        return _core.RandomHorizontalFlip(probability(self.p))


@operation
@dataclass(frozen=True)
class RandomVerticalFlip(PixelOperation):
    """Upside down, with probability p; batch.boxes says so: its last column is 2,
    or 3 with a horizontal flip.

    >>> changes = [shardine.CenterCrop(32), shardine.RandomVerticalFlip(p=1)]
    >>> next(iter(shardine.Loader("data", batch_size=2, transform=changes))).boxes[:, 4]
    array([2, 2], dtype=int32)
    """

    p: float = 0.5

    def _native(self) -> Any:
        return _core.RandomVerticalFlip(probability(self.p))


@operation
@dataclass(frozen=True)
class ColorJitter(PixelOperation):
    """Brightness, contrast, saturation and hue by random factors, in random
    order: each of [max(0, 1 - x), 1 + x], hue of [-x, x]; or of the (least, most)
    given. p: the probability that anything is done at all, as of SimCLR's
    RandomApply.

    >>> shardine.ColorJitter(0.4, 0.4, 0.4, hue=0.1, p=0.8)
    ColorJitter(brightness=0.4, contrast=0.4, saturation=0.4, hue=0.1, p=0.8)
    """

    brightness: Jitter = 0.0
    contrast: Jitter = 0.0
    saturation: Jitter = 0.0
    hue: Jitter = 0.0
    p: float = 1.0

    def _native(self) -> Any:
        return _core.ColorJitter(
            _around("brightness", self.brightness, 1.0),
            _around("contrast", self.contrast, 1.0),
            _around("saturation", self.saturation, 1.0),
            _around("hue", self.hue, 0.0),
            probability(self.p),
        )


@operation
@dataclass(frozen=True)
class RandomGrayscale(PixelOperation):
    """All three channels become gray, with probability p.

    >>> shardine.RandomGrayscale(0.2)
    RandomGrayscale(p=0.2)
    """

    p: float = 0.1

    def _native(self) -> Any:
        return _core.RandomGrayscale(probability(self.p))


@operation
@dataclass(frozen=True)
class RandomInvert(PixelOperation):
    """255 - value, with probability p.

    >>> shardine.RandomInvert()
    RandomInvert(p=0.5)
    """

    p: float = 0.5

    def _native(self) -> Any:
        return _core.RandomInvert(probability(self.p))


@operation
@dataclass(frozen=True)
class RandomPosterize(PixelOperation):
    """The highest `bits` of each value stay, with probability p.

    >>> shardine.RandomPosterize(bits=4)
    RandomPosterize(bits=4, p=0.5)
    """

    bits: int
    p: float = 0.5

    def _native(self) -> Any:
        return _core.RandomPosterize(count("bits", self.bits), probability(self.p))


@operation
@dataclass(frozen=True)
class RandomSolarize(PixelOperation):
    """255 - value where that is `threshold` or more, with probability p.

    >>> shardine.RandomSolarize(128)
    RandomSolarize(threshold=128, p=0.5)
    """

    threshold: float
    p: float = 0.5

    def _native(self) -> Any:
        return _core.RandomSolarize(
            real("threshold", self.threshold), probability(self.p)
        )


@operation
@dataclass(frozen=True)
class RandomAutocontrast(PixelOperation):
    """Each channel spread to 0 to 255, with probability p.

    >>> shardine.RandomAutocontrast(p=1.0)
    RandomAutocontrast(p=1.0)
    """

    p: float = 0.5

    def _native(self) -> Any:
        return _core.RandomAutocontrast(probability(self.p))


@operation
@dataclass(frozen=True)
class RandomEqualize(PixelOperation):
    """Each channel's histogram made even, with probability p.

    >>> shardine.RandomEqualize()
    RandomEqualize(p=0.5)
    """

    p: float = 0.5

    def _native(self) -> Any:
        return _core.RandomEqualize(probability(self.p))


@operation
@dataclass(frozen=True)
class RandomAdjustSharpness(PixelOperation):
    """Softer below 1, sharper above, with probability p.

    >>> shardine.RandomAdjustSharpness(2)
    RandomAdjustSharpness(sharpness_factor=2, p=0.5)
    """

    sharpness_factor: float
    p: float = 0.5

    def _native(self) -> Any:
        return _core.RandomAdjustSharpness(
            real("sharpness_factor", self.sharpness_factor), probability(self.p)
        )


@operation
@dataclass(frozen=True)
class GaussianBlur(PixelOperation):
    """A kernel of that size, one odd number or (width, height), whose sigma is
    drawn of (least, most), or is the number given. p: the probability that
    anything is done, as of SimCLR's RandomApply.

    >>> shardine.GaussianBlur(23, sigma=(0.1, 2.0), p=0.5)
    GaussianBlur(kernel_size=23, sigma=(0.1, 2.0), p=0.5)
    """

    kernel_size: Union[int, Tuple[int, int]]
    sigma: Union[float, Range] = (0.1, 2.0)
    p: float = 1.0

    def _native(self) -> Any:
        size, sigma = self.kernel_size, self.sigma
        sizes = size if isinstance(size, (tuple, list)) else (size, size)
        if len(sizes) != 2:
            raise TypeError(f"kernel_size: {size!r} is neither a number nor two")
        if not isinstance(sigma, (tuple, list)):
            sigma = (sigma, sigma)
        width, height = (count("kernel_size", each) for each in sizes)
        return _core.GaussianBlur(
            width, height, _range("sigma", sigma), probability(self.p)
        )


@operation
@dataclass(frozen=True)
class RandomErasing(PixelOperation):
    """A box of random area (scale, of the image's) and ratio (height / width)
    becomes `value`, a number or three, 0 to 255, with probability p. With floats
    it is normalized as all other pixels are: for a value of 0 then, give the mean.

    >>> shardine.RandomErasing(0.25, value=(124, 116, 104)).value
    (124, 116, 104)
    """

    p: float = 0.5
    scale: Range = (0.02, 0.33)
    ratio: Range = (0.3, 3.3)
    value: Color = 0

    def _native(self) -> Any:
        return _core.RandomErasing(
            probability(self.p),
            _range("scale", self.scale),
            _range("ratio", self.ratio),
            color("value", self.value),
        )


@operation
@dataclass(frozen=True)
class Cutout(PixelOperation):
    """A square around a random pixel becomes `value`, as far as it is in the
    image; a side that is odd is made even.

    >>> shardine.Cutout(16, value=(124, 116, 104))
    Cutout(side=16, value=(124, 116, 104), p=1.0)
    """

    side: int
    value: Color = 0
    p: float = 1.0

    def _native(self) -> Any:
        return _core.Cutout(
            count("side", self.side), color("value", self.value), probability(self.p)
        )


@operation
@dataclass(frozen=True)
class Lighting(PixelOperation):
    """AlexNet's noise along the principal components of ImageNet's colors, of
    that standard deviation.

    >>> shardine.Lighting(0.1)
    Lighting(std=0.1, p=1.0)
    """

    std: float = 0.1
    p: float = 1.0

    def _native(self) -> Any:
        return _core.Lighting(real("std", self.std), probability(self.p))
