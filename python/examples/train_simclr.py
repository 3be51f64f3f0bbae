#!/usr/bin/env python3
"""Trains an encoder without labels, as SimCLR does: two views of one image are to be
more alike than views of two images. On the CPU, a GPU or several.

    shardine pack photos out --variants original,sz/320
    python train_simclr.py out --variant sz/320 --amp --checkpoint run.pt
    torchrun --nproc_per_node 8 train_simclr.py out --checkpoint run.pt

Killed and called again with its --checkpoint it goes on where that was written: the
same samples with the same views follow, in another world, too. The batch size counts
all processes together. The checkpoint's "encoder" is the part to fine-tune.
"""

import argparse
import contextlib
import math
import os
from typing import Any

import shardine
import shardine.torch
import torch
import torch.distributed
from torch import nn
from torch.nn import functional


def positive(text: str) -> int:
    if int(text) < 1:
        raise ValueError
    return int(text)


def parse_arguments() -> argparse.Namespace:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("data", help="a dataset; its labels are not looked at")
    parser.add_argument("--variant", default="original")
    parser.add_argument("--split", help="if the dataset has several")
    parser.add_argument("--model", default="resnet50", help="torchvision's, or tiny")
    parser.add_argument("--epochs", type=positive, default=100)
    parser.add_argument("--batch-size", type=positive, default=256)
    parser.add_argument("--size", type=positive, default=224, help="of views, pixels")
    parser.add_argument("--temperature", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--amp", action="store_true", help="mixed precision")
    parser.add_argument("--checkpoint", help="file to write, and to go on from")
    parser.add_argument("--save-every", type=positive, default=500, help="steps")
    options = parser.parse_args()
    world = int(os.environ.get("WORLD_SIZE", 1))
    if options.batch_size % world != 0:
        parser.error(f"--batch-size: no multiple of the {world} processes")
    return options


def view(size: int) -> list[Any]:
    """The paper's, at strength 1; its kernel is a tenth of the side."""
    return [
        shardine.RandomResizedCrop(size),
        shardine.ColorJitter(0.8, 0.8, 0.8, hue=0.2, p=0.8),
        shardine.RandomGrayscale(0.2),
        shardine.GaussianBlur(size // 20 * 2 + 1, sigma=(0.1, 2.0), p=0.5),
    ]


def build_encoder(name: str) -> tuple[nn.Module, int]:
    """And how many features it makes of an image."""
    if name == "tiny":  # for a look at the loop: learns little, and at once
        layers = (nn.Conv2d(3, 8, 3, stride=4), nn.BatchNorm2d(8), nn.ReLU())
        return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten()), 8
    import torchvision

    model = torchvision.models.get_model(name)
    features = int(model.fc.in_features)
    model.fc = nn.Identity()
    return model, features


def of_all(mine: torch.Tensor) -> torch.Tensor:
    """The rows of all processes, each with as many; gradients flow into one's own."""
    if not torch.distributed.is_initialized():
        return mine
    rows = [torch.empty_like(mine) for _ in range(torch.distributed.get_world_size())]
    torch.distributed.all_gather(rows, mine)
    rows[torch.distributed.get_rank()] = mine
    return torch.cat(rows)


def contrast(first: Any, second: Any, temperature: float) -> tuple[Any, Any]:
    """NT-Xent: among all other views, the one of the same image is the right answer.
    Returns (loss, the part of images for which it was found)."""
    mine = torch.cat([first, second])
    theirs = torch.cat([of_all(first), of_all(second)])
    n, total = len(first), len(theirs) // 2
    rank = torch.distributed.get_rank() if torch.distributed.is_initialized() else 0
    at = torch.arange(n, device=mine.device) + rank * n
    itself = torch.cat([at, at + total])
    right = torch.cat([at + total, at])
    alike = (mine @ theirs.T).float() / temperature
    alike.scatter_(1, itself[:, None], -math.inf)
    found = (alike.argmax(1) == right).float().mean()
    return functional.cross_entropy(alike, right), found.detach()


class Trainer:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        torch.manual_seed(options.seed)
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        if self.device.type == "cuda":
            torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", 0)))
        self.world = int(os.environ.get("WORLD_SIZE", 1))
        if self.world > 1:
            backend = "nccl" if self.device.type == "cuda" else "gloo"
            torch.distributed.init_process_group(backend)
        self.first = self.world == 1 or torch.distributed.get_rank() == 0
        dataset = shardine.Dataset(
            options.data, variant=options.variant, split=options.split
        )
        loader = shardine.TrainLoader(
            dataset,
            batch_size=options.batch_size // self.world,
            seed=options.seed,
            views=[view(options.size)] * 2,
        )
        self.batches = shardine.torch.CudaPrefetcher(
            loader, normalize="imagenet", device=self.device
        )
        self.encoder, features = build_encoder(options.model)
        hidden = nn.Linear(features, features, bias=False)
        self.head = nn.Sequential(
            *(hidden, nn.BatchNorm1d(features), nn.ReLU(inplace=True)),
            nn.Linear(features, 128, bias=False),
        )
        model: nn.Module = nn.Sequential(self.encoder, self.head)
        model.to(self.device, memory_format=torch.channels_last)
        rate = 0.075 * math.sqrt(options.batch_size)  # the paper's, for small batches
        self.optimizer = torch.optim.SGD(
            model.parameters(), lr=rate, momentum=0.9, weight_decay=1e-4
        )
        self.highest = rate
        self.scaler = torch.cuda.amp.GradScaler(
            enabled=options.amp and self.device.type == "cuda"
        )
        if options.checkpoint and os.path.exists(options.checkpoint):
            self.resume(options.checkpoint)
        if self.world > 1:  # with the statistics of all views, lest they give answers away
            if self.device.type == "cuda":
                model = nn.SyncBatchNorm.convert_sync_batchnorm(model)
            model = nn.parallel.DistributedDataParallel(model)
        self.model = model

    def parts(self) -> dict[str, Any]:
        named = ("encoder", "head", "optimizer", "scaler", "batches")
        return {name: getattr(self, name) for name in named}

    def resume(self, path: str) -> None:
        try:
            state = torch.load(path, map_location="cpu")
            for name, part in self.parts().items():
                part.load_state_dict(state[name])
        except Exception as error:
            raise SystemExit(f"{path}: no checkpoint of this run: {error!r}") from error

    def save(self) -> None:
        """Whatever happens meanwhile, the file is the old one or the new one."""
        if self.options.checkpoint and self.first:
            state = {name: part.state_dict() for name, part in self.parts().items()}
            with open(self.options.checkpoint + ".tmp", "wb") as file:
                torch.save(state, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(self.options.checkpoint + ".tmp", self.options.checkpoint)

    def precision(self) -> Any:
        if self.options.amp and self.device.type == "cuda":
            return torch.autocast("cuda", torch.float16)
        return contextlib.nullcontext()

    def rate(self, at: float) -> float:
        """Up in a tenth of all epochs, then half a cosine; `at` in epochs."""
        done = at / self.options.epochs
        down = (1 + math.cos(math.pi * max(done - 0.1, 0) / 0.9)) / 2
        return float(self.highest * min(done / 0.1, 1) * down)

    def train_epoch(self, epoch: int) -> tuple[float, float]:
        """One epoch, or its rest. Returns means of loss and found."""
        steps = len(self.batches)
        begin = steps - self.batches.loader.steps_left
        figures = []
        for step, (views, _) in enumerate(self.batches, begin):
            for group in self.optimizer.param_groups:
                group["lr"] = self.rate(epoch + step / steps)
            with self.precision():
                made = functional.normalize(self.model(torch.cat(views)))
            first, second = made.chunk(2)
            loss, found = contrast(first, second, self.options.temperature)
            self.optimizer.zero_grad(set_to_none=True)
            self.scaler.scale(loss).backward()
            self.scaler.step(self.optimizer)
            self.scaler.update()
            figures.append(torch.stack([loss.detach(), found]))
            if (step + 1) % self.options.save_every == 0:
                self.save()
        mean_loss, mean_found = torch.stack(figures).mean(0).tolist()
        return mean_loss, mean_found

    def run(self) -> None:
        self.save()  # fails now if it cannot be written, not hours later
        while (epoch := self.batches.epoch) < self.options.epochs:
            loss, found = self.train_epoch(epoch)
            self.save()
            if self.first:
                print(
                    f"epoch {epoch + 1}: loss {loss:.3f}, of {100 * found:.1f} % "
                    "the other view was found",
                    flush=True,
                )
        if self.world > 1:
            torch.distributed.destroy_process_group()  # its threads end


if __name__ == "__main__":
    Trainer(parse_arguments()).run()
