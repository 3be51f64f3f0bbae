#!/usr/bin/env python3
"""write.py TREE [--work DIR] [--copies 20] [--repeats 3] [--threads 2] [--mds]

Rates of pack and of shardine.Writer beside those that the formats' own Python libraries
reach with the same job, in one run: the files of a tree, with their labels, into 8
shards that are then synced.

  tfrecord     tf.io.TFRecordWriter, Examples with the features that pack writes
  lmdb         py-lmdb and pickle, as folder2lmdb does
  hdf5         h5py, variable-length uint8, targets and file names
  webdataset   webdataset.ShardWriter, .jpg, .cls and .json
  mds          with --mds: MDSWriter, beside Writer's webdataset

pack and Writer find entry points, which no peer does; "plain" is without. Ratios
are of medians over the rounds, of the time from the first file to the last sync,
without that to start and to import; CPU seconds are of the whole processes. One JSON
line per figure on stdout.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
from typing import Any, Literal

from corpus import (HERE, Run, copy_tree, drain, emit, list_files, package_env, run, venv_python,
                    warm)

PEERS = {"tfrecord": "tensorflow", "lmdb": "lmdb", "hdf5": "hdf5", "webdataset": "webdataset"}
MDS = "mds"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tree")
    parser.add_argument("--work", default=os.path.expanduser("~/.cache/shardine/bench"))
    parser.add_argument("--copies", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--formats", nargs="+", default=list(PEERS))
    parser.add_argument("--mds", action="store_true")
    args = parser.parse_args()
    shardine = os.path.join(os.environ["SHARDINE_BIN"], "shardine")
    os.makedirs(args.work, exist_ok=True)
    tree = copy_tree(args.tree, args.work, args.copies)
    files = list_files(tree)
    warm(files)
    out = os.path.join(args.work, "written")
    results: dict[str, list[Run]] = {}

    def measure(name: str, argv: list[str], **options: Any) -> None:
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(out)
        drain()
        done = run([*argv], stderr=subprocess.DEVNULL, **options)
        answer = json.loads(done[3])
        if answer["samples"] != len(files):
            raise SystemExit(f"{name} lost samples")
        results.setdefault(name, []).append((answer["seconds"], *done[1:]))

    def measure_ours(format: str, points: str, plain: str) -> None:
        measure(f"pack{plain} {format}",
                [shardine, "pack", tree, out, "--format", format, "--shards", "8", "-j",
                 str(args.threads), "--entry-points", points, "--no-shuffle", "--json"])
        measure(f"Writer{plain} {format}",
                [venv_python("python"), os.path.join(HERE, "write_shardine.py"), format, tree,
                 out, points, str(args.threads)], env=package_env())

    peers = {name: PEERS[name] for name in args.formats}
    if args.mds:
        peers[MDS] = "torch"
    for _ in range(args.repeats):
        for name in args.formats:
            measure_ours(name, "auto", "")
            measure_ours(name, "none", " plain")
        for name, venv in peers.items():
            measure(f"peer {name}",
                    [venv_python(venv), os.path.join(HERE, "write_peer.py"), name, tree, out])
    shutil.rmtree(out)

    def median(name: str, column: Literal[0, 1]) -> float:
        return statistics.median(r[column] for r in results[name])
    for name in results:
        emit(bench=name, files_per_s=round(len(files) / median(name, 0)),
             files_per_cpu_s=round(len(files) / median(name, 1)))

    def ratio(slow: str, fast: str) -> float:
        return round(median(slow, 0) / median(fast, 0), 2)

    for plain in ("", " plain"):
        for name in args.formats:
            emit(format=name + plain,
                 writer_to_pack=ratio(f"pack{plain} {name}", f"Writer{plain} {name}"),
                 pack_to_peer=ratio(f"peer {name}", f"pack{plain} {name}"),
                 writer_to_peer=ratio(f"peer {name}", f"Writer{plain} {name}"))
        if args.mds and "webdataset" in args.formats:
            emit(format=MDS + plain,
                 writer_to_peer=ratio(f"peer {MDS}", f"Writer{plain} webdataset"))


if __name__ == "__main__":
    main()
