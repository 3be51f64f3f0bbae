"""remote_loader.py DATASET SECONDS [--size N] [--order ORDER] [--pace IMAGES_A_SECOND]
                    [--cache FOLDER] [--world RANKS] [--check]

Our loader on a dataset here or on a server, in a process of its own, random crops to
uint8 batches of 64 on two threads; prints one line of JSON: seconds to the first
batch, imports not counted; images a second and microseconds of CPU an image, behind
the first epoch, or from the start where there are no SECONDS to wait; most resident
MiB; the requests to the server meanwhile. --check: the digest of one epoch's ids and
pixels as well. --pace: the consumer of batches takes no more. --world: the batches of
the first of so many ranks.
"""
import argparse
import hashlib
import json
import resource
import time
from collections.abc import Iterator
from typing import Any

import numpy  # noqa: F401 - its import is not the loader's time
import shardine
from measure import cpu_seconds

BATCH = 64
WARM_UP_BATCHES = 30


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("dataset")
    parser.add_argument("seconds", type=float)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--order", default="shuffle")
    parser.add_argument("--pace", type=float)
    parser.add_argument("--cache")
    parser.add_argument("--world", type=int, default=1)
    parser.add_argument("--check", action="store_true")
    return parser.parse_args()


def open_loader(args: argparse.Namespace) -> shardine.Loader:
    kept = {"cache": args.cache, "cache_size": "8G"} if args.cache else {}
    return shardine.Loader(
        shardine.Dataset(args.dataset, **kept), batch_size=BATCH, threads=2, order=args.order,
        rank=0, world=args.world, transform=shardine.RandomResizedCrop(args.size))


def digest(loader: shardine.Loader) -> str:
    """Digest of one epoch; which epoch it is does not depend on the measurement."""
    state = hashlib.blake2b(digest_size=16)
    for batch in loader:
        state.update(batch.ids.tobytes())
        state.update(batch.images.tobytes())
    return state.hexdigest()


class Pace:
    """Waits until the next batch is due, as a trainer's step does."""

    def __init__(self, images_a_second: float | None) -> None:
        self.step = BATCH / images_a_second if images_a_second else 0.0
        self.due = time.perf_counter()

    def wait(self) -> None:
        now = time.perf_counter()
        # A batch that came late puts off those behind it: nobody trains faster then.
        self.due = max(self.due + self.step, now)
        time.sleep(self.due - now)


def batches(loader: shardine.Loader) -> Iterator[shardine.Batch]:
    """The batches of one epoch after the other."""
    while True:
        yield from loader


def measure(batch: Iterator[shardine.Batch], seconds: float, pace: float | None) -> dict[str, float]:
    images, longest = 0, 0.0
    clock = Pace(pace)
    cpu, begin = cpu_seconds(), time.perf_counter()
    now = last = begin
    while now - begin < seconds:
        images += len(next(batch).ids)
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
        clock.wait()
    wall = time.perf_counter() - begin
    return {"per_s": images / wall, "cpu_us": (cpu_seconds() - cpu) / images * 1e6,
            "longest_wait": longest}


def asked(loader: shardine.Loader) -> dict[str, Any]:
    remote = loader.stats().remote
    return {"requests": remote.requests, "tries": remote.tries, "hedges": remote.hedges,
            "most_under_way": remote.most_under_way, "bytes": remote.bytes,
            "failed_tries": remote.failed_tries, "first_byte_p99": remote.first_byte_p99}


def main() -> None:
    args = arguments()
    begin = time.perf_counter()
    figures: dict[str, Any] = {}
    with open_loader(args) as loader:
        if args.check:
            figures["digest"] = digest(loader)
        batch = batches(loader)
        next(batch)
        figures["first_batch"] = time.perf_counter() - begin
        if args.seconds > 0:
            # Some seconds more: the requests of the beginning come at once.
            warm_up = len(loader) if args.cache else WARM_UP_BATCHES
            for _ in range(warm_up):
                next(batch)
            figures |= measure(batch, args.seconds, args.pace)
        figures |= asked(loader)
    figures["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
