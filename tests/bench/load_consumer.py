#!/usr/bin/env python3
"""load_consumer.py DATASET SIZE BATCHES: the cost of batches to the thread that takes
them in Python, its arrays asked for; bench_next_batch is the same in C++.
SIZE 0: records as they are. Prints CPU microseconds of that thread per batch."""
import itertools
import sys
import time
from typing import Any

import shardine
from load_loop import BATCH


def take(loader: shardine.Loader, batches: int) -> None:
    epochs = itertools.chain.from_iterable(itertools.repeat(loader))
    for batch in itertools.islice(epochs, batches):
        batch.images, batch.labels, batch.ids, batch.boxes


def main() -> None:
    dataset, size, batches = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    form: dict[str, Any] = (
        {"transform": shardine.RandomResizedCrop(size)} if size else {"raw": True})
    loader = shardine.Loader(dataset, batch_size=BATCH, threads=2, **form)
    take(loader, batches // 10)
    begin = time.thread_time()
    take(loader, batches)
    print(round((time.thread_time() - begin) * 1e6 / batches, 2))


if __name__ == "__main__":
    main()
