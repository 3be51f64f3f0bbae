"""Images of samples as Pillow's, which torchvision's transforms take."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Any, Optional, Tuple, Type

from .errors import CorruptError, ShardineError, UnsupportedError

if TYPE_CHECKING:
    from PIL.Image import Image


def picture(image: Any, key: str, path: Optional[str]) -> Image:
    """RGB, of an encoded image or of pixels (uint8, H x W or H x W x 1, 3 or 4).

    key, path: the sample's and its dataset's, for errors. CorruptError: Pillow cannot
    read it; UnsupportedError: there is no image, or its pixels have another form.
    """
    try:
        import PIL.Image
    except ImportError as error:
        raise ImportError(f"a Dataset makes images by Pillow: {error}") from error
    if not isinstance(image, bytes):
        return PIL.Image.fromarray(_pixels(image, key, path)).convert("RGB")
    if not image:
        raise _error(UnsupportedError, "it has no image", key, path)
    try:
        with PIL.Image.open(io.BytesIO(image)) as opened:
            if opened.mode[0] in "IF":
                _warn_of_clipping(opened.mode)
            return opened.convert("RGB")
    except MemoryError:
        raise
    except PIL.UnidentifiedImageError as error:  # names a buffer of ours
        raise _error(
            CorruptError, "Pillow knows no such image", key, path
        ) from error
    except Exception as error:  # of many types: each of its decoders has some
        raise _error(CorruptError, str(error), key, path) from error


def _pixels(image: Any, key: str, path: Optional[str]) -> Any:
    if image.dtype != "u1" or not _is_picture(image.shape):
        what = f"an image of {image.dtype} in the shape {image.shape}"
        way_out = "dataset.sample(position).image has it"
        raise _error(
            UnsupportedError, f"{what} is none of Pillow's; {way_out}", key, path
        )
    return image[:, :, 0] if image.shape[2:] == (1,) else image


def _is_picture(shape: Tuple[int, ...]) -> bool:
    return 0 not in shape and (
        len(shape) == 2 or (len(shape) == 3 and shape[2] in (1, 3, 4))
    )


def _warn_of_clipping(mode: str) -> None:
    """Once, by Python's default filter."""
    warnings.warn(
        f"an image of mode {mode} has more than 8 bits, and what is above 255 is "
        "white; dataset.sample(position).image has the file's bytes",
        stacklevel=4,
    )


def _error(
    kind: Type[ShardineError], text: str, key: str, path: Optional[str]
) -> ShardineError:
    place = "" if path is None else f" of {path!r}"
    # The message may quote the file: nothing that a terminal obeys.
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    error = kind(f"sample {key!r}{place}: {shown}")
    error.key = key
    error.path = path
    return error
