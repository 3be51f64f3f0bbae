#!/usr/bin/env python3
"""load_dali.py TFRECORD SIZE SECONDS: DALI on the CPU, see load_loop.py; by the
index beside the shard. Its readers are within 2 % of each other."""
import os
from collections.abc import Iterator
from typing import Any

import numpy
import nvidia.dali as dali
import nvidia.dali.tfrecord as tfrecord
from nvidia.dali import fn, pipeline_def, types

from load_loop import AREA, BATCH, RATIO, Epoch, run_loader

FEATURES = {"image/encoded": tfrecord.FixedLenFeature((), tfrecord.string, ""),
            "image/class/label": tfrecord.FixedLenFeature([1], tfrecord.int64, -1)}


def cropped(shard: str, size: int) -> tuple[Any, Any]:
    """Images, cropped, resized and flipped, and labels."""
    folder, name = os.path.split(shard)
    index = os.path.join(folder, ".shardine", os.path.splitext(name)[0] + ".idx")
    record = fn.readers.tfrecord(path=shard, index_path=index,
                                 features=FEATURES, random_shuffle=True, name="reader")
    images = fn.decoders.image_random_crop(
        record["image/encoded"], device="cpu", output_type=types.RGB, random_area=AREA,
        random_aspect_ratio=RATIO)
    images = fn.resize(images, size=[size, size], antialias=True,
                       interp_type=types.INTERP_LINEAR)
    return fn.flip(images, horizontal=fn.random.coin_flip()), record["image/class/label"]


@pipeline_def(batch_size=BATCH, num_threads=2, device_id=None)
def pipeline(shard: str, size: int) -> Any:
    return cropped(shard, size)


def make(shard: str, size: int) -> Epoch:
    pipe = pipeline(shard, size)
    pipe.build()
    steps = -(-pipe.epoch_size("reader") // BATCH)

    def epoch() -> Iterator[Any]:
        for _ in range(steps):
            yield numpy.asarray(pipe.run()[0].as_tensor())
    return epoch


if __name__ == "__main__":
    run_loader(make, dali.__version__)
