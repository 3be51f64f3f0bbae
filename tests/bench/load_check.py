#!/usr/bin/env python3
"""load_check.py DATASET TREE SIZE: random crops of the loader are Pillow's crop,
resize and flip of the same boxes of the files in TREE, exactly: 4 batches. Prints
{"images", "mean"}: of all pixels of an epoch, which other loaders must come near."""
import json
import os
import sys
from typing import Any

import numpy
from numpy.typing import NDArray
from PIL import Image

import shardine
from load_loop import AREA, BATCH, RATIO

CHECKED = 4  # batches


def pillow(path: bytes, box: NDArray[Any], size: int) -> NDArray[Any]:
    x, y, width, height, flip = map(int, box)
    image = Image.open(path).convert("RGB").crop((x, y, x + width, y + height))
    image = image.resize((size, size), Image.Resampling.BILINEAR)
    return numpy.asarray(image.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if flip else image)


def check(batch: shardine.Batch, tree: str, size: int) -> None:
    for key, box, pixels in zip(batch.key_bytes, batch.boxes, batch.images):
        path = os.path.join(os.fsencode(tree), key)
        if not numpy.array_equal(pixels, pillow(path, box, size)):
            sys.exit(f"{os.fsdecode(path)}, box {list(box)}: not Pillow's pixels")


def main() -> None:
    dataset, tree, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
    loader = shardine.Loader(
        dataset, batch_size=BATCH, seed=1, threads=2, layout="nhwc",
        transform=shardine.RandomResizedCrop(size, scale=AREA, ratio=RATIO))
    means = []
    for number, batch in enumerate(loader):
        if number < CHECKED:
            check(batch, tree, size)
        means.append(batch.images.mean())
    print(json.dumps({"images": CHECKED * BATCH, "mean": float(numpy.mean(means))}))


if __name__ == "__main__":
    main()
