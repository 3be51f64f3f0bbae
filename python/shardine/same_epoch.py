"""Loaders that begin with the same epoch, and so with the same batches."""

from __future__ import annotations

import os
import threading
import warnings
from typing import Any, Dict, Sequence, Set, Tuple

from .mix import Mix, whole_of
from .transforms import CenterCrop, FixedCrop, RectVal, Resize, Transform

# The epochs that began in this process.
_begun: Set[Tuple[Any, ...]] = set()
_said: Set[Tuple[Any, ...]] = set()
_lock = threading.Lock()
# A child that is forked while a thread holds it could never take it.
os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release,
                    after_in_child=_lock.release)


def draws(transforms: Sequence[Transform], mix: Any) -> bool:
    """Whether a loader of these makes other pixels of a sample in each epoch."""
    if mix is not None:
        return True
    parts = [transform._parts() for transform in transforms]
    return any(
        operations or not isinstance(cut, (CenterCrop, FixedCrop, RectVal, Resize))
        for cut, operations in parts
    )


def warn_if_begun(samples: Any, state: Dict[str, Any], rank: int) -> None:
    """Warns for a loader of the default seed that begins, once for the same samples."""
    if state["epoch"] or state["position"]:
        return
    parts = samples.parts if isinstance(samples, Mix) else [samples]
    datasets = tuple(
        (str(whole_of(part).path), whole_of(part).split) for part in parts
    )
    key = (datasets, state["order_digest"], rank)
    with _lock:
        again = key in _begun and key not in _said
        _begun.add(key)
        if again:
            _said.add(key)
    if again:
        warnings.warn(
            "a loader of these samples began with epoch 0 of the default seed before, "
            "in this process: this one makes the same batches again. Iterate one "
            "loader anew for each epoch, call set_epoch(), or give it a seed",
            RuntimeWarning,
            stacklevel=4,
        )
