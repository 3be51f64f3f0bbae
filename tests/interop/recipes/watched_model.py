"""A small model that writes down its input: in the file $WATCHED_RECORD a line for each
batch, whether it is trained on and a checksum of each image. By SIGKILL at batch number
$WATCHED_DIE_AT of training, if that is not 0."""

import json
import os
import signal
from typing import Any

import torch
import watched_runs


class Watched(torch.nn.Module):
    """Linear in mean colours."""

    def __init__(self) -> None:
        super().__init__()
        self.head = torch.nn.Linear(3, watched_runs.TRAIN)
        self.trained = 0

    def forward(self, images: Any) -> Any:
        self.trained += self.training
        if self.training and self.trained == int(os.environ["WATCHED_DIE_AT"]):
            os.kill(os.getpid(), signal.SIGKILL)
        with open(os.environ["WATCHED_RECORD"], "a") as file:
            sums = watched_runs.checksums(images.numpy())
            file.write(json.dumps([self.training, sums]) + "\n")
        return self.head(images.mean((2, 3)))


class ModeAware(Watched):
    """Where the page leaves train() and eval() to the reader: gradients tell."""

    def forward(self, images: Any) -> Any:
        self.train(torch.is_grad_enabled())
        return super().forward(images)


def loss_of(outputs: Any, labels: Any) -> Any:
    return torch.nn.functional.cross_entropy(outputs, labels)
