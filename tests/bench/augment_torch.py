#!/usr/bin/env python3
"""augment_torch.py TREE SIZE SECONDS PIPELINE: ImageFolder and DataLoader with two
workers, torchvision's decoder and transforms v2 on uint8, see load_loop.py and
augment_loop.py."""
from typing import Any

import torch
import torchvision
from torchvision.transforms import v2

from augment_loop import ERASED, FACTORS, HUE, SCALE, SHAPES
from load_loop import AREA, RATIO, Epoch, run_loader
from load_torch import decode, epochs_of


def operations(pipeline: str) -> list[Any]:
    jitter = v2.ColorJitter(FACTORS, FACTORS, FACTORS, HUE)
    pipelines: dict[str, list[Any]] = {
        "crop": [], "jitter": [jitter],
        "erasing": [jitter, v2.RandomErasing(ERASED, SCALE, SHAPES)],
        "randaugment": [v2.RandAugment()]}
    return pipelines[pipeline]


def make(tree: str, size: int, pipeline: str) -> Epoch:
    return epochs_of(torchvision.datasets.ImageFolder(tree, v2.Compose([
        v2.RandomResizedCrop(size, scale=AREA, ratio=RATIO, antialias=True),
        v2.RandomHorizontalFlip(), *operations(pipeline)]), loader=decode))


if __name__ == "__main__":
    run_loader(make, f"{torchvision.__version__}, torch {torch.__version__}")
