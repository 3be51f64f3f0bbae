#!/usr/bin/env python3
"""Trains a small residual network on CIFAR-10, or on other images of 32 x 32 pixels:
on a laptop's CPU, a GPU or several.

    python train_cifar.py cifar --archive cifar-10-binary.tar.gz --checkpoint cifar.pt
    torchrun --nproc_per_node 2 train_cifar.py http://server/cifar
    python train_cifar.py photos --keep packed

The first run packs the archive that CIFAR-10's makers publish into cifar/train and
cifar/test. Datasets of these names that exist are read as they are, by address, too.
With --keep, train and test are folders of images in folders of their classes, which are
packed while the first epoch reads them.
A run that was killed goes on from its --checkpoint: the same samples with the same
crops follow, in another world, too. The batch size counts all processes together.
"""

import argparse
import os
import tarfile
from typing import Any

import numpy
import shardine
import shardine.torch
import torch
import torch.distributed
from torch import nn

RECORD = 1 + 3 * 32 * 32  # a label, then planes of red, green and blue


def positive(text: str) -> int:
    if int(text) < 1:
        raise ValueError
    return int(text)


def parse_arguments() -> argparse.Namespace:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("data", help="folder or address of the datasets train and test")
    parser.add_argument("--archive", help="cifar-10-binary.tar.gz, packed if they are missing")
    parser.add_argument("--keep", help="folder to pack train and test into meanwhile")
    parser.add_argument("--epochs", type=positive, default=24)
    parser.add_argument("--batch-size", type=positive, default=512)
    parser.add_argument("--width", type=positive, default=64, help="channels at first")
    parser.add_argument("--rate", type=float, default=0.4, help="the highest")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--checkpoint", help="file to write, and to go on from")
    parser.add_argument("--save-every", type=positive, default=50, help="steps")
    options = parser.parse_args()
    world = int(os.environ.get("WORLD_SIZE", 1))
    if options.batch_size % world != 0:
        parser.error(f"--batch-size: no multiple of the {world} processes")
    return options


def member(archive: tarfile.TarFile, name: str) -> bytes:
    file = archive.extractfile(f"cifar-10-batches-bin/{name}")
    assert file is not None
    return file.read()


def pack(archive: str, data: str) -> None:
    """Two datasets of pixels as they are: nothing has to be decoded. Existing datasets
    stay."""
    train = [f"data_batch_{number}.bin" for number in range(1, 6)]
    for split, names in (("train", train), ("test", ["test_batch.bin"])):
        out = os.path.join(data, split)
        if os.path.exists(os.path.join(out, "shardine.json")):
            continue
        with tarfile.open(archive) as tar:
            classes = member(tar, "batches.meta.txt").decode().split()
            with shardine.Writer(
                out, format="tfrecord", classes=classes, image_format="array"
            ) as writer:
                for name in names:
                    records = numpy.frombuffer(member(tar, name), "u1")
                    for number, record in enumerate(records.reshape(-1, RECORD)):
                        pixels = record[1:].reshape(3, 32, 32).transpose(1, 2, 0)
                        sample = {"image": pixels, "label": int(record[0])}
                        writer.write(sample, key=f"{name}/{number:05}")
        print(writer.result, flush=True)


def convolution(inputs: int, outputs: int) -> nn.Sequential:
    layer = nn.Conv2d(inputs, outputs, 3, padding=1, bias=False)
    return nn.Sequential(layer, nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))


class Residual(nn.Sequential):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        changed: torch.Tensor = super().forward(x)
        return x + changed


def residual(channels: int) -> Residual:
    return Residual(convolution(channels, channels), convolution(channels, channels))


def build_model(width: int, classes: int) -> nn.Module:
    """ResNet-9, as DAWNBench's entries for CIFAR-10 have it."""
    return nn.Sequential(
        *(convolution(3, width), convolution(width, 2 * width), nn.MaxPool2d(2)),
        *(residual(2 * width), convolution(2 * width, 4 * width), nn.MaxPool2d(2)),
        *(convolution(4 * width, 8 * width), nn.MaxPool2d(2), residual(8 * width)),
        *(nn.AdaptiveMaxPool2d(1), nn.Flatten(), nn.Linear(8 * width, classes)),
    )


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
        if self.first and options.archive:
            pack(options.archive, options.data)
        if self.world > 1:
            torch.distributed.barrier()
        self.batch_size = options.batch_size // self.world
        loader = shardine.TrainLoader(
            **self.source("train"),
            batch_size=self.batch_size,
            seed=options.seed,
            transform=[
                shardine.RandomCrop(32, padding=4),
                shardine.RandomHorizontalFlip(),
            ],
        )
        self.classes = len(loader.dataset.classes)
        self.batches = self.prefetch(loader)
        self.model = build_model(options.width, self.classes).to(self.device)
        self.optimizer = torch.optim.SGD(
            self.model.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4, nesterov=True
        )
        if options.checkpoint and os.path.exists(options.checkpoint):
            self.resume(options.checkpoint)
        self.parallel = self.model
        if self.world > 1:
            self.parallel = nn.parallel.DistributedDataParallel(self.model)
        self.loss = nn.CrossEntropyLoss(label_smoothing=0.1)

    def source(self, split: str) -> dict[str, Any]:
        """The samples of a loader."""
        keep = None
        if self.options.keep:
            out = os.path.join(self.options.keep, split)
            keep = shardine.Keep(out, format="recordio", seed=1)
        return {"dataset": os.path.join(self.options.data, split), "keep": keep}

    def prefetch(self, loader: shardine.Loader) -> shardine.torch.CudaPrefetcher:
        """Means and deviations are those of CIFAR-10's training images."""
        mean, std = (0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616)
        return shardine.torch.CudaPrefetcher(
            loader, normalize=(mean, std), device=self.device
        )

    def parts(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("model", "optimizer", "batches")}

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

    def rate(self, at: float) -> float:
        """Up in a fifth of all epochs, then down to nothing; `at` in epochs."""
        done = at / self.options.epochs
        return float(self.options.rate * min(done / 0.2, (1 - done) / 0.8))

    def train_epoch(self, epoch: int) -> float:
        """One epoch, or its rest. Returns the mean loss."""
        self.parallel.train()
        steps = len(self.batches)
        begin = steps - self.batches.loader.steps_left
        losses = []
        for step, (images, labels) in enumerate(self.batches, begin):
            for group in self.optimizer.param_groups:
                group["lr"] = self.rate(epoch + step / steps)
            loss = self.loss(self.parallel(images), labels)
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()
            losses.append(loss.detach())
            if (step + 1) % self.options.save_every == 0:
                self.save()
        return float(torch.stack(losses).mean())

    @torch.no_grad()
    def test(self) -> tuple[int, float]:
        """(samples, per cent of them that are right), over all processes."""
        loader = shardine.EvalLoader(
            **self.source("test"),
            batch_size=self.batch_size,
            transform=shardine.CenterCrop(32, resize=0),
        )
        self.model.eval()
        accuracy = shardine.torch.Accuracy(topk=(1,))
        for images, labels in self.prefetch(loader):
            empty = images.new_zeros(0, self.classes)
            accuracy.add(self.model(images) if len(labels) else empty, labels)
        loader.close()
        samples, right = accuracy.compute().values()
        return int(samples), 100 * right

    def report(self, trained: str) -> None:
        samples, right = self.test()
        if self.first:
            print(f"{trained}, {right:.2f} % of {samples}", flush=True)

    def run(self) -> None:
        self.save()  # fails now if it cannot be written, not hours later
        if self.batches.epoch >= self.options.epochs:  # perhaps killed while it tested
            self.report(f"epoch {self.batches.epoch}: trained before")
        while (epoch := self.batches.epoch) < self.options.epochs:
            loss = self.train_epoch(epoch)
            self.save()
            self.report(f"epoch {epoch + 1}: loss {loss:.3f}")
        if self.world > 1:
            torch.distributed.destroy_process_group()  # its threads end


if __name__ == "__main__":
    Trainer(parse_arguments()).run()
