#!/usr/bin/env python3
"""load.py TREE [--work DIR] [--seconds 5] [--copies 4] [--rounds 1] [--peers ...]
               [--variants ...]

Training batches through Python beside other loaders, on the same bytes: random
crops and flips to uint8 batches of 64 by two threads, files in the page cache:
originals and short side 320 to 224 pixels, short side 160 to 128. Ours with the
best instructions of the machine and with AVX2 at most. Then the cost that Python adds
to a batch, and how soon the first one is there.

--peers: of tf, torch, dali, mxnet, ffcv; without it all whose virtual environment
can be made (ffcv needs the Debian packages of install_deps.sh --bench), the others
are named. --variants: of original, sz/320, sz/160. Without both load_records.py
follows, records without decoding.

Before a cell counts, our crops are compared with Pillow's, pixel by pixel, and the
mean of the peer's pixels must equal ours. One JSON line per cell, then a
table: images per CPU-second of the process tree, and per second, the ratio "x" of
the former to the best peer of the same bytes, "floor" to libjpeg-turbo's full
decode on one thread; "others", the processors that other programs took meanwhile.
The best of several rounds counts.
"""
import argparse
import functools
import glob
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from corpus import HERE, copy_tree, emit, list_files, package_env, run, venv_python, warm
from measure import table

Figures = dict[str, Any]  # as JSON has them

BIN = os.environ["SHARDINE_BIN"]
TINY = "sz/16"  # decoded in no time
VARIANTS = {"original": (".", 224), "sz/320": ("sz/320", 224), "sz/160": ("sz/160", 128)}
LEVELS: dict[str, dict[str, str]] = {"best": {}, "AVX2": {"SHARDINE_SIMD": "avx2"}}
# Crops are random ones: the means of epochs are so far apart at most.
MEAN_GAP = 4.0
ROUNDS = 5  # of cells that are over at once
BATCHES = 5000
FOUR_PROCESSORS = os.path.join(BIN, "libbench_four_processors.so")


@dataclass
class Peer:
    """One row: `script` reads `data` of a variant in `mode`."""
    name: str
    script: str
    venv: str
    data: str
    mode: tuple[str, ...] = ()
    same_bytes: bool = True
    only: str = ""


PEERS = [
    Peer("tf.data", "tf", "tensorflow221", "tfrecord", ("accurate",)),
    Peer("tf.data, fast IDCT", "tf", "tensorflow221", "tfrecord", ("fast",)),
    Peer("torchvision", "torch", "torch", "files", ("torchvision",)),
    Peer("torchvision, Pillow", "torch", "torch", "files", ("pillow",)),
    Peer("DALI", "dali", "dali", "tfrecord"),
    Peer("MXNet", "mxnet", "mxnet", "recordio"),
    Peer("FFCV, fast IDCT", "ffcv", "ffcv", "files", ("stored",)),
    Peer("FFCV, pixels at 256", "ffcv", "ffcv", "original files", ("raw",),
         same_bytes=False, only="sz/320"),
]


class Variant:
    """The images of one size in all the forms that loaders read."""

    def __init__(self, name: str, work: str) -> None:
        folder, self.size = VARIANTS[name]
        self.name = name
        self.dataset = os.path.normpath(os.path.join(work, "shards", folder))
        self.work = os.path.join(work, name.replace("/", "-"))
        os.makedirs(self.work, exist_ok=True)

    def make(self, form: str, *command: str) -> str:
        """The output of `command` on the dataset, once."""
        path = os.path.join(self.work, form)
        if not os.path.exists(path + ".done"):
            run([os.path.join(BIN, "shardine"), *command, self.dataset, path])
            open(path + ".done", "w").close()
        return path

    def data(self, form: str) -> str:
        if form == "dataset":
            return self.dataset
        if form == "files":
            return self.make("files", "extract")
        if form == "original files":
            return Variant("original", os.path.dirname(self.work)).data("files")
        if form == "recordio":
            folder = self.make("recordio", "convert", "--format", "recordio", "--shards", "1")
            return glob.glob(os.path.join(folder, "*.rec"))[0]
        return glob.glob(os.path.join(self.dataset, "*." + form))[0]


def pack_variants(tree: str, work: str, variants: list[str]) -> str:
    out = os.path.join(work, "shards")
    if not os.path.exists(os.path.join(out, "shardine.json")):
        run([os.path.join(BIN, "shardine"), "pack", tree, out, "--format", "tfrecord",
             "--shards", "1", "--variants", ",".join(variants)])
    warm(glob.glob(os.path.join(out, "**", "*.tfrecord*"), recursive=True))
    return out


def script(name: str, venv: str, *arguments: object, program: str = "load",
           **env: str) -> Any:
    """The last line of PROGRAM_NAME.py: figures, or one number."""
    path = os.path.join(HERE, f"{program}_{name}.py")
    argv = [venv_python(venv), path, *map(str, arguments)]
    out = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         env={**os.environ, "OMP_NUM_THREADS": "1", **env})
    if out.returncode != 0:
        sys.exit(f"{program}_{name}.py failed with {out.returncode}:\n{out.stderr[-2000:]}")
    return json.loads(out.stdout.splitlines()[-1])


def ours(name: str, *arguments: object, program: str = "load", **env: str) -> Any:
    return script(name, "python", *arguments, program=program, **(package_env() | env))


def floor(files: list[str]) -> float:
    """Seconds of a full decode by libjpeg-turbo; compares our pixels first."""
    out = subprocess.run([os.path.join(BIN, "bench_region"), "0.08", "3", "turbo-full"],
                         input="\n".join(files), stdout=subprocess.PIPE, check=True,
                         text=True).stdout
    figures = dict(line.split() for line in out.splitlines())
    return float(figures["turbo-full"]) / float(figures["images"])


def per_cpu(figures: Figures) -> float:
    return float(figures["per_cpu_s"])


def checked_mean(variant: Variant) -> float:
    """The mean of our pixels, which are Pillow's, whatever the instructions."""
    files = variant.data("files")
    means = {float(ours("check", variant.dataset, files, variant.size, **env)["mean"])
             for env in LEVELS.values()}
    if len(means) != 1:
        sys.exit(f"{variant.name}: pixels depend on the instructions")
    return means.pop()


def measure_peer(peer: Peer, variant: Variant, seconds: float, mean: float) -> Figures:
    env = {"LD_PRELOAD": FOUR_PROCESSORS} if peer.script == "mxnet" else {}
    figures: Figures = script(peer.script, peer.venv, variant.data(peer.data), variant.size,
                              seconds, *peer.mode, **env)
    if abs(figures["mean"] - mean) > MEAN_GAP:
        sys.exit(f"{peer.name}, {variant.name}: a mean of {figures['mean']:.1f}, not {mean:.1f}")
    return figures


def cells_of(variant: Variant, args: argparse.Namespace) -> dict[str, Callable[[], Figures]]:
    """{name: function that measures it}, peers first."""
    mean = checked_mean(variant)
    cells: dict[str, Callable[[], Figures]] = {}
    for peer in args.peers:
        if peer.only in ("", variant.name):
            cells[peer.name] = functools.partial(measure_peer, peer, variant, args.seconds, mean)
    for level, env in LEVELS.items():
        cells[f"shardine, {level}"] = functools.partial(
            ours, "shardine", variant.dataset, variant.size, args.seconds, **env)
    return cells


def measure(variant: Variant, args: argparse.Namespace) -> list[dict[str, Any]]:
    """The rows of the variant's part of the table."""
    decode = floor(list_files(variant.data("files"))[:500])
    cells = cells_of(variant, args)
    found: dict[str, list[Figures]] = {name: [] for name in cells}
    for _ in range(args.rounds):
        for name, cell in cells.items():
            found[name].append(cell())
    best = {name: max(rounds, key=per_cpu) for name, rounds in found.items()}
    rivals = [per_cpu(best[peer.name]) for peer in args.peers
              if peer.same_bytes and peer.name in best]
    rows = []
    for name, figures in best.items():
        rows.append({"variant": variant.name, "cell": name, "version": figures["version"],
                     "per_cpu_s": round(per_cpu(figures)),
                     "per_s": round(figures["per_s"]),
                     "x": round(per_cpu(figures) / max(rivals), 2) if rivals else None,
                     "floor": round(per_cpu(figures) * decode, 2),
                     "first_batch_s": round(figures["first_batch"], 3),
                     "mib": figures["memory_mib"], "others": figures["others"]})
        emit(**rows[-1])
    return rows


def measure_python(out: str) -> list[str]:
    """The cost of a batch to the thread that takes it, and how soon the first comes."""
    tiny = os.path.join(out, TINY)
    rows = []
    for form, size in (("16 x 16 pixels", 16), ("records", 0)):
        python, cpp = (min(float(once()) for _ in range(ROUNDS)) for once in (
            lambda: ours("consumer", tiny, size, BATCHES),
            lambda: run([os.path.join(BIN, "bench_next_batch"), tiny, str(size),
                         str(BATCHES)])[3]))
        rows.append(f"CPU of the taking thread per batch of {form}: Python {python:.1f} us, "
                    f"C++ {cpp:.1f} us, added {python - cpp:.1f} us")
        emit(cell="batch taken", form=form, python_us=python, cpp_us=cpp,
             added_us=round(python - cpp, 2))
    first = sorted(ours("shardine", out, 224, 0)["first_batch"] for _ in range(ROUNDS))
    emit(cell="first batch", ms=[round(seconds * 1e3) for seconds in first])
    rows.append(f"first batch of the originals, in a new process, dataset opened: "
                f"{first[len(first) // 2] * 1e3:.0f} ms, at most {first[-1] * 1e3:.0f} ms")
    return rows


def chosen(names: str | None, known: list[str]) -> list[str]:
    """The names of a list with commas; None: all."""
    listed = known if names is None else names.split(",")
    if unknown := set(listed) - set(known):
        sys.exit(f"{', '.join(sorted(unknown))}: none of {', '.join(dict.fromkeys(known))}")
    return listed


def peers_that_can_run(names: str | None) -> tuple[list[Peer], list[str]]:
    """The rows of the peers asked for, and why others are not there."""
    wanted = chosen(names, [peer.script for peer in PEERS])
    missing = []
    for peer in {peer.script: peer for peer in PEERS if peer.script in wanted}.values():
        try:
            venv_python(peer.venv)
        except subprocess.CalledProcessError:
            if names is not None:
                sys.exit(f"{peer.script}: its virtual environment cannot be made")
            missing.append(peer.script)
    return [peer for peer in PEERS if peer.script in set(wanted) - set(missing)], missing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tree")
    parser.add_argument("--work")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--copies", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--peers")
    parser.add_argument("--variants")
    args = parser.parse_args()
    asked_for_all = args.peers is None and args.variants is None
    variants = chosen(args.variants, list(VARIANTS))
    args.peers, missing = peers_that_can_run(args.peers)
    with tempfile.TemporaryDirectory() as scratch:
        args.work = os.path.abspath(args.work or scratch)
        out = pack_variants(copy_tree(args.tree, args.work, args.copies), args.work,
                            [*VARIANTS, TINY])
        rows = [row for name in variants for row in measure(Variant(name, args.work), args)]
        added = measure_python(out)
        print(table([tuple(rows[0]), *(tuple(row.values()) for row in rows)]))
        for name in missing:
            print(f"{name}: not run, its virtual environment cannot be made: see above")
        print("\n".join(added), flush=True)
        if asked_for_all:
            subprocess.run([sys.executable, os.path.join(HERE, "load_records.py"), args.tree,
                            "--work", args.work, "--seconds", str(args.seconds)], check=True)


if __name__ == "__main__":
    main()
