#!/usr/bin/env python3
"""load_records.py TREE [--work DIR] [--copies 20] [--seconds 4] [--rounds 3]
                       [--peers NAME...] [--formats]

Records without decoding, through Python, in order and shuffled: our loader with two
threads, every record's CRC checked, beside the formats' own libraries, which check
nothing but tf.data, array_record (its own checksums), from the page cache. Each peer
reads files that we packed in its format, or, where we do not write it, files that it
wrote itself, of the same files. Every cell must deliver the bytes and labels of all
files once before it counts. Then the five formats against each other through our
loader, with random crops, too.

One JSON line per cell on stdout, a table at the end: records per CPU-second of the
process and by wall, medians of rounds in which all ran one after the other, and how
many times the peer's rate ours is. "others" are processors that other programs kept
busy meanwhile: they disturb the wall clock.
"""
import argparse
import glob
import json
import os
import shutil
import statistics
import subprocess
import sys
from typing import Any

from corpus import HERE, copy_tree, emit, list_files, package_env, venv_python, warm
from measure import table
from records_peer import digest_of, files_of

Medians = dict[tuple[str, str], dict[str, Any]]

BIN = os.environ["SHARDINE_BIN"]
PEER = os.path.join(HERE, "records_peer.py")
# Name: environment, where the file is, and the bounds of ours: its ratio to the peer's
# records per CPU-second and by wall.
PEERS = {
    "shardine": ("python", "recordio", None, None),
    "mxnet": ("mxnet", "recordio/*.rec", 2, None),
    "mds": ("torch", "mds", 2, None),
    "tf_data": ("tensorflow", "tfrecord/*.tfrecord", 2, None),
    "webdataset": ("webdataset", "webdataset/*.tar", 2, None),
    "array_record": ("array_record", "records.array_record", 2, None),
    "h5py": ("hdf5", "hdf5/*.h5", 2, None),
    "lmdb": ("lmdb", "lmdb/*.lmdb", 0.55, 1.1),
    "lmdb_pickle": ("lmdb", "lmdb/*.lmdb", None, None),
    "lmdb_buffers": ("lmdb", "lmdb/*.lmdb", None, None),
}
WRITERS = {"mds": "mds", "array_record": "records.array_record"}
FORMATS = ["recordio", "tfrecord", "lmdb", "hdf5", "webdataset"]
ORDERS = ["sequential", "shuffled"]
WITHIN = 0.9  # of the fastest format


def pack(tree: str, work: str, peers: list[str]) -> None:
    """One shard of each format: many libraries read one file at a time."""
    for name in FORMATS:
        out = os.path.join(work, name)
        if not os.path.exists(os.path.join(out, "shardine.json")):
            subprocess.run([os.path.join(BIN, "shardine"), "pack", tree, out, "--format", name,
                            "--shards", "1"], check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
    for peer in set(WRITERS) & set(peers):
        out = os.path.join(work, WRITERS[peer])
        if os.path.exists(out + ".done"):
            continue
        shutil.rmtree(out, ignore_errors=True)
        python = venv_python(PEERS[peer][0])
        subprocess.run([python, PEER, "pack", peer, tree, out], check=True, env=package_env(),
                       stderr=subprocess.DEVNULL)
        open(out + ".done", "w").close()


def read_anew(files: list[str]) -> None:
    """Reads files into the page cache as a reader of the disk leaves them there: pages
    that a writer left lie in smaller pieces, which slows down readers by read(2)."""
    os.sync()
    for file in files:
        with open(file, "rb") as f:
            os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    warm(files)


def run_peer(peer: str, order: str, args: argparse.Namespace,
             expected: dict[str, object]) -> dict[str, Any]:
    venv, place, _, _ = PEERS[peer]
    path, = glob.glob(os.path.join(args.work, place))
    read_anew(list_files(path) if os.path.isdir(path) else [path])
    python = venv_python(venv)
    done = subprocess.run([python, PEER, peer, path, order, str(args.seconds)], env=package_env(),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{peer}: {done.stderr}")
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    got = {name: figures.pop(name) for name in expected}
    if got != expected:
        sys.exit(f"{peer} did not deliver what the files hold: {got} instead of {expected}")
    return figures


def measure_peers(args: argparse.Namespace, expected: dict[str, object]) -> Medians:
    """(peer, order) -> medians over the rounds."""
    runs: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for number in range(args.rounds):
        for order in ORDERS:
            for peer in ["shardine", *args.peers]:
                figures = run_peer(peer, order, args, expected)
                runs.setdefault((peer, order), []).append(figures)
                emit(round=number, peer=peer, order=order, **figures)
    return {cell: {name: round(statistics.median(figures[name] for figures in of), 2)
                   for name in of[0]} for cell, of in runs.items()}


def print_peers(args: argparse.Namespace, medians: Medians) -> None:
    rows: list[tuple[object, ...]] = [("peer", "order", "per CPU-s", "per s", "x CPU", "asked",
                                       "x wall", "asked", "others")]
    for order in ORDERS:
        ours = medians["shardine", order]
        for peer in ["shardine", *args.peers]:
            cell = medians[peer, order]
            _, _, cpu, wall = PEERS[peer]
            x_cpu = round(ours["per_cpu_s"] / cell["per_cpu_s"], 2)
            x_wall = round(ours["per_s"] / cell["per_s"], 2)
            emit(peer=peer, order=order, per_cpu_s=round(cell["per_cpu_s"]),
                 per_s=round(cell["per_s"]), x_per_cpu_s=x_cpu, x_per_s=x_wall,
                 memory_mib=cell["memory_mib"], others=cell["others"])
            rows.append((peer, order, round(cell["per_cpu_s"]), round(cell["per_s"]), x_cpu, cpu,
                         x_wall, wall, cell["others"]))
    print(table(rows))


def run_formats(args: argparse.Namespace) -> dict[str, Any]:
    for name in FORMATS:
        read_anew(list_files(os.path.join(args.work, name)))
    python = venv_python("python")
    out = subprocess.run([python, os.path.join(HERE, "formats_loader.py"), str(args.seconds),
                          *(f"{name}={os.path.join(args.work, name)}" for name in FORMATS)],
                         env=package_env(), stdout=subprocess.PIPE, check=True, text=True).stdout
    figures: dict[str, Any] = json.loads(out.splitlines()[-1])
    return figures


def measure_formats(args: argparse.Namespace) -> None:
    """The best of the rounds: in how large pieces a file lies in the page cache is
    a matter of luck, and worth 20 %."""
    rounds = [run_formats(args) for _ in range(args.rounds)]
    rows: list[tuple[object, ...]] = [("format", "kind", "per CPU-s", "of the best", "asked")]
    for kind in rounds[0]:
        if len({cell["digest"] for cells in rounds for cell in cells[kind].values()}) != 1:
            sys.exit(f"{kind}: formats deliver different samples: {rounds}")
        rates = {name: max(cells[kind][name]["per_cpu_s"] for cells in rounds) for name in FORMATS}
        for name, rate in rates.items():
            share = round(rate / max(rates.values()), 3)
            emit(format=name, kind=kind, per_cpu_s=round(rate), of_best=share)
            rows.append((name, kind, round(rate), share, WITHIN))
    print(table(rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tree")
    parser.add_argument("--work", default=os.path.expanduser("~/.cache/shardine/bench/records"))
    parser.add_argument("--copies", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", nargs="*", choices=[*PEERS][1:], default=[*PEERS][1:])
    parser.add_argument("--formats", action="store_true", help="only those against each other")
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    tree = copy_tree(args.tree, args.work, args.copies)
    pack(tree, args.work, args.peers)
    if not args.formats:
        print_peers(args, measure_peers(args, digest_of(files_of(tree))))
    measure_formats(args)


if __name__ == "__main__":
    main()
