#!/usr/bin/env python3
"""pack.py TREE [--work DIR] [--copies 20] [--repeats 3] [--threads 2]

Rates of pack and verify beside their floors and MXNet's im2rec.py, in one run:

  cat      cat of the same files into one file, then sync of that file
  pack     shardine pack --entry-points none, of a fresh output folder
  points   shardine pack, which finds entry points
  im2rec   MXNet 1.9.1 im2rec.py --list, then --pass-through --num-thread
  floor    reads the shards, CRC-32C and XXH3-128 over them, nothing else
  verify   shardine verify --level full
  open     opening a dataset of 14.2 million samples
  plan     planning a pack of 14.2 million samples from a list

The tree is copied --copies times under different keys, so that the page cache
holds as many bytes as are packed. Each round runs all of them one after the
other; ratios are of the medians over the rounds. Results are checked before
they count. One JSON line per figure on stdout.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys

from corpus import Run, copy_tree, drain, emit, list_files, run, venv_python, warm


def bench_cat(files: list[str], work: str) -> Run:
    script = os.path.join(work, "files.txt")
    with open(script, "w") as f:
        f.write("\0".join(files))
    out = os.path.join(work, "cat.bin")
    drain()
    result = run(["sh", "-c", f"xargs -0 cat < '{script}' > '{out}' && sync '{out}'"])
    size = os.path.getsize(out)
    os.remove(out)
    if size != sum(os.path.getsize(f) for f in files):
        sys.exit("cat lost bytes")
    return result


def bench_pack(shardine: str, tree: str, out: str, threads: int, samples: int,
               points: str = "none") -> Run:
    shutil.rmtree(out, ignore_errors=True)
    drain()
    result = run([shardine, "pack", tree, out, "-j", str(threads), "--json",
                  "--shards", "8", "--entry-points", points], stderr=subprocess.DEVNULL)
    if json.loads(result[3])["samples"] != samples:
        sys.exit("pack lost samples")
    return result


def bench_im2rec(tree: str, work: str, threads: int) -> Run:
    python = venv_python("mxnet")
    script = subprocess.run(
        [python, "-c", "import mxnet, os; print(os.path.join(os.path.dirname("
         "mxnet.__file__), 'tools', 'im2rec.py'))"],
        stdout=subprocess.PIPE, check=True, text=True).stdout.strip()
    prefix = os.path.join(work, "im2rec", "set")
    shutil.rmtree(os.path.dirname(prefix), ignore_errors=True)
    os.makedirs(os.path.dirname(prefix))
    drain()
    command = (f"'{python}' '{script}' --list --recursive '{prefix}' '{tree}' && "
               f"'{python}' '{script}' --pass-through --num-thread {threads} "
               f"'{prefix}' '{tree}' && sync '{prefix}.rec'")
    result = run(["sh", "-c", command], stderr=subprocess.DEVNULL)
    shutil.rmtree(os.path.dirname(prefix))
    return result


def bench_verify(shardine: str, out: str, threads: int, samples: int) -> Run:
    result = run([shardine, "verify", out, "--level", "full", "-j", str(threads),
                  "--json"], stderr=subprocess.DEVNULL)
    if json.loads(result[3])["samples"] != samples:
        sys.exit("verify missed samples")
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tree")
    parser.add_argument("--work", default=os.path.expanduser("~/.cache/shardine/bench"))
    parser.add_argument("--copies", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--no-im2rec", action="store_true")
    parser.add_argument("--no-scale", action="store_true",
                        help="leave out the 14.2 million samples")
    args = parser.parse_args()
    binaries = os.environ["SHARDINE_BIN"]
    shardine = os.path.join(binaries, "shardine")
    os.makedirs(args.work, exist_ok=True)
    tree = copy_tree(args.tree, args.work, args.copies)
    files = list_files(tree)
    warm(files)
    out = os.path.join(args.work, "packed")
    results: dict[str, list[Run]] = {}
    for _ in range(args.repeats):
        results.setdefault("cat", []).append(bench_cat(files, args.work))
        results.setdefault("points", []).append(
            bench_pack(shardine, tree, out, args.threads, len(files), "auto"))
        results.setdefault("pack", []).append(
            bench_pack(shardine, tree, out, args.threads, len(files)))
        shards = [f for f in list_files(out) if f.endswith(".rec")]
        results.setdefault("floor", []).append(
            run([os.path.join(binaries, "bench_checksum_floor"), str(args.threads)] + shards))
        results.setdefault("verify", []).append(
            bench_verify(shardine, out, args.threads, len(files)))
        if not args.no_im2rec:
            results.setdefault("im2rec", []).append(
                bench_im2rec(tree, args.work, args.threads))
    wall = {}
    for name, runs in results.items():
        wall[name] = statistics.median(r[0] for r in runs)
        cpu = statistics.median(r[1] for r in runs)
        emit(bench=name, files=len(files), files_per_s=round(len(files) / wall[name]),
             files_per_cpu_s=round(len(files) / cpu), wall_s=round(wall[name], 3),
             cpu_s=round(cpu, 3), peak_mib=round(max(r[2] for r in runs), 1))
    ratios = {"pack/cat": wall["cat"] / wall["pack"],
              "points/cat": wall["cat"] / wall["points"],
              "verify/floor": wall["floor"] / wall["verify"]}
    if "im2rec" in wall:
        ratios["pack/im2rec"] = wall["im2rec"] / wall["pack"]
    emit(**{name: round(ratio, 2) for name, ratio in ratios.items()})
    if not args.no_scale:
        folder = os.path.join(args.work, "opened")
        opener = os.path.join(binaries, "bench_open_dataset")
        if not os.path.exists(os.path.join(folder, "shardine.json")):
            run([opener, "make", folder])
        opened = [json.loads(run([opener, "open", folder])[3]) for _ in range(5)]
        emit(bench="open", samples=opened[0]["samples"],
             ms=statistics.median(o["ms"] for o in opened),
             peak_mib=round(max(o["peak_kib"] for o in opened) / 1024, 1))
        emit(bench="plan", **json.loads(run([os.path.join(binaries, "bench_plan_list")])[3]))


if __name__ == "__main__":
    main()
