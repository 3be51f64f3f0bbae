"""Which part of the work is this process's."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Optional, Tuple

from .arguments import count
from .loader_options import Nodes

# The launchers that start a process for each rank, and their variables of the rank:
# torchrun and the like, Open MPI, MPICH and Intel MPI (PMI), and Slurm's srun. Only
# srun sets the number of a step's tasks: the job's (SLURM_NTASKS) is there in a batch
# script, too, which runs once.
_LAUNCHERS = (
    ("RANK", "WORLD_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
)
# How many tasks there are, where nothing says which of them this one is.
_TASKS = ("SLURM_NTASKS", *(world for _, world in _LAUNCHERS[1:]))
# Ranks on this machine, by the same; srun says how many machines there are.
_LOCAL_RANKS = ("LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS")
_NODES = "SLURM_STEP_NUM_NODES"


def rank_and_world(
    rank: Optional[int], world: Optional[int]
) -> Tuple[int, int]:
    """As given; else torch.distributed's where it is in use; else as the first of
    _LAUNCHERS that the environment knows of says; else 0 of 1, with a warning
    where it knows of several tasks of this job."""
    if (rank is None) != (world is None):
        raise ValueError("rank and world: give both or neither")
    if rank is not None and world is not None:
        return count("rank", rank), count("world", world)
    distributed = _of_torch()
    if distributed is not None:
        return distributed
    if ("RANK" in os.environ) != ("WORLD_SIZE" in os.environ):
        raise ValueError(
            "RANK and WORLD_SIZE: only one of them is in the environment"
        )
    for rank_name, world_name in _LAUNCHERS:
        if rank_name in os.environ and world_name in os.environ:
            return _number(rank_name), _number(world_name)
    _warn_of_unknown_rank()
    return 0, 1


def warn_if_others(rank: int, world: int) -> None:
    """Warns for a loader without a given rank if torch.distributed, which may have been
    initialised since, has another one."""
    now = _of_torch()
    if now is not None and now != (rank, world):
        warnings.warn(
            f"this loader is rank {rank} of {world}, as nothing said otherwise when it "
            f"was made; by torch.distributed this process is rank {now[0]} of {now[1]} "
            "now. Make it after init_process_group(), or give rank= and world=",
            RuntimeWarning,
            stacklevel=4,
        )


def _of_torch() -> Optional[Tuple[int, int]]:
    """(rank, world) by torch.distributed, where it is in use."""
    distributed = sys.modules.get("torch.distributed")
    if (
        distributed is None
        or not distributed.is_available()
        or not distributed.is_initialized()
    ):
        return None
    return distributed.get_rank(), distributed.get_world_size()


def node_count(nodes: Nodes, world: int) -> int:
    """The given number; for "auto" the environment's, else 1."""
    if nodes != "auto":
        return count("nodes", nodes)
    for variable in _LOCAL_RANKS:
        if variable in os.environ:
            local = _number(variable)
            if local == 0 or world % local != 0:
                raise ValueError(
                    f"nodes: {variable}={local} in the environment, and a world of "
                    f"{world} ranks is no multiple of it: give nodes=, or 1"
                )
            return world // local
    return _number(_NODES) if _NODES in os.environ else 1


def _number(variable: str) -> int:
    value = os.environ[variable]
    if not value.isascii() or not value.isdigit():
        raise ValueError(f"{variable} in the environment: {value!r} is no number")
    return int(value)


def _warn_of_unknown_rank() -> None:
    """Several processes that take each other's share for their own train on every
    sample several times, and nothing looks wrong."""
    for variable in _TASKS:
        tasks = os.environ.get(variable, "")
        if tasks.isascii() and tasks.isdigit() and int(tasks) > 1:
            warnings.warn(
                f"this job has {tasks} tasks ({variable} in the environment), and "
                "nothing says which of them this process is: it takes all samples. "
                "Start it by srun, mpirun or torchrun, or give rank= and world= "
                "(rank=0, world=1 if it is meant)",
                RuntimeWarning,
                stacklevel=5,
            )
            return
