"""ImageRecordIter's augmentation, by its names, as a list of transforms."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple, TypedDict
from typing import Union

from .arguments import integers, real, within
from .image_record_operations import (
    ImageRecordCrop,
    ImageRecordJitter,
    ImageRecordNormalize,
    Interpolation,
    PCANoise,
    RandomHLS,
)
from .pixel_operations import PixelOperation, RandomHorizontalFlip
from .transforms import Transform

if sys.version_info >= (3, 11):
    from typing import Unpack
elif TYPE_CHECKING:
    from typing_extensions import Unpack

# By the number of inter_method; no other number is one.
_INTERPOLATIONS: Dict[int, Interpolation] = {
    0: "nearest",
    1: "linear",
    2: "cubic",
    3: "area",
    4: "lanczos4",
    9: "auto",
    10: "random",
}


class ImageRecordAugmentation(TypedDict, total=False):
    """The parameters of MXNet's DefaultImageAugmentParam and ImageNormalizeParam."""

    resize: int
    rand_crop: bool
    random_resized_crop: bool
    max_rotate_angle: int
    max_aspect_ratio: float
    min_aspect_ratio: Optional[float]
    max_shear_ratio: float
    max_crop_size: int
    min_crop_size: int
    max_random_scale: float
    min_random_scale: float
    max_random_area: float
    min_random_area: float
    max_img_size: float
    min_img_size: float
    brightness: float
    contrast: float
    saturation: float
    pca_noise: float
    random_h: int
    random_s: int
    random_l: int
    rotate: int
    rotate_list: Union[str, Sequence[int]]
    fill_value: int
    inter_method: int
    pad: int
    mirror: bool
    rand_mirror: bool
    mean_img: str
    mean_r: float
    mean_g: float
    mean_b: float
    mean_a: float
    std_r: float
    std_g: float
    std_b: float
    std_a: float
    scale: float
    max_random_contrast: float
    max_random_illumination: float


# Its own.
DEFAULTS: ImageRecordAugmentation = {
    "resize": -1,
    "rand_crop": False,
    "random_resized_crop": False,
    "max_rotate_angle": 0,
    "max_aspect_ratio": 0.0,
    "min_aspect_ratio": None,
    "max_shear_ratio": 0.0,
    "max_crop_size": -1,
    "min_crop_size": -1,
    "max_random_scale": 1.0,
    "min_random_scale": 1.0,
    "max_random_area": 1.0,
    "min_random_area": 1.0,
    "max_img_size": 1e10,
    "min_img_size": 0.0,
    "brightness": 0.0,
    "contrast": 0.0,
    "saturation": 0.0,
    "pca_noise": 0.0,
    "random_h": 0,
    "random_s": 0,
    "random_l": 0,
    "rotate": -1,
    "rotate_list": (),
    "fill_value": 255,
    "inter_method": 1,
    "pad": 0,
    "mirror": False,
    "rand_mirror": False,
    "mean_img": "",
    "mean_r": 0.0,
    "mean_g": 0.0,
    "mean_b": 0.0,
    "mean_a": 0.0,
    "std_r": 1.0,
    "std_g": 1.0,
    "std_b": 1.0,
    "std_a": 1.0,
    "scale": 1.0,
    "max_random_contrast": 0.0,
    "max_random_illumination": 0.0,
}
COLORS = ("brightness", "contrast", "saturation", "pca_noise", "random_h", "random_s",
          "random_l")  # fmt: skip
NORMALIZATION = ("mean_img", "mean_r", "mean_g", "mean_b", "mean_a", "std_r", "std_g",
                 "std_b", "std_a", "scale", "max_random_contrast",
                 "max_random_illumination")  # fmt: skip


class Given:
    """The augmentation that was asked for, value by value, each as it is read."""

    def __init__(self, options: ImageRecordAugmentation) -> None:
        self._values: Dict[str, Any] = {**DEFAULTS, **options}

    def changed(self, names: Sequence[str]) -> List[str]:
        """The options that differ from their defaults."""
        defaults: Dict[str, Any] = {**DEFAULTS}
        return [name for name in names if self._values[name] != defaults[name]]

    def switch(self, name: str) -> bool:
        return switch(name, self._values[name])

    def whole(self, name: str, low: int, high: int) -> int:
        return within(name, self._values[name], low, high)

    def number(self, name: str, low: float, high: float) -> float:
        value = real(name, self._values[name])
        if not low <= value <= high:
            raise ValueError(f"{name}: {value!r} is not in {low:g} to {high:g}")
        return value

    def span(self, kind: str, low: float, high: float) -> Tuple[float, float]:
        """The options min_... and max_... of that kind."""
        least = self.number(f"min_{kind}", low, high)
        most = self.number(f"max_{kind}", low, high)
        if least > most:
            raise ValueError(f"min_{kind}: {least!r} is above max_{kind}, {most!r}")
        return least, most

    def get(self, name: str) -> Any:
        return self._values[name]


def switch(name: str, value: Any) -> bool:
    """A bool, from a bool or the 0 and 1 that MXNet takes as well."""
    if type(value).__name__ in ("bool", "bool_") or value in (0, 1):
        return bool(value)
    raise TypeError(f"{name}: {value!r} is neither True nor False")


def shape_of(data_shape: Any) -> Tuple[int, int, int]:
    """Channels, height and width."""
    channels, height, width = integers("data_shape", data_shape, 3)
    if channels not in (1, 3):
        raise ValueError(
            f"data_shape: {tuple(data_shape)!r} has {channels} channels; there are "
            "batches of 3 and, of gray images, of 1"
        )
    within("data_shape: height", height, 1, 65_535)
    within("data_shape: width", width, 1, 65_535)
    return channels, height, width


def _resize(given: Given) -> int:
    value = given.whole("resize", -1, 65_535)
    if value == 0:
        raise ValueError("resize: 0 is neither a side nor -1, which leaves it")
    return max(value, 0)


def _angles(given: Given) -> Dict[str, Any]:
    listed = given.get("rotate_list")
    if isinstance(listed, str):
        try:
            listed = [int(each) for each in listed.split(",")] if listed else []
        except ValueError:
            raise ValueError(
                f"rotate_list: {listed!r} is not whole numbers with commas"
            ) from None
    if len(listed) > 0:
        return {"angles": integers("rotate_list", listed, len(listed))}
    rotate = given.whole("rotate", -1, 36_000)
    most = given.whole("max_rotate_angle", 0, 36_000)
    return {"angle": (rotate, rotate) if rotate > 0 else (-most, most)}


def _aspect(given: Given) -> Tuple[float, float]:
    if given.get("min_aspect_ratio") is not None:
        return given.span("aspect_ratio", 1e-3, 1e3)
    away = given.number("max_aspect_ratio", 0, 0.999)
    return 1 - away, 1 + away


def _crop_size(given: Given) -> Optional[Tuple[int, int]]:
    least = given.whole("min_crop_size", -1, 65_535)
    most = given.whole("max_crop_size", -1, 65_535)
    if least == most == -1:
        return None
    if least < 1 or most < least:
        raise ValueError(
            f"min_crop_size, max_crop_size: {least} and {most} are no range of "
            "sides; both are to be given"
        )
    return least, most


def _cut(given: Given, size: Tuple[int, int]) -> ImageRecordCrop:
    method = given.whole("inter_method", 0, 10)
    if method not in _INTERPOLATIONS:
        raise ValueError(f"inter_method: {method} is none of 0 to 4, 9 and 10")
    most = given.number("max_shear_ratio", 0, 100)
    resized = given.switch("random_resized_crop")
    against = given.changed(
        ("min_random_scale", "max_random_scale", "min_crop_size", "max_crop_size",
         "rand_crop")  # fmt: skip
    )
    if resized and against:
        raise ValueError(f"random_resized_crop: excludes {', '.join(against)}")
    return ImageRecordCrop(
        size,
        resize=_resize(given),
        shear=(-most, most),
        scale=given.span("random_scale", 1e-3, 1e3),
        aspect=_aspect(given),
        side=given.span("img_size", 0, 1e10),
        pad=given.whole("pad", 0, 65_535),
        fill=given.whole("fill_value", 0, 255),
        random_place=given.switch("rand_crop"),
        crop_size=_crop_size(given),
        resized_crop=resized,
        area=given.span("random_area", 0, 1e6),
        interpolation=_INTERPOLATIONS[method],
        **_angles(given),
    )


def _colors(given: Given) -> List[PixelOperation]:
    factors = [given.number(name, 0, 1e6) for name in COLORS[:3]]
    shifts = [given.whole(f"random_{name}", 0, 65_535) for name in "hsl"]
    noise = given.number("pca_noise", 0, 100)
    made: List[PixelOperation] = []
    if any(factors):
        made.append(ImageRecordJitter(*factors))
    if any(shifts):
        made.append(RandomHLS(*shifts))
    if noise:
        made.append(PCANoise(noise))
    return made


def _mirror(given: Given) -> List[PixelOperation]:
    always, sometimes = given.switch("mirror"), given.switch("rand_mirror")
    if always or sometimes:
        return [RandomHorizontalFlip(1 if always else 0.5)]
    return []


def _normalization(
    given: Given, channels: int, mean_image: Any
) -> List[PixelOperation]:
    finite = 1e30
    mean = [given.number(f"mean_{each}", -finite, finite) for each in "rgb"]
    std = [given.number(f"std_{each}", 1e-30, finite) for each in "rgb"]
    if given.get("scale") == 1 and all(each < 1 for each in std):
        raise ValueError(
            f"std_r, std_g, std_b: {std} are for values from 0 to 1, but pixels are 0 "
            "to 255: give them times 255, or scale=1/255 with a mean of 0 to 255"
        )
    if channels == 1:  # of which all three have the same
        mean, std = mean[:1] * 3, std[:1] * 3
    return [
        ImageRecordNormalize(
            (mean[0], mean[1], mean[2]),
            (std[0], std[1], std[2]),
            given.number("scale", -finite, finite),
            given.number("max_random_contrast", 0, finite),
            given.number("max_random_illumination", 0, finite),
            mean_image,
        )
    ]


def check_alpha(given: Given) -> None:
    """There is no fourth channel."""
    for name in given.changed(("mean_a", "std_a")):
        raise ValueError(f"{name}: images have no fourth channel here")


def transform_of(
    given: Given, shape: Tuple[int, int, int], floats: bool, mean_image: Any = None
) -> List[Union[Transform, PixelOperation]]:
    """In ImageRecordIter's order. floats: with normalization."""
    channels, height, width = shape
    colors = given.changed(COLORS)
    if channels == 1 and colors:
        raise ValueError(f"{colors[0]}: gray images have no colors to change")
    check_alpha(given)
    normalized = _normalization(given, channels, mean_image) if floats else []
    cut = _cut(given, (height, width))
    return [cut, *_colors(given), *_mirror(given), *normalized]


def image_record_transform(
    data_shape: Tuple[int, int, int],
    *,
    dtype: str = "float32",
    **augmentation: Unpack[ImageRecordAugmentation],
) -> List[Union[Transform, PixelOperation]]:
    """The operations of MXNet's ImageRecordIter on images under these arguments, which
    are its own, as the transform of a Loader with that dtype. ImageRecordIter's
    docstring has them.

    >>> import shardine
    >>> same = shardine.image_record_transform((3, 32, 32), rand_mirror=True, scale=1 / 255)
    >>> loader = shardine.Loader("data", batch_size=4, dtype="float32", transform=same)
    >>> next(iter(loader)).images.shape
    (4, 3, 32, 32)
    """
    unknown = [name for name in augmentation if name not in DEFAULTS]
    if unknown:
        raise TypeError(f"image_record_transform: unknown option {unknown[0]}")
    given = Given(augmentation)
    shape = shape_of(data_shape)
    if shape[0] != 3:
        raise ValueError("data_shape: a Loader has 3 channels; ImageRecordIter 1, too")
    if dtype not in ("uint8", "float32", "float16"):
        raise ValueError(f"dtype: {dtype!r} is none of uint8, float32 and float16")
    check_normalization(given, dtype)
    if given.get("mean_img"):
        raise ValueError("mean_img: is of ImageRecordIter, which reads and makes it")
    return transform_of(given, shape, dtype != "uint8")


def check_normalization(given: Given, dtype: str) -> None:
    """ValueError where bytes are to be normalized, which MXNet leaves as they are
    without a word."""
    of_int8 = ("mean_img", "mean_r", "mean_g", "mean_b", "mean_a")
    for name in given.changed(NORMALIZATION):
        if dtype == "uint8" or (dtype == "int8" and name not in of_int8):
            raise ValueError(
                f"{name}: pixels of type {dtype} are not normalized; leave it out, "
                'or take dtype="float32"'
            )


def rounded_mean(given: Given) -> List[float]:
    """The mean for int8: whole numbers, halves rounded away from 0."""
    means = [given.number(f"mean_{each}", -255, 255) for each in "rgb"]
    return [math.copysign(math.floor(abs(mean) + 0.5), mean) for mean in means]
