"""What becomes of an image on its way into a batch.

Sizes are one number for a square or (height, width), as in torchvision. Pixels
are those of Pillow's crop and resize, bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Optional, Tuple, Type, TypeVar, Union

from . import _core
from .arguments import count, counts, explained, real, reals

Size = Union[int, Tuple[int, int]]


def _width_height(size: Size) -> Tuple[int, int]:
    if isinstance(size, (tuple, list)):
        height, width = counts("size", size, 2)
        return width, height
    side = count("size", size)
    return side, side


class Transform:
    """One of those below."""

    # The loader's order that belongs to it; None: any.
    _order: ClassVar[Optional[str]] = None

    def _native(self) -> Any:
        raise NotImplementedError

    def __post_init__(self) -> None:
        self._native()  # refuses what is no number


_Class = TypeVar("_Class", bound=Type[Transform])


def _transform(cls: _Class) -> _Class:
    """Calls that do not fit say why."""
    cls.__init__ = explained(cls.__name__)(cls.__init__)  # type: ignore
    return cls


@_transform
@dataclass(frozen=True)
class RandomResizedCrop(Transform):
    """torchvision's RandomResizedCrop and RandomHorizontalFlip in one: a part
    of random area (scale, of the image's) and aspect ratio, flipped with
    probability `flip`."""

    size: Size
    scale: Tuple[float, float] = (0.08, 1.0)
    ratio: Tuple[float, float] = (3 / 4, 4 / 3)
    flip: float = 0.5

    def _native(self) -> _core.RandomResizedCrop:
        width, height = _width_height(self.size)
        min_scale, max_scale = reals("scale", self.scale, 2)
        min_ratio, max_ratio = reals("ratio", self.ratio, 2)
        flip = real("flip", self.flip)
        return _core.RandomResizedCrop(
            width, height, min_scale, max_scale, min_ratio, max_ratio, flip
        )


@_transform
@dataclass(frozen=True)
class CenterCrop(Transform):
    """The short side to `resize` pixels (0: the image as it is), then the
    middle; black where the image is too small."""

    size: Size
    resize: int = 256

    def _native(self) -> _core.CenterCrop:
        return _core.CenterCrop(
            *_width_height(self.size), count("resize", self.resize)
        )


@_transform
@dataclass(frozen=True)
class Resize(Transform):
    """The whole image, whatever becomes of its aspect ratio."""

    size: Size

    def _native(self) -> _core.Resize:
        return _core.Resize(*_width_height(self.size))


@_transform
@dataclass(frozen=True)
class FixedCrop(Transform):
    """The same box of each image: x, y, width, height in its pixels. An image
    that does not have all of it is a bad sample."""

    box: Tuple[int, int, int, int]
    size: Size

    def _native(self) -> _core.FixedCrop:
        x, y, box_width, box_height = counts("box", self.box, 4)
        width, height = _width_height(self.size)
        return _core.FixedCrop(x, y, box_width, box_height, width, height)


@_transform
@dataclass(frozen=True)
class RectVal(Transform):
    """Rectangular validation: images in ascending order of width / height,
    each batch in the mean ratio of its images (sides multiples of 8), cut from
    the middle after the short side became int(size * 1.14). It is CenterCrop(
    size, int(size * 1.14)) with the loader's order "ratio", whatever order was
    given."""

    size: int
    _order: ClassVar[Optional[str]] = "ratio"

    def _native(self) -> _core.CenterCrop:
        size = count("size", self.size)
        return _core.CenterCrop(size, size, int(size * 1.14))
