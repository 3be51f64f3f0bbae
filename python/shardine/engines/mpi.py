"""MPI: each rank does every size-th task, which the program itself knows how to."""

from __future__ import annotations

import contextlib
import shlex
import subprocess
import tempfile
from typing import Generator, List, Optional

from .follow import LOST, follow
from .needs import program
from .task import WORTH_ANOTHER_TRY, Ended, Job, command

_SECONDS = 2.0
# A rank that fails would end the others, so each exits with 0: the receipts hold the
# outcomes.
_RANK = ("sh", "-c", '"$@" || exit 0', "sh")


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True


def _round(words: List[str], job: Job, tasks: List[int]) -> Generator[Ended, None, None]:
    """One mpirun. Its output is the reason of tasks that left none."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=said)
        try:
            for ended in follow(job, tasks, lambda: _has_ended(process)):
                if ended.code == LOST:
                    said.seek(0)
                    text = said.read(500).decode(errors="replace").strip("-\n")
                    ended = ended._replace(message=f"{ended.message}: {text}")
                yield ended
        finally:
            process.terminate()
            process.wait()


def run(
    job: Job,
    tasks: List[int],
    *,
    retries: int = 3,
    workers: Optional[int] = None,
    submit: str = "",
) -> Generator[Ended, None, None]:
    """workers: ranks, by default mpirun's own. submit: more options of mpirun, such as
    "--hostfile hosts". A rank that is killed ends all: mpirun is started again."""
    words = [program("mpirun", "Open MPI", "openmpi-bin"), *shlex.split(submit)]
    words += ["-n", str(workers)] if workers else []
    words += [*_RANK, *command(job, "run-task", "--index-from-env", "--quiet")]
    words += [f"--jobs={job.cpus}"]
    for again in range(retries, -1, -1):
        left = []
        with contextlib.closing(_round(words, job, tasks)) as endings:
            for ended in endings:
                if again and ended.code in (LOST, *WORTH_ANOTHER_TRY):
                    left.append(ended.task)
                else:
                    yield ended
        tasks = left
        if not tasks:
            return
