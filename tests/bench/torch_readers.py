"""torch_readers.py SHARDINE TREE WORK: programs of PyTorch's world read SHARDINE's
output from the files of TREE, and from shards that are not its own."""
import hashlib
import os
import subprocess
import sys
import types
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import open_clip
import torch
import torchvision
import webdataset
from open_clip_train.data import get_wds_dataset

warnings.filterwarnings("ignore")


def shardine(*arguments: str) -> None:
    subprocess.run([sys.argv[1], *arguments], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def files_of(tree: str) -> Iterator[tuple[str, int]]:
    for label, cls in enumerate(sorted(os.listdir(tree))):
        for file in sorted(os.listdir(os.path.join(tree, cls))):
            yield os.path.join(tree, cls, file), label


def clip_samples(shards: str, count: int) -> set[tuple[str, str]]:
    """Digests of images and their captions, as OpenCLIP's training loop gets them."""
    args = types.SimpleNamespace(
        train_data=None, val_data=shards, val_num_samples=count, batch_size=8,
        train_data_upsampling_factors=None, workers=0, world_size=1, seed=0)
    data = get_wds_dataset(
        args, lambda image: torch.from_numpy(np.array(image)).sum((0, 1)), is_train=False,
        tokenizer=lambda text: torch.tensor([list(text.encode().ljust(40))]))
    found = set()
    for images, texts in data.dataloader:
        for image, text in zip(images, texts):
            found.add((str(image.tolist()), bytes(text.tolist()).decode().strip()))
    return found


def against_open_clip(tree: str, work: str) -> str:
    """Others' pairs of image and text, before and after convert."""
    theirs, ours = os.path.join(work, "pairs"), os.path.join(work, "converted")
    os.makedirs(theirs)
    count = 0
    with webdataset.ShardWriter(os.path.join(theirs, "%05d.tar"), maxcount=20,
                                verbose=0) as sink:
        for path, label in list(files_of(tree))[:60]:
            with open(path, "rb") as f:
                sink.write({"__key__": f"pair{count:04d}", "jpg": f.read(),
                            "txt": f"a photo of class {label}, number {count}",
                            "json": {"caption": str(count), "url": "none"}})
            count += 1
    before = clip_samples(os.path.join(theirs, "{00000..00002}.tar"), count)
    indexed = os.path.join(work, "indexed")
    shardine("index", "train=" + os.path.join(theirs, "*.tar"), indexed)
    shardine("convert", indexed, ours, "--format", "webdataset", "--shards", "1")
    after = clip_samples(os.path.join(ours, "train-00000-of-00001.tar"), count)
    if before != after or len(after) != count:
        sys.exit(f"open_clip: {len(before)} pairs before, {len(after)} after")
    return f"open_clip {open_clip.__version__} read {count} pairs, before and after convert"


def against_image_folder(tree: str, work: str) -> str:
    """The output of extract on a dataset is the tree."""
    packed, extracted = os.path.join(work, "lmdb"), os.path.join(work, "extracted")
    shardine("pack", tree, packed, "--format", "lmdb")
    shardine("extract", packed, extracted)
    found = torchvision.datasets.ImageFolder(extracted)
    expected = list(files_of(tree))
    digests = [hashlib.sha256(open(path, "rb").read()).hexdigest()
               for path, _ in found.samples]
    if [(d, label) for d, (_, label) in zip(digests, found.samples)] != [
            (hashlib.sha256(open(path, "rb").read()).hexdigest(), label)
            for path, label in expected]:
        sys.exit("ImageFolder finds other samples than were packed")
    return (f"torchvision {torchvision.__version__} ImageFolder read "
            f"{len(found)} samples of extract, all equal")


def main() -> None:
    _, tree, work = sys.argv[1:]
    readers: list[Any] = [against_open_clip, against_image_folder]
    for reader in readers:
        print(reader(tree, work), flush=True)


if __name__ == "__main__":
    main()
