#!/usr/bin/env python3
"""augment_check.py DATASET SIZE: our operations do the same to random crops as
torchvision v2 by the same parameters: two batches each. Prints {"images"}."""
import json
import sys
from collections.abc import Callable
from typing import Any

import numpy
import torch
from torchvision.transforms import v2
from torchvision.transforms.v2 import functional

import shardine
from load_loop import AREA, BATCH, RATIO

SEED = 1
CHECKED = 2  # batches
# Largest difference of values: places half-way between two pixels are torch's
# processor's.
MOST_OFF = 0.01

FIXED: list[tuple[Any, Callable[[Any], Any]]] = [
    (shardine.ColorJitter(brightness=(1.3, 1.3)),
     lambda image: functional.adjust_brightness(image, 1.3)),
    (shardine.ColorJitter(contrast=(0.7, 0.7)),
     lambda image: functional.adjust_contrast(image, 0.7)),
    (shardine.ColorJitter(saturation=(1.4, 1.4)),
     lambda image: functional.adjust_saturation(image, 1.4)),
    (shardine.ColorJitter(hue=(-0.07, -0.07)), lambda image: functional.adjust_hue(image, -0.07)),
]


def images(dataset: str, size: int, *operations: Any) -> list[tuple[int, Any]]:
    """Ids, and images as torch has them."""
    loader = shardine.Loader(
        dataset, batch_size=BATCH, seed=SEED, threads=2, layout="nchw",
        transform=[shardine.RandomResizedCrop(size, scale=AREA, ratio=RATIO), *operations])
    found = []
    for _, batch in zip(range(CHECKED), loader):
        found += [(int(sample), torch.from_numpy(numpy.array(image)))
                  for sample, image in zip(batch.ids, batch.images)]
    return found


def check_fixed(dataset: str, size: int, before: list[tuple[int, Any]]) -> None:
    for operation, theirs in FIXED:
        for (sample, image), (_, made) in zip(before, images(dataset, size, operation)):
            if (made.int() - theirs(image).int()).abs().max() > 1:
                sys.exit(f"sample {sample}: {operation} is more than a level off")


def check_erasing(dataset: str, size: int, before: list[tuple[int, Any]]) -> None:
    erased = 0
    for (sample, image), (_, made) in zip(
            before, images(dataset, size, shardine.RandomErasing(1))):
        rows, columns = (image != made).any(0).nonzero(as_tuple=True)
        if len(rows) == 0:
            continue
        box = made[:, int(rows.min()):int(rows.max()) + 1,
                   int(columns.min()):int(columns.max()) + 1]
        if box.any():
            sys.exit(f"sample {sample}: what was erased is no black box")
        erased += 1
    if erased < len(before) / 2:
        sys.exit(f"{erased} of {len(before)} images have something erased")


def check_randaugment(dataset: str, size: int, before: list[tuple[int, Any]]) -> None:
    ours, theirs = shardine.RandAugment(), v2.RandAugment()
    off = total = 0
    for (sample, image), (_, made) in zip(before, images(dataset, size, ours)):
        for name, magnitude in ours.drawn(sample, (size, size), seed=SEED):
            image = theirs._apply_image_or_video_transform(
                image, name, magnitude, theirs.interpolation, theirs._fill)
        off += int(((made.int() - image.int()).abs() > 1).sum())
        total += made.numel()
    if off > MOST_OFF * total:
        sys.exit(f"RandAugment: {off} of {total} values are more than a level off")


def main() -> None:
    dataset, size = sys.argv[1], int(sys.argv[2])
    before = images(dataset, size)
    for check in (check_fixed, check_erasing, check_randaugment):
        check(dataset, size, before)
    print(json.dumps({"images": len(before)}))


if __name__ == "__main__":
    main()
