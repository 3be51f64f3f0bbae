#!/usr/bin/env python3
"""augment_shardine.py DATASET SIZE SECONDS PIPELINE: our loader with one of the
pipelines of augment.py, see load_loop.py. A batch of two views is two arrays, each of
which counts."""
from collections.abc import Iterator
from typing import Any

import shardine
from augment_loop import ERASED, FACTORS, HUE
from load_loop import AREA, BATCH, RATIO, Epoch, run_loader


def operations(pipeline: str) -> list[Any]:
    jitter = shardine.ColorJitter(FACTORS, FACTORS, FACTORS, HUE)
    pipelines: dict[str, list[Any]] = {
        "crop": [], "two views": [], "jitter": [jitter],
        "erasing": [jitter, shardine.RandomErasing(ERASED)],
        "randaugment": [shardine.RandAugment()]}
    return pipelines[pipeline]


def transform(size: int, pipeline: str) -> list[Any]:
    return [shardine.RandomResizedCrop(size, scale=AREA, ratio=RATIO), *operations(pipeline)]


def make(dataset: str, size: int, pipeline: str) -> Epoch:
    made = transform(size, pipeline)
    if pipeline == "two views":
        loader = shardine.Loader(dataset, batch_size=BATCH, threads=2, views=[made, made])
    else:
        loader = shardine.Loader(dataset, batch_size=BATCH, threads=2, transform=made)

    def epoch() -> Iterator[Any]:
        for batch in loader:
            yield from batch.views if pipeline == "two views" else [batch.images]
    return epoch


if __name__ == "__main__":
    run_loader(make, shardine.__version__)
