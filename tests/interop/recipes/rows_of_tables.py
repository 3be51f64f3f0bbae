"""The tables of python/examples/README.md, whose rows have a call of another package,
one of ours, and the property that both share."""

import re
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy
import recipe_blocks
from watched_runs import checksums

import shardine


class Row(NamedTuple):
    theirs: str
    ours: str
    same: str  # empty: ours alone can run


def rows_under(heading: str) -> list[Row]:
    page = recipe_blocks.PAGE.read_text()
    (section,) = re.findall(rf"^### {heading}$(.*?)(?=^##|\Z)", page,
                            re.MULTILINE | re.DOTALL)
    lines = re.findall(r"^\| `(.*)` \| `(.*)` \|(?: (\w+) \|)?$", section, re.MULTILINE)
    assert len(lines) == section.count("\n| `"), "a row that is no row"
    return [Row(*cells) for cells in lines]


def _items(given: Any) -> Iterator[tuple[Any, Any]]:
    """(image, label) or (images, labels), whatever they come in."""
    for item in given:
        if isinstance(item, shardine.Sample):
            yield item.image, item.label
        elif isinstance(item, dict):
            yield item["image"], item["label"]
        else:
            images, labels = item
            yield images, labels


def _samples(given: Any) -> Iterator[tuple[Any, int]]:
    for images, labels in _items(given):
        if numpy.ndim(labels) == 0:
            yield images, int(labels)
        else:
            yield from zip(images, map(int, labels), strict=True)


def _of_pixels(image: Any) -> int:
    array = numpy.asarray(image)
    if array.shape[-1] != 3:
        array = array.transpose(1, 2, 0)
    assert array.ndim == 3
    if array.dtype != "u1":  # normalized
        return checksums(array[None], every=1)[0]
    return zlib.crc32(numpy.ascontiguousarray(array).tobytes())


def _of_bytes(image: Any) -> int:
    return zlib.crc32(image.numpy() if hasattr(image, "numpy") else image)


def _shape(images: Any) -> tuple[int, ...]:
    of_bytes = isinstance(images[0], (bytes, memoryview)) or images[0].dtype == "string"
    return () if of_bytes else numpy.shape(images)[1:]


def facts(given: Any, same: str) -> Any:
    """The part of an expression's value that is compared."""
    if same == "value":
        return given
    if same == "shapes":
        return [(len(images), _shape(images), len(labels)) for images, labels in _items(given)]
    of = {"pixels": _of_pixels, "bytes": _of_bytes}[same]
    return Counter((of(image), label) for image, label in _samples(given))


def compare(row: Row, names: dict[str, Any]) -> None:
    theirs = facts(eval(row.theirs, names), row.same)
    ours = facts(eval(row.ours, names), row.same)
    assert theirs == ours, row
    assert theirs, f"{row}: nothing was compared"
