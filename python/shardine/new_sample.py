"""The arguments of write() for a sample, as the native writer takes them."""

from __future__ import annotations

import difflib
import io
import os
import sys
from typing import (
    Any,
    Dict,
    Iterable,
    List,
    Mapping,
    Optional,
    Sequence,
    Set,
    Tuple,
    Union,
)

import numpy

from .arguments import count
from .errors import make_error

ClassList = Union[
    Mapping[str, int],
    Sequence[str],
    Sequence[Union[Tuple[str, int], Tuple[str, int, str]]],
]
# name, NumPy's dtype ("|S": bytes), shape, the object with the buffer protocol
NewField = Tuple[str, str, Tuple[int, ...], Any]
_Label = Union[int, float]

_KINDS = "biufcmMSUV"  # NumPy's types that a field can have
_NO_FIELDS = {
    "labels": 'labels are the entry "label"',
    "__key__": "the key is write(sample, key=...)",
    "key": "the key is write(sample, key=...)",
    "split": "the split is write(sample, split=...)",
    "id": "the id is write(sample, id=...)",
}


# Other tools' names of the image and the label.
_IMAGE_NAMES = {
    "jpg", "jpeg", "png", "webp", "bmp", "gif", "tif", "tiff", "ppm", "pgm", "img",
    "image.jpg", "image.png", "input.jpg", "image/encoded", "image_bytes",
}  # fmt: skip
_LABEL_NAMES = {
    "cls", "class", "target", "label.txt", "label.cls", "output.cls",
    "image/class/label",
}  # fmt: skip


def encoded(name: str, text: str) -> bytes:
    """File names that are not UTF-8 are text by surrogateescape."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise ValueError(f"{name}: {text!r} is no text") from None


def refuse_names(sample: Mapping[Any, Any]) -> None:
    """Refuses entries whose names certainly mean something else."""
    for name in sample:
        if not isinstance(name, str):
            raise TypeError(f"a sample's entry {name!r}: names are strings")
        if name in _NO_FIELDS:
            raise ValueError(f"field {name!r}: {_NO_FIELDS[name]}")
    for entry, others in (("image", _IMAGE_NAMES), ("label", _LABEL_NAMES)):
        found = sorted(
            name
            for name in sample
            if name.lower() in others or name.lower() == entry != name
        )
        if found and entry not in sample:
            raise ValueError(
                f"field {found[0]!r}: the {entry} is the entry {entry!r}; a sample "
                f"without {entry} calls this field otherwise"
            )


class Classes:
    """The classes of a dataset to be: rows of (name, label, text)."""

    def __init__(self, classes: Optional[ClassList]) -> None:
        if isinstance(classes, (str, bytes, Set, frozenset)) or not (
            classes is None or isinstance(classes, Iterable)
        ):
            raise TypeError(
                f'classes: {classes!r} is not a list of names, such as ["cat", '
                '"dog"], or of (name, label)'
            )
        given: Any = [] if classes is None else classes
        given = list(given.items() if isinstance(given, Mapping) else given)
        if len({isinstance(each, str) for each in given}) > 1:
            raise TypeError("classes: some are names, others (name, label)")
        self.rows: List[Tuple[bytes, int, bytes]] = []
        self._labels: Dict[str, int] = {}
        for number, each in enumerate(given):
            self._add((each, number) if isinstance(each, str) else each)

    def _add(self, row: Any) -> None:
        name, label, text = (*row, "")[:3] if _is_row(row) else (None, 0, "")
        if not isinstance(name, str) or not isinstance(text, str):
            raise TypeError(
                f"classes: {row!r} is neither a name nor (name, label) nor "
                "(name, label, text)"
            )
        if name in self._labels:
            raise ValueError(f"classes: {name!r} occurs twice")
        self._labels[name] = count(f"classes: the label of {name!r}", label, 63)
        self.rows.append(
            (encoded("classes", name), self._labels[name], encoded("classes", text))
        )

    def label(self, name: str) -> int:
        """The label of the class of that name."""
        label = self._labels.get(name)
        if label is not None:
            return label
        if not self._labels:
            raise ValueError(
                f"label: {name!r} is a name, and this Writer has no classes: "
                "Writer(..., classes=[...]) says them"
            )
        close = difflib.get_close_matches(name, self._labels, 1)
        meant = f"; did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"label: there is no class {name!r}{meant}")

    def labels(self, value: Any) -> List[_Label]:
        """The labels of a value that is one label or several."""
        if isinstance(value, numpy.ndarray):
            if value.ndim > 1:
                raise TypeError(
                    f"label: an array of shape {value.shape}; labels are one "
                    "number or a list of them. Give the field another name"
                )
            value = value.tolist()
        if isinstance(value, (list, tuple)):
            return [self._one(each) for each in value]
        return [self._one(value)]

    def _one(self, value: Any) -> _Label:
        if isinstance(value, str):
            return self.label(value)
        if isinstance(value, (int, float)):
            return value
        # NumPy's types that are not Python's numbers.
        if isinstance(value, (numpy.integer, numpy.floating, numpy.bool_)):
            number: _Label = value.item()
            return number
        raise TypeError(
            f"label: {_kind(value)} is neither a number nor the name of a class, "
            "nor a list of those"
        )


def _is_row(row: Any) -> bool:
    return isinstance(row, (tuple, list)) and len(row) in (2, 3)


def _kind(value: Any) -> str:
    kind = type(value)
    home = "" if kind.__module__ == "builtins" else kind.__module__ + "."
    return f"{home}{kind.__qualname__}"


def field(name: str, value: Any) -> NewField:
    """Any but the image: text (UTF-8), bytes, an array, a number."""
    if isinstance(value, str):
        return name, "|S", (), utf8_text(name, value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return name, "|S", (), value
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return _array(name, value)
    if isinstance(value, bool):
        return _array(name, numpy.asarray(value))
    if isinstance(value, int):
        if not -(1 << 63) <= value < 1 << 63:
            raise ValueError(f"field {name!r}: an integer beyond 64 bits")
        return _array(name, numpy.asarray(value, "<i8"))
    if isinstance(value, float):
        return _array(name, numpy.asarray(value, "<f8"))
    raise TypeError(f"field {name!r}: {_kind(value)} is {_advice(value)}")


def utf8_text(name: str, value: str) -> str:
    """ValueError: a text that UTF-8 has not, such as a file name of other bytes."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"field {name!r}: {value!r} is no text that UTF-8 has; give its bytes"
        ) from None
    return str(value)  # a subclass may encode otherwise


def _advice(value: Any) -> str:
    if isinstance(value, os.PathLike):
        return "read of a file for the image alone: give path.read_bytes()"
    if hasattr(value, "__array__"):
        return "no NumPy array: give numpy.asarray(value)"
    if isinstance(value, (list, tuple)):
        return "neither bytes, text, a number nor an array: give numpy.array(value)"
    return "neither bytes, text, a number nor an array"


def _array(name: str, value: Any) -> NewField:
    if isinstance(value, numpy.ma.MaskedArray):
        raise TypeError(
            f"field {name!r}: a masked array's mask cannot be kept: give "
            "value.filled()"
        )
    array = numpy.asarray(value)
    if array.dtype.kind not in _KINDS or array.dtype.fields is not None:
        raise TypeError(
            f"field {name!r}: arrays of type {array.dtype} cannot be kept; their "
            "elements are numbers, texts, bytes or times"
        )
    if array.dtype.byteorder == ">" or (
        array.dtype.byteorder == "=" and sys.byteorder == "big"
    ):
        array = array.astype(array.dtype.newbyteorder("<"))
    dtype, shape = array.dtype.str, array.shape
    if not array.flags.c_contiguous:
        array = numpy.ascontiguousarray(array)
    if array.dtype.kind in "mM":  # which the buffer protocol does not know
        array = array.view("<i8")
    return name, dtype, shape, array


class ImageForm:
    """How images that are pixels become files."""

    def __init__(self, form: str, quality: Optional[int]) -> None:
        if quality is not None and form != "jpeg":
            raise ValueError('quality: is of image_format="jpeg"')
        self.form = form
        self.quality = 95 if quality is None else count("quality", quality)
        if not 1 <= self.quality <= 100:
            raise ValueError(f"quality: {self.quality} is not in 1 to 100")

    def field(self, value: Any) -> NewField:
        """The field "image"."""
        if isinstance(value, (bytes, bytearray, memoryview)):
            return "image", "|S", (), value
        if isinstance(value, (str, os.PathLike)):
            return "image", "|S", (), _content(value)
        if isinstance(value, numpy.ndarray):
            if self.form == "array":
                return _array("image", value)
            return "image", "|S", (), self._encode(_pixels(value))
        # No caller has a Pillow image without having imported Pillow.
        pillow = sys.modules.get("PIL.Image")
        if pillow is not None and isinstance(value, pillow.Image):
            if self.form == "array":
                return _array("image", numpy.asarray(value))
            return "image", "|S", (), self._encode(value)
        raise TypeError(
            f"field 'image': {_kind(value)} is neither the bytes or the path of "
            "an encoded image, nor an array of pixels, nor an image of Pillow's"
        )

    def _encode(self, image: Any) -> bytes:
        try:
            import PIL.Image
        except ImportError as error:
            raise ImportError(
                f"pixels are encoded by Pillow: {error}; install it, or give "
                'encoded bytes, or choose image_format="array"'
            ) from error
        if isinstance(image, numpy.ndarray):
            image = PIL.Image.fromarray(image)
        elif image.mode[0] in "IF":
            raise ValueError(
                f"field 'image': an image of mode {image.mode} has more than the 8 "
                "bits that are read of a file; numpy.asarray(image) with "
                'image_format="array" keeps its values'
            )
        options = {"quality": self.quality} if self.form == "jpeg" else {}
        file = io.BytesIO()
        try:
            image.save(file, self.form.upper(), **options)
        except OSError as error:
            raise ValueError(
                f"field 'image': an image of mode {image.mode} cannot be "
                f"{self.form} ({error}); give image.convert(\"RGB\")"
            ) from error
        return file.getvalue()


def _pixels(array: Any) -> Any:
    gray = array.ndim == 2
    if array.dtype != "u1" or not (gray or array.ndim == 3 and array.shape[2] == 3):
        raise TypeError(
            f"field 'image': pixels of {array.dtype} in the shape {array.shape}; "
            "those that can be encoded are uint8, height x width x 3 or height x "
            'width. image_format="array" keeps others as they are'
        )
    if 0 in array.shape:
        raise ValueError(f"field 'image': no pixels in the shape {array.shape}")
    return array


def _content(path: Any) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.readall()
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        name = os.fsdecode(os.fspath(path))
        raise make_error(
            "not_found" if missing else "io",
            f"{name}: {error.strerror}",
            name,
            None,
            None,
            None,
            error.errno or 0,
        ) from None
