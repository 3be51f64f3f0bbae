#!/usr/bin/env python3
"""load_torch.py TREE SIZE SECONDS pillow|torchvision: ImageFolder and DataLoader
with two workers, see load_loop.py; images decoded by Pillow or by torchvision's
own decoder."""
import torch
import torchvision
from collections.abc import Iterator
from torch.utils.data import DataLoader
from torchvision import io, transforms
from torchvision.transforms import v2
from typing import Any

from load_loop import AREA, BATCH, RATIO, Epoch, run_loader


def with_pillow(tree: str, size: int) -> Any:
    return torchvision.datasets.ImageFolder(tree, transforms.Compose([
        transforms.RandomResizedCrop(size, scale=AREA, ratio=RATIO),
        transforms.RandomHorizontalFlip(), transforms.PILToTensor()]))


def decode(path: str) -> Any:
    return io.decode_jpeg(io.read_file(path), mode=io.ImageReadMode.RGB)


def with_torchvision(tree: str, size: int) -> Any:
    return torchvision.datasets.ImageFolder(tree, v2.Compose([
        v2.RandomResizedCrop(size, scale=AREA, ratio=RATIO, antialias=True),
        v2.RandomHorizontalFlip()]), loader=decode)


MODES = {"pillow": with_pillow, "torchvision": with_torchvision}


def epochs_of(dataset: Any) -> Epoch:
    torch.set_num_threads(1)
    loader = DataLoader(dataset, batch_size=BATCH, shuffle=True,
                        num_workers=2, persistent_workers=True)

    def epoch() -> Iterator[Any]:
        for images, _ in loader:
            yield images.numpy()
    return epoch


def make(tree: str, size: int, mode: str) -> Epoch:
    return epochs_of(MODES[mode](tree, size))


if __name__ == "__main__":
    run_loader(make, f"{torchvision.__version__}, torch {torch.__version__}")
