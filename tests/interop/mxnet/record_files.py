"""RecordIO files of images in many sizes, packed by MXNet."""

import os
import pathlib

import cv2
import numpy
from mxnet import recordio
from numpy.typing import NDArray

PHOTOS = pathlib.Path(os.environ["PHOTOS"])
SIZES = ((40, 50), (48, 37), (33, 33), (64, 90), (25, 80), (97, 41), (56, 56))
Pixels = NDArray[numpy.uint8]


def drawn_images(count: int) -> list[Pixels]:
    """Noise, extremes and slopes, by turns."""
    numbers = numpy.random.default_rng(5)
    images = []
    for number in range(count):
        height, width = SIZES[number % len(SIZES)]
        noise = numbers.integers(0, 256, (height, width, 3))
        if number % 3 == 1:
            noise = (noise > 127) * 255
        if number % 3 == 2:
            slope = numpy.add.outer(numpy.arange(height) * 3, numpy.arange(width) * 2)
            noise = (slope[..., None] + (0, 60, 190) + noise // 32) % 256
        images.append(noise.astype(numpy.uint8))
    return images


def png_of(image: Pixels) -> bytes:
    done, encoded = cv2.imencode(".png", image[..., ::-1])
    assert done
    return bytes(encoded.tobytes())


class RecordFile:
    """A .rec and its .idx of encoded images, labelled and numbered as they come."""

    def __init__(self, folder: pathlib.Path, images: list[bytes],
                 name: str = "images", width: int = 1) -> None:
        self.rec = str(folder / f"{name}.rec")
        self.idx = str(folder / f"{name}.idx")
        self.lst = str(folder / f"{name}.lst")
        self.images = len(images)
        packed = recordio.MXIndexedRecordIO(self.idx, self.rec, "w")
        lines = []
        for number, encoded in enumerate(images):
            label = float(number % 5) if width == 1 else [number + 0.5] * width
            header = recordio.IRHeader(0, label, number, 0)
            packed.write_idx(number, recordio.pack(header, encoded))
            lines.append(f"{number}\t{number * 7}\t{number}.png\n")
        packed.close()
        pathlib.Path(self.lst).write_text("".join(lines))


def photos() -> list[bytes]:
    return [path.read_bytes() for path in sorted(PHOTOS.rglob("*"))
            if path.suffix in (".JPEG", ".jpg", ".png")]
