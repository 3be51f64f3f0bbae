"""The operations of MXNet's ImageRecordIter on images, under names of their own:
shardine.ImageRecordIter has its names. The header shardine/image_record_operations.h
has each formula and each random draw; pixels are those of MXNet 1.9.1 with its OpenCV
3.4.2, bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Optional, Sequence, Tuple, Union

from . import _core
from .arguments import count, counts, flag, integers, real, reals, text
from .pixel_operations import PixelOperation, operation
from .transforms import Size, Transform, _transform, _width_height

Range = Tuple[float, float]
WholeRange = Tuple[int, int]
Interpolation = Literal[
    "nearest", "linear", "cubic", "area", "lanczos4", "auto", "random"
]
_ANY_SIDE = (0.0, 1e10)


def _whole_range(name: str, value: Any) -> WholeRange:
    """(least, most), or so much either way."""
    if not isinstance(value, (tuple, list)):
        most = count(name, value, 31)
        return -most, most
    low, high = integers(name, value, 2)
    return low, high


def _factors(name: str, value: Any) -> Range:
    """(least, most), or so much either way of 1."""
    if isinstance(value, (tuple, list)):
        low, high = reals(name, value, 2)
        return low, high
    away = real(name, value)
    if not away >= 0:
        raise ValueError(f"{name}: {value!r} is negative")
    return 1 - away, 1 + away


@_transform
@dataclass(frozen=True)
class ImageRecordCrop(Transform):
    """ImageRecordIter's geometry, with OpenCV's arithmetic: the short side to
    `resize` (0: as it is); sheared, turned by whole degrees of `angle` (least,
    most) or by one of `angles`, scaled, its `aspect` (width / height) changed, its
    sides kept within `side`; a border of `pad` pixels, `fill` as all that is beyond
    the image; then a part of the size, in the middle or at a `random_place`. Or
    that part is a square of `crop_size` (least, most) pixels, or, with
    resized_crop=True, one of `area` (of the image's) and `aspect`, resized.

    >>> turned = shardine.ImageRecordCrop(32, resize=40, angle=(-10, 10), pad=4)
    >>> batch = next(iter(shardine.Loader("data", batch_size=4, transform=turned)))
    >>> batch.images.shape
    (4, 3, 32, 32)
    """

    size: Size
    resize: int = 0
    shear: Range = (0.0, 0.0)
    angle: WholeRange = (0, 0)
    angles: Sequence[int] = ()
    scale: Range = (1.0, 1.0)
    aspect: Range = (1.0, 1.0)
    side: Range = _ANY_SIDE
    pad: int = 0
    fill: int = 255
    random_place: bool = False
    crop_size: Optional[Tuple[int, int]] = None
    resized_crop: bool = False
    area: Range = (1.0, 1.0)
    interpolation: Interpolation = "linear"

    def _native(self) -> _core.ImageRecordCrop:
        crop = _core.ImageRecordCrop(*_width_height(self.size))
        crop.resize = count("resize", self.resize)
        crop.shear = list(reals("shear", self.shear, 2))
        crop.angle = list(integers("angle", self.angle, 2))
        crop.angles = list(integers("angles", self.angles, len(self.angles)))
        crop.scale = list(reals("scale", self.scale, 2))
        crop.aspect = list(reals("aspect", self.aspect, 2))
        crop.side = list(reals("side", self.side, 2))
        crop.pad = count("pad", self.pad)
        crop.fill = count("fill", self.fill, 8)
        crop.random_place = flag("random_place", self.random_place)
        if self.crop_size is not None:
            crop.crop_size = list(counts("crop_size", self.crop_size, 2))
            if crop.crop_size[0] == 0:
                raise ValueError(f"crop_size: {self.crop_size!r} has a 0")
        crop.resized_crop = flag("resized_crop", self.resized_crop)
        crop.area = list(reals("area", self.area, 2))
        crop.interpolation = text("interpolation", self.interpolation)
        return crop


@operation
@dataclass(frozen=True)
class ImageRecordJitter(PixelOperation):
    """ImageRecordIter's brightness, contrast and saturation, in random order: by a
    factor of (least, most), or of 1 - x to 1 + x. ColorJitter's pixels are
    torchvision's.

    >>> shardine.ImageRecordJitter(brightness=0.4, saturation=(0.5, 1.5)).contrast
    0.0
    """

    brightness: Union[float, Range] = 0.0
    contrast: Union[float, Range] = 0.0
    saturation: Union[float, Range] = 0.0

    def _native(self) -> Any:
        return _core.ImageRecordJitter(
            _factors("brightness", self.brightness),
            _factors("contrast", self.contrast),
            _factors("saturation", self.saturation),
        )


@operation
@dataclass(frozen=True)
class RandomHLS(PixelOperation):
    """Adds whole numbers, up to so many either way or of (least, most), to hue (0
    to 180), saturation and lightness (0 to 255) in OpenCV's HLS: ImageRecordIter's
    random_h, random_s and random_l.

    >>> shardine.RandomHLS(h=36, s=50, l=50)
    RandomHLS(h=36, s=50, l=50)
    """

    h: Union[int, WholeRange] = 0
    s: Union[int, WholeRange] = 0
    l: Union[int, WholeRange] = 0  # noqa: E741

    def _native(self) -> Any:
        return _core.RandomHls(
            _whole_range("h", self.h),
            _whole_range("s", self.s),
            _whole_range("l", self.l),
        )


@operation
@dataclass(frozen=True)
class PCANoise(PixelOperation):
    """AlexNet's noise along the principal components of colors, of that standard
    deviation, as ImageRecordIter's pca_noise has it. Lighting rounds where this
    truncates.

    >>> shardine.PCANoise(0.1)
    PCANoise(deviation=0.1)
    """

    deviation: float

    def _native(self) -> Any:
        return _core.PcaNoise(real("deviation", self.deviation))


@operation
@dataclass(frozen=True)
class ImageRecordNormalize(PixelOperation):
    """(value - mean) * contrast * scale / std + illumination * scale / std, of
    values from 0 to 255: ImageRecordIter's normalization, the last of a list, with a
    Loader's dtype "float32" or "float16". contrast is 1 and illumination 0, up to so
    much more or less. mean_image: means of 3 x H x W instead, which are flipped with
    the image.

    >>> floats = [shardine.CenterCrop(8), shardine.ImageRecordNormalize(scale=1 / 255)]
    >>> loader = shardine.Loader("data", batch_size=4, dtype="float32", transform=floats)
    >>> bool(next(iter(loader)).images.max() <= 1)
    True
    """

    mean: Tuple[float, float, float] = (0.0, 0.0, 0.0)
    std: Tuple[float, float, float] = (1.0, 1.0, 1.0)
    scale: float = 1.0
    max_contrast: float = 0.0
    max_illumination: float = 0.0
    mean_image: Any = field(default=None, compare=False, repr=False)

    def _native(self) -> Any:
        return _core.ImageRecordNormalize(
            reals("mean", self.mean, 3),
            reals("std", self.std, 3),
            real("scale", self.scale),
            real("max_contrast", self.max_contrast),
            real("max_illumination", self.max_illumination),
            _mean_image(self.mean_image),
        )


def _mean_image(value: Any) -> Any:
    if value is None:
        return None
    import numpy

    image = numpy.ascontiguousarray(value, numpy.float32)
    if image.ndim != 3 or image.shape[0] != 3:
        raise ValueError(f"mean_image: {image.shape} is not (3, height, width)")
    if not numpy.isfinite(image).all():
        raise ValueError("mean_image: it has values that are not finite")
    return image.ravel().tolist()
