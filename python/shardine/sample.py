"""One sample, and keys as text and as bytes."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple, Union

import numpy

from .looking import line, page, png
from .pictures import picture

_Bytes = bytes  # which Sample has a property of the name of


def key_bytes_of(key: Union[str, bytes]) -> bytes:
    """The bytes in the dataset of a key as str, which need not be UTF-8. Every locale
    gives the same.

    >>> key_bytes_of("a\\udcff.jpg")
    b'a\\xff.jpg'
    """
    if isinstance(key, bytes):
        return key
    if not isinstance(key, str):
        raise TypeError(f"key: {key!r} is neither a string nor bytes")
    try:
        return key.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise ValueError(f"key: {key!r} is no text") from None


class Sample(NamedTuple):
    """One sample, with memory of its own.

    key: a str, in which bytes that are not UTF-8 stand as surrogates; key_bytes
    has the bytes themselves. fields: bytes, a str of a text field, or a NumPy array
    where the field has a type and a shape; "image" is the encoded image of a photo.

    torch's DataLoader collates several to a Sample, too: `label` is a tensor then,
    `image` a list.

    >>> import shardine
    >>> dataset = shardine.Dataset("data")
    >>> sample = dataset[dataset.position("house/2.jpg")]
    >>> sample.id, sample.key_bytes, sample.label, sample.labels
    (10, b'house/2.jpg', 1, (1,))
    >>> sample.image == sample.bytes == sample.fields["image"]
    True
    >>> width, height = sample.pil().size
    >>> sample.array.shape == (height, width, 3)
    True
    """

    id: int
    key: str
    labels: Tuple[Union[int, float], ...]
    fields: Dict[str, Any]

    @property
    def key_bytes(self) -> _Bytes:
        """The key, byte for byte."""
        return key_bytes_of(self.key)

    @property
    def image(self) -> Any:
        """The field "image": encoded bytes, or pixels; b"" if there is none."""
        return self.fields.get("image", b"")

    @property
    def bytes(self) -> Any:
        """The same, by its other name."""
        return self.image

    @property
    def label(self) -> Union[int, float]:
        """The only label. ValueError if there is none or several."""
        if len(self.labels) != 1:
            raise ValueError(f"the sample has {len(self.labels)} labels")
        return self.labels[0]

    def pil(self) -> Any:
        """The image as Pillow's, in RGB. CorruptError: it cannot be read;
        UnsupportedError: there is none; ImportError: Pillow is not there."""
        return picture(self.image, self.key, None)

    @property
    def array(self) -> Any:
        """The pixels, uint8, height x width x 3, of pil(); pixels that are
        stored as such are given as they are."""
        if isinstance(self.image, numpy.ndarray):
            return self.image
        return numpy.asarray(self.pil())

    def __eq__(self, other: object) -> bool:
        """Whether id, key, labels and fields are the same; arrays by type, shape and
        elements."""
        if not isinstance(other, tuple):
            return NotImplemented
        if len(other) != len(self) or tuple(self[:3]) != tuple(other[:3]):
            return False
        return _equal_fields(self.fields, other[3])

    def __ne__(self, other: object) -> bool:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __hash__(self) -> int:
        return hash((self.id, self.key, self.labels))

    def __repr__(self) -> str:
        return line("shardine.Sample", *self)

    def _repr_png_(self) -> Optional[_Bytes]:
        return png(self.image, self.key) if isinstance(self.key, str) else None

    def _repr_html_(self) -> str:
        return page(repr(self), self._repr_png_())


def _equal_fields(fields: Any, others: Any) -> bool:
    if not isinstance(fields, dict) or not isinstance(others, dict):
        return bool(fields == others)  # a DataLoader collated it
    if fields.keys() != others.keys():
        return False
    return all(_equal_values(value, others[name]) for name, value in fields.items())


def _equal_values(value: Any, other: Any) -> bool:
    if isinstance(value, numpy.ndarray) or isinstance(other, numpy.ndarray):
        return (
            isinstance(value, numpy.ndarray)
            and isinstance(other, numpy.ndarray)
            and value.dtype == other.dtype
            and value.shape == other.shape
            and value.tobytes() == other.tobytes()
        )
    return bool(value == other)


def field_of(dtype: str, shape: Sequence[int], data: Union[_Bytes, str]) -> Any:
    """A field's value, from the extension module's tuple."""
    if dtype == "|S" or isinstance(data, str):
        return data
    return numpy.frombuffer(data, dtype).reshape(shape)
