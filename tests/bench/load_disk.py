#!/usr/bin/env python3
"""load_disk.py TREE [--work DIR] [--copies 120] [--rounds 3]

Records of sz/160 from a disk that seeks (bench_load_disk's model: 110 seeks and 170 MB
a second): as stored, in blocks of neighbours, and shuffled one by one. Blocks of 1,024
are mixed 16 at a time: a batch is drawn from 16,384 samples. One JSON line each on
stdout, a table at the end; exits with 1 where blocks have less than 0.8 of the rate of
the stored order.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile

from corpus import copy_tree, emit, list_files, run, warm
from measure import table

BIN = os.environ["SHARDINE_BIN"]
ASKED = 0.8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tree")
    parser.add_argument("--work")
    parser.add_argument("--copies", type=int, default=120)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        work = args.work or scratch
        # Sizes are made once; the copies are of those.
        small = os.path.join(work, "small")
        if not os.path.exists(small):
            run([os.path.join(BIN, "shardine"), "resize", args.tree, small, "--short-side=160"],
                stderr=subprocess.DEVNULL)
        tree = copy_tree(os.path.join(small, "sz", "160"), work, args.copies)
        packed = os.path.join(work, "packed")
        if not os.path.exists(os.path.join(packed, "shardine.json")):
            run([os.path.join(BIN, "shardine"), "pack", tree, packed, "--entry-points=none"],
                stderr=subprocess.DEVNULL)
        warm(list_files(packed))
        samples = len(list_files(tree))
        rates: dict[str, list[float]] = {}
        for _ in range(args.rounds):
            for order, count in (("sequential", samples), ("blocks", samples), ("shuffle", 600)):
                done = subprocess.run([os.path.join(BIN, "bench_load_disk"), packed, order,
                                       str(count)], stdout=subprocess.PIPE, text=True, check=True)
                rates.setdefault(order, []).append(float(done.stdout))
                emit(order=order, per_s=rates[order][-1])
    medians = {order: statistics.median(each) for order, each in rates.items()}
    share = medians["blocks"] / medians["sequential"]
    print(table([("order", "images/s", "of stored"), *(
        (order, round(rate), round(rate / medians["sequential"], 3))
        for order, rate in medians.items())]))
    sys.exit(0 if share >= ASKED else 1)


if __name__ == "__main__":
    main()
