"""timm 1.0's train.py on datasets and loaders, in its order: its package has all of it
but that program. Takes those of its arguments that are of use here."""

import argparse
import os
import pathlib
from typing import Any

import timm.utils
import torch
from timm.data import create_dataset, create_loader
from timm.models import resume_checkpoint
from watched_model import Watched, loss_of

parser = argparse.ArgumentParser()
parser.add_argument("--data-dir")
parser.add_argument("--val-split", default="validation")
parser.add_argument("--resume", default="")
parser.add_argument("--aa")


def train_one_epoch(model: Any, loader: Any, optimizer: Any) -> None:
    model.train()
    last = len(loader) - 1
    for number, (images, target) in enumerate(loader):
        optimizer.zero_grad()
        loss_of(model(images), target).backward()
        optimizer.step()
        assert number <= last
    assert number == last


def validate(model: Any, loader: Any) -> float:
    model.eval()
    right = timm.utils.AverageMeter()
    with torch.no_grad():
        for images, target in loader:
            output = model(images)
            assert output.dtype == torch.float32
            top1, _ = timm.utils.accuracy(output, target, topk=(1, 5))
            if torch.distributed.is_initialized():
                top1 = timm.utils.reduce_tensor(top1, torch.distributed.get_world_size())
            right.update(top1.item(), output.size(0))
    return float(right.avg)


def main() -> None:
    args = parser.parse_args()
    args.model = "watched"
    args.device = args.dist_backend = None
    device = timm.utils.init_distributed_device(argparse.Namespace(device="cpu"))
    distributed = torch.distributed.is_available() and torch.distributed.is_initialized()
    model = Watched()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    start = resume_checkpoint(model, args.resume, optimizer) if args.resume else None
    dataset_train = create_dataset("", root=args.data_dir, split="train", is_training=True,
                                   class_map="", download=False, batch_size=32, seed=42,
                                   repeats=0, input_img_mode="RGB")
    dataset_eval = create_dataset("", root=args.data_dir, split=args.val_split,
                                  is_training=False, class_map="", batch_size=32)
    loading: dict[str, Any] = {
        "input_size": (3, 224, 224), "interpolation": "bilinear", "num_workers": 2,
        "mean": timm.data.IMAGENET_DEFAULT_MEAN, "std": timm.data.IMAGENET_DEFAULT_STD,
        "distributed": distributed, "pin_memory": False, "use_prefetcher": True,
        "img_dtype": torch.float32, "device": device, "batch_size": 32}
    loader_train = create_loader(
        dataset_train, is_training=True, no_aug=False, re_prob=0.0, re_mode="pixel",
        re_count=1, re_split=False, train_crop_mode=None, scale=[0.08, 1.0],
        ratio=[3 / 4, 4 / 3], hflip=0.5, vflip=0.0, color_jitter=0.4, auto_augment=args.aa,
        num_aug_repeats=0, num_aug_splits=0, collate_fn=None, worker_seeding="all",
        use_multi_epochs_loader=False, color_jitter_prob=None, grayscale_prob=0.0,
        gaussian_blur_prob=0.0, **loading)
    loader_eval = create_loader(dataset_eval, is_training=False, crop_pct=0.875, **loading)
    saver = None
    if int(os.environ.get("RANK", 0)) == 0:
        pathlib.Path("output").mkdir(exist_ok=True)
        saver = timm.utils.CheckpointSaver(
            model=model, optimizer=optimizer, args=args, checkpoint_dir="output",
            recovery_dir="output", max_history=10)
    for epoch in range(start or 0, 3):
        if hasattr(dataset_train, "set_epoch"):
            dataset_train.set_epoch(epoch)
        elif distributed and hasattr(loader_train.sampler, "set_epoch"):
            loader_train.sampler.set_epoch(epoch)
        train_one_epoch(model, loader_train, optimizer)
        metric = validate(model, loader_eval)
        if saver is not None:
            saver.save_checkpoint(epoch, metric=metric)


if __name__ == "__main__":
    main()
