#!/usr/bin/env python3
"""augment.py TREE [--work DIR] [--seconds 5] [--copies 4] [--rounds 1] [--peers ...]
               [--pipelines ...]

Augmentations beside those of torchvision v2, DALI and tf.data: random crops of the
original photos to 224 and flips, then nothing ("crop"), ColorJitter ("jitter"),
ColorJitter and RandomErasing ("erasing") or RandAugment ("randaugment"), as
augment_loop.py says; uint8 batches of 64 by two threads or processes, files in the
page cache, the same bytes for all. Ours with the best instructions of the machine
and with AVX2 at most, and two views of each sample ("two views").

--peers: of torch, dali, tf; --pipelines: of crop, jitter, erasing, randaugment. A
peer whose virtual environment cannot be made is named, and the rest is measured.

Before anything counts, pixels of ours are compared with torchvision's by the same
parameters (augment_check.py), if it is there, and the mean of each peer's pixels
must come near ours. One JSON line per cell, then a table: images per CPU-second of all
processes, their ratio "x" to the best peer, and "cost", CPU time an image as a ratio to
the crop alone by the same loader. The best of several rounds counts; cells take turns
within a round.
"""
import argparse
import os
import subprocess
import sys
import tempfile
from typing import Any

from corpus import copy_tree, emit, package_env, venv_python
from load import LEVELS, Figures, Variant, chosen, ours, pack_variants, per_cpu, script
from measure import table

PIPELINES = ["crop", "jitter", "erasing", "randaugment"]
VIEWS = "two views"
# {name: (its virtual environment, its input, its pipelines)}
PEERS = {"torch": ("torch", "files", PIPELINES),
         "dali": ("dali", "tfrecord", PIPELINES),
         "tf": ("tensorflow221", "tfrecord", PIPELINES[:3])}
# Draws differ, and so do changes of colours: means are so far apart at most.
MEAN_GAP = 8.0
# {measure: (its most, the ratio)}
MOST = {"jitter": 1.35, VIEWS: 1.75}
LEAST = 4.0

Cell = tuple[str, str]  # loader and pipeline


def peers_that_can_run(names: list[str]) -> tuple[list[str], list[str]]:
    there, missing = [], []
    for name in names:
        try:
            venv_python(PEERS[name][0])
            there.append(name)
        except subprocess.CalledProcessError:
            print(f"{name}: NOT MEASURED, its virtual environment cannot be made: see above",
                  file=sys.stderr, flush=True)
            missing.append(name)
    return there, missing


def check(variant: Variant, there: list[str]) -> None:
    if "torch" not in there:
        print("pixels: NOT COMPARED with torchvision's, which is not there", file=sys.stderr,
              flush=True)
        return
    for env in LEVELS.values():
        emit(cell="pixels compared", **script("check", "torch", variant.dataset, variant.size,
                                              program="augment", **(package_env() | env)))


def cells_of(there: list[str], pipelines: list[str]) -> list[Cell]:
    cells = [(name, pipeline) for pipeline in pipelines for name in there
             if pipeline in PEERS[name][2]]
    return cells + [(f"shardine, {level}", pipeline) for level in LEVELS
                    for pipeline in [*pipelines, VIEWS]]


def measured(cell: Cell, variant: Variant, seconds: float) -> Figures:
    name, pipeline = cell
    if name in PEERS:
        venv, data, _ = PEERS[name]
        figures: Figures = script(name, venv, variant.data(data), variant.size, seconds,
                                  pipeline, program="augment")
        return figures
    level = name.split(", ")[1]
    return dict(ours("shardine", variant.dataset, variant.size, seconds, pipeline,
                     program="augment", **LEVELS[level]))


def check_means(best: dict[Cell, Figures]) -> None:
    for (name, pipeline), figures in best.items():
        if pipeline == VIEWS:
            continue
        mean = best["shardine, best", pipeline]["mean"]
        if abs(figures["mean"] - mean) > MEAN_GAP:
            sys.exit(f"{name}, {pipeline}: a mean of {figures['mean']:.1f}, not {mean:.1f}")


def rows_of(best: dict[Cell, Figures]) -> list[dict[str, Any]]:
    rows = []
    for (name, pipeline), figures in best.items():
        rivals = [per_cpu(best[cell]) for cell in best
                  if cell[0] in PEERS and cell[1] == pipeline]
        crop = best.get((name, "crop"))
        cost = per_cpu(crop) / per_cpu(figures) if crop else None
        if cost and pipeline == VIEWS:
            cost *= 2  # each of its arrays was counted
        rows.append({"pipeline": pipeline, "loader": name, "version": figures["version"],
                     "per_cpu_s": round(per_cpu(figures)), "per_s": round(figures["per_s"]),
                     "x": round(per_cpu(figures) / max(rivals), 2) if rivals else None,
                     "cost": round(cost, 2) if cost else None,
                     "mean": round(figures["mean"], 1), "others": figures["others"]})
        emit(**rows[-1])
    return rows


def verdicts(rows: list[dict[str, Any]]) -> list[str]:
    """The bounds of ours, and its figures."""
    lines = []
    for row in rows:
        if not row["loader"].endswith(", best"):
            continue
        pipeline, x, cost = row["pipeline"], row["x"], row["cost"]
        if pipeline in ("erasing", "randaugment") and x:
            lines.append(f"{pipeline}: {x} times the best peer, asked {LEAST}: "
                         f"{'reached' if x >= LEAST else 'MISSED'}")
        if pipeline in MOST and cost:
            lines.append(f"{pipeline}: costs {cost} of crop, asked {MOST[pipeline]} at most: "
                         f"{'reached' if cost <= MOST[pipeline] else 'MISSED'}")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tree")
    parser.add_argument("--work")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--copies", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--peers")
    parser.add_argument("--pipelines")
    args = parser.parse_args()
    pipelines = chosen(args.pipelines, PIPELINES)
    there, missing = peers_that_can_run(chosen(args.peers, list(PEERS)))
    with tempfile.TemporaryDirectory() as scratch:
        work = os.path.abspath(args.work or scratch)
        pack_variants(copy_tree(args.tree, work, args.copies), work, ["original"])
        variant = Variant("original", work)
        check(variant, there)
        found: dict[Cell, list[Figures]] = {cell: [] for cell in cells_of(there, pipelines)}
        for _ in range(args.rounds):
            for cell, rounds in found.items():
                rounds.append(measured(cell, variant, args.seconds))
    best = {cell: max(rounds, key=per_cpu) for cell, rounds in found.items()}
    check_means(best)
    rows = rows_of(best)
    print(table([tuple(rows[0]), *(tuple(row.values()) for row in rows)]))
    for name in missing:
        print(f"{name}: NOT MEASURED, its virtual environment cannot be made: see above")
    print("\n".join(verdicts(rows)), flush=True)


if __name__ == "__main__":
    main()
