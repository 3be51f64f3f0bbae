#!/usr/bin/env python3
"""torchvision_boxes.py DATASET: the boxes and flips that batches say they were
made with have the distribution of torchvision's own RandomResizedCrop and
RandomHorizontalFlip: chi-square of area, aspect ratio, place and flip of equally
many of each, for the same images. Prints the distances, in standard deviations
of chi-square; exits with 1 if one is above 8, or if boxes of another
distribution are not seen to be so.
"""
import math
import sys
from typing import Any

import numpy
import torch
import torchvision
from numpy.typing import NDArray
from torchvision.transforms import RandomHorizontalFlip, RandomResizedCrop

import shardine

Array = NDArray[Any]
Case = tuple[tuple[float, float], tuple[float, float], float]

BOXES = 40_000
BINS = 25
FARTHEST = 8
TRAITS = ("area", "ratio", "x", "y", "flip")
# (scale, ratio, probability of a flip)
CASES = [((0.08, 1), (3 / 4, 4 / 3), 0.5), ((0.35, 1), (0.5, 2), 0.25)]


def sizes_of(path: str) -> Array:
    """Width and height by position."""
    loader = shardine.Loader(path, batch_size=64, order="sequential",
                             last_batch="short", transform=shardine.Resize(1))
    return numpy.concatenate([batch.boxes[:, 2:4].copy() for batch in loader])


def our_boxes(path: str, epochs: int, case: Case) -> Array:
    scale, ratio, flip = case
    loader = shardine.Loader(
        path, batch_size=64, order="sequential", last_batch="short", seed=11,
        transform=shardine.RandomResizedCrop(1, scale=scale, ratio=ratio, flip=flip))
    return numpy.concatenate([batch.boxes.copy() for _ in range(epochs)
                              for batch in loader])


def their_boxes(sizes: Array, epochs: int, case: Case) -> Array:
    scale, ratio, flip = case
    torch.manual_seed(12)
    flipped = RandomHorizontalFlip(flip)
    mark = torch.tensor([[[0, 1]]])
    images = [torch.empty(1, height, width) for width, height in sizes.tolist()]
    boxes = []
    for _ in range(epochs):
        for image in images:
            y, x, height, width = RandomResizedCrop.get_params(image, scale, ratio)
            boxes.append((x, y, width, height, int(flipped(mark)[0, 0, 0])))
    return numpy.array(boxes)


def traits(boxes: Array, sizes: Array, case: Case) -> tuple[Array, ...]:
    """Each from 0 to 1."""
    x, y, width, height, flip = boxes.T.astype(float)
    whole_width, whole_height = sizes.T.astype(float)
    low, high = map(math.log, case[1])

    def place(begin: Array, side: Array, whole: Array) -> Array:
        shares: Array = begin / numpy.maximum(whole - side, 1)
        return shares

    return (width * height / whole_width / whole_height,
            (numpy.log(width / height) - low) / (high - low),
            place(x, width, whole_width), place(y, height, whole_height), flip)


def distance(ours: Array, theirs: Array) -> float:
    """Chi-square less its degrees of freedom, in standard deviations."""
    one, other = (numpy.histogram(numpy.clip(values, 0, 1), BINS, (0, 1))[0]
                  for values in (ours, theirs))
    used = one + other > 0
    difference = (one - other)[used] ** 2 / (one + other)[used]
    freedom = max(used.sum() - 1, 1)
    return float(difference.sum() - freedom) / math.sqrt(2 * freedom)


def distances(ours: Array, theirs: Array, sizes: Array, case: Case) -> dict[str, float]:
    return dict(zip(TRAITS, map(distance, traits(ours, sizes, case),
                                traits(theirs, sizes, case))))


def main(path: str) -> None:
    sizes = sizes_of(path)
    epochs = -(-BOXES // len(sizes))
    every = numpy.tile(sizes, (epochs, 1))
    for case in CASES:
        ours, theirs = our_boxes(path, epochs, case), their_boxes(sizes, epochs, case)
        found = distances(ours, theirs, every, case)
        print(f"scale {case[0]}, ratio {case[1]}, flip {case[2]}: {len(ours)} boxes, "
              + ", ".join(f"{name} {value:.1f}" for name, value in found.items()))
        if max(found.values()) > FARTHEST:
            sys.exit("not torchvision's distribution")
    # The comparison can fail: an area of at least a tenth is another distribution.
    other = their_boxes(sizes, epochs, ((0.1, 1), *CASES[0][1:]))
    ours = our_boxes(path, epochs, CASES[0])
    if distances(ours, other, every, CASES[0])["area"] < 2 * FARTHEST:
        sys.exit("another distribution is not seen")
    print(f"torchvision {torchvision.__version__} has the same distribution")


if __name__ == "__main__":
    main(sys.argv[1])
