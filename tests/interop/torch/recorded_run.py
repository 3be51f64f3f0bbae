"""Runs an example as its user does, and writes down its training batches: a line for
each batch, with the place behind it and a checksum of each image, in all its views,
and label.

Usage: recorded_run.py RECORD DIE_AT SCRIPT ARGUMENT...; by SIGKILL as it takes its
batch number DIE_AT, from 1 on and with those of validation, if that is not 0.
"""

import json
import os
import runpy
import signal
import sys
import zlib
from collections.abc import Iterator
from typing import Any

import torch

import shardine
import shardine.torch

record, die_at = sys.argv[1], int(sys.argv[2])
torch.set_num_threads(1)  # sums in the same order each time
real = shardine.torch.CudaPrefetcher


class Recording(real):
    taken = 0

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        for images, labels in super().__iter__():
            if not isinstance(self.loader, shardine.EvalLoader):  # it trains
                self.write(images, labels)
            Recording.taken += 1
            if Recording.taken == die_at:
                os.kill(os.getpid(), signal.SIGKILL)
            yield images, labels

    def write(self, images: Any, labels: Any) -> None:
        state = self.state_dict()
        sums = [int(label) for label in labels]
        for view in images if isinstance(images, tuple) else (images,):
            for i, image in enumerate(view):
                sums[i] = zlib.crc32(image.contiguous().numpy().tobytes(), sums[i])
        with open(record, "a") as file:
            file.write(json.dumps([state["epoch"], state["position"], sums]) + "\n")


shardine.torch.CudaPrefetcher = Recording  # type: ignore[misc]
sys.argv = sys.argv[3:]
runpy.run_path(sys.argv[0], run_name="__main__")
if "WORLD_SIZE" in os.environ:
    # A thread of torch that asks for the interpreter's lock at exit aborts the process.
    threads = len(os.listdir("/proc/self/task"))
    assert threads == 1, f"{threads} threads are left at the end"
