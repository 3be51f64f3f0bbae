#!/usr/bin/env python3
"""region.py TREE [--work DIR] [--rounds 3] [--files 500]

Regions of JPEGs by our own decoder beside libjpeg-turbo's crop and skip, on one
thread, files in memory, in images per CPU-second; the photos at full size and
at short sides 320 and 160, boxes of RandomResizedCrop with areas from 0.08 and
from 0.35 of the image, for each instruction set. All pixels are compared with
libjpeg-turbo's before anything is timed. One JSON line per cell on stdout; "x"
is the ratio to libjpeg-turbo doing the same.
"""
import argparse
import os
import subprocess
import tempfile

from corpus import emit, list_files

LEVELS = ["avx512vnni", "avx512", "avx2", "sse4", "portable"]
SCALES = [0.08, 0.35]
# libjpeg-turbo's way instead; for the middle, our time for all of it.
PEERS = {"crop": "turbo-crop", "crop-points": "turbo-crop",
         "crop-224": "turbo-crop-224", "crop-224-points": "turbo-crop-224",
         "full": "turbo-full", "full-points": "turbo-full",
         "center-224": "center-224-of-whole",
         "center-224-points": "center-224-of-whole-points",
         "find-points": "turbo-full"}


def measure(files: list[str], scale: float, rounds: int, level: str) -> dict[str, float]:
    out = subprocess.run(
        [os.path.join(os.environ["SHARDINE_BIN"], "bench_region"), str(scale),
         str(rounds)], input="\n".join(files), stdout=subprocess.PIPE, check=True,
        text=True, env={**os.environ, "SHARDINE_SIMD": level}).stdout
    return {name: float(value) for name, value in map(str.split, out.splitlines())}


def variants(tree: str, work: str) -> dict[str, str]:
    binary = os.path.join(os.environ["SHARDINE_BIN"], "shardine")
    subprocess.run([binary, "resize", tree, work, "--short-side", "160,320"],
                   stdout=subprocess.DEVNULL, check=True)
    return {"original": tree, "sz/320": os.path.join(work, "sz", "320"),
            "sz/160": os.path.join(work, "sz", "160")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree")
    parser.add_argument("--work")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--levels", default=",".join(LEVELS))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.work) as work:
        for variant, tree in variants(args.tree, work).items():
            files = list_files(tree)[:args.files]
            for level in args.levels.split(","):
                for scale in SCALES:
                    seconds = measure(files, scale, args.rounds, level)
                    images = seconds.pop("images")
                    share = seconds.pop("point-bytes") / seconds.pop("bytes")
                    for cell, peer in PEERS.items():
                        emit(variant=variant, simd=level, min_scale=scale, cell=cell,
                             images_per_s=round(images / seconds[cell]),
                             turbo=round(images / seconds[peer]),
                             x=round(seconds[peer] / seconds[cell], 2))
            emit(variant=variant, points_percent=round(100 * share, 2))


if __name__ == "__main__":
    main()
