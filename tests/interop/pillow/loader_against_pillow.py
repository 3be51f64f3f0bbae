"""Batches of shardine.Loader against Pillow, bit for bit: decode, crop, resize
and flip of 2,000 random boxes and of whole images, photos and the hostile set.

Usage: loader_against_pillow.py SHARDINE PHOTOS HOSTILE_FOLDER VERDICTS_TSV VERSION
Files of the hostile set whose pixels the table does not call good must be bad
samples, gray, and no others. Where a crop's part of such a file is whole, it may
have been read: then it must equal Pillow's.
"""

import collections
import hashlib
import io
import math
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import numpy
import PIL
from numpy.typing import NDArray
from PIL import Image, ImageFile, ImageOps

import shardine

Size = int | tuple[int, int]
Transform = (shardine.RandomResizedCrop | shardine.CenterCrop | shardine.RectVal
             | shardine.Resize | shardine.FixedCrop)

BOXES = 2000
LONGEST_SIDE = 1 << 26  # that a resized image may have
MOST_PIXELS = 1 << 26  # that Pillow is asked to make for the middle of them
# Files that libjpeg smooths over, which version 3.0.1 and later do by other values.
SMOOTHED = {"progressive_cut_after_first_scan.jpg", "progressive_dc_only.jpg"}
SMOOTHED_BY = 4  # levels

RANDOM: list[Transform] = [
    shardine.RandomResizedCrop(224),
    shardine.RandomResizedCrop((96, 160), scale=(0.35, 1)),
    shardine.RandomResizedCrop((150, 7), scale=(0.01, 0.3), ratio=(0.2, 5),
                               flip=0.9),
    shardine.RandomResizedCrop(1, flip=0)]
WHOLE: list[Transform] = [
    shardine.CenterCrop(224), shardine.CenterCrop((40, 300), resize=0),
    shardine.CenterCrop((90, 150), resize=100), shardine.Resize((64, 48))]


def square(size: Size) -> tuple[int, int]:
    return (size, size) if isinstance(size, int) else size


def middle(image: Image.Image, height: int, width: int) -> Image.Image:
    """torchvision's center_crop: black beside images that are too small."""
    def begin(side: int, crop: int) -> int:
        if crop > side:
            return -((crop - side) // 2)
        return int(round((side - crop) / 2.0))

    x, y = begin(image.width, width), begin(image.height, height)
    return image.crop((x, y, x + width, y + height))


def resized_size(size: tuple[int, int], short: int) -> tuple[int, int]:
    """torchvision's: the short side to `short`."""
    width, height = size
    other = int(short * max(size) / min(size))
    return (short, other) if width <= height else (other, short)


def resized_pixels(image: Image.Image, transform: Transform) -> tuple[int, int]:
    """Width and height of all that the transform keeps a part of."""
    if isinstance(transform, shardine.CenterCrop) and transform.resize:
        return resized_size(image.size, transform.resize)
    return image.size


def can_have(image: Image.Image, transform: Transform) -> bool:
    """Whether there is such a part of the image."""
    if isinstance(transform, shardine.FixedCrop):
        x, y, width, height = transform.box
        return x + width <= image.width and y + height <= image.height
    return max(resized_pixels(image, transform)) <= LONGEST_SIDE


def center_crop(image: Image.Image,
                transform: shardine.CenterCrop) -> Image.Image:
    if transform.resize:
        size = resized_size(image.size, transform.resize)
        image = image.resize(size, Image.Resampling.BILINEAR)
    return middle(image, *square(transform.size))


def by_pillow(image: Image.Image, transform: Transform,
              box: Iterable[int]) -> Image.Image:
    """The transform of an image, given the box that was used."""
    if isinstance(transform, shardine.CenterCrop):
        return center_crop(image, transform)
    if isinstance(transform, shardine.Resize):
        box = (0, 0, *image.size, 0)
    elif isinstance(transform, shardine.FixedCrop):
        box = (*transform.box, 0)
    x, y, width, height, flip = map(int, box)
    if not (0 <= x < x + width <= image.width
            and 0 <= y < y + height <= image.height):
        raise AssertionError(f"the box {box} is not in {image.size}")
    height_width = square(transform.size)
    part = image.crop((x, y, x + width, y + height))
    part = part.resize(height_width[::-1], Image.Resampling.BILINEAR)
    return part.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if flip else part


# Images that Pillow decodes for more than a second, such as those of many scans.
kept: dict[tuple[bytes, bool, bool], Image.Image | None] = {}


def decoded(data: bytes, is_damaged: bool,
            apply_exif: bool) -> Image.Image | None:
    """The image by Pillow, of a damaged file as much as there is. None: refused."""
    key = (hashlib.sha256(data).digest(), is_damaged, apply_exif)
    if key in kept:
        return kept[key]
    begin = time.process_time()
    image = decode(data, is_damaged, apply_exif)
    if time.process_time() - begin > 1:
        kept[key] = image
    return image


def decode(data: bytes, is_damaged: bool, apply_exif: bool) -> Image.Image | None:
    ImageFile.LOAD_TRUNCATED_IMAGES = is_damaged
    try:
        with Image.open(io.BytesIO(data)) as image:
            if apply_exif:
                ImageOps.exif_transpose(image, in_place=True)
            return image.convert("RGB")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return None


class Comparison:
    def __init__(self, verdicts: dict[str, str]) -> None:
        self.verdicts = verdicts  # {file: "good" or another word of the table}
        self.counts: collections.Counter[str] = collections.Counter()
        self.wrong: list[str] = []

    def compare(self, name: str, pixels: NDArray[Any], is_bad: bool,
                image: Image.Image | None, transform: Transform,
                box: NDArray[Any]) -> None:
        """One sample of a batch, height x width x channels."""
        verdict = self.verdicts.get(name, "good")
        if (image is None and verdict == "good"
                and isinstance(transform, shardine.FixedCrop)):
            return  # whether the box is in it, Pillow does not say
        has_part = image is None or can_have(image, transform)
        may_be_bad = verdict != "good" or not has_part
        must_be_bad = verdict == "unsupported" or not has_part or (
            verdict != "good" and isinstance(transform, shardine.Resize))
        if verdict == "unsupported-kind":
            self.wrong.append(f"{name}, {transform}: {verdict}, not dropped")
        elif is_bad > may_be_bad or is_bad < must_be_bad:
            self.wrong.append(f"{name}, {transform}: {verdict}, bad is {is_bad}")
        elif is_bad:
            self.counts["bad"] += 1
            if (pixels != 128).any():
                self.wrong.append(f"{name}, {transform}: bad and not gray")
        elif image is not None and math.prod(
                resized_pixels(image, transform)) <= MOST_PIXELS:
            expected = numpy.asarray(
                by_pillow(image, transform, box)).astype(int)
            apart = numpy.abs(pixels.astype(int) - expected).max()
            if apart > (SMOOTHED_BY if name in SMOOTHED else 0):
                self.wrong.append(f"{name}, {transform}, box {box.tolist()}: "
                                  f"pixels are up to {apart} apart")
            self.counts[type(transform).__name__] += 1
            self.counts["flipped"] += int(box[4])
            self.counts["parts of damaged ones"] += verdict != "good"

    def epochs(self, path: str, transforms: Sequence[Transform], count: int = 1,
               apply_exif: bool = False, **options: Any) -> None:
        """Every image is decoded once by Pillow, for all the transforms."""
        dataset = shardine.Dataset(path, **options)
        loaders = [shardine.Loader(dataset, transform=transform, batch_size=16,
                                   order="sequential", last_batch="short",
                                   on_bad="gray", unsupported="drop", threads=2,
                                   apply_exif=apply_exif)
                   for transform in transforms]
        for _ in range(count):
            for batches in zip(*loaders, strict=True):
                self.compare_batches(dataset, transforms, batches, apply_exif)
        for loader in loaders:
            self.counts["dropped"] += loader.stats().unsupported
            loader.close()

    def compare_batches(self, dataset: shardine.Dataset,
                        transforms: Sequence[Transform],
                        batches: Sequence[shardine.Batch],
                        apply_exif: bool) -> None:
        for batch in batches[1:]:
            assert batch.keys == batches[0].keys
        for i, position in enumerate(batches[0].positions):
            name = pathlib.PurePath(batches[0].keys[i]).name
            is_damaged = self.verdicts.get(name, "good") != "good"
            image = decoded(dataset[position].image, is_damaged, apply_exif)
            for transform, batch in zip(transforms, batches):
                pixels = batch.images[i].transpose(1, 2, 0)
                if isinstance(transform, shardine.RectVal):
                    transform = shardine.CenterCrop(
                        pixels.shape[:2], int(transform.size * 1.14))
                self.compare(name, pixels, bool(batch.bad[i]), image, transform,
                             batch.boxes[i])


def pack(program: str, tree: str | pathlib.Path, out: pathlib.Path,
         *options: str) -> list[str]:
    """Twice, with entry points and without."""
    folders = []
    for entry_points in ("auto", "none"):
        folder = f"{out}-{entry_points}"
        subprocess.run([program, "pack", tree, folder, "--on-bad", "keep",
                        "--check", "none", "--entry-points", entry_points,
                        *options], check=True, capture_output=True)
        folders.append(folder)
    return folders


def photos(program: str, tree: str, work: pathlib.Path) -> Comparison:
    comparison = Comparison({})
    folders = pack(program, tree, work / "photos", "--variants",
                   "original,sz/160")
    samples = len(shardine.Dataset(folders[0]))
    epochs = math.ceil(BOXES / samples / len(RANDOM))
    fixed = shardine.FixedCrop((11, 17, 60, 50), (70, 40))
    comparison.epochs(folders[0], RANDOM, epochs)
    comparison.epochs(folders[0], WHOLE + [fixed])
    comparison.epochs(folders[0], [shardine.RectVal(96)])
    # Boxes of other places, and other ways to the same pixels.
    comparison.epochs(folders[1], RANDOM[:2] + WHOLE[:1])
    comparison.epochs(folders[0], RANDOM[:2] + [fixed], variant="sz/160")
    return comparison


def hostile(program: str, files: str, table: pathlib.Path,
            work: pathlib.Path) -> Comparison:
    head, *rows = [line.split("\t") for line in
                   table.read_text(encoding="utf-8").splitlines()]
    pixels, header = head.index("pixels"), head.index("header")
    verdicts = {row[0]: row[header] if row[header] == "unsupported-kind"
                else row[pixels] for row in rows}
    (work / "tree").mkdir()
    (work / "tree" / "files").symlink_to(files)
    comparison = Comparison(verdicts)
    folders = pack(program, work / "tree", work / "hostile")
    fixed: list[Transform] = [
        shardine.FixedCrop((0, 0, 1, 1), 5),
        shardine.FixedCrop((3, 5, 20, 17), (30, 9))]
    comparison.epochs(folders[0], RANDOM + WHOLE + fixed)
    comparison.epochs(folders[1], RANDOM + WHOLE[:1] + fixed[:1])
    comparison.epochs(folders[0], RANDOM[:1] + WHOLE[-1:], apply_exif=True)
    comparison.epochs(folders[0], [shardine.RectVal(32)])
    return comparison


def main(program: str, tree: str, files: str, table: pathlib.Path,
         version: str) -> NoReturn:
    if PIL.__version__ != version:
        sys.exit(f"this is Pillow {PIL.__version__}")
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        results = {"photos": photos(program, tree, work),
                   "hostile set": hostile(program, files, table, work)}
    for name, result in results.items():
        print("\n".join(result.wrong[:50] + [f"{name}: {dict(result.counts)}"]))
    boxes = results["photos"].counts["RandomResizedCrop"]
    compared = results["hostile set"].counts
    sys.exit(1 if any(result.wrong for result in results.values())
             or boxes < BOXES or compared["bad"] < 1000
             or compared["RandomResizedCrop"] < 1000
             or compared["dropped"] == 0 else 0)


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__.split("Usage: ")[1].splitlines()[0])
    main(sys.argv[1], sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4]),
         sys.argv[5])
