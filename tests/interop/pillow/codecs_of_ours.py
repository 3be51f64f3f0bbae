"""Talks to codec_images, whose header says in which numbers."""

import struct
import subprocess

import numpy

KEEP, COLOR, GRAY = range(3)
JPEG, PNG = range(2)


class Codecs:
    """One process that answers one job after another."""

    def __init__(self, binary):
        self.process = subprocess.Popen([binary], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        if self.process.wait() != 0:
            raise AssertionError("codec_images failed")

    def ask(self, numbers, *data):
        stream = self.process.stdin
        stream.write(struct.pack(f"<{len(numbers)}I", *map(int, numbers)))
        for piece in data:
            stream.write(piece)
        stream.flush()
        size, = struct.unpack("<I", self.process.stdout.read(4))
        return self.process.stdout.read(size)

    def decode(self, image, color=KEEP, exif=False):
        """Height x width x channels, and the number of kinds of warnings."""
        answer = self.ask([0, color, exif, len(image)], image)
        header = answer[:16].ljust(16)
        width, height, channels, warnings = struct.unpack("<4I", header)
        if len(answer) != 16 + width * height * channels:
            raise AssertionError(answer[:200])
        pixels = numpy.frombuffer(answer, numpy.uint8, offset=16)
        return pixels.reshape(height, width, channels), warnings

    def encode(self, encoding, pixels, quality, full_chroma=False,
               optimize=False, icc=b""):
        height, width, channels = pixels.shape
        return self.ask([1, encoding, quality, full_chroma, optimize, width,
                         height, channels, len(icc)], icc, pixels.tobytes())

    def make_jpeg(self, width, height, color="ycc", quality=85, across=2,
                  down=2, progressive=False, arithmetic=False, restart_rows=0,
                  seed=1, noise=24):
        colors = ["gray", "ycc", "rgb", "cmyk", "ycck"]
        return self.ask([2, width, height, colors.index(color), quality,
                         across, down, progressive, arithmetic, restart_rows,
                         seed, noise])

    def profile(self, image):
        return self.ask([3, len(image)], image)
