"""ImageRecordIter's mean_img: the mean of all images, in MXNet's file of one
float32 array (NDArray::Save of src/ndarray/ndarray.cc)."""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING, Any, Iterable, Tuple

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

_FILE = 0x112
_V1, _V2, _V3 = 0xF993FAC8, 0xF993FAC9, 0xF993FACA
_FLOAT32, _CPU, _DENSE = 0, 1, 0


class _Cursor:
    """Over bytes of which each length may be a lie."""

    def __init__(self, path: str, content: bytes) -> None:
        self._path, self._content, self._at = path, content, 0

    def error(self, why: str) -> ValueError:
        return ValueError(f"mean_img: {self._path}, byte {self._at}: {why}")

    def bytes(self, count: int) -> bytes:
        taken = self._content[self._at : self._at + count]
        if len(taken) < count:
            raise self.error(f"the file ends, where {count} bytes were to come")
        self._at += count
        return taken

    def numbers(self, layout: str) -> Tuple[int, ...]:
        return struct.unpack("<" + layout, self.bytes(struct.calcsize("<" + layout)))

    def rest(self) -> int:
        return len(self._content) - self._at


def read_mean_image(path: str, shape: Tuple[int, int, int]) -> NDArray[numpy.float32]:
    """ValueError: it is no such file, or of images of another shape."""
    import numpy

    most = 4 * shape[0] * shape[1] * shape[2] + 4096
    with open(path, "rb") as file:
        cursor = _Cursor(path, file.read(most + 1))
    if cursor.rest() > most:
        raise cursor.error(f"the file is larger than an image of {shape} needs")
    magic, _, arrays, version = cursor.numbers("QQQI")
    if magic != _FILE or arrays != 1:
        raise cursor.error("it is no file of one MXNet array")
    if version in (_V2, _V3) and cursor.numbers("i") != (_DENSE,):
        raise cursor.error("the array is sparse")
    if version not in (_V1, _V2, _V3):
        raise cursor.error(f"arrays of version {version:#x} are unknown")
    (dimensions,) = cursor.numbers("i")
    found = cursor.numbers("3q") if dimensions == 3 else ()
    if found != shape:
        raise cursor.error(f"the mean is of shape {found}, data_shape is {shape}")
    _, _, kind = cursor.numbers("iii")
    if kind != _FLOAT32:
        raise cursor.error("its values are not float32")
    values = cursor.bytes(4 * shape[0] * shape[1] * shape[2])
    return numpy.frombuffer(values, "<f4").reshape(shape)


def write_mean_image(path: str, image: NDArray[numpy.float32]) -> None:
    """As MXNet does; the file appears whole."""
    name = b"mean_img"
    head = struct.pack("<QQQIi", _FILE, 0, 1, _V2, _DENSE)
    head += struct.pack("<i3q", 3, *image.shape)
    head += struct.pack("<iii", _CPU, 0, _FLOAT32)
    tail = struct.pack("<QQ", 1, len(name)) + name
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "wb") as file:
            file.write(head + image.astype("<f4").tobytes() + tail)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def mean_of(batches: Iterable[Any], channels: int) -> NDArray[numpy.float32]:
    """The mean of all images of batches of planar bytes. ValueError: there are
    none."""
    import numpy

    total, images = None, 0
    for batch in batches:
        added = batch.images[:, :channels].sum(axis=0, dtype=numpy.float64)
        total = added if total is None else total + added
        images += len(batch.images)
    if total is None or images == 0:
        raise ValueError("mean_img: there is no image to make it of")
    mean: NDArray[numpy.float32] = (total / images).astype(numpy.float32)
    return mean
