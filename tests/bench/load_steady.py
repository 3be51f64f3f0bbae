#!/usr/bin/env python3
"""load_steady.py TREE [--work DIR] [--copies 4]

Bounds on growth, through Python: memory over 50 epochs of records and of random
crops, threads and open files over 200 times of opening and closing; and how long a
dataset of 14.2 million samples in 5,500 shards takes to open. One JSON line per
check, with its bounds; exits with 1 if one is broken.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from typing import Any

from corpus import HERE, copy_tree, emit, list_files, package_env, venv_python, warm

BIN = os.environ["SHARDINE_BIN"]
SHARDS = 5500
OPEN_MS = 50
SLOPE_MIB = 1  # per 10,000 batches
MORE_MIB = 64  # than the batches on their way


def loader(what: str, path: str) -> dict[str, Any]:
    out = subprocess.run([venv_python("python"), os.path.join(HERE, "steady_loader.py"), what, path],
                         stdout=subprocess.PIPE, check=True, text=True, env=package_env()).stdout
    figures: dict[str, Any] = json.loads(out)
    return figures


def check(what: str, figures: dict[str, Any], bounds: dict[str, Any]) -> bool:
    """Figures by name, and those they may not exceed. Whether all hold."""
    broken = [name for name, bound in bounds.items() if not figures[name] <= bound]
    emit(check=what, **figures, bounds=bounds, broken=broken)
    return not broken


def check_memory(kind: str, dataset: str) -> bool:
    figures = loader(kind, dataset)
    return check(kind, figures, {"slope_mib_per_10000_batches": SLOPE_MIB,
                                 "peak_mib": figures["in_flight_mib"] + MORE_MIB})


def check_cycles(dataset: str) -> bool:
    figures = loader("cycles", dataset)
    figures["changed"] = not figures.pop("constant")
    return check("cycles", figures, {"changed": False})


def check_open(folder: str) -> bool:
    program = os.path.join(BIN, "bench_read_samples")
    if not os.path.exists(os.path.join(folder, "shardine.json")):
        subprocess.run([program, "make", folder, str(SHARDS)], check=True)
    warm(list_files(folder))
    out = subprocess.run([program, "open", folder], stdout=subprocess.PIPE, check=True, text=True)
    return all([check("open, C++", json.loads(out.stdout), {"best_ms": OPEN_MS}),
                check("open, Python", loader("open", folder), {"median_ms": OPEN_MS})])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tree")
    parser.add_argument("--work")
    parser.add_argument("--copies", type=int, default=4)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        work = args.work or scratch
        out = os.path.join(work, "steady")
        if not os.path.exists(os.path.join(out, "shardine.json")):
            subprocess.run([os.path.join(BIN, "shardine"), "pack",
                            copy_tree(args.tree, work, args.copies), out, "--variants",
                            "original,sz/160"], check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
        warm(list_files(out))
        held = [check_memory("memory-raw", out),
                check_memory("memory-crop", os.path.join(out, "sz/160")),
                check_cycles(os.path.join(out, "sz/160")),
                check_open(os.path.join(work, "many"))]
    sys.exit(0 if all(held) else 1)


if __name__ == "__main__":
    main()
