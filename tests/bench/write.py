#!/usr/bin/env python3
"""write.py TREE [--work DIR] [--copies 20] [--repeats 3] [--threads 2]

Rates of pack beside what the formats' own Python libraries reach with the same
job, in one run: the files of a tree, with their labels, into 8 shards that are
then synced.

  tfrecord     tf.io.TFRecordWriter, Examples with the features that pack writes
  lmdb         py-lmdb and pickle, as folder2lmdb does
  hdf5         h5py, variable-length uint8, targets and file names
  webdataset   webdataset.ShardWriter, .jpg, .cls and .json

Ratios are of medians over the rounds. One JSON line per figure on stdout.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
from typing import Literal

from corpus import HERE, Run, copy_tree, drain, emit, list_files, run, venv_python, warm

PEERS = {"tfrecord": "tensorflow", "lmdb": "lmdb", "hdf5": "hdf5", "webdataset": "webdataset"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tree")
    parser.add_argument("--work", default=os.path.expanduser("~/.cache/shardine/bench"))
    parser.add_argument("--copies", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--formats", nargs="+", default=list(PEERS))
    args = parser.parse_args()
    shardine = os.path.join(os.environ["SHARDINE_BIN"], "shardine")
    os.makedirs(args.work, exist_ok=True)
    tree = copy_tree(args.tree, args.work, args.copies)
    files = list_files(tree)
    warm(files)
    out = os.path.join(args.work, "written")
    results: dict[str, list[Run]] = {}
    for _ in range(args.repeats):
        for name in args.formats:
            shutil.rmtree(out, ignore_errors=True)
            drain()
            packed = run([shardine, "pack", tree, out, "--format", name, "--shards", "8", "-j",
                          str(args.threads), "--json"], stderr=subprocess.DEVNULL)
            if json.loads(packed[3])["samples"] != len(files):
                raise SystemExit("pack lost samples")
            results.setdefault(f"pack {name}", []).append(packed)
            shutil.rmtree(out)
            os.makedirs(out)
            drain()
            peer = run([venv_python(PEERS[name]), os.path.join(HERE, "write_peer.py"), name, tree,
                        out], stderr=subprocess.DEVNULL)
            if int(peer[3]) != len(files):
                raise SystemExit(f"{name}: the peer lost samples")
            results.setdefault(f"peer {name}", []).append(peer)
    shutil.rmtree(out)

    def median(name: str, column: Literal[0, 1]) -> float:
        return statistics.median(r[column] for r in results[name])
    for name in results:
        emit(bench=name, files_per_s=round(len(files) / median(name, 0)),
             files_per_cpu_s=round(len(files) / median(name, 1)))
    emit(**{f"pack/{name}": round(median(f"peer {name}", 0) / median(f"pack {name}", 0), 2)
            for name in args.formats})


if __name__ == "__main__":
    main()
