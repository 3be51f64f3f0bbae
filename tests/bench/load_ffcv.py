#!/usr/bin/env python3
"""load_ffcv.py TREE SIZE SECONDS stored|raw: FFCV, see load_loop.py. Its file is
made beside TREE if it is not there: stored, of the very bytes of the JPEGs, by a
field of our own, as FFCV's encodes all again; raw, of decoded pixels, the long
side at most 256."""
import importlib.metadata
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

import cv2
import numpy
import torch
from ffcv.fields import IntField, RGBImageField
from ffcv.fields.basics import IntDecoder
from ffcv.fields.rgb_image import IMAGE_MODES, RandomResizedCropRGBImageDecoder
from ffcv.loader import Loader, OrderOption
from ffcv.transforms import RandomHorizontalFlip, ToTensor
from ffcv.writer import DatasetWriter
from PIL import Image

from load_loop import AREA, BATCH, RATIO, Epoch, run_loader


class StoredImageField(RGBImageField):
    def encode(self, destination: Any, path: str, malloc: Callable[[int], tuple[int, Any]]) -> None:
        data = numpy.fromfile(path, numpy.uint8)
        destination["mode"] = IMAGE_MODES["jpg"]
        destination["width"], destination["height"] = Image.open(path).size
        destination["data_ptr"], place = malloc(data.nbytes)
        place[:] = data


class Tree:
    def __init__(self, root: str, stored: bool) -> None:
        self.stored = stored
        self.files = [(os.path.join(root, name, file), label)
                      for label, name in enumerate(sorted(os.listdir(root)))
                      for file in sorted(os.listdir(os.path.join(root, name)))]

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, number: int) -> tuple[Any, int]:
        path, label = self.files[number]
        return path if self.stored else Image.open(path).convert("RGB"), label


def write(tree: str, path: str, mode: str) -> None:
    image = (StoredImageField(write_mode="jpg") if mode == "stored" else
             RGBImageField(write_mode="raw", max_resolution=256))
    writer = DatasetWriter(path + ".part", {"image": image, "label": IntField()},
                           num_workers=2)
    # Its output is progress.
    out, sys.stdout = sys.stdout, sys.stderr
    writer.from_indexed_dataset(Tree(tree, mode == "stored"), chunksize=50)
    sys.stdout = out
    os.rename(path + ".part", path)


def make(path: str, size: int, mode: str) -> Epoch:
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    decoder = RandomResizedCropRGBImageDecoder((size, size), scale=AREA, ratio=RATIO)
    loader = Loader(path, batch_size=BATCH, num_workers=2, order=OrderOption.RANDOM,
                    os_cache=True,
                    custom_fields={"image": StoredImageField} if mode == "stored" else {},
                    pipelines={"image": [decoder, RandomHorizontalFlip(), ToTensor()],
                               "label": [IntDecoder(), ToTensor()]})

    def epoch() -> Iterator[Any]:
        for images, _ in loader:
            yield images.numpy()
    return epoch


if __name__ == "__main__":
    tree, mode = sys.argv[1].rstrip("/"), sys.argv[4]
    sys.argv[1] = f"{tree}-{mode}.beton"
    if not os.path.exists(sys.argv[1]):
        write(tree, sys.argv[1], mode)
    run_loader(make, importlib.metadata.version("ffcv"))
