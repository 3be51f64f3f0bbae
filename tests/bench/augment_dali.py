#!/usr/bin/env python3
"""augment_dali.py SHARD SIZE SECONDS PIPELINE: DALI on the CPU, two threads, see
load_loop.py and augment_loop.py; as it has them: colours by one matrix, in one
order, boxes erased whose sides are drawn even, its own RandAugment of nearest
pixels."""
from collections.abc import Iterator
from typing import Any

import numpy
import nvidia.dali as dali
from nvidia.dali import fn, pipeline_def, types
from nvidia.dali.auto_aug import rand_augment

from augment_loop import ERASED, FACTORS, HUE
from load_dali import cropped
from load_loop import BATCH, Epoch, run_loader

# Sides of boxes, of the image's: mean areas are those of the others.
SIDES = (0.2, 0.64)


def factor() -> Any:
    return fn.random.uniform(range=(1 - FACTORS, 1 + FACTORS))


def jittered(images: Any) -> Any:
    hue = fn.random.uniform(range=(-360 * HUE, 360 * HUE))
    return fn.color_twist(images, brightness=factor(), contrast=factor(),
                          saturation=factor(), hue=hue)


def erased(images: Any) -> Any:
    if fn.random.coin_flip(probability=ERASED, dtype=types.BOOL):
        images = fn.erase(images, anchor=fn.random.uniform(range=(0, 1 - SIDES[1]), shape=(2,)),
                          shape=fn.random.uniform(range=SIDES, shape=(2,)), axis_names="HW",
                          normalized=True, fill_value=0)
    return images


@pipeline_def(batch_size=BATCH, num_threads=2, device_id=None, enable_conditionals=True)
def pipeline(shard: str, size: int, kind: str) -> Any:
    images, label = cropped(shard, size)
    if kind in ("jitter", "erasing"):
        images = jittered(images)
    if kind == "erasing":
        images = erased(images)
    if kind == "randaugment":
        images = rand_augment.rand_augment(images, n=2, m=9, shape=(size, size), fill_value=0,
                                           interp_type=types.INTERP_NN)
    return images, label


def make(shard: str, size: int, kind: str) -> Epoch:
    pipe = pipeline(shard, size, kind)
    pipe.build()
    steps = -(-pipe.epoch_size("reader") // BATCH)

    def epoch() -> Iterator[Any]:
        for _ in range(steps):
            yield numpy.asarray(pipe.run()[0].as_tensor())
    return epoch


if __name__ == "__main__":
    run_loader(make, dali.__version__)
