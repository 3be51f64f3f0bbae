#!/usr/bin/env python3
"""Trains an image classifier as imagenet18 does: small images first, larger ones
later, with learning rates that belong to them, on the CPU, a GPU or several.

    shardine pack photos out --split train=0.9,validation=0.1 \\
        --variants original,sz/160,sz/320
    python train_imagenet.py out --phases "$(cat phases.txt)" --amp
    torchrun --nproc_per_node 8 train_imagenet.py out --checkpoint run.pt

Killed and called again with its --checkpoint it goes on where that was written: the
same samples with the same crops follow, on another number of GPUs, too. Batch sizes
of phases are those of one process.
"""

import argparse
import contextlib
import math
import os
import time
from collections.abc import Callable
from typing import IO, Any

import shardine
import shardine.torch
import torch
import torch.distributed
from torch import nn
from torch.optim.swa_utils import AveragedModel

# 28 epochs of ResNet-50 on 8 GPUs; with others, learning rates go with the batch.
PHASES = """[
    {'ep': 0, 'sz': 128, 'bs': 512, 'trndir': '-sz/160'},
    {'ep': (0, 7), 'lr': (1.0, 2.0)},
    {'ep': (7, 13), 'lr': (2.0, 0.25)},
    {'ep': 13, 'sz': 224, 'bs': 224, 'trndir': '-sz/320', 'min_scale': 0.087},
    {'ep': (13, 22), 'lr': (0.4375, 0.04375)},
    {'ep': (22, 25), 'lr': (0.04375, 0.004375)},
    {'ep': 25, 'sz': 288, 'bs': 128, 'min_scale': 0.5, 'rect_val': True},
    {'ep': (25, 28), 'lr': (0.0025, 0.00025)},
]"""


def parse_arguments() -> argparse.Namespace:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("data", help="a dataset of splits train and validation")
    parser.add_argument("--phases", default=PHASES, help="as imagenet18 has them")
    parser.add_argument("--model", default="resnet50", help="torchvision's, or tiny")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--weight-decay", "--wd", type=float, default=5e-5)
    parser.add_argument("--no-bn-wd", action="store_true", help="none of batch norms")
    parser.add_argument("--init-bn0", action="store_true", help="each block begins as 0")
    parser.add_argument("--label-smoothing", type=float, default=0.1)
    parser.add_argument("--amp", action="store_true", help="mixed precision")
    parser.add_argument("--ema", type=float, help="average weights, such as 0.9999")
    parser.add_argument("--checkpoint", help="file to write, and to go on from")
    parser.add_argument("--save-every", type=int, default=500, help="steps")
    parser.add_argument("--results", help="file for epoch, hours, top-1 and top-5")
    parser.add_argument("--until-top5", type=float, help="per cent: then it stops")
    return parser.parse_args()


def build_model(name: str, classes: int) -> nn.Module:
    if name == "tiny":  # for a look at the loop: learns little, and at once
        features = (nn.Conv2d(3, 8, 3, stride=4), nn.BatchNorm2d(8), nn.ReLU())
        pooled = (nn.AdaptiveAvgPool2d(1), nn.Flatten())
        return nn.Sequential(*features, *pooled, nn.Linear(8, classes))
    import torchvision

    return torchvision.models.get_model(name, num_classes=classes)


def zero_last_norms(model: nn.Module) -> int:
    """The last batch norm of each residual block begins with weights of 0, so that the
    block passes its input on. Returns their number."""
    blocks = [m for m in model.modules() if hasattr(m, "bn2") and hasattr(m, "conv2")]
    for block in blocks:
        nn.init.zeros_(getattr(block, "bn3", block.bn2).weight)
    return len(blocks)


def groups_of(model: nn.Module, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Parameters with the weight decay that is meant for them."""
    if not options.no_bn_wd:
        return [{"params": model.parameters(), "weight_decay": options.weight_decay}]
    norms = [m for m in model.modules() if isinstance(m, nn.BatchNorm2d)]
    spared = {p: None for m in norms for p in m.parameters()}
    others = [p for p in model.parameters() if p not in spared]
    return [
        {"params": others, "weight_decay": options.weight_decay},
        {"params": list(spared), "weight_decay": 0.0},
    ]


def ends(value: Any) -> Any:
    """The ends of a range: a number for both, or a pair."""
    return value if isinstance(value, (list, tuple)) else (value, value)


def learning_rate(rates: list[dict[str, Any]], at: float) -> float:
    """The rate of the last entry that has begun, linear between its ends; `at` in
    epochs. An entry with "epoch_step" has one rate for each whole epoch."""
    rate = 0.0
    for entry in rates:
        (first, last), (begin, end) = ends(entry["ep"]), ends(entry["lr"])
        if at < first:
            break
        done = (math.floor(at) if "epoch_step" in entry else at) - first
        part = min(done / (last - first), 1) if last > first else 0
        rate = begin + (end - begin) * part
    return rate


def write_atomically(path: str, write: Callable[[IO[bytes]], object]) -> None:
    """Whatever happens meanwhile, the file is the old one or the new one."""
    with open(path + ".tmp", "wb") as file:
        write(file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".tmp", path)


class Trainer:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        torch.manual_seed(options.seed)
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        if self.device.type == "cuda":
            torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", 0)))
        self.distributed = int(os.environ.get("WORLD_SIZE", 1)) > 1
        if self.distributed:
            backend = "nccl" if self.device.type == "cuda" else "gloo"
            torch.distributed.init_process_group(backend)
        self.first = not self.distributed or torch.distributed.get_rank() == 0
        self.schedule = shardine.Schedule(options.phases, options.data)
        loader = shardine.PhasedLoader(self.schedule, seed=options.seed)
        self.batches = self.prefetch(loader)
        self.classes = len(self.schedule[0].dataset.classes)
        self.model = build_model(options.model, self.classes).to(
            self.device, memory_format=torch.channels_last
        )
        if options.init_bn0 and not zero_last_norms(self.model):
            raise SystemExit(f"--init-bn0: {options.model} has no residual blocks")
        groups = groups_of(self.model, options)
        self.optimizer = torch.optim.SGD(groups, lr=0.0, momentum=0.9)
        self.amp, self.average = options.amp and self.device.type == "cuda", None
        self.scaler = torch.cuda.amp.GradScaler(enabled=self.amp)
        if options.ema:
            self.average = AveragedModel(
                self.model,
                avg_fn=lambda old, new, _: options.ema * old + (1 - options.ema) * new,
                use_buffers=True,
            )
        self.seconds = 0.0  # of training, by all runs
        self.results: list[tuple[float, float, float]] = []  # of each epoch that is over
        self.resume()
        self.parallel = self.model
        if self.distributed:
            self.parallel = nn.parallel.DistributedDataParallel(self.model)
        self.loss = nn.CrossEntropyLoss(label_smoothing=options.label_smoothing)

    def prefetch(self, loader: Any) -> shardine.torch.CudaPrefetcher:
        options = {"normalize": "imagenet", "device": self.device}
        return shardine.torch.CudaPrefetcher(loader, **options)

    def parts(self) -> dict[str, Any]:
        named = ("model", "optimizer", "scaler", "batches", "average")
        return {n: getattr(self, n) for n in named if getattr(self, n) is not None}

    def save(self) -> None:
        if self.options.checkpoint and self.first:
            state = {name: part.state_dict() for name, part in self.parts().items()}
            state |= {"seconds": self.seconds, "results": self.results}
            write_atomically(self.options.checkpoint, lambda f: torch.save(state, f))

    def resume(self) -> None:
        path, parts = self.options.checkpoint, self.parts()
        if not path or not os.path.exists(path):
            return
        try:
            state = torch.load(path, map_location="cpu")
            self.seconds, self.results = state.pop("seconds"), state.pop("results")
            for name in sorted({*state, *parts}):  # --ema is to be said again, too
                parts[name].load_state_dict(state[name])
        except Exception as error:
            raise SystemExit(f"{path}: no checkpoint of this run: {error!r}") from error

    def precision(self) -> Any:
        if self.amp:
            return torch.autocast("cuda", torch.float16)
        return contextlib.nullcontext()

    def train_epoch(self, epoch: int) -> tuple[float, float]:
        """One epoch, or its rest. Returns (mean loss, the part of the time that was
        spent in waiting for data)."""
        self.parallel.train()
        steps = len(self.batches)
        step = steps - self.batches.loader.steps_left
        losses, waited, iterator = [], 0.0, iter(self.batches)
        begin = marked = time.perf_counter()
        while step < steps:
            asked = time.perf_counter()
            images, labels = next(iterator)
            waited += time.perf_counter() - asked
            for group in self.optimizer.param_groups:
                group["lr"] = learning_rate(self.schedule.rates, epoch + step / steps)
            with self.precision():
                loss = self.loss(self.parallel(images), labels)
            self.optimizer.zero_grad(set_to_none=True)
            self.scaler.scale(loss).backward()
            self.scaler.step(self.optimizer)
            self.scaler.update()
            if self.average:
                self.average.update_parameters(self.model)
            losses.append(loss.detach())
            step += 1
            if step % self.options.save_every == 0:
                marked = self.count_time(marked)
                self.save()
        mean = torch.stack(losses).mean().item()  # the first wait for the device
        return mean, waited / (self.count_time(marked) - begin)

    def count_time(self, since: float) -> float:
        now = time.perf_counter()
        self.seconds += now - since
        return now

    @torch.no_grad()
    def validate(self, epoch: int) -> tuple[int, float, float]:
        chosen = self.schedule.validation(epoch)
        loader = shardine.EvalLoader(
            chosen.dataset, batch_size=chosen.batch_size, transform=chosen.transform
        )
        model = self.average or self.model
        model.eval()
        accuracy = shardine.torch.Accuracy(topk=sorted({1, min(5, self.classes)}))
        for images, labels in self.prefetch(loader):
            with self.precision():
                empty = images.new_zeros(0, self.classes)
                accuracy.add(model(images) if len(labels) else empty, labels)
        loader.close()
        samples, *right = accuracy.compute().values()
        return int(samples), 100 * right[0], 100 * right[-1]

    def write_results(self) -> None:
        """As DAWNBench asked for them."""
        if self.options.results and self.first:
            lines = [b"epoch\thours\ttop1Accuracy\ttop5Accuracy\n"]
            row = b"%d\t%.6f\t%.3f\t%.3f\n"
            lines += [row % (n, *each) for n, each in enumerate(self.results, 1)]
            write_atomically(self.options.results, lambda f: f.writelines(lines))

    def run(self) -> None:
        if not self.schedule.epochs:
            raise SystemExit("--phases: no entry with an 'lr' says how long to train")
        self.save()  # fails now if it cannot be written, not hours later
        self.write_results()
        while (epoch := len(self.results)) < self.schedule.epochs:
            training = ""
            if self.batches.epoch == epoch:  # else it was saved behind its last step
                loss, waiting = self.train_epoch(epoch)
                training = f"loss {loss:.3f}, data {100 * waiting:.1f} %, "
            samples, top1, top5 = self.validate(epoch)
            self.results.append((self.seconds / 3600, top1, top5))
            self.save()
            self.write_results()
            if self.first:
                print(
                    f"epoch {epoch + 1}: {training}top-1 {top1:.2f} %, top-5 {top5:.2f} "
                    f"% of {samples} samples, {self.seconds:.1f} s",
                    flush=True,
                )
            if top5 >= (self.options.until_top5 or math.inf):
                break
        if self.distributed:
            torch.distributed.destroy_process_group()  # its threads end


if __name__ == "__main__":
    Trainer(parse_arguments()).run()
