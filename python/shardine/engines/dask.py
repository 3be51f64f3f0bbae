"""Dask: futures of a distributed Client, a window of them under way."""

from __future__ import annotations

import itertools
from typing import Any, Dict, Generator, List, Optional

from .needs import package
from .task import Ended, Job, RetryTask, run_task


def _client(
    distributed: Any, address: Optional[str], workers: Optional[int]
) -> "tuple[Any, bool]":
    """The client, and whether it is ours to close."""
    if address is not None:
        return distributed.Client(address), True
    if workers is None:
        try:
            return distributed.get_client(), False
        except ValueError:  # there is none
            pass
    # In this process: its threads only wait for processes.
    return distributed.Client(
        processes=False,
        n_workers=1,
        threads_per_worker=workers,
        dashboard_address=None,
        memory_limit=0,
    ), True


def _slots(client: Any, cpus: int) -> "tuple[int, Any]":
    """How many tasks can run at once, and the resources of each. A thread of a worker
    is a slot, unless all workers were started with --resources CPU=N."""
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    if workers and all("CPU" in worker["resources"] for worker in workers):
        cpus_there = sum(worker["resources"]["CPU"] for worker in workers)
        return max(1, int(cpus_there) // cpus), {"CPU": cpus}
    return max(1, sum(worker["nthreads"] for worker in workers)), None


def run(
    job: Job,
    tasks: List[int],
    *,
    retries: int = 3,
    window: Optional[int] = None,
    workers: Optional[int] = None,
    address: Optional[str] = None,
) -> Generator[Ended, None, None]:
    """address: "tcp://HOST:PORT" of a scheduler; by default the client of this
    process, else a cluster in this process, of `workers` tasks at a time. window:
    tasks that are submitted and not ended, by default four for each that can run.
    Tasks that run already when this is cancelled come to their end."""
    distributed = package("distributed", "distributed")
    client, is_ours = _client(distributed, address, workers)
    waiting = iter(tasks)
    under_way = distributed.as_completed()
    futures: Dict[Any, int] = {}
    try:
        while True:
            at_once, resources = _slots(client, job.cpus)
            room = (window or 4 * at_once) - len(futures)
            for task in itertools.islice(waiting, max(0, room)):
                future = client.submit(
                    run_task, job, task, retries=retries, pure=False, resources=resources
                )
                futures[future] = task
                under_way.add(future)
            if not futures:
                break
            future = next(under_way)
            task, error = futures.pop(future), future.exception()
            if error is None:
                yield future.result()
            elif isinstance(error, RetryTask):
                yield error.ended
            else:
                yield Ended(task, 1, f"{type(error).__name__}: {error}")
    finally:
        client.cancel(list(futures))
        if is_ours:
            client.close()
