"""One sample in one line, as pixels, and in a notebook."""

from __future__ import annotations

import base64
import contextlib
import html
import io
from typing import TYPE_CHECKING, Any, List, Mapping, Optional, Sequence, Union

import numpy

from .errors import CorruptError, ShardineError, UnsupportedError
from .pictures import picture

if TYPE_CHECKING:
    from PIL.Image import Image

    from . import _core
    from .dataset import Dataset
    from .sample import Sample
    from .selection import Selection

_SIDE = 320  # the longer one, of an image in a notebook
_THUMBNAIL = 128  # the same, of each of several
_IMAGES = 12  # of a batch or dataset that are shown
_MAGIC = ((b"\xff\xd8\xff", "JPEG"), (b"\x89PNG\r\n\x1a\n", "PNG"))


def line(name: str, id: Any, key: Any, labels: Any, fields: Any) -> str:
    """A sample without its contents, whatever bytes are in its names."""
    if not isinstance(key, str) or not isinstance(fields, Mapping):
        return f"<{name} collated of several>"
    several = labels[0] if len(labels) == 1 else tuple(labels)
    label = "no label" if not labels else f"label {several!r}"
    held = "".join(f", {_field(name, value)}" for name, value in fields.items())
    return f"<{name} {id} {key!r}: {label}{held}>"


def _name(name: str) -> str:
    return name if name.isidentifier() else repr(name)


def _field(name: str, value: Any) -> str:
    shown = _name(name)
    if isinstance(value, bytes):
        kinds = [f"{kind} of " for magic, kind in _MAGIC if value.startswith(magic)]
        return f"{shown} {''.join(kinds)}{len(value)} bytes"
    sides = " x ".join(map(str, value.shape)) or "one"
    return f"{shown} {sides} {value.dtype}"


def png(image: Any, key: str, side: int = _SIDE) -> Optional[bytes]:
    """A small one, for a notebook; None where Pillow makes no image of it."""
    try:
        shown = picture(image, key, None)
    except (CorruptError, UnsupportedError, ImportError):
        return None  # the line beside it lists the contents
    return _small(shown, side)


def _small(shown: Image, side: int) -> bytes:
    shown.thumbnail((side, side))
    encoded = io.BytesIO()
    shown.save(encoded, "png")
    return encoded.getvalue()


def page(text: str, shown: Optional[bytes]) -> str:
    """HTML of a line and an image: nothing in the line is markup."""
    caption = f"<code>{html.escape(text)}</code>"
    if shown is None:
        return caption
    return f"{_image(shown)}<br>{caption}"


def _image(shown: bytes, title: str = "") -> str:
    data = base64.b64encode(shown).decode("ascii")
    said = f' title="{html.escape(title)}"' if title else ""
    return f'<img src="data:image/png;base64,{data}"{said}>'


def shown_path(path: Union[str, List[str]]) -> str:
    """The path, or the first of a list of shards, which may be long."""
    if isinstance(path, str):
        return repr(path)
    more = f" and {len(path) - 1} more" if len(path) > 1 else ""
    return repr(path[0]) + more if path else "[]"


def dataset_page(dataset: Union[Dataset, Selection]) -> str:
    """HTML of a dataset: its line and the first images, which are read for it."""
    images = []
    # The line tells that there is a dataset; reading it, the rest.
    for sample in _readable(dataset, range(min(_IMAGES, len(dataset)))):
        with contextlib.suppress(ShardineError, ImportError):
            images.append(_image(_small(sample.pil(), _THUMBNAIL), sample.key))
    return _grid(repr(dataset), images)


def _readable(
    dataset: Union[Dataset, Selection], positions: Sequence[int]
) -> List[Sample]:
    try:
        return dataset.samples_at(positions)
    except ShardineError:
        samples = []
        for position in positions:
            with contextlib.suppress(ShardineError):
                samples.append(dataset.sample(position))
        return samples


def _grid(text: str, images: List[str]) -> str:
    line_break = "<br>" if images else ""
    return f"{''.join(images)}{line_break}<code>{html.escape(text)}</code>"


def batch_line(batch: _core.Batch) -> str:
    """A batch in one line: its parts, with shapes and types."""
    is_raw = len(batch.boxes) < len(batch)  # then images are one of the fields
    held = [] if is_raw else [f"images {' and '.join(map(_kind, batch.views))}"]
    held.append(f"labels {_kind(batch.labels)}")
    held += [f"{_name(name)} {_kind(value)}" for name, value in batch.fields.items()]
    bad = int(batch.bad.sum())
    if bad:
        held.append(f"{bad} bad")
    if batch.padding:
        held.append(f"{batch.padding} of padding")
    count = len(batch)
    samples = f"{count} sample{'' if count == 1 else 's'}"
    return f"<shardine.Batch: {samples} of epoch {batch.epoch}, {', '.join(held)}>"


def _kind(value: Any) -> str:
    if isinstance(value, list):
        present = sum(each is not None for each in value)
        return f"list of {present}" + ("" if present == len(value) else " and None")
    if hasattr(value, "offsets"):
        return f"ragged {_kind(value.values)}"
    sides = " x ".join(map(str, value.shape))
    return f"{sides} {str(value.dtype).replace('torch.', '')}"


def batch_page(batch: _core.Batch) -> str:
    """HTML of a batch: its line and the first images."""
    return _grid(repr(batch), [_image(each) for each in _thumbnails(batch.images)])


def _thumbnails(images: Any) -> List[bytes]:
    """Thumbnails of pixels, in any layout and type, or of encoded images."""
    if images is None:
        return []
    if isinstance(images, list):
        some = [png(_stored(each), "", _THUMBNAIL) for each in images[:_IMAGES]]
        return [each for each in some if each is not None]
    try:
        import PIL.Image
    except ImportError:
        return []
    pixels = numpy.asarray(images[:_IMAGES])
    if pixels.ndim == 4 and pixels.shape[1] == 3 and pixels.shape[3] != 3:
        pixels = pixels.transpose(0, 2, 3, 1)
    if pixels.ndim != 4 or pixels.shape[3] != 3 or 0 in pixels.shape:
        return []
    if pixels.dtype != numpy.uint8:  # normalized, by whatever mean: stretched
        values = pixels.astype(numpy.float32)
        low = float(values.min())
        span = float(values.max()) - low or 1.0
        pixels = ((values - low) * (255 / span)).astype(numpy.uint8)
    return [_small(PIL.Image.fromarray(each), _THUMBNAIL) for each in pixels]


def _stored(image: Any) -> Any:
    return bytes(image) if isinstance(image, memoryview) else image
