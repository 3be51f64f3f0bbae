"""The example of CIFAR-10 trains to an accuracy: from RecordIO, from RecordIO with
processes that are killed, from LMDB by HTTP, and from images that are packed meanwhile.
The four runs have one curve and end with the same weights, bit for bit.

The pictures of FOLDER are not part of the project; SHARDINE_CIFAR names another
folder. SVG is the curve's picture.

Usage: cifar_curves.py BINARY FOLDER SVG
"""

import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import zipfile

import torch
from web_servers import nginx

EXAMPLE = pathlib.Path(__file__).parents[3] / "python" / "examples" / "train_cifar.py"
EPOCHS, WIDTH, LEAST = 12, 8, 80.0  # per cent of the test images
KILLS = 3

Curve = list[str]


def pack(binary: str, pictures: pathlib.Path, out: pathlib.Path, layout: str) -> None:
    for split in ("train", "test"):
        subprocess.run(
            [binary, "pack", pictures / split, out / split, "--format", layout,
             "--seed", "1"],
            check=True, capture_output=True)


def command(data: str, checkpoint: pathlib.Path, *more: str) -> list[str]:
    return [sys.executable, "-B", str(EXAMPLE), data, "--checkpoint", str(checkpoint),
            f"--epochs={EPOCHS}", f"--width={WIDTH}", "--save-every=20",
            "--batch-size=256", "--rate=0.3", *more]


def train(data: str, checkpoint: pathlib.Path, *more: str) -> Curve:
    """The lines of a run's epochs, on standard output as they come."""
    lines = []
    with subprocess.Popen(command(data, checkpoint, *more), stdout=subprocess.PIPE,
                          text=True) as running:
        assert running.stdout is not None
        for line in running.stdout:
            print(line, end="", flush=True)
            lines.append(line.strip())
    if running.returncode != 0:
        sys.exit(f"{data}: the example ended with {running.returncode}")
    return lines


def train_killed(data: str, checkpoint: pathlib.Path, seconds: float) -> Curve:
    """The curve of a run that is killed KILLS times at times of no meaning. An epoch
    that ends twice, since its checkpoint is older, has the same line twice."""
    lines: dict[str, None] = {}
    draws = random.Random(1)
    for _ in range(KILLS):
        running = subprocess.Popen(command(data, checkpoint), stdout=subprocess.PIPE,
                                   text=True)
        time.sleep(draws.uniform(0.5, 1.2) * seconds / (KILLS + 1))
        running.kill()
        lines |= dict.fromkeys(running.communicate()[0].splitlines())
        print(f"killed after {len(lines)} epochs", flush=True)
    lines |= dict.fromkeys(train(data, checkpoint))
    return [line for line in lines if "trained before" not in line]


def accuracy(line: str) -> float:
    """Of "epoch 1: loss 1.234, 56.78 % of 10000"."""
    return float(line.split(", ")[1].split(" %")[0])


def picture(curve: Curve) -> str:
    """Accuracy by epoch as SVG: a line, its points, and a grid of ten per cent."""
    left, top, width, height = 48, 16, 480, 240

    def x(epoch: int) -> float:
        return left + width * (epoch - 1) / max(len(curve) - 1, 1)

    def y(percent: float) -> float:
        return top + height * (1 - percent / 100)

    def text(at: tuple[float, float], anchor: str, words: str) -> str:
        return (f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" text-anchor="{anchor}">'
                f"{words}</text>")

    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 560 304" role="img" '
        'font-family="sans-serif" font-size="12" fill="#555">',
        f"<title>{curve[-1]}</title>"]
    for percent in range(0, 101, 20):
        parts.append(f'<path d="M{left} {y(percent):.1f}h{width}" stroke="#bbb"/>')
        parts.append(text((left - 8, y(percent) + 4), "end", f"{percent} %"))
    points = []
    for epoch, line in enumerate(curve, 1):
        points.append(f"{x(epoch):.1f},{y(accuracy(line)):.1f}")
        parts.append(text((x(epoch), top + height + 18), "middle", str(epoch)))
    parts.append(text((left + width / 2, top + height + 38), "middle", "epoch"))
    parts.append(f'<polyline points="{" ".join(points)}" fill="none" '
                 'stroke="#2a6fdb" stroke-width="2"/>')
    last = (x(len(curve)) - 8, y(accuracy(curve[-1])) + 20)
    parts.append(text(last, "end", f"{accuracy(curve[-1]):.2f} % of 10,000"))
    return "\n".join([*parts, "</svg>", ""])


def same_weights(one: pathlib.Path, other: pathlib.Path) -> bool:
    a, b = (torch.load(path, map_location="cpu")["model"] for path in (one, other))
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


def main(binary: str, folder: pathlib.Path, svg: pathlib.Path) -> None:
    if not (folder / "cifar10-jpegs.zip").is_file():
        print(f"NOT RUN: CIFAR-10's pictures are not in {folder}; SHARDINE_CIFAR names "
              "their folder")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as scratch:
        place = pathlib.Path(scratch)
        with zipfile.ZipFile(folder / "cifar10-jpegs.zip") as archive:
            archive.extractall(place / "pictures")
        for layout in ("recordio", "lmdb"):
            pack(binary, place / "pictures", place / layout, layout)
        begin = time.monotonic()
        curve = train(str(place / "recordio"), place / "whole.pt")
        seconds = time.monotonic() - begin
        print(f"{seconds:.0f} s from RecordIO", flush=True)
        curves = {"killed": train_killed(str(place / "recordio"), place / "killed.pt",
                                         seconds)}
        with nginx(place, place / "nginx") as address:
            curves["lmdb"] = train(f"{address}/lmdb", place / "lmdb.pt")
        kept = place / "kept"
        curves["kept"] = train(str(place / "pictures"), place / "kept.pt",
                               f"--keep={kept}")
        for split in ("train", "test"):
            subprocess.run([binary, "diff", kept / split, place / "recordio" / split],
                           check=True)
        for name, other in curves.items():
            if other != curve:
                sys.exit(f"another curve: {name}: {other}, not {curve}")
            if not same_weights(place / "whole.pt", place / f"{name}.pt"):
                sys.exit(f"other weights: {name}")
    svg.write_text(picture(curve))
    if accuracy(curve[-1]) < LEAST:
        sys.exit(f"at least {LEAST} % are wanted")


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(os.environ.get("SHARDINE_CIFAR") or sys.argv[2]),
         pathlib.Path(sys.argv[3]))
