"""What becomes of an image on its way into a batch.

Sizes are one number for a square or (height, width), as in torchvision. Pixels
are those of Pillow's crop and resize, bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Tuple, Union

from . import _core

Size = Union[int, Tuple[int, int]]


def _width_height(size: Size) -> Tuple[int, int]:
    if isinstance(size, (tuple, list)):
        height, width = size
        return width, height
    return size, size


class Transform:
    """One of those below."""

    def _native(self):
        raise NotImplementedError


@dataclass(frozen=True)
class RandomResizedCrop(Transform):
    """torchvision's RandomResizedCrop and RandomHorizontalFlip in one: a part
    of random area (scale, of the image's) and aspect ratio, flipped with
    probability `flip`."""

    size: Size
    scale: Tuple[float, float] = (0.08, 1.0)
    ratio: Tuple[float, float] = (3 / 4, 4 / 3)
    flip: float = 0.5

    def _native(self):
        return _core.RandomResizedCrop(
            *_width_height(self.size), *self.scale, *self.ratio, self.flip
        )


@dataclass(frozen=True)
class CenterCrop(Transform):
    """The short side to `resize` pixels (0: the image as it is), then the
    middle; black where the image is too small."""

    size: Size
    resize: int = 256

    def _native(self):
        return _core.CenterCrop(*_width_height(self.size), self.resize)


@dataclass(frozen=True)
class Resize(Transform):
    """The whole image, whatever becomes of its aspect ratio."""

    size: Size

    def _native(self):
        return _core.Resize(*_width_height(self.size))


@dataclass(frozen=True)
class FixedCrop(Transform):
    """The same box of each image: x, y, width, height in its pixels. An image
    that does not have all of it is a bad sample."""

    box: Tuple[int, int, int, int]
    size: Size

    def _native(self):
        return _core.FixedCrop(*self.box, *_width_height(self.size))


@dataclass(frozen=True)
class RectVal(Transform):
    """Rectangular validation: images in ascending order of width / height,
    each batch in the mean ratio of its images (sides multiples of 8), cut from
    the middle after the short side became int(size * 1.14). Takes the place of
    the loader's order."""

    size: int

    def _native(self):
        return _core.RectVal(self.size)
