#!/usr/bin/env python3
"""verbs_remote.py TREE [--work DIR] [--copies 4] [--rounds 3] [--verbs NAME,...]

Verbs that read a server which answers 100 ms late (tests/fault_server), on the same
processors: seconds, images a second, requests, the most under way at a time, and peak
memory; as ratios to `verify` of the same dataset there, to the same verb here, and to
one request a processor at a time. A verb's output there is compared with its output
here before it counts. One JSON line each on stdout, a table at the end; exits with 1
where a bound is broken.
"""
import argparse
import contextlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

from corpus import copy_tree, dataset_digest, emit, list_files, run, warm
from load_remote import BIN, LATE, Bounds, Figures, environment, median, served
from measure import table

SHARDINE = os.path.join(BIN, "shardine")
ANSWERS = 10  # a second, of one request after the other
# The words in capitals are places; a verb's images are those of the tree so many times.
VERBS = {
    "verify": ("verify SET", 1),
    "scan": ("scan TREE", 1),
    "resize to files": ("resize TREE OUT --short-side=32", 1),
    "resize to shards": ("resize SET OUT --to=shards --short-side=32 --entry-points=none", 1),
    "convert": ("convert SET OUT --format=tfrecord --entry-points=none", 1),
    "convert foreign shards": ("convert FOREIGN OUT --format=tfrecord --entry-points=none", 1),
    "split": ("split SET OUT --split=train=0.9,val=0.1 --entry-points=none", 1),
    "shuffle": ("shuffle SET OUT --entry-points=none", 1),
    "merge": ("merge SET SET OUT --prefix={n}/ --entry-points=none", 2),
    "relabel": ("relabel SET OUT LIST --entry-points=none", 1),
    "extract": ("extract SET OUT", 1),
    "diff": ("diff SET OTHER", 1),
    "cat": ("cat SET KEYS", 1),
}


class Bench:
    def __init__(self, work: str, tree: str) -> None:
        self.data = os.path.join(work, "data")
        self.out = os.path.join(work, "out")
        self.tree = tree
        self.keys = [line.split("\t")[3] for line in self.shardine("ls", f"{self.data}/records")]

    def shardine(self, *words: str) -> list[str]:
        return run([SHARDINE, *words], stderr=subprocess.DEVNULL)[3].decode().splitlines()

    def words(self, command: str, place: str) -> list[str]:
        shards = sorted(os.listdir(os.path.join(self.data, "foreign")))
        places = {"SET": [f"{place}/records"], "OTHER": [f"{place}/relabelled"],
                  "TREE": [f"{place}/{self.tree}"], "OUT": [self.out],
                  "LIST": [f"{self.data}/other.lst"], "KEYS": self.keys,
                  "FOREIGN": [f"{place}/foreign/{name}" for name in shards]}
        return [SHARDINE, *(word for each in shlex.split(command)
                            for word in places.get(each, [each]))]

    def time(self, command: str, place: str, env: dict[str, str]) -> Figures:
        shutil.rmtree(self.out, ignore_errors=True)
        # diff says by its status that there are differences.
        words = ["sh", "-c", '"$@" || [ "$2" = diff ]', "sh",
                 *self.words(command, place)]
        wall, cpu, peak, out = run(words, env=env, stderr=subprocess.DEVNULL)
        return {"seconds": wall, "cpu": cpu, "peak_mib": peak,
                "made": (dataset_digest(self.out) if os.path.exists(self.out)
                         else hash(out))}


def measure(bench: Bench, args: argparse.Namespace, bounds: Bounds) -> list[list[object]]:
    names = args.verbs.split(",") if args.verbs else list(VERBS)
    runs: dict[str, list[Figures]] = {}
    images = len(bench.keys)
    with served(os.path.dirname(bench.data), LATE) as server:
        for _ in range(args.rounds):
            for name in ["verify", *(name for name in names if name != "verify")]:
                command, times = VERBS[name]
                with tempfile.TemporaryDirectory() as own:
                    env = environment(own, server)
                    here = bench.time(command, bench.data, env)
                    server.counts()
                    there = bench.time(command, "s3://data", env)
                if here.pop("made") != there.pop("made") and name not in ("verify", "scan"):
                    sys.exit(f"{name}: makes another thing than it does here")
                figures = {**there, **server.counts(), "here": here["seconds"],
                           "per_s": times * images / there["seconds"]}
                runs.setdefault(name, []).append(figures)
                emit(run=name, **figures)
    processors = len(os.sched_getaffinity(0))
    verify = median(runs["verify"], "per_s")
    rows: list[list[object]] = [["verb", "s", "s here", "images/s", "of verify", "requests",
                                 "under way", "MiB"]]
    for name, cells in runs.items():
        rate = median(cells, "per_s")
        rows.append([name, round(median(cells, "seconds"), 2), round(median(cells, "here"), 2),
                     round(rate), round(rate / verify, 2), round(median(cells, "requests")),
                     round(median(cells, "most_under_way")), round(median(cells, "peak_mib"))])
        bounds.check(f"{name}: rate, of one request a processor", rate / ANSWERS / processors, 20)
        # A verb that decodes or writes waits for its processor.
        alike = max(rate / verify, median(cells, "here") / median(cells, "seconds"))
        bounds.check(f"{name}: rate, of verify's or of its own here", alike, 0.7)
    return rows


def prepare(work: str, args: argparse.Namespace) -> Bench:
    data = os.path.join(work, "data")
    os.makedirs(data, exist_ok=True)
    tree = copy_tree(args.tree, data, args.copies)

    def make(name: str, *words: str) -> None:
        if not os.path.exists(os.path.join(data, name)):
            run([SHARDINE, *words], stderr=subprocess.DEVNULL)

    records = os.path.join(data, "records")
    make("records", "pack", tree, records, "--shards=16", "--entry-points=none")
    make("foreign", "convert", records, f"{data}/foreign", "--format=webdataset", "--shards=16",
         "--entry-points=none")
    # Without these it is a foreign dataset.
    shutil.rmtree(f"{data}/foreign/.shardine", ignore_errors=True)
    with contextlib.suppress(FileNotFoundError):
        os.remove(f"{data}/foreign/shardine.json")
    samples = [line.split("\t") for line in run([SHARDINE, "ls", records])[3].decode().splitlines()]
    classes = 1 + max(int(label) for _, _, label, *_ in samples)
    with open(f"{data}/other.lst", "w") as file:
        for number, _, label, key, *_ in samples:
            file.write(f"{number}\t{(int(label) + 1) % classes}\t{key}\n")
    make("relabelled", "relabel", records, f"{data}/relabelled", f"{data}/other.lst",
         "--entry-points=none")
    warm(list_files(data))
    return Bench(work, os.path.basename(tree))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tree")
    parser.add_argument("--work")
    parser.add_argument("--copies", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--verbs", default="")
    args = parser.parse_args()
    bounds = Bounds()
    with tempfile.TemporaryDirectory() as scratch:
        rows = measure(prepare(args.work or scratch, args), args, bounds)
    print(table(bounds.rows))
    print(table(rows))
    sys.exit(0 if bounds.held else 1)


if __name__ == "__main__":
    main()
