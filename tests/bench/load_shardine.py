#!/usr/bin/env python3
"""load_shardine.py DATASET SIZE SECONDS: our loader, see load_loop.py. Opening
the dataset counts towards the first batch."""
import shardine
from collections.abc import Iterator
from typing import Any

from load_loop import AREA, BATCH, RATIO, Epoch, run_loader


def make(dataset: str, size: int) -> Epoch:
    loader = shardine.Loader(
        dataset, batch_size=BATCH, threads=2,
        transform=shardine.RandomResizedCrop(size, scale=AREA, ratio=RATIO))

    def epoch() -> Iterator[Any]:
        for batch in loader:
            yield batch.images
    return epoch


if __name__ == "__main__":
    run_loader(make, shardine.__version__)
