"""Loops of other packages that distribute batches, or batch them again."""

from __future__ import annotations

import warnings
from types import FrameType
from typing import Optional

# How far up they are.
_CALLERS = 12
# Classes that distribute the items they iterate, and their modules.
_DISPATCHERS = {
    "DataLoaderDispatcher": ("accelerate.data_loader",),
    "IterableDatasetShard": ("accelerate.data_loader", "transformers.trainer_pt_utils"),
}


def warn_of_batching(caller: FrameType) -> None:
    """Warns where `caller` is the part of torch's DataLoader that begins an
    iteration, and is going to make batches of the batches that it gets."""
    is_fetcher = caller.f_globals.get("__name__") == "torch.utils.data._utils.fetch"
    if is_fetcher and caller.f_locals.get("auto_collation"):
        warnings.warn(
            "DataLoader(loader) batches what are batches already; write "
            "DataLoader(loader, batch_size=None)",
            stacklevel=3,
        )


def refuse_dispatcher(caller: FrameType) -> None:
    """RuntimeError where `caller` deals out the batches that it gets to all
    processes, or takes a share of them, as accelerate does: one rank's batches would be
    dealt out again, and the others' be lost."""
    frame: Optional[FrameType] = caller
    for _ in range(_CALLERS):
        if frame is None:
            return
        owner = frame.f_locals.get("self")
        kind = type(owner).__name__
        if kind in _DISPATCHERS and frame.f_globals.get("__name__") in (
            _DISPATCHERS[kind]
        ):
            raise RuntimeError(
                f"{kind} deals out batches that are one rank's already: give the "
                "Loader rank=0, world=1, or do not prepare() it"
            )
        frame = frame.f_back
