#!/usr/bin/env python3
"""convert.py TREE [--work DIR] [--copies 20] [--repeats 3] [--threads 2]

Rates of convert and index beside their floors, in one run, warm page cache:

  A->B     shardine convert of the packed tree from format A to format B
  cp       cp of the shards of B, then sync of the copies
  index A  shardine index of the shards of A, sidecars and native indexes absent
  floor    reads the same shards, CRC-32C and XXH3-128 over them, nothing else

Each round runs all of them one after the other; ratios are of medians over the
rounds. Each result is checked by content digest before it counts. One JSON line
per figure on stdout, then a table of the ratios.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
from typing import Literal

from corpus import Run, copy_tree, drain, emit, list_files, run, warm

FORMATS = {"recordio": ".rec", "tfrecord": ".tfrecord", "lmdb": ".lmdb",
           "hdf5": ".h5", "webdataset": ".tar"}


def shards_of(folder: str, suffix: str) -> list[str]:
    return [f for f in list_files(folder) if f.endswith(suffix)]


class Bench:
    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.binaries = os.environ["SHARDINE_BIN"]
        self.shardine = os.path.join(self.binaries, "shardine")
        os.makedirs(args.work, exist_ok=True)
        self.tree = copy_tree(args.tree, args.work, args.copies)
        self.results: dict[str, list[Run]] = {}
        self.digest = None

    def path(self, name: str) -> str:
        return os.path.join(self.args.work, name)

    def call(self, *argv: str) -> Run:
        """Runs shardine with --json; checks the digest of its output."""
        result = run([self.shardine, *argv, "-j", str(self.args.threads), "--json"],
                     stderr=subprocess.DEVNULL)
        digest = json.loads(result[3])["content_digest"]
        self.digest = self.digest or digest
        if digest != self.digest:
            raise SystemExit(f"{argv}: another content")
        return result

    def note(self, name: str, result: Run) -> None:
        self.results.setdefault(name, []).append(result)

    def prepare(self) -> None:
        for name in self.args.formats:
            shutil.rmtree(self.path(name), ignore_errors=True)
            self.call("pack", self.tree, self.path(name), "--format", name, "--shards", "8")

    def fresh(self, name: str) -> str:
        shutil.rmtree(self.path(name), ignore_errors=True)
        drain()
        return self.path(name)

    def copy(self, name: str) -> None:
        shards = shards_of(self.path(name), FORMATS[name])
        warm(shards)
        out = self.fresh("copy")
        os.makedirs(out)
        self.note(f"cp {name}", run(["sh", "-c", 'out=$1; shift; cp "$@" "$out" && '
                                     'sync "$out"/*', "sh", out, *shards]))

    def convert(self, source: str, target: str) -> None:
        warm(shards_of(self.path(source), FORMATS[source]))
        out = self.fresh("out")
        self.note(f"{source}->{target}",
                  self.call("convert", self.path(source), out, "--format", target))

    def index(self, name: str) -> None:
        shards = shards_of(self.path(name), FORMATS[name])
        bare = self.fresh("bare")
        os.makedirs(bare)
        links = []
        for shard in shards:
            links.append(os.path.join(bare, os.path.basename(shard)))
            os.link(shard, links[-1])
        warm(links)
        floor = os.path.join(self.binaries, "bench_checksum_floor")
        self.note(f"floor {name}", run([floor, str(self.args.threads), *links]))
        # Exact labels and ids may be the sidecar's alone, but not the payloads.
        self.note(f"index {name}",
                  run([self.shardine, "index", *links, self.fresh("indexed"), "-j",
                       str(self.args.threads), "--json"], stderr=subprocess.DEVNULL))

    def round(self) -> None:
        formats = self.args.formats
        for name in formats:
            self.copy(name)
            self.index(name)
        for source in formats:
            for target in formats:
                if source != target:
                    self.convert(source, target)

    def median(self, name: str, column: Literal[0, 1] = 0) -> float:
        return statistics.median(r[column] for r in self.results[name])

    def report(self) -> None:
        for name, runs in self.results.items():
            emit(bench=name, wall_s=round(self.median(name), 3),
                 cpu_s=round(self.median(name, 1), 3),
                 peak_mib=round(max(r[2] for r in runs), 1))
        formats = self.args.formats
        print("\nconvert, ratio to cp + sync of the shards it makes (row to column)")
        print("".join(f"{t:>12}" for t in ["", *formats]))
        for source in formats:
            print(f"{source:>12}" + "".join(
                f"{'' if source == t else round(self.median(f'cp {t}') / self.median(f'{source}->{t}'), 2):>12}"
                for t in formats))
        print("\nindex, ratio to read + CRC-32C + XXH3-128")
        for name in formats:
            print(f"{name:>12}{self.median(f'floor {name}') / self.median(f'index {name}'):12.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tree")
    parser.add_argument("--work", default=os.path.expanduser("~/.cache/shardine/bench"))
    parser.add_argument("--copies", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--formats", nargs="+", default=list(FORMATS))
    bench = Bench(parser.parse_args())
    bench.prepare()
    for _ in range(bench.args.repeats):
        bench.round()
    bench.report()
    for name in ("out", "copy", "bare", "indexed", *bench.args.formats):
        shutil.rmtree(bench.path(name), ignore_errors=True)


if __name__ == "__main__":
    main()
