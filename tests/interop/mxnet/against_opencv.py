"""Compares ImageRecordIter's operations with OpenCV 4 or 5 by the same parameters.
MXNet's pixels are those of its own OpenCV 3.4, which shardine promises to equal; how
far other releases are from that is measured here.

Runs under a Python that has cv2.
"""

import math
import pathlib
import tempfile
import unittest
from typing import Any

import cv2
import numpy
from numpy.typing import NDArray

import shardine

Pixels = NDArray[numpy.uint8]
SIDE = 48
IMAGES = 40
MAJOR = int(cv2.__version__.split(".")[0])
f32 = numpy.float32
METHODS: dict[Any, int] = {
    "nearest": cv2.INTER_NEAREST, "linear": cv2.INTER_LINEAR,
    "cubic": cv2.INTER_CUBIC, "area": cv2.INTER_AREA, "lanczos4": cv2.INTER_LANCZOS4}


def drawn_images() -> list[Pixels]:
    numbers = numpy.random.default_rng(3)
    images = []
    for number in range(IMAGES):
        image = numbers.integers(0, 256, (80 + number, 110 - number, 3))
        if number % 2:
            image = (numpy.indices(image.shape).sum(0) * 3 + image // 8) % 256
        images.append(image.astype(numpy.uint8))
    return images


def matrix_of(image: Pixels, shear: float, angle: int, scale: float,
              aspect: float) -> tuple[NDArray[numpy.float32], tuple[int, int]]:
    """The matrix of MXNet's image_aug_default.cc, in its floats."""
    a = f32(math.cos(angle / 180.0 * math.pi))
    b = f32(math.sin(angle / 180.0 * math.pi))
    s, c, r = f32(shear), f32(scale), f32(aspect)
    h = f32(2) * c / (f32(1) + r)
    w = r * h
    rows, columns = (f32(side) for side in image.shape[:2])
    m = numpy.zeros((2, 3), f32)
    m[0] = h * a - s * b * w, h * b + s * a * w, 0
    m[1] = -b * w, a * w, 0
    width, height = c * columns, c * rows
    m[0, 2] = (width - (m[0, 0] * columns + m[0, 1] * rows)) / f32(2)
    m[1, 2] = (height - (m[1, 0] * columns + m[1, 1] * rows)) / f32(2)
    return m, (int(width), int(height))


def middle(image: Pixels, side: int = SIDE) -> Pixels:
    row, column = ((each - side) // 2 for each in image.shape[:2])
    return image[row:row + side, column:column + side]


class Operations(unittest.TestCase):
    def setUp(self) -> None:
        cv2.ipp.setUseIPP(False)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.images = drawn_images()
        out = pathlib.Path(folder.name) / "out"
        with shardine.Writer(out, format="recordio", classes=["one"]) as writer:
            for image in self.images:
                done, png = cv2.imencode(".png", image[..., ::-1])
                assert done
                writer.write({"image": png.tobytes(), "label": 0})
        self.dataset = shardine.Dataset(out)

    def made(self, *transform: Any) -> list[Pixels]:
        loader = shardine.Loader(self.dataset, batch_size=1, order="sequential",
                                 layout="nhwc", transform=list(transform))
        return [batch.images[0] for batch in loader]

    def check(self, ours: list[Pixels], theirs: list[Pixels], levels: int,
              share: float, name: str) -> None:
        """Allows at most so many levels of difference, in at most that share of the
        values."""
        away = numpy.concatenate([
            numpy.abs(our.astype(int) - their).ravel()
            for our, their in zip(ours, theirs, strict=True)])
        off = float((away > 0).mean())
        print(f"{cv2.__version__} {name}: {away.max()} levels, {off:.4%} off")
        self.assertLessEqual(away.max(), levels, name)
        self.assertLessEqual(off, share, name)

    def test_the_affine_part(self) -> None:
        for method, flag in METHODS.items():
            for given in ((0.0, 30, 1.0, 1.0), (0.2, -75, 1.3, 0.8),
                          (-0.4, 180, 0.85, 1.4)):
                shear, angle, scale, aspect = given
                theirs = []
                for image in self.images:
                    matrix, size = matrix_of(image, *given)
                    warped = cv2.warpAffine(
                        image, matrix, size, flags=flag, borderValue=(9, 9, 9))
                    theirs.append(middle(warped))
                ours = self.made(shardine.ImageRecordCrop(
                    SIDE, shear=(shear, shear), angle=(angle, angle),
                    scale=(scale, scale), aspect=(aspect, aspect), fill=9,
                    interpolation=method))
                levels, share = 0, 0.0
                # OpenCV 5 does not round places to a 32nd of a pixel.
                if MAJOR >= 5:
                    levels, share = (255, 0.01) if method == "nearest" else (16, 0.6)
                self.check(ours, theirs, levels, share,
                           f"warpAffine {method} {given}")

    def test_resizing(self) -> None:
        for method, flag in METHODS.items():
            for side in (50, 97):
                theirs = []
                for image in self.images:
                    rows, columns = image.shape[:2]
                    size = (side, side * rows // columns) if rows > columns \
                        else (side * columns // rows, side)
                    theirs.append(middle(cv2.resize(image, size, interpolation=flag)))
                ours = self.made(shardine.ImageRecordCrop(
                    SIDE, resize=side, interpolation=method))
                cubic = method == "cubic"
                self.check(ours, theirs, int(cubic), 1e-3 if cubic else 0,
                           f"resize {method} {side}")

    def test_hue_lightness_and_saturation(self) -> None:
        for h, s, l in ((0, 0, 0), (20, -60, 33), (-170, 90, -120)):  # noqa: E741
            theirs = []
            for image in self.images:
                hls = cv2.cvtColor(middle(image), cv2.COLOR_RGB2HLS).astype(int)
                hls = numpy.clip(hls + (h, l, s), 0, (180, 255, 255))
                theirs.append(cv2.cvtColor(hls.astype(numpy.uint8),
                                           cv2.COLOR_HLS2RGB))
            ours = self.made(shardine.ImageRecordCrop(SIDE),
                             shardine.RandomHLS((h, h), (s, s), (l, l)))
            self.check(ours, theirs, 8, 1e-4, f"HLS {(h, s, l)}")

    def test_brightness_and_saturation(self) -> None:
        for factor in (0.4, 1.7):
            cut = shardine.ImageRecordCrop(SIDE)
            parts = [middle(image) for image in self.images]
            theirs = [cv2.convertScaleAbs(part, alpha=factor) for part in parts]
            jitter = shardine.ImageRecordJitter(brightness=(factor, factor))
            self.check(self.made(cut, jitter), theirs, 0, 0, f"brightness {factor}")
            theirs = []
            for part in parts:
                gray = cv2.cvtColor(part, cv2.COLOR_BGR2GRAY)[..., None].repeat(3, 2)
                theirs.append(cv2.addWeighted(part, factor, gray, 1 - factor, 0))
            jitter = shardine.ImageRecordJitter(saturation=(factor, factor))
            # Gray has one bit more than in 3.4.
            self.check(self.made(cut, jitter), theirs, 1, 0.05,
                       f"saturation {factor}")


if __name__ == "__main__":
    unittest.main()
