"""Runs of an example under recorded_run.py, and the batches they trained on."""

import json
import os
import pathlib
import signal
import subprocess
import sys

from free_ports import free_port

HERE = pathlib.Path(__file__).parent
EXAMPLES = HERE.parents[2] / "python" / "examples"

Batch = tuple[int, int, int, list[int]]  # epoch and position behind it, rank, sums


def recorded(
    command: list[str], folder: pathlib.Path, name: str, world: int = 1, die_at: int = 0
) -> list[Batch]:
    """The batches of all ranks of a run, in the order of the stream. command: the
    example's name and its arguments."""
    port = free_port()
    running = []
    for rank in range(world):
        record = folder / f"{name}-{rank}"
        environment = dict(os.environ)
        if world > 1:  # as torchrun says it
            environment |= {"RANK": str(rank), "WORLD_SIZE": str(world)}
            environment |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
        running.append(
            subprocess.Popen(
                [sys.executable, "-B", str(HERE / "recorded_run.py"), str(record)]
                + [str(die_at), str(EXAMPLES / command[0]), *command[1:]],
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
    for each in running:
        _, errors = each.communicate(timeout=120)
        assert each.returncode == (-signal.SIGKILL if die_at else 0), errors
    lines = [
        (*json.loads(line)[:2], rank, json.loads(line)[2])
        for rank in range(world)
        for line in (folder / f"{name}-{rank}").read_text().splitlines()
    ]
    return sorted(lines)


def stream(batches: list[Batch]) -> list[int]:
    return [image for *_, sums in batches for image in sums]


def epoch_of(batches: list[Batch], epoch: int) -> list[int]:
    begin, end = (epoch, 0), (epoch + 1, 0)
    return stream([batch for batch in batches if begin < batch[:2] <= end])
