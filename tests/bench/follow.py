#!/usr/bin/env python3
"""follow.py TREE [--work DIR] [--rounds 5] [--epochs 2] [--copies 4]

The cost of masks and boxes that follow their images: photos of TREE, each with a PNG
mask of its size (21 classes in patches, a palette) and six boxes, random crops to 224
and flips. Cells take turns within a round: images alone; with the mask; with mask and
boxes; and torchvision v2 doing the latter on the same files (Pillow decodes), in this
thread, as its workers do. Runs in the virtual environment "torchvision".

One JSON line per cell, then a table: images per CPU-second, and "cost", the CPU time of
an image as a ratio to images alone, the median over rounds.
"""
import argparse
import io
import os
import pathlib
import statistics
import sys
import tempfile
import time
import warnings
from typing import Any, Callable

from corpus import emit, package_env, venv_python
from measure import table

MOST, LEAST = 1.6, 4.0  # cost of mask and boxes; ratio to torchvision
SIZE = 224


def with_fields(photo: pathlib.Path, number: int) -> dict[str, Any]:
    import numpy
    from PIL import Image

    noise = numpy.random.default_rng(number)
    width, height = Image.open(photo).size
    patches = noise.integers(0, 21, (height // 40 + 2, width // 40 + 2), numpy.uint8)
    wide = Image.fromarray(patches).resize((width + 40, height + 40), Image.Resampling.NEAREST)
    y, x = numpy.mgrid[:height, :width]
    bent = numpy.asarray(wide)[y + (8 * numpy.sin(x / 15) + 12).astype(int), x + 9]
    mask, file = Image.fromarray(bent, "P"), io.BytesIO()
    mask.putpalette(noise.integers(0, 256, 768, numpy.uint8).tobytes())
    mask.save(file, "PNG")
    sides = noise.uniform(0, 1, (6, 2, 2)) * [width, height]
    boxes = numpy.concatenate([sides.min(1), sides.max(1)], 1)
    return {"image": photo.read_bytes(), "mask": file.getvalue(), "bbox": boxes,
            "category": numpy.arange(6)}  # fmt: skip


def ours(dataset: str, epochs: int, follow: dict[str, str]) -> int:
    import shardine

    loader = shardine.Loader(
        dataset, batch_size=64, transform=shardine.RandomResizedCrop(SIZE), threads=1,
        follow=follow or None, last_batch="short", seed=1)  # fmt: skip
    return sum(len(batch) for _ in range(epochs) for batch in loader)


def torchvision_peer(samples: list[dict[str, Any]], epochs: int) -> int:
    import torch
    from PIL import Image
    from torchvision import datapoints
    from torchvision.transforms import v2

    transform = v2.Compose([v2.RandomResizedCrop(SIZE, antialias=True), v2.RandomHorizontalFlip()])
    done = 0
    for sample in samples * epochs:
        image = Image.open(io.BytesIO(sample["image"])).convert("RGB")
        mask = v2.functional.pil_to_tensor(Image.open(io.BytesIO(sample["mask"])))
        boxes = datapoints.BoundingBox(
            torch.from_numpy(sample["bbox"]), format=datapoints.BoundingBoxFormat.XYXY,
            spatial_size=(image.height, image.width))  # fmt: skip
        image, mask, boxes = transform(image, datapoints.Mask(mask), boxes)
        v2.functional.pil_to_tensor(image)
        done += 1
    return done


def measured(work: Callable[[], int]) -> float:
    """Images per CPU-second."""
    begin = time.process_time()
    return work() / (time.process_time() - begin)


def run(arguments: argparse.Namespace) -> None:
    warnings.simplefilter("ignore")
    import torch

    if not hasattr(torch._C, "DisableTorchFunctionSubclass"):
        torch._C.DisableTorchFunctionSubclass = torch._C.DisableTorchFunction
    torch.set_num_threads(1)
    import torchvision

    torchvision.disable_beta_transforms_warning()
    import shardine

    photos = sorted(arguments.tree.rglob("*.JPEG")) + sorted(arguments.tree.rglob("*.jpg"))
    samples = [with_fields(photo, i) for i, photo in enumerate(photos)]
    dataset = str(arguments.work / "data")
    with shardine.Writer(dataset, format="tfrecord") as to:
        for i, sample in enumerate(samples * arguments.copies):
            to.write(sample, key=str(i))
    mask = {"mask": "nearest"}
    both = {**mask, "bbox": "boxes", "category": "with:bbox"}
    cells: dict[str, Callable[[], int]] = {
        "image alone": lambda: ours(dataset, arguments.epochs, {}),
        "image and mask": lambda: ours(dataset, arguments.epochs, mask),
        "image, mask and boxes": lambda: ours(dataset, arguments.epochs, both),
        "torchvision v2": lambda: torchvision_peer(samples, 1),
    }
    rates: dict[str, list[float]] = {name: [] for name in cells}
    for _ in range(arguments.rounds):
        for name, work in cells.items():
            rates[name].append(measured(work))
            emit(cell=name, rate=rates[name][-1])
    base = rates["image alone"]
    rows = []
    for name, own in rates.items():
        cost = statistics.median(a / b for a, b in zip(base, own))
        rows.append([name, f"{statistics.median(own):.0f}", f"{cost:.2f}"])
    print(table([["what", "images per CPU-second", "cost"], *rows]))
    cost = statistics.median(a / b for a, b in zip(base, rates["image, mask and boxes"]))
    ratio = statistics.median(
        a / b for a, b in zip(rates["image, mask and boxes"], rates["torchvision v2"]))
    print(f"mask and boxes cost {cost:.2f} (at most {MOST}); {ratio:.1f} times torchvision "
          f"(at least {LEAST})")
    sys.exit(cost > MOST or ratio < LEAST)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--copies", type=int, default=4)
    arguments = parser.parse_args()
    if "FOLLOW_BENCH" not in os.environ:
        python = venv_python("torchvision")
        environment = {**os.environ, **package_env(), "FOLLOW_BENCH": "1"}
        os.execve(python, [python, "-B", __file__, *sys.argv[1:]], environment)
    if arguments.work is not None:
        run(arguments)
    with tempfile.TemporaryDirectory() as folder:
        arguments.work = pathlib.Path(folder)
        run(arguments)


if __name__ == "__main__":
    main()
