"""Decodes and encodes as Pillow does, byte for byte.

Runs under the Python that has the Pillow of the requirements file of the name
that is given. Usage: against_pillow_codecs.py CODEC_IMAGES TREE VERSION
[unittest options]
TREE: photos of which all are decoded; SHARDINE_PHOTOS may name more.
"""

import io
import os
import pathlib
import random
import struct
import sys
import unittest
from typing import Any

import numpy
import PIL.ImageFile
import PIL.ImageOps
from numpy.typing import NDArray
from PIL import Image

from codecs_of_ours import COLOR, GRAY, JPEG, KEEP, PNG, Codecs
from png_writer import KINDS, chunk, make_png

BINARY = ""
TREES: list[pathlib.Path] = []
VERSION = ""
# Numbers of generated files; together 2,000.
JPEGS = 1400
PNGS = 600
SAMPLINGS = [(1, 1), (2, 1), (2, 2), (1, 2), (4, 1), (1, 4), (4, 2), (2, 4)]


def array(image: Image.Image) -> NDArray[Any]:
    pixels = numpy.asarray(image)
    return pixels if pixels.ndim == 3 else pixels[:, :, None]


def opened(data: bytes, what: object = "") -> Image.Image:
    image = Image.open(io.BytesIO(data))
    try:
        image.load()
    except OSError as error:
        raise AssertionError(f"{what}: {error}") from error
    return image


def side(rng: random.Random) -> int:
    """A side of 1 to 600 pixels; small ones are where the corners are."""
    return rng.choice([rng.randint(1, 600), rng.randint(1, 40)])


class Test(unittest.TestCase):
    codecs: Codecs

    @classmethod
    def setUpClass(cls) -> None:
        cls.codecs = Codecs(BINARY)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.codecs.close()

    def check_pixels(self, ours: NDArray[Any], theirs: NDArray[Any],
                     what: object) -> None:
        if not numpy.array_equal(ours, theirs):
            self.fail(f"{what}: {ours.shape} here, {theirs.shape} there, "
                      f"not the same pixels")

    def check_decode(self, data: bytes, what: object) -> None:
        image = opened(data, what)
        rgb = image.convert("RGB")
        ours, warnings = self.codecs.decode(data, COLOR)
        self.assertEqual(warnings, 0, what)
        self.check_pixels(ours, array(rgb), what)
        luma = array(rgb.convert("L"))
        self.check_pixels(self.codecs.decode(data, GRAY)[0], luma, what)
        gray = image.mode in ("1", "L", "LA", "I;16") or (
            image.mode == "RGBA" and data[25:26] == b"\4")
        self.check_pixels(self.codecs.decode(data, KEEP)[0],
                          luma if gray else array(rgb), what)

    def test_this_is_the_pillow_that_is_meant(self) -> None:
        self.assertEqual(PIL.__version__, VERSION)

    def test_photos_decode_to_the_same_pixels(self) -> None:
        paths = [path for tree in TREES for path in sorted(tree.rglob("*"))
                 if path.is_file()]
        self.assertGreaterEqual(len(paths), 24)
        for path in paths:
            self.check_decode(path.read_bytes(), path)
        print(f"{len(paths)} photos", file=sys.stderr)

    def test_generated_jpegs_decode_to_the_same_pixels(self) -> None:
        rng = random.Random(5)
        for number in range(JPEGS):
            across, down = SAMPLINGS[number % len(SAMPLINGS)]
            spec: dict[str, Any] = {
                "width": side(rng), "height": side(rng),
                "color": rng.choices(["ycc", "gray", "rgb", "cmyk", "ycck"],
                                     [6, 2, 1, 1, 1])[0],
                "quality": rng.randint(1, 100),
                "across": across, "down": down,
                "progressive": rng.random() < 0.3,
                "arithmetic": rng.random() < 0.1,
                "restart_rows": rng.choice([0, 0, 1, 3]),
                "seed": number, "noise": rng.choice([0, 24, 255])}
            if spec["color"] == "ycck" and across * down > 4:
                spec["down"] = 1
            self.check_decode(self.codecs.make_jpeg(**spec), spec)

    def test_jpegs_that_pillow_writes_decode_to_the_same_pixels(self) -> None:
        rng = random.Random(6)
        for _ in range(100):
            size = side(rng), side(rng)
            mode = rng.choice(["RGB", "L", "CMYK"])
            bands = len(Image.new(mode, (1, 1)).getbands())
            noise = rng.randbytes(size[0] * size[1] * bands)
            image = Image.frombytes(mode, size, noise)
            data = io.BytesIO()
            image.save(data, "jpeg", quality=rng.randint(1, 100),
                       subsampling=rng.randrange(3),
                       progressive=rng.random() < 0.5,
                       restart_marker_blocks=rng.choice([0, 1, 7]))
            self.check_decode(data.getvalue(), (mode, size))

    def test_generated_pngs_decode_to_the_same_pixels(self) -> None:
        rng = random.Random(7)
        for number in range(PNGS):
            color, bits = KINDS[number % len(KINDS)]
            width = rng.randint(1, 600 if number % 8 == 0 else 70)
            height = rng.randint(1, 70)
            interlaced = number // len(KINDS) % 2 == 1
            data = make_png(rng, width, height, color, bits, interlaced)
            self.check_decode(data, (width, height, color, bits, interlaced))

    def test_transparent_colors_and_gamma_change_nothing(self) -> None:
        rng = random.Random(8)
        gamma = chunk(b"gAMA", struct.pack(">I", 220000))
        for color, size in [(0, 2), (2, 6)]:
            png = make_png(rng, 20, 20, color, 8, extra=gamma + chunk(
                b"tRNS", bytes(size)))
            self.check_decode(png, color)

    def test_orientations_turn_as_exif_transpose_turns(self) -> None:
        for size in [(33, 21), (1, 5), (160, 99)]:
            for number in range(1, 9):
                exif = Image.Exif()
                exif[0x0112] = number
                segment = b"Exif\0\0" + exif.tobytes()[6:]
                data = self.codecs.make_jpeg(*size)
                data = (data[:2] + b"\xff\xe1" + struct.pack(
                    ">H", len(segment) + 2) + segment + data[2:])
                upright = PIL.ImageOps.exif_transpose(opened(data))
                ours, _ = self.codecs.decode(data, COLOR, exif=True)
                self.check_pixels(ours, array(upright), (size, number))

    def test_jpegs_are_the_bytes_that_pillow_writes(self) -> None:
        rng = random.Random(9)
        for number in range(200):
            width, height = side(rng), side(rng)
            channels = rng.choice([1, 3])
            pixels = numpy.frombuffer(
                rng.randbytes(width * height * channels), numpy.uint8)
            pixels = pixels.reshape(height, width, channels)
            if number % 2:
                pixels = pixels // 16 + 100
            options: dict[str, Any] = {"quality": rng.randint(1, 100),
                                       "optimize": rng.random() < 0.3}
            full_chroma = rng.random() < 0.5
            icc = bytearray(rng.randbytes(rng.choice([0, 200, 70000])))
            icc[16:20] = b"RGB " if channels == 3 else b"GRAY"
            ours = self.codecs.encode(
                JPEG, pixels, full_chroma=full_chroma,
                icc=bytes(icc) if len(icc) > 128 else b"", **options)
            theirs = io.BytesIO()
            Image.fromarray(pixels.squeeze(2) if channels == 1 else pixels
                            ).save(theirs, "jpeg", **options,
                                   subsampling=0 if full_chroma or
                                   channels == 1 else 2,
                                   icc_profile=bytes(icc)
                                   if len(icc) > 128 else None)
            self.assertEqual(ours, theirs.getvalue(),
                             (width, height, channels, options, len(icc)))

    def test_pillow_reads_back_the_pixels_of_our_pngs(self) -> None:
        rng = random.Random(10)
        for number in range(100):
            width, height = side(rng), rng.randint(1, 60)
            channels = rng.choice([1, 3])
            pixels = numpy.frombuffer(
                rng.randbytes(width * height * channels), numpy.uint8)
            pixels = pixels.reshape(height, width, channels)
            if number % 2:
                pixels = numpy.cumsum(pixels // 32, axis=1, dtype=numpy.uint8)
            icc = b""
            if number % 3 == 0:
                kind = b"RGB " if channels == 3 else b"GRAY"
                icc = bytes(16) + kind + rng.randbytes(500)
            data = self.codecs.encode(PNG, pixels, rng.randint(1, 9), icc=icc)
            image = opened(data)
            self.assertEqual(image.mode, "L" if channels == 1 else "RGB")
            self.check_pixels(array(image), pixels, (width, height, channels))
            self.assertEqual(image.info.get("icc_profile", b""), icc)

    def test_profiles_are_those_that_pillow_reads(self) -> None:
        rng = random.Random(11)
        for size in [1, 200, 65519, 65520, 300000]:
            icc = rng.randbytes(size)
            for kind in ("jpeg", "png"):
                data = io.BytesIO()
                Image.new("RGB", (9, 9)).save(data, kind, icc_profile=icc)
                self.assertEqual(self.codecs.profile(data.getvalue()), icc)
        self.assertEqual(self.codecs.profile(self.codecs.make_jpeg(9, 9)), b"")


if __name__ == "__main__":
    BINARY = sys.argv[1]
    TREES = [pathlib.Path(sys.argv[2])]
    if more := os.environ.get("SHARDINE_PHOTOS"):
        TREES.append(pathlib.Path(more))
    VERSION = sys.argv[3]
    Image.MAX_IMAGE_PIXELS = None
    # Otherwise Pillow's buffers are too small for images of mostly noise.
    PIL.ImageFile.MAXBLOCK = 1 << 24
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
