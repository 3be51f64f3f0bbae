"""Shared by the scripts load_NAME.py. Each is one loader, on two threads or
processes, random crops and flips to uint8 batches of 64, in the virtual
environment that has it:

  load_NAME.py DATA SIZE SECONDS [MODE]

Prints one JSON object: the figures of measure_epochs() for images, behind the first
epoch; "mean" of that one's pixels; "first_batch", seconds from the construction of the
loader, imports before it not counted; "version". With 0 SECONDS only these.
"""
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from measure import finish, measure_epochs

Epoch = Callable[[], Iterator[Any]]  # its batches, as NumPy arrays

BATCH = 64
AREA = (0.08, 1.0)
RATIO = (3 / 4, 4 / 3)
# Epochs of small images are over in no time: so long a pass has several.
PASS_SECONDS = 0.5


def _check(batch: Any, size: int) -> None:
    if str(batch.dtype) != "uint8" or sorted(batch.shape[1:]) != sorted((size, size, 3)):
        sys.exit(f"batches are {batch.shape} of {batch.dtype}")


def _warm(epoch: Epoch, size: int, begin: float) -> dict[str, Any]:
    """The first epoch: seconds to the first batch, mean of the pixels."""
    first, images, total = None, 0, 0.0
    for batch in epoch():
        first = first or time.perf_counter() - begin
        _check(batch, size)
        images += len(batch)
        total += float(batch.mean()) * len(batch)
    return {"first_batch": first, "mean": total / images}


def _pass(epoch: Epoch) -> int:
    """Images of whole epochs."""
    images, touched = 0, 0
    begin = time.perf_counter()
    while time.perf_counter() - begin < PASS_SECONDS:
        for batch in epoch():
            images += len(batch)
            touched += int(batch[-1, -1, -1, -1])
    return images


def run_loader(make: Callable[..., Epoch], version: str) -> None:
    """make(data, size, mode) -> epoch; epoch() yields the NumPy batches of one."""
    data, size, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    begin = time.perf_counter()
    epoch = make(data, size, *sys.argv[4:])
    figures = _warm(epoch, size, begin)
    if seconds > 0:
        figures |= measure_epochs(lambda: _pass(epoch), seconds)
    finish(version=version, **figures)
