"""Talks to codec_images, whose header says in which numbers."""

import struct
import subprocess

import numpy
from numpy.typing import NDArray

Pixels = NDArray[numpy.uint8]

KEEP, COLOR, GRAY = range(3)
JPEG, PNG = range(2)


class Codecs:
    """One process that answers one job after another."""

    def __init__(self, binary: str) -> None:
        self.process = subprocess.Popen([binary], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        assert self.process.stdin and self.process.stdout
        self.stdin, self.stdout = self.process.stdin, self.process.stdout

    def close(self) -> None:
        self.stdin.close()
        self.stdout.close()
        if self.process.wait() != 0:
            raise AssertionError("codec_images failed")

    def ask(self, numbers: list[int], *data: bytes) -> bytes:
        self.stdin.write(struct.pack(f"<{len(numbers)}I", *map(int, numbers)))
        for piece in data:
            self.stdin.write(piece)
        self.stdin.flush()
        size, = struct.unpack("<I", self.stdout.read(4))
        return self.stdout.read(size)

    def decode(self, image: bytes, color: int = KEEP,
               exif: bool = False) -> tuple[Pixels, int]:
        """Height x width x channels, and the number of kinds of warnings."""
        answer = self.ask([0, color, exif, len(image)], image)
        header = answer[:16].ljust(16)
        width, height, channels, warnings = struct.unpack("<4I", header)
        if len(answer) != 16 + width * height * channels:
            raise AssertionError(answer[:200])
        pixels = numpy.frombuffer(answer, numpy.uint8, offset=16)
        return pixels.reshape(height, width, channels), warnings

    def encode(self, encoding: int, pixels: Pixels, quality: int,
               full_chroma: bool = False, optimize: bool = False,
               icc: bytes = b"") -> bytes:
        height, width, channels = pixels.shape
        return self.ask([1, encoding, quality, full_chroma, optimize, width,
                         height, channels, len(icc)], icc, pixels.tobytes())

    def make_jpeg(self, width: int, height: int, color: str = "ycc",
                  quality: int = 85, across: int = 2, down: int = 2,
                  progressive: bool = False, arithmetic: bool = False,
                  restart_rows: int = 0, seed: int = 1,
                  noise: int = 24) -> bytes:
        colors = ["gray", "ycc", "rgb", "cmyk", "ycck"]
        return self.ask([2, width, height, colors.index(color), quality,
                         across, down, progressive, arithmetic, restart_rows,
                         seed, noise])

    def profile(self, image: bytes) -> bytes:
        return self.ask([3, len(image)], image)
