"""Pixels of im2rec with --pixels opencv, and of 16-bit gray and CMYK in any case,
beside MXNet's im2rec.py: the same records, byte for byte.

Runs under the Python that has mxnet. Usage: FILE BINARY [unittest options]
"""

import os
import struct
import sys
import unittest
from typing import Any

import against_im2rec_py as shared
import cv2
import numpy
from numpy.typing import NDArray

Pixels = NDArray[Any]


def segments(jpeg: bytes) -> list[tuple[int, bytes]]:
    """(marker, payload) up to SOS; the last payload has the scan, too."""
    found, at = [], 2
    while True:
        marker, size = struct.unpack_from(">xBH", jpeg, at)
        if marker == 0xDA:
            found.append((marker, jpeg[at + 4:-2]))
            return found
        found.append((marker, jpeg[at + 4:at + 2 + size]))
        at += 2 + size


def four_components(planes: list[Pixels], transform: int) -> bytes:
    """A JPEG of Adobe's CMYK (transform 0) or YCCK (2): each component has a scan of
    its own, taken from a gray JPEG by OpenCV."""
    jpegs = [segments(cv2.imencode(".jpg", plane)[1].tobytes())
             for plane in planes]

    def segment(marker: int, payload: bytes) -> bytes:
        return struct.pack(">BBH", 0xFF, marker, len(payload) + 2) + payload

    height, width = planes[0].shape
    frame = struct.pack(">BHHB", 8, height, width, 4) + b"".join(
        bytes([i, 0x11, 0]) for i in range(1, 5))
    out = b"\xff\xd8" + segment(0xEE, b"Adobe" + struct.pack(
        ">HHHB", 100, 0, 0, transform))
    for marker, payload in jpegs[0]:
        if marker in (0xDB, 0xC4):
            out += segment(marker, payload)
    out += segment(0xC0, frame)
    for i, jpeg in enumerate(jpegs, 1):
        scan = jpeg[-1][1]
        # One component, tables 0, all coefficients; then the coded data.
        out += segment(0xDA, bytes([1, i, 0, 0, 63, 0])) + scan[6:]
    return out + b"\xff\xd9"


def png(image: Pixels) -> bytes:
    encoded: bytes = cv2.imencode(".png", image)[1].tobytes()
    return encoded


class OpenCvPixels(shared.Case):
    def put_strange(self) -> bytes:
        """16-bit gray and color, CMYK and YCCK: a list of them."""
        draw = numpy.random.default_rng(5)
        smooth = cv2.resize(draw.integers(0, 256, (9, 12, 4), dtype=numpy.uint8),
                            (97, 75), interpolation=cv2.INTER_CUBIC)
        planes = [numpy.ascontiguousarray(smooth[..., c]) for c in range(4)]
        wide = smooth.astype(numpy.uint16) * 257
        files = {
            "gray16.png": png(wide[..., 0]),
            "gray16 noise.png": png(draw.integers(
                0, 65536, (40, 51), dtype=numpy.uint16)),
            "rgb16.png": png(wide[..., :3]),
            "alpha16.png": png(wide),
            "cmyk.jpg": four_components(planes, 0),
            "ycck.jpg": four_components(planes, 2),
        }
        for name, contents in files.items():
            self.put(name, contents)
        return "".join(f"{i}\t{i}\t0.5\t{name}\n"
                       for i, name in enumerate(files)).encode()

    def records(self, text: bytes, options: list[str], *ours: str,
                ) -> list[tuple[Any, bytes, bytes]]:
        """(header, our image, their image) of each line."""
        for folder in (self.ours, self.theirs):
            (folder / "p.lst").write_bytes(text)
        self.run_theirs(self.theirs / "p", self.images, *options)
        self.run_ours(self.ours / "p", self.images, *options, *ours)
        our_records = shared.unpacked(self.ours / "p.rec")
        their_records = shared.unpacked(self.theirs / "p.rec")
        self.assertEqual(len(our_records), len(their_records))
        return [(header, image, theirs) for (header, image), (_, theirs)
                in zip(our_records, their_records)]

    def check_same(self, text: bytes, options: list[str], *ours: str) -> None:
        with self.subTest(options=options):
            for header, image, theirs in self.records(text, options, *ours):
                self.assertTrue(image == theirs, header)

    def test_sixteen_bits_and_cmyk_are_the_same_in_any_case(self) -> None:
        text = self.put_strange()
        self.check_same(text, ["--quality", "60"])
        self.check_same(text, ["--center-crop"], "--pixels", "opencv")

    def test_bytes_are_the_same_with_a_resize(self) -> None:
        text = self.put_photos()
        text += self.put_strange()
        for options in (["--resize", "64"],
                        ["--resize", "301", "--center-crop", "--quality", "50",
                         "--num-thread", "2"]):
            self.check_same(text, options, "--pixels", "opencv")

    def test_pixels_are_the_same_in_png(self) -> None:
        text = self.put_photos()
        for header, image, theirs in self.records(
                text, ["--resize", "96", "--encoding", ".png", "--quality",
                       "1"], "--pixels", "opencv"):
            # Deflate may differ, pixels may not.
            self.assertTrue(numpy.array_equal(shared.pixels(image),
                                              shared.pixels(theirs)), header)

    def test_gray_is_the_same(self) -> None:
        text = self.put_photos()
        lines = self.put_strange().splitlines(keepends=True)
        # libpng makes 16-bit color gray before it drops the low byte.
        wide = [line for line in lines if b"rgb16" in line or b"alpha" in line]
        text += b"".join(line for line in lines if line not in wide)
        self.check_same(text, ["--color", "0", "--resize", "50"], "--pixels",
                        "opencv")
        for header, image, theirs in self.records(
                b"".join(wide), ["--color", "0", "--encoding", ".png",
                                 "--quality", "1"], "--pixels", "opencv"):
            found = numpy.abs(shared.pixels(image) - shared.pixels(theirs))
            self.assertEqual(found.max(), 1, header)


if __name__ == "__main__":
    shared.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
