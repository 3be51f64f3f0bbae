#!/usr/bin/env python3
"""load_samples.py TREE [--work DIR] [--copies 4] [--seconds 8] [--rounds 3]

PyTorch's DataLoader with four workers and torchvision's random crops to 224, on two
processors: our Dataset on a server that answers 100 ms late, beside objects that boto3
reads there, of photos and of their sizes sz/160; and from a warm cache, beside the same
Dataset here. One JSON line each on stdout, a table at the end; exits with 1 where a
bound is broken.
"""
import argparse
import os
import subprocess
import sys
import tempfile

from corpus import HERE, copy_tree, list_files, package_env, run, venv_python, warm
from load_remote import BIN, LATE, Bounds, Figures, median, peer, served
from measure import table

WORKERS = 4


def figures_of(kind: str, address: str, folder: str, work: str, seconds: float,
               **more: str) -> Figures:
    command = [venv_python("torch"), os.path.join(HERE, "web_peer.py"), kind, address, folder,
               str(seconds), str(WORKERS)]
    return peer(f"{kind} {folder} {'there' if address else 'here'} {' '.join(more)}", command,
                package_env() | {"NO_PROXY": "127.0.0.1",
                                 "BUCKET": os.path.join(work, "data")} | more)


def compare(work: str, args: argparse.Namespace, bounds: Bounds, ours: str,
            theirs: str) -> None:
    runs: dict[str, list[Figures]] = {}
    with served(work, LATE) as server, tempfile.TemporaryDirectory() as cache:
        figures_of("samples", server.address, ours, work, args.seconds, CACHE=cache)
        for _ in range(args.rounds):
            for name, at, folder, more in (
                ("boto3", server.address, theirs, {}), ("samples", server.address, ours, {}),
                ("warm", server.address, ours, {"CACHE": cache}), ("local", "", ours, {}),
            ):
                kind = "boto3" if name == "boto3" else "samples"
                runs.setdefault(name, []).append(
                    figures_of(kind, at, folder, work, args.seconds, **more))
    rate = {name: median(cells, "per_s") for name, cells in runs.items()}
    bounds.check(f"{ours}: rate, of boto3", rate["samples"] / rate["boto3"], 12)
    bounds.check(f"{ours}: rate from a warm cache, of local", rate["warm"] / rate["local"], 0.9)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tree")
    parser.add_argument("--work")
    parser.add_argument("--copies", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    bounds = Bounds()
    with tempfile.TemporaryDirectory() as scratch:
        work = args.work or scratch
        data = os.path.join(work, "data")
        os.makedirs(data, exist_ok=True)
        tree = copy_tree(args.tree, data, args.copies)
        shardine = os.path.join(BIN, "shardine")
        records = os.path.join(data, "records")
        run([shardine, "pack", tree, records, "--variants=original,sz/160"],
            stderr=subprocess.DEVNULL)
        run([shardine, "extract", f"{records}/sz/160", os.path.join(data, "small")],
            stderr=subprocess.DEVNULL)
        warm(list_files(data))
        compare(work, args, bounds, "records", os.path.basename(tree))
        compare(work, args, bounds, "records/sz/160", "small")
    print(table(bounds.rows))
    sys.exit(0 if bounds.held else 1)


if __name__ == "__main__":
    main()
