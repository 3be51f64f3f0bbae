"""Ray: remote functions, a window of them under way."""

from __future__ import annotations

import itertools
from typing import Any, Dict, Generator, List, Optional

from .needs import package
from .task import Ended, Job, RetryTask, run_task


def _connect(ray: Any, address: Optional[str], workers: Optional[int], cpus: int) -> bool:
    """Whether a connection was made, which is then ours to end."""
    if ray.is_initialized():
        return False
    options: Dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False}
    if workers is not None:
        options.update(
            address="local", num_cpus=workers * cpus, include_dashboard=False
        )
    if address is not None:
        options["address"] = address
    ray.init(**options)
    return True


def _ended(ray: Any, reference: Any, task: int) -> Ended:
    try:
        ended = ray.get(reference)
    except RetryTask as error:
        cause = getattr(error, "cause", error)  # Ray's class for it has the original
        return cause.ended if isinstance(cause, RetryTask) else Ended(task, 1, str(error))
    except ray.exceptions.RayError as error:
        return Ended(task, 1, f"{type(error).__name__}: {error}")
    assert isinstance(ended, Ended)
    return ended


def run(
    job: Job,
    tasks: List[int],
    *,
    retries: int = 3,
    window: Optional[int] = None,
    workers: Optional[int] = None,
    address: Optional[str] = None,
) -> Generator[Ended, None, None]:
    """address: "auto", "HOST:PORT" or "ray://..."; by default the cluster that this
    process is connected to, else the one that ray.init() finds or starts. workers: a
    Ray of this process alone for so many tasks at a time. window: tasks that are
    submitted and not ended, by default four for each that the cluster can run."""
    ray = package("ray", "ray")
    is_ours = _connect(ray, address, workers, job.cpus)
    remote = ray.remote(
        num_cpus=job.cpus, max_retries=retries, retry_exceptions=[RetryTask]
    )(run_task)
    waiting = iter(tasks)
    under_way: Dict[Any, int] = {}
    try:
        while True:
            at_once = int(ray.cluster_resources().get("CPU", 1)) // job.cpus
            room = (window or 4 * max(1, at_once)) - len(under_way)
            for task in itertools.islice(waiting, max(0, room)):
                under_way[remote.remote(job, task)] = task
            if not under_way:
                break
            [reference], _ = ray.wait(list(under_way), num_returns=1)
            yield _ended(ray, reference, under_way.pop(reference))
    finally:
        for reference in under_way:
            ray.cancel(reference)
        if is_ours:
            ray.shutdown()
