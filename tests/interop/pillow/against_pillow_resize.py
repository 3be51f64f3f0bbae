"""Resampling against Pillow's Image.resize: every pixel the same.

Usage: against_pillow_resize.py RESAMPLE_IMAGES VERSION [unittest arguments].
Images of random size, content, channels, filter and crop, from a fixed seed,
for each instruction set that the processor has.
"""
import contextlib
import random
import struct
import subprocess
import sys
import unittest

import numpy
import PIL
from numpy.typing import NDArray
from PIL import Image

Pixels = NDArray[numpy.uint8]

RESAMPLE, VERSION = sys.argv[1:3]
FILTERS = [Image.Resampling[name] for name in (
    "NEAREST", "BOX", "BILINEAR", "HAMMING", "BICUBIC", "LANCZOS")]
BILINEAR = 2
ORDER = 0 if int(VERSION.split(".")[0]) >= 13 else 1
LEVELS = ["portable", "SSE4", "AVX2", "AVX-512", "AVX-512 VNNI"]


class Resampler:
    """resample_images held to one instruction set."""

    def __init__(self, level: int) -> None:
        self.process = subprocess.Popen(
            [RESAMPLE, str(level)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert self.process.stdin and self.process.stdout
        self.stdin, self.stdout = self.process.stdin, self.process.stdout

    def is_there(self) -> bool:
        return self.resize(numpy.zeros((1, 1, 1), numpy.uint8), 1, 1, 0, 0,
                           1) is not None

    def resize(self, pixels: Pixels, width: int, height: int, which: int,
               flip: int, rows: int) -> Pixels | None:
        channels = pixels.shape[2]
        job = struct.pack("<9I", pixels.shape[1], pixels.shape[0], width,
                          height, channels, which, ORDER, flip, rows)
        try:
            self.stdin.write(job + pixels.tobytes())
            self.stdin.flush()
        except BrokenPipeError:
            return None
        size = width * height * channels
        answer = self.stdout.read(size)
        if len(answer) != size:
            return None
        return numpy.frombuffer(answer, numpy.uint8).reshape(
            height, width, channels)

    def close(self) -> int:
        # A program without its instruction set ends before it reads.
        with contextlib.suppress(BrokenPipeError):
            self.stdin.close()
        self.stdout.close()
        return self.process.wait()


def random_pixels(rng: random.Random, noise: numpy.random.Generator,
                  height: int, width: int, channels: int) -> Pixels:
    """Noise, extremes only, or a slope: hard pixels for filters, and easy ones."""
    kind = rng.random()
    if kind < 0.5:
        return noise.integers(0, 256, (height, width, channels), numpy.uint8)
    if kind < 0.8:
        return noise.integers(0, 2, (height, width, channels),
                              numpy.uint8) * numpy.uint8(255)
    slope = numpy.add.outer(numpy.arange(height), numpy.arange(width))
    return numpy.repeat(slope[:, :, None], channels, 2).astype(numpy.uint8)


def random_shape(rng: random.Random) -> tuple[int, int, int, int]:
    """Four sizes; some long and thin, some of one side unchanged."""
    most = rng.choice([8, 40, 200, 600])
    width, height, to_width, to_height = [
        rng.randint(1, most) for _ in range(4)]
    kind = rng.random()
    if kind < 0.08:
        to_width = width
    elif kind < 0.16:
        to_height = height
    elif kind < 0.22:
        width, height = rng.randint(1, 4000), rng.randint(1, 30)
    elif kind < 0.28:
        width, height = rng.randint(1, 30), rng.randint(1, 4000)
    return width, height, to_width, to_height


def crop(rng: random.Random, pixels: Pixels) -> Pixels:
    """A random box of an image: its edges are edges for the filter."""
    height, width = pixels.shape[:2]
    top, left = rng.randrange(height), rng.randrange(width)
    bottom, right = rng.randint(top + 1, height), rng.randint(left + 1, width)
    return numpy.ascontiguousarray(pixels[top:bottom, left:right])


class PillowResizeTest(unittest.TestCase):
    def setUp(self) -> None:
        self.assertEqual(PIL.__version__, VERSION)

    def check(self, resampler: Resampler, count: int, seed: int,
              only: int | None = None) -> None:
        differing = 0
        rng, noise = random.Random(seed), numpy.random.default_rng(seed)
        for i in range(count):
            width, height, to_width, to_height = random_shape(rng)
            pixels = crop(rng, random_pixels(rng, noise, height, width,
                                             rng.choice([1, 3])))
            which = BILINEAR if i % 2 else rng.randrange(6)
            which = which if only is None else only
            flip = rng.random() < 0.3
            ours = resampler.resize(pixels, to_width, to_height, which, flip,
                                    rng.randint(1, 20))
            assert ours is not None, "resample_images failed"
            image = Image.fromarray(
                pixels if pixels.shape[2] == 3 else pixels[:, :, 0])
            resized = image.resize((to_width, to_height), FILTERS[which])
            if flip:
                resized = resized.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
            theirs = numpy.asarray(resized).reshape(ours.shape)
            what = f"{pixels.shape} to {to_width} x {to_height}, {which}"
            if which == BILINEAR:
                self.assertTrue(numpy.array_equal(ours, theirs), what)
                continue
            # The C library's sine may differ in its last bit.
            gap = numpy.abs(ours.astype(int) - theirs.astype(int))
            self.assertLessEqual(gap.max(), 1, what)
            self.assertLessEqual((gap > 0).mean(), 0.01, what)
            differing += bool(gap.max())
        self.assertLessEqual(differing, count // 500)

    def test_every_instruction_set_gives_pillows_pixels(self) -> None:
        done = []
        for level, name in enumerate(LEVELS):
            resampler = Resampler(level)
            if not resampler.is_there():
                resampler.close()
                continue
            with self.subTest(name):
                self.check(resampler, 2000 if level == 4 else 500, 7 + level)
                self.assertEqual(resampler.close(), 0)
            done.append(name)
        print("\nresampled with:", ", ".join(done), file=sys.stderr)
        self.assertIn("portable", done)

    def test_every_filter_gives_pillows_pixels(self) -> None:
        for which, name in enumerate(FILTERS):
            with self.subTest(name):
                resampler = Resampler(0)
                self.check(resampler, 500, 70 + which, which)
                self.assertEqual(resampler.close(), 0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[3:])
