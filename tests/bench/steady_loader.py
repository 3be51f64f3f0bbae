"""steady_loader.py WHAT DATASET: the resources that a loader takes of its process, in a
process of its own; prints one line of JSON.

memory-raw, memory-crop: 50 epochs; MiB more than before the loader was made at their
ends at most, the slope of the last 30 in MiB per 10,000 batches, and the MiB of the
batches that were on their way or in the consumer's hands at a time.
cycles: 200 times opened and closed; threads and open files behind each.
open: milliseconds of opening, the first time and the median of 9 more.
"""
import gc
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy  # noqa: F401 - counts as the process, not as the loader
import shardine

EPOCHS = 50
WARM_EPOCHS = 20
CYCLES = 200
PREFETCH = 2
# The batches in advance, the one being filled, and two of the consumer: it gets the
# next one before it lets go of the last.
BATCHES_AT_A_TIME = PREFETCH + 3
MIB = 1 << 20


def resident_mib() -> float:
    with open("/proc/self/smaps_rollup") as file:  # exact, unlike /proc/self/status
        return next(int(line.split()[1]) for line in file if line.startswith("Rss:")) / 1024


def size_of(batch: shardine.Batch) -> int:
    if isinstance(batch.images, list):
        return sum(map(len, batch.images))
    return int(batch.images.nbytes)


def slope(points: list[tuple[float, float]]) -> float:
    """The median of those between any two points: real growth shows everywhere, while
    the most that ever lay in memory at one time rises now and then."""
    return statistics.median((b[1] - a[1]) / (b[0] - a[0])
                             for i, a in enumerate(points) for b in points[i + 1:])


def memory(path: str, **kind: Any) -> dict[str, object]:
    dataset = shardine.Dataset(path)
    gc.collect()
    before = resident_mib()
    batches, largest, peak, points = 0, 0, 0.0, []
    with shardine.Loader(dataset, batch_size=8, threads=2, prefetch=PREFETCH,
                         **kind) as loader:
        for epoch in range(EPOCHS):
            for batch in loader:
                batches += 1
                if epoch < 2:
                    largest = max(largest, size_of(batch))
                elif batches % 16 == 0:
                    peak = max(peak, resident_mib() - before)
            points.append((float(batches), resident_mib() - before))
    return {"batches": batches, "peak_mib": round(max(peak, *(y for _, y in points)), 1),
            "in_flight_mib": round(BATCHES_AT_A_TIME * largest / MIB, 1),
            "slope_mib_per_10000_batches": round(slope(points[WARM_EPOCHS:]) * 1e4, 2)}


def held() -> tuple[int, int]:
    """Threads and open files of this process."""
    gc.collect()
    return len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))


def cycle(path: str, number: int) -> None:
    """Closed, or just let go of; after an epoch, in its middle, before it began."""
    kinds: list[dict[str, Any]] = [
        {"raw": True}, {"transform": shardine.RandomResizedCrop(64)}]
    loader = shardine.Loader(path, batch_size=8, threads=2, **kinds[number % 2])
    if number % 4 < 3:
        for count, _ in enumerate(loader):
            if number % 4 < 2 and count == 2:
                break
    if number % 3 == 0:
        loader.close()


def cycles(path: str) -> dict[str, object]:
    for number in range(12):  # each kind once: such objects stay
        cycle(path, number)
    first, seen = held(), set()
    for number in range(CYCLES):
        cycle(path, number)
        seen.add(held())
    return {"cycles": CYCLES, "threads": first[0], "files": first[1],
            "constant": seen == {first}, "seen": sorted(seen)}


def open_times(path: str) -> dict[str, object]:
    taken = []
    for _ in range(10):
        begin = time.perf_counter()
        dataset = shardine.Dataset(path)
        taken.append((time.perf_counter() - begin) * 1e3)
    return {"samples": len(dataset), "first_ms": round(taken[0], 1),
            "median_ms": round(statistics.median(taken[1:]), 1)}


def main() -> None:
    what, path = sys.argv[1:]
    measures: dict[str, Callable[[], dict[str, object]]] = {
        "memory-raw": lambda: memory(path, raw=True),
        "memory-crop": lambda: memory(path, transform=shardine.RandomResizedCrop(224)),
        "cycles": lambda: cycles(path),
        "open": lambda: open_times(path),
    }
    print(json.dumps(measures[what]()))


if __name__ == "__main__":
    main()
