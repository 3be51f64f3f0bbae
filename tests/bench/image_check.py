"""image_check.py: are the pixels right that a benchmark is about to count?

  variants NAMES FOLDER exact|near   <number>_<side>.jpg of each file named
  resample OURS PILLOWS exact|near   raw pixels

exact: the very pixels of Pillow; near: the right size, and not far off.
"""
import io
import sys
from typing import Any

import numpy
from numpy.typing import NDArray
from PIL import Image

SIDES = (160, 320)
NEAR = 8.0  # mean difference, levels: other filters, reduced decodes


def pixels(source: io.BytesIO | str) -> NDArray[Any]:
    return numpy.asarray(Image.open(source).convert("RGB")).astype(int)


def judge(what: str, mine: NDArray[Any], theirs: NDArray[Any], exact: bool) -> None:
    if mine.shape != theirs.shape:
        sys.exit(f"{what}: {mine.shape} and not {theirs.shape}")
    gap = numpy.abs(mine - theirs)
    if gap.max() > 0 if exact else gap.mean() > NEAR:
        sys.exit(f"{what}: pixels differ by {gap.mean():.2f}, at most {gap.max()}")


def check_variants(names: str, folder: str, exact: bool) -> None:
    for number, name in enumerate(open(names).read().splitlines()):
        if number % 5:
            continue
        stored = Image.open(name)
        image = stored if stored.mode == "L" else stored.convert("RGB")
        width, height = image.size
        short = min(width, height)
        for side in SIDES:
            out = io.BytesIO()
            size = (max(width * side // short, side), max(height * side // short, side))
            image.resize(size, Image.Resampling.BILINEAR).save(out, "JPEG", quality=90)
            judge(f"{name} at {side}", pixels(f"{folder}/{number}_{side}.jpg"),
                  pixels(out), exact)


def main() -> None:
    job, first, second, how = sys.argv[1:5]
    if job == "variants":
        check_variants(first, second, how == "exact")
    else:
        judge(first, numpy.fromfile(first, numpy.uint8).astype(int),
              numpy.fromfile(second, numpy.uint8).astype(int), how == "exact")


if __name__ == "__main__":
    main()
