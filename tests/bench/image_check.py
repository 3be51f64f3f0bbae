"""image_check.py: are the pixels right that a benchmark is about to count?

  variants NAMES FOLDER exact|near   <number>_<side>.jpg of each file named
  resample OURS PILLOWS exact|near   raw pixels

exact: the very pixels of Pillow; near: the right size, and not far off.
"""
import io
import sys

import numpy
from PIL import Image

SIDES = (160, 320)
NEAR = 8.0  # mean difference, levels: other filters, reduced decodes


def pixels(source):
    return numpy.asarray(Image.open(source).convert("RGB")).astype(int)


def judge(what, mine, theirs, exact):
    if mine.shape != theirs.shape:
        sys.exit(f"{what}: {mine.shape} and not {theirs.shape}")
    gap = numpy.abs(mine - theirs)
    if gap.max() > 0 if exact else gap.mean() > NEAR:
        sys.exit(f"{what}: pixels differ by {gap.mean():.2f}, at most {gap.max()}")


def check_variants(names, folder, exact):
    for number, name in enumerate(open(names).read().splitlines()):
        if number % 5:
            continue
        image = Image.open(name)
        image = image if image.mode == "L" else image.convert("RGB")
        width, height = image.size
        short = min(width, height)
        for side in SIDES:
            out = io.BytesIO()
            size = (max(width * side // short, side), max(height * side // short, side))
            image.resize(size, Image.BILINEAR).save(out, "JPEG", quality=90)
            judge(f"{name} at {side}", pixels(f"{folder}/{number}_{side}.jpg"),
                  pixels(out), exact)


def main():
    job, first, second, how = sys.argv[1:5]
    if job == "variants":
        check_variants(first, second, how == "exact")
    else:
        judge(first, numpy.fromfile(first, numpy.uint8).astype(int),
              numpy.fromfile(second, numpy.uint8).astype(int), how == "exact")


if __name__ == "__main__":
    main()
