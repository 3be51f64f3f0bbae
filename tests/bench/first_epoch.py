#!/usr/bin/env python3
"""first_epoch.py TREE [--work DIR] [--copies 10] [--rounds 3]

The first epoch of a loader that packs its photos meanwhile (`keep`), beside an epoch of
the dataset that it makes: random crops to 224 in blocks on two threads. Here from the
page cache, and from a server of the same processors that answers 100 ms late
(tests/fault_server), where photos are objects and the dataset's shards are, too; the
loader that keeps writes to this machine. Without entry points; with them where a row
says so. Cells take turns within a round; all epochs have the same ids and pixels, and
the dataset the bytes of `pack`, before anything counts. One JSON line per cell, then a
table; exits with 1 where a bound is broken.
"""
import argparse
import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Any

from corpus import copy_tree, dataset_digest, list_files, package_env, run, venv_python, warm
from load_remote import BIN, LATE, Bounds, Figures, environment, median, served
from measure import cpu_seconds, table

HERE_AT_LEAST, THERE_AT_LEAST = 0.9, 0.6


def one_epoch(source: str, keep: str, points: Any, check: bool) -> None:
    """In a process of its own: prints the figures of the epoch as JSON."""
    import numpy  # noqa: F401 - its import is not the loader's time
    import shardine

    begin, cpu = time.perf_counter(), cpu_seconds()
    options: dict[str, Any] = {"batch_size": 64, "threads": 2, "order": "blocks", "seed": 1,
                               "transform": shardine.RandomResizedCrop(224),
                               "last_batch": "short"}
    if keep:
        options["keep"] = shardine.Keep(keep, shards=16, seed=1, entry_points=points)
    figures: Figures = {"images": 0}
    state = hashlib.blake2b(digest_size=16)
    with shardine.Loader(source, **options) as loader:
        for batch in loader:
            figures.setdefault("first_batch", time.perf_counter() - begin)
            figures["images"] += len(batch)
            if check:
                state.update(batch.ids.tobytes() + batch.images.tobytes())
    wall = time.perf_counter() - begin
    figures |= {"per_s": figures["images"] / wall,
                "cpu_us": (cpu_seconds() - cpu) / figures["images"] * 1e6,
                "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}
    if check:
        figures["digest"] = state.hexdigest()
    print(json.dumps(figures))


class Bench:
    def __init__(self, work: str, tree: str, copies: int) -> None:
        self.data = os.path.join(work, "data")
        os.makedirs(self.data, exist_ok=True)
        self.tree = os.path.relpath(copy_tree(tree, self.data, copies), self.data)
        for points in ("none", "auto"):
            shutil.rmtree(os.path.join(self.data, points), ignore_errors=True)
            run([os.path.join(BIN, "shardine"), "pack", os.path.join(self.data, self.tree),
                 os.path.join(self.data, points), "--shards=16", "--seed=1",
                 f"--entry-points={points}"])
        warm(list_files(self.data))

    def cell(self, root: str, points: str, keeps: bool, server: Any = None,
             check: bool = False) -> Figures:
        source = f"{root}/{self.tree if keeps else points}"
        with tempfile.TemporaryDirectory(dir=self.data) as own:
            keep = os.path.join(own, "kept") if keeps else ""
            answer = subprocess.run(
                [venv_python("python"), os.path.abspath(__file__), source, "--epoch", keep,
                 "--points", points, *(["--check"] if check else [])],
                stdout=subprocess.PIPE, check=True, text=True,
                env=(environment(own, server) if server else package_env()))
            if keeps and dataset_digest(keep) != dataset_digest(os.path.join(self.data, points)):
                sys.exit(f"{source}: not the dataset of pack")
        return dict(json.loads(answer.stdout))

    def check(self, server: Any) -> None:
        found = {self.cell(root, points, keeps, of, check=True)["digest"]
                 for root, of in ((self.data, None), ("s3://data", server))
                 for points in ("none", "auto") for keeps in (False, True)}
        if len(found) != 1:
            sys.exit("epochs differ")


def main() -> None:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("tree")
    parser.add_argument("--work")
    parser.add_argument("--copies", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--epoch")
    parser.add_argument("--points", default="none")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    if args.epoch is not None:
        return one_epoch(args.tree, args.epoch, args.points, args.check)
    cells: dict[str, list[Figures]] = {}
    bounds = Bounds()
    with tempfile.TemporaryDirectory() as own:
        work = args.work or own
        bench = Bench(work, args.tree, args.copies)
        with served(work, LATE) as server:
            bench.check(server)
            for _ in range(args.rounds):
                for where, root, of in (("here", bench.data, None), ("there", "s3://data", server)):
                    for points, words in (("none", ""), ("auto", ", entry points")):
                        for keeps in (False, True):
                            name = f"{where}, {'kept' if keeps else 'packed'}{words}"
                            figures = bench.cell(root, points, keeps, of)
                            cells.setdefault(name, []).append(figures)
                            print(json.dumps({"cell": name, **figures}), flush=True)
    for where, least in (("here", HERE_AT_LEAST), ("there", THERE_AT_LEAST)):
        bounds.check(f"{where}, kept, of packed",
                     median(cells[f"{where}, kept"], "per_s") /
                     median(cells[f"{where}, packed"], "per_s"), least)
    rows: list[tuple[object, ...]] = [("epoch", "first batch, s", "images/s", "CPU us", "MiB")]
    for name, figures_of in cells.items():
        rows.append((name, round(median(figures_of, "first_batch"), 2),
                     *(round(median(figures_of, key)) for key in ("per_s", "cpu_us", "peak_mib"))))
    print(table(rows))
    print(table(bounds.rows))
    sys.exit(0 if bounds.held else 1)


if __name__ == "__main__":
    main()
