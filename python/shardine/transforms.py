"""Transforms of an image on its way into a batch.

Transforms say where pixels come from; a list of one and of operations on
pixels (pixel_operations.py) makes a Compose:

    transform=[shardine.RandomResizedCrop(224),
               shardine.ColorJitter(0.4, 0.4, 0.4, 0.1),
               shardine.RandomErasing(0.25)]

Sizes are one number for a square or (height, width), as in torchvision. Pixels
are those of Pillow's crop and resize, bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, List, Optional, Sequence, Tuple, Type, TypeVar
from typing import Union

from . import _core
from .arguments import count, counts, explained, flag, real, reals
from .pixel_operations import Color, PixelOperation, color

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

    def _parts(self) -> Tuple[Transform, List[PixelOperation]]:
        """The crop, and the operations after it."""
        return self, []

    def __post_init__(self) -> None:
        self._native()  # refuses values other than numbers


# The names of torchvision's transforms, and of loaders.
_ELSEWHERE = {
    "interpolation": "Loader(filter=...)",
    "antialias": "Loader(filter=...)",
    "p": "flip",
    "shuffle": "Loader(order=...)",
    "drop_last": "Loader(last_batch=...)",
    "num_workers": "Loader(threads=...)",
}
_Class = TypeVar("_Class", bound=Type[Transform])


def _transform(cls: _Class) -> _Class:
    """Calls that do not fit say why."""
    cls.__init__ = explained(cls.__name__, elsewhere=_ELSEWHERE)(cls.__init__)  # type: ignore
    return cls


@_transform
@dataclass(frozen=True)
class RandomResizedCrop(Transform):
    """torchvision's RandomResizedCrop and RandomHorizontalFlip in one: a part
    of random area (scale, of the image's) and aspect ratio, flipped with
    probability `flip`.

    >>> cut = shardine.RandomResizedCrop(64, scale=(0.35, 1.0))
    >>> batch = next(iter(shardine.Loader("data", batch_size=4, transform=cut)))
    >>> batch.images.shape
    (4, 3, 64, 64)
    """

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
    middle; black where the image is too small. batch.boxes cover the whole image where
    it is resized, as all of it is resampled before the middle is cut.

    >>> cut = shardine.CenterCrop(32, resize=0)
    >>> batch = next(iter(shardine.Loader("data", batch_size=2, transform=cut)))
    >>> batch.boxes[:, 2:4].tolist()  # nothing was resampled
    [[32, 32], [32, 32]]
    """

    size: Size
    resize: int = 256

    def _native(self) -> _core.CenterCrop:
        return _core.CenterCrop(
            *_width_height(self.size), count("resize", self.resize)
        )


@_transform
@dataclass(frozen=True)
class Resize(Transform):
    """The whole image, whatever becomes of its aspect ratio.

    >>> shape = shardine.Resize((64, 48))
    >>> batch = next(iter(shardine.Loader("data", batch_size=4, transform=shape)))
    >>> batch.images.shape
    (4, 3, 64, 48)
    """

    size: Size

    def _native(self) -> _core.Resize:
        return _core.Resize(*_width_height(self.size))


@_transform
@dataclass(frozen=True)
class FixedCrop(Transform):
    """The same box of each image: x, y, width, height in its pixels. An image
    that does not have all of it is a bad sample.

    >>> cut = shardine.FixedCrop((10, 20, 64, 64), 32)
    >>> batch = next(iter(shardine.Loader("data", batch_size=4, transform=cut)))
    >>> batch.boxes[0].tolist()
    [10, 20, 64, 64, 0]
    """

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
    given.

    >>> loader = shardine.EvalLoader("data", batch_size=8,
    ...                              transform=shardine.RectVal(128))
    >>> next(iter(loader)).images.shape[2] % 8
    0
    """

    size: int
    _order: ClassVar[Optional[str]] = "ratio"

    def _native(self) -> _core.CenterCrop:
        size = count("size", self.size)
        return _core.CenterCrop(size, size, int(size * 1.14))


@_transform
@dataclass(frozen=True)
class RandomCrop(Transform):
    """A part of that size at a random place, nothing resampled, of the image
    with a border of `padding` pixels: one number, (left and right, top and
    bottom) or (left, top, right, bottom), each less than the crop's side. An image that
    is too small nevertheless is padded on both sides if `pad_if_needed`, else it is a
    bad sample. fill: the border's color, a number or three.

    >>> shardine.RandomCrop(32, padding=4)
    RandomCrop(size=32, padding=4, pad_if_needed=False, fill=0)
    """

    size: Size
    padding: Union[int, Tuple[int, int], Tuple[int, int, int, int]] = 0
    pad_if_needed: bool = False
    fill: Color = 0

    def _native(self) -> _core.RandomCrop:
        return _core.RandomCrop(
            *_width_height(self.size),
            _left_top_right_bottom(self.padding),
            flag("pad_if_needed", self.pad_if_needed),
            color("fill", self.fill),
        )


def _left_top_right_bottom(padding: Any) -> Tuple[int, ...]:
    if not isinstance(padding, (tuple, list)):
        return (count("padding", padding),) * 4
    if len(padding) not in (2, 4):
        raise TypeError(f"padding: {padding!r} is neither one number, two nor four")
    return tuple(count("padding", side) for side in padding) * (4 // len(padding))


def _one_for(first: Any = None, second: Any = None) -> str:
    """The replacement of torchvision's two, a short side and a part of it."""
    if not isinstance(first, Resize) or not isinstance(first.size, int):
        return ""
    if isinstance(second, CenterCrop):
        one = f"CenterCrop({second.size}, resize={first.size})"
    elif isinstance(second, RandomCrop) and second == RandomCrop(second.size):
        one = f"ImageRecordCrop({second.size}, resize={first.size}, random_place=True)"
    else:  # the one has no border as this one may have
        return ""
    return f". For torchvision's Resize({first.size}) and a crop there is shardine.{one}"


@_transform
@dataclass(frozen=True)
class Compose(Transform):
    """One transform, which says where the pixels come from, then the operations on
    them, in that order. A Loader makes one of any list.

    >>> shardine.Compose([shardine.RandomCrop(32, padding=4)]).transforms
    (RandomCrop(size=32, padding=4, pad_if_needed=False, fill=0),)
    """

    transforms: Sequence[Union[Transform, PixelOperation]]

    def __post_init__(self) -> None:
        if not isinstance(self.transforms, (tuple, list)):
            raise TypeError(f"transforms: {self.transforms!r} is not a list")
        for each in self.transforms:
            if not isinstance(each, (Transform, PixelOperation)):
                raise TypeError(
                    f"transform: {each!r} is none of shardine's, such as "
                    "shardine.ColorJitter(0.4)"
                )
        cuts = [i for i, t in enumerate(self.transforms) if isinstance(t, Transform)]
        if cuts != [0] or isinstance(self.transforms[0], Compose):
            raise ValueError(
                "transform: a list begins with the one that says where pixels come "
                "from, such as shardine.RandomResizedCrop(224) or "
                "shardine.CenterCrop(224); what follows changes pixels"
                + _one_for(*self.transforms[:2])
            )
        object.__setattr__(self, "transforms", tuple(self.transforms))

    def _native(self) -> Any:
        return self._parts()[0]._native()

    def _parts(self) -> Tuple[Transform, List[PixelOperation]]:
        first, *rest = self.transforms
        assert isinstance(first, Transform)  # as __post_init__ has seen to
        return first, [each for each in rest if isinstance(each, PixelOperation)]


Transforms = Union[Transform, Sequence[Union[Transform, PixelOperation]]]


def as_transform(value: Any) -> Optional[Transform]:
    """A list as the Compose that it stands for."""
    if value is None or isinstance(value, Transform):
        return value
    if isinstance(value, (list, tuple)):
        return Compose(value)
    if isinstance(value, PixelOperation):
        raise TypeError(
            f"transform: {value!r} changes pixels, and something has to say where "
            f"they come from: [shardine.CenterCrop(224), {value!r}]"
        )
    raise TypeError(
        f"transform: {value!r} is none of shardine's, such as "
        "shardine.RandomResizedCrop(224)"
    )
