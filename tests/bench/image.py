#!/usr/bin/env python3
"""image.py TREE [--work DIR] [--rounds 3] [--files 500]

The image engine beside its peers, on one thread, inputs in memory, in images
per CPU-second; each round runs all of them one after the other, and the best
round of each counts.

  variants  short sides 160 and 320 of each photo, JPEG of quality 90: ours from
            one decode; peers by a decode for each size (each) and by one for
            both (shared); vipsthumbnail as a command, files to files
  sizes     ours, one size at a time
  resample  468 x 401 to 224 x 224 and to short side 160, bilinear (OpenCV: area)
  memory    of shardine pack --variants with 2 threads

Pixels are checked before a figure counts: ours must decode to the very pixels
of Pillow's; peers' must be of the right size and near Pillow's. One JSON line per
figure on stdout.
"""
import argparse
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence

from corpus import HERE, emit, list_files, run, venv_python

Best = Callable[[str, float], None]

PEERS = [("pillow", "pillow"), ("pillow-draft", "pillow"),
         ("pillow-simd", "pillow-simd"), ("opencv", "opencv"),
         ("torchvision", "torch")]
LEVELS = {"avx512": 4, "avx2": 2}
SIDES = (160, 320)
RESAMPLE_SIZES = [(224, 224), (186, 160)]


def peer(name: str, venv: str, *args: str) -> dict[str, float]:
    out = subprocess.run([venv_python(venv), os.path.join(HERE, "image_peer.py"),
                          name, *args], stdout=subprocess.PIPE, check=True,
                         text=True).stdout
    figures: dict[str, float] = json.loads(out)
    return figures


def ours(bench: str, sides: Sequence[int], out: str, level: int, names: str) -> float:
    with open(names) as f:
        text = subprocess.run([bench, ",".join(map(str, sides)), out, str(level)],
                              stdin=f, stdout=subprocess.PIPE, check=True,
                              text=True).stdout
    count, seconds = text.split()
    return float(seconds) / int(count)


def vips(files: dict[str, list[str]], out: str) -> float:
    """Whole command lines; the short side is named by the longer one's axis."""
    folders = [tempfile.mkdtemp(dir=out) for _ in range(2)]
    seconds = 0.0
    for side in SIDES:
        for group, geometry in ((folders[0], f"x{side}"), (folders[1], f"{side}x")):
            seconds += run(["vipsthumbnail", "-s", geometry, "-o",
                            os.path.join(group, f"%s_{side}.jpg[Q=90]"),
                            *files[geometry]],
                           env={**os.environ, "VIPS_CONCURRENCY": "1"})[1]
    return seconds / sum(len(files[g]) for g in files) * len(SIDES)


def by_shape(names: str) -> dict[str, list[str]]:
    """Files by the axis of their short side."""
    script = ("import sys, json\nfrom PIL import Image\nout = {'x160': [], '160x': []}\n"
              "for n in open(sys.argv[1]).read().splitlines():\n"
              "    w, h = Image.open(n).size\n"
              "    out['x160' if w >= h else '160x'].append(n)\nprint(json.dumps(out))")
    out = subprocess.run([venv_python("pillow"), "-c", script, names],
                         stdout=subprocess.PIPE, check=True, text=True).stdout
    shapes = json.loads(out)
    return {**shapes, **{g.replace("160", "320"): f for g, f in shapes.items()}}


def check_variants(names: str, made: str, exact: bool) -> None:
    subprocess.run([venv_python("pillow"), os.path.join(HERE, "image_check.py"),
                    "variants", names, made, "exact" if exact else "near"], check=True)


def check_resample(ours_file: str, peer_file: str, exact: bool) -> None:
    subprocess.run([venv_python("pillow"), os.path.join(HERE, "image_check.py"),
                    "resample", ours_file, peer_file, "exact" if exact else "near"],
                   check=True)


def variants(work: str, names: str, rounds: int, best: Best) -> None:
    bench = os.path.join(os.environ["SHARDINE_BIN"], "bench_recode")
    made = os.path.join(work, "made")
    for name in ["ours", *(p for p, _ in PEERS)]:
        os.makedirs(os.path.join(made, name), exist_ok=True)
    shapes = by_shape(names)
    for number in range(rounds):
        for level, value in LEVELS.items():
            out = os.path.join(made, "ours") if number == 0 else "-"
            best(f"variants/shardine-{level}", ours(bench, SIDES, out, value, names))
            if number == 0:
                check_variants(names, out, exact=True)
        for side in SIDES:
            best(f"sizes/{side}", ours(bench, [side], "-", 4, names))
        for name, venv in PEERS:
            out = os.path.join(made, name)
            figures = peer(name, venv, "variants", names, out)
            if number == 0:
                check_variants(names, out, exact=False)
            for job, seconds in figures.items():
                best(f"variants/{name}/{job}", seconds)
        best("variants/vipsthumbnail", vips(shapes, work))


def resample(work: str, photo: str, rounds: int, best: Best) -> None:
    bench = os.path.join(os.environ["SHARDINE_BIN"], "bench_resample")
    pixels = os.path.join(work, "pixels.rgb")
    subprocess.run([venv_python("pillow"), "-c",
                    "import sys\nfrom PIL import Image\n"
                    "im = Image.open(sys.argv[1]).convert('RGB').resize((468, 401))\n"
                    "open(sys.argv[2], 'wb').write(im.tobytes())", photo, pixels],
                   check=True)
    for _ in range(rounds):
        for width, height in RESAMPLE_SIZES:
            size = f"{width}x{height}"
            mine = os.path.join(work, "resampled.rgb")
            for name, venv in PEERS:
                if name == "pillow-draft":
                    continue
                figures = peer(name, venv, "resample", pixels, str(width), str(height))
                best(f"resample-{size}/{name}", figures["resample"])
            for level, value in LEVELS.items():
                with open(pixels, "rb") as f, open(mine, "wb") as out:
                    done = subprocess.run(
                        [bench, str(value), "468", "401", str(width), str(height), "300"],
                        stdin=f, stdout=out, stderr=subprocess.PIPE, check=True, text=True)
                check_resample(mine, pixels + ".pillow", exact=True)
                best(f"resample-{size}/shardine-{level}", float(done.stderr))
            for name in ("pillow-simd", "opencv", "torchvision"):
                check_resample(mine, f"{pixels}.{name}", exact=False)


def memory(work: str, tree: str) -> None:
    out = os.path.join(work, "packed")
    shutil.rmtree(out, ignore_errors=True)
    shardine = os.path.join(os.environ["SHARDINE_BIN"], "shardine")
    wall, cpu, peak, _ = run([shardine, "pack", tree, out, "--variants",
                              "original,sz/160,sz/320", "-j", "2"],
                             stderr=subprocess.DEVNULL)
    shutil.rmtree(out)
    emit(name="memory/pack --variants", peak_mib=round(peak, 1), wall=round(wall, 2),
         cpu=round(cpu, 2))


def ratios(figures: dict[str, float]) -> None:
    mine = figures["variants/shardine-avx512"]
    peers = [n for n in figures if n.startswith("variants/") and "shardine" not in n]
    each = [n for n in peers if not n.endswith("/shared")]
    for what, names in (("variants, best peer by size", each),
                        ("variants, best peer by one decode", peers)):
        name = min(names, key=lambda peer: figures[peer])
        emit(ratio=what, peer=name, value=round(figures[name] / mine, 2))
    alone = figures["sizes/160"] + figures["sizes/320"]
    emit(ratio="variants, own sizes one at a time", value=round(alone / mine, 2))
    for width, height in RESAMPLE_SIZES:
        size = f"resample-{width}x{height}"
        for level in LEVELS:
            for name in ("pillow", "pillow-simd", "opencv", "torchvision"):
                emit(ratio=f"{size} {level}", peer=name,
                     value=round(figures[f"{size}/{name}"] /
                                 figures[f"{size}/shardine-{level}"], 2))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("tree")
    parser.add_argument("--work", default=os.path.expanduser("~/.cache/shardine/bench"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--files", type=int, default=500)
    args = parser.parse_args()
    work = os.path.join(args.work, "image")
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    files = list_files(os.path.abspath(args.tree))[:args.files]
    names = os.path.join(work, "names.txt")
    with open(names, "w") as f:
        f.write("".join(name + "\n" for name in files))
    figures: dict[str, float] = {}

    def best(name: str, seconds: float) -> None:
        figures[name] = min(seconds, figures.get(name, seconds))

    variants(work, names, args.rounds, best)
    resample(work, files[0], args.rounds, best)
    for name, seconds in figures.items():
        emit(name=name, per_cpu_second=round(1 / seconds, 1))
    ratios(figures)
    memory(work, args.tree)
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
