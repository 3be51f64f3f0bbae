"""Compares OpenCvResize with cv2.resize, pixel for pixel, over drawn sizes.

Usage: against_opencv_resize.py OPENCV_IMAGES VERSION [unittest options]
"""

import random
import struct
import subprocess
import sys
import unittest
from collections.abc import Iterator
from typing import Any

import cv2
import numpy
from numpy.typing import NDArray

BINARY = ""
Pixels = NDArray[Any]
Sizes = tuple[int, int, int, int]  # width and height: before, after

# Filters by OpenCvFilter's numbers.
FILTERS = (cv2.INTER_NEAREST, cv2.INTER_LINEAR, cv2.INTER_CUBIC,
           cv2.INTER_AREA, cv2.INTER_LANCZOS4)


def drawn_sizes(draw: random.Random) -> Iterator[Sizes]:
    """Sizes up and down in any combination, one side kept, whole factors, and sides of
    one pixel."""
    def side(most: int) -> int:
        return draw.randrange(1, most)

    for _ in range(60):
        yield side(120), side(120), side(200), side(200)
        width = side(150)
        yield width, side(100), width, side(150)
        factors = draw.choices((1, 2, 3, 4, 7), k=2)
        width, height = side(50), side(50)
        yield width * factors[0], height * factors[1], width, height
        yield width, height, width * factors[0], height * factors[1]
        yield draw.choice(((1, side(90), side(90), side(90)),
                           (side(90), 1, side(90), side(90)),
                           (side(90), side(90), 1, side(90)),
                           (side(90), side(90), side(90), 1)))
    yield 1, 1, 1, 1
    yield 1, 1, 17, 9
    yield 500, 375, 341, 256
    yield 375, 500, 160, 213
    yield 1000, 30, 33, 1


class Resize(unittest.TestCase):
    def setUp(self) -> None:
        # Intel's library has a bicubic of its own, a level away here and there.
        cv2.ipp.setUseIPP(False)
        self.draw = random.Random(11)
        self.numbers = numpy.random.default_rng(11)
        self.ours = subprocess.Popen([BINARY], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE)

    def tearDown(self) -> None:
        self.ours.communicate(timeout=60)
        self.assertEqual(self.ours.returncode, 0)

    def resized(self, image: Pixels, size: tuple[int, int],
                number: int) -> Pixels:
        assert self.ours.stdin and self.ours.stdout
        height, width, channels = image.shape
        self.ours.stdin.write(
            struct.pack("<6I", width, height, *size, channels, number)
            + image.tobytes())
        self.ours.stdin.flush()
        count = size[0] * size[1] * channels
        pixels = numpy.frombuffer(self.ours.stdout.read(count), numpy.uint8)
        return pixels.reshape(size[1], size[0], channels)

    def image(self, width: int, height: int, channels: int) -> Pixels:
        """Noise, or black and white: the sums that leave their range."""
        image: Pixels = self.numbers.integers(
            0, 256, (height, width, channels), dtype=numpy.uint8)
        if self.draw.randrange(3):
            return image
        return numpy.where(image > 127, 255, 0).astype(numpy.uint8)

    def test_every_filter_is_opencvs_bit_for_bit(self) -> None:
        for width, height, *size in drawn_sizes(self.draw):
            image = self.image(width, height, self.draw.choice((1, 3, 4)))
            for number, interpolation in enumerate(FILTERS):
                theirs = cv2.resize(image, size, interpolation=interpolation)
                theirs = theirs.reshape(size[1], size[0], image.shape[2])
                ours = self.resized(image, (size[0], size[1]), number)
                self.assertTrue(numpy.array_equal(ours, theirs),
                                (image.shape, size, number))

    def test_with_intels_library_bicubic_alone_is_a_level_away(self) -> None:
        cv2.ipp.setUseIPP(True)
        if not cv2.ipp.useIPP():
            self.skipTest("built without it")
        image = self.image(300, 200, 3)
        for number, interpolation in enumerate(FILTERS):
            theirs = cv2.resize(image, (341, 227), interpolation=interpolation)
            ours = self.resized(image, (341, 227), number)
            worst = numpy.abs(ours.astype(int) - theirs.astype(int)).max()
            self.assertLessEqual(worst, interpolation == cv2.INTER_CUBIC)


if __name__ == "__main__":
    BINARY, version = sys.argv[1:3]
    del sys.argv[1:3]
    assert cv2.__version__ == version, cv2.__version__
    unittest.main()
