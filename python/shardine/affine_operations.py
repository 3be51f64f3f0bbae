"""Operations that turn, shear, scale and move an image and keep its size. Pixels are
torchvision's, as shardine.pixel_operations has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Optional, Sequence, Tuple, Union

from . import _core
from .arguments import integers, real, reals, text
from .pixel_operations import Color, PixelOperation, color, operation, probability

Interpolation = Literal["nearest", "bilinear"]
Range = Tuple[float, float]


def outside(fill: Any) -> Optional[Tuple[int, int, int]]:
    return None if fill is None else color("fill", fill)


def _both_ways(name: str, value: Any) -> Range:
    if isinstance(value, (tuple, list)):
        low, high = reals(name, value, 2)
        return low, high
    most = real(name, value)
    if not most >= 0:
        raise ValueError(f"{name}: {value!r} is negative")
    return -most, most


@operation
@dataclass(frozen=True)
class Affine(PixelOperation):
    """Sheared by so many degrees (x, y), turned clockwise by `angle` degrees and
    scaled around the middle, then moved by whole pixels (right, down). fill: the color
    of pixels outside the image, or None: black; they differ for bilinear pixels at the
    border as in torchvision.

    >>> shardine.Affine(30, translate=(2, 0), interpolation="bilinear").scale
    1.0
    """

    angle: float = 0.0
    translate: Tuple[int, int] = (0, 0)
    scale: float = 1.0
    shear: Range = (0.0, 0.0)
    interpolation: Interpolation = "nearest"
    fill: Optional[Color] = 0
    p: float = 1.0

    def _native(self) -> Any:
        right, down = integers("translate", self.translate, 2)
        return _core.Affine(
            real("angle", self.angle),
            (right, down),
            real("scale", self.scale),
            reals("shear", self.shear, 2),
            text("interpolation", self.interpolation),
            outside(self.fill),
            probability(self.p),
        )


@operation
@dataclass(frozen=True)
class RandomAffine(PixelOperation):
    """Affine, drawn: an angle of (least, most) degrees, or up to that many either
    way; moved by up to so much of the width and of the height; a scale of (least,
    most); sheared along x by such an angle, or by (least, most) along x and (least,
    most) along y, four numbers.

    >>> shardine.RandomAffine(15, translate=(0.1, 0.1), scale=(0.9, 1.1)).shear is None
    True
    """

    degrees: Union[float, Range]
    translate: Optional[Range] = None
    scale: Optional[Range] = None
    shear: Optional[Union[float, Sequence[float]]] = None
    interpolation: Interpolation = "nearest"
    fill: Optional[Color] = 0
    p: float = 1.0

    def _native(self) -> Any:
        translate = (0, 0) if self.translate is None else self.translate
        scale = (1, 1) if self.scale is None else self.scale
        shear = 0 if self.shear is None else self.shear
        along: Tuple[Any, Any] = shear, 0
        if isinstance(shear, (tuple, list)) and len(shear) == 4:
            along = shear[:2], shear[2:]
        return _core.RandomAffine(
            _both_ways("degrees", self.degrees),
            reals("translate", translate, 2),
            reals("scale", scale, 2),
            _both_ways("shear", along[0]),
            _both_ways("shear", along[1]),
            text("interpolation", self.interpolation),
            outside(self.fill),
            probability(self.p),
        )


@operation
@dataclass(frozen=True)
class RandomRotation(PixelOperation):
    """Turned counter-clockwise around the middle by an angle of (least, most)
    degrees, or up to that many either way.

    >>> shardine.RandomRotation(15, interpolation="bilinear", fill=128).p
    1.0
    """

    degrees: Union[float, Range]
    interpolation: Interpolation = "nearest"
    fill: Optional[Color] = 0
    p: float = 1.0

    def _native(self) -> Any:
        return _core.RandomRotation(
            _both_ways("degrees", self.degrees),
            text("interpolation", self.interpolation),
            outside(self.fill),
            probability(self.p),
        )
