"""Images as they are shown: small, with their boxes, masks and points drawn."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Iterator, List, Tuple

import numpy

from ..pictures import picture

if TYPE_CHECKING:
    from PIL.Image import Image

    from ..sample import Sample

_MOST_SHAPES = 500  # of a field
_MOST_POINTS = 20_000
_ALPHA = 0.45  # of masks
# Colors that are easily told apart, by category.
_COLORS = (
    (230, 25, 75), (60, 180, 75), (0, 130, 200), (245, 130, 48), (145, 30, 180),
    (70, 240, 240), (240, 50, 230), (210, 245, 60), (0, 128, 128), (255, 225, 25),
)  # fmt: skip


def color_of(category: int) -> Tuple[int, int, int]:
    return _COLORS[category % len(_COLORS)]


def encoded(image: Image) -> bytes:
    """A JPEG, whatever the sample holds: a browser gets no bytes of a file."""
    to = io.BytesIO()
    image.save(to, "jpeg", quality=88)
    return to.getvalue()


def drawn(sample: Sample, side: int, with_shapes: bool = True) -> Tuple[Image, List[str]]:
    """The image, at most `side` pixels high and wide, with what its fields mark; and
    a sentence for each field that cannot be drawn. Errors: as Sample.pil()."""
    whole = picture(sample.image, sample.key, None)
    problems: List[str] = []
    image = whole
    if with_shapes:
        for name in mask_fields(sample, whole.size):
            try:
                image = _with_mask(image, _mask_of(sample, name, whole.size))
            except Exception as error:  # of a hostile field, in any of its parts
                problems.append(f"{name} cannot be drawn: {error}")
    shown = image.copy()
    shown.thumbnail((side, side))
    if with_shapes:
        scale = shown.size[0] / whole.size[0], shown.size[1] / whole.size[1]
        for name, draw in (
            ("polygon", _draw_polygons),
            ("bbox", _draw_boxes),
            ("keypoints", _draw_points),
        ):
            if name not in sample.fields:
                continue
            try:
                draw(shown, sample.fields, numpy.array(scale))
            except Exception as error:  # as above
                problems.append(f"{name} cannot be drawn: {error}")
    return shown, problems


def mask_fields(sample: Sample, size: Tuple[int, int]) -> List[str]:
    """Names of fields that have a category for each pixel."""
    found = ["rle"] if {"rle", "rle_rows"} <= sample.fields.keys() else []
    for name, value in sample.fields.items():
        if name == "image":
            continue
        if isinstance(value, numpy.ndarray):
            is_flat = value.ndim == 2 or (value.ndim == 3 and value.shape[2] == 1)
            if is_flat and value.shape[1::-1] == size and value.dtype.kind in "biu":
                found.append(name)
        elif isinstance(value, bytes) and "mask" in name.lower():
            found.append(name)
    return found


def _mask_of(sample: Sample, name: str, size: Tuple[int, int]) -> Any:
    """Categories, height x width; 0 is background."""
    value = sample.fields[name]
    if name == "rle":
        return _runs(sample.fields, size)
    if isinstance(value, numpy.ndarray):
        return value.reshape(value.shape[:2])
    import PIL.Image

    with PIL.Image.open(io.BytesIO(value)) as opened:
        if opened.size != size:
            raise ValueError("it has another size than the image")
        is_numbered = opened.mode in ("1", "L", "P", "I", "I;16")
        return numpy.asarray(opened if is_numbered else opened.convert("L"))


def _runs(fields: Any, size: Tuple[int, int]) -> Any:
    """COCO's runs, column by column, the first of background; the number of the mask
    for each pixel."""
    width, height = size
    mask = numpy.zeros(width * height, numpy.uint16)
    runs = numpy.asarray(fields["rle"]).astype(numpy.int64)
    at = 0
    for number, (_, count, high, wide) in enumerate(fields["rle_rows"][:_MOST_SHAPES]):
        own = runs[at : at + int(count)]
        at += int(count)
        if (int(wide), int(high)) != size or (own < 0).any() or own.sum() != mask.size:
            raise ValueError(f"the runs of mask {number} do not fill the image")
        inside = numpy.repeat(numpy.arange(len(own)) % 2 == 1, own)
        mask[inside] = number + 1
    return mask.reshape(width, height).T


def _with_mask(image: Image, mask: Any) -> Image:
    import PIL.Image

    colors = numpy.array(_COLORS, numpy.float32)
    categories = mask.astype(numpy.int64)
    pixels = numpy.asarray(image).astype(numpy.float32)
    marked = categories != 0
    over = colors[(categories[marked] - 1) % len(_COLORS)]
    pixels[marked] = pixels[marked] * (1 - _ALPHA) + over * _ALPHA
    return PIL.Image.fromarray(pixels.astype(numpy.uint8))


def _within(points: Any, image: Image) -> Any:
    """Finite ones, near the image: a drawing far outside takes forever."""
    values = numpy.nan_to_num(numpy.asarray(points, numpy.float64))
    return numpy.clip(values, -8, max(image.size) + 8)


def boxes(fields: Any) -> Iterator[Tuple[Any, int]]:
    """Corners and category."""
    corners = numpy.asarray(fields["bbox"], numpy.float64).reshape(-1, 4)
    labels = numpy.asarray(fields.get("bbox_label", ())).reshape(-1)
    for i, box in enumerate(corners[:_MOST_SHAPES]):
        yield box, int(labels[i]) if i < len(labels) else 0


def _draw_boxes(image: Image, fields: Any, scale: Any) -> None:
    import PIL.ImageDraw

    draw = PIL.ImageDraw.Draw(image)
    for box, label in boxes(fields):
        x1, y1, x2, y2 = _within(box * numpy.tile(scale, 2), image)
        corners = [min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)]
        draw.rectangle(corners, outline=color_of(label), width=2)


def _draw_polygons(image: Image, fields: Any, scale: Any) -> None:
    import PIL.ImageDraw

    draw = PIL.ImageDraw.Draw(image)
    points = numpy.asarray(fields["polygon"], numpy.float64).reshape(-1, 2)
    points = _within(points[:_MOST_POINTS] * scale, image)
    at = 0
    for row, count in fields.get("polygon_rows", ())[:_MOST_SHAPES]:
        part = points[at : at + int(count)]
        at += int(count)
        if len(part) > 1:
            ring = [tuple(each) for each in (*part, part[0])]
            draw.line(ring, fill=color_of(int(row)), width=2)


def _draw_points(image: Image, fields: Any, scale: Any) -> None:
    import PIL.ImageDraw

    draw = PIL.ImageDraw.Draw(image)
    points = numpy.asarray(fields["keypoints"], numpy.float64)
    points = points.reshape(-1, 3)[:_MOST_POINTS]
    for x, y, visible in points:
        if not visible > 0:
            continue
        x, y = _within(numpy.array([x, y]) * scale, image)
        draw.ellipse([x - 3, y - 3, x + 3, y + 3], fill=(255, 225, 25))


def blocks(image: Image, columns: int, rows: int) -> str:
    """Text for a terminal of 24-bit colors: each letter is two pixels, the upper half
    of a block over its ground."""
    small = image.convert("RGB")
    small.thumbnail((max(columns, 1), 2 * max(rows, 1)))
    pixels = numpy.asarray(small)
    if pixels.shape[0] % 2 == 1:
        pixels = numpy.concatenate([pixels, numpy.zeros_like(pixels[:1])])
    lines = []
    for upper, lower in zip(pixels[0::2], pixels[1::2]):
        cells = (
            f"\x1b[38;2;{a[0]};{a[1]};{a[2]}m\x1b[48;2;{b[0]};{b[1]};{b[2]}m\N{UPPER HALF BLOCK}"
            for a, b in zip(upper, lower)
        )
        lines.append("".join(cells) + "\x1b[0m")
    return "\n".join(lines) + "\n"
