"""Which part of the work is this process's."""

from __future__ import annotations

import os
import sys
from typing import Optional, Tuple

from .arguments import count


def rank_and_world(
    rank: Optional[int], world: Optional[int]
) -> Tuple[int, int]:
    """As given; else torch.distributed's where it is in use; else RANK and
    WORLD_SIZE of the environment, as torchrun sets them; else 0 of 1."""
    if (rank is None) != (world is None):
        raise ValueError("rank and world: give both or neither")
    if rank is not None and world is not None:
        return count("rank", rank), count("world", world)
    distributed = sys.modules.get("torch.distributed")
    if (
        distributed is not None
        and distributed.is_available()
        and distributed.is_initialized()
    ):
        return distributed.get_rank(), distributed.get_world_size()
    if ("RANK" in os.environ) != ("WORLD_SIZE" in os.environ):
        raise ValueError(
            "RANK and WORLD_SIZE: only one of them is in the environment"
        )
    if "RANK" in os.environ:
        return _number("RANK"), _number("WORLD_SIZE")
    return 0, 1


def _number(variable: str) -> int:
    value = os.environ[variable]
    if not value.isascii() or not value.isdigit():
        raise ValueError(f"{variable} in the environment: {value!r} is no number")
    return int(value)
