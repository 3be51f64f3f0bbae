"""This machine: tasks as processes, some at a time."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Generator, List, Optional, Set

from .task import Ended, Job, RetryTask, run_task


def run(
    job: Job, tasks: List[int], *, retries: int = 3, workers: Optional[int] = None
) -> Generator[Ended, None, None]:
    """workers: tasks at a time; by default as many as this process's processors
    have threads for."""
    at_a_time = workers or max(1, len(os.sched_getaffinity(0)) // job.cpus)
    alive: Set[subprocess.Popen[bytes]] = set()

    def try_hard(task: int) -> Ended:
        for again in range(retries, -1, -1):
            try:
                return run_task(job, task, alive.add)
            except RetryTask as error:
                if again == 0:
                    return error.ended
        raise AssertionError("range() was empty")

    pool = ThreadPoolExecutor(at_a_time)
    try:
        for future in as_completed([pool.submit(try_hard, task) for task in tasks]):
            yield future.result()
            alive -= {process for process in alive if process.returncode is not None}
    finally:
        retries = 0
        pool.shutdown(wait=False, cancel_futures=True)
        for process in list(alive):
            process.terminate()
        pool.shutdown()
