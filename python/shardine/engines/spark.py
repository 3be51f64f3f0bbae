"""Spark: one job whose partitions are the tasks."""

from __future__ import annotations

import functools
import os
import re
import sys
import uuid
from typing import Any, Generator, List, Optional, Set

from .needs import package
from .spark_worker import Endings, attempt
from .task import Ended, Job


def _new_session(
    sessions: Any, address: Optional[str], workers: Optional[int], cpus: int, tries: int
) -> Any:
    if address is None:
        at_a_time = workers or max(1, len(os.sched_getaffinity(0)) // cpus)
        # In this form alone the tasks of a local master are tried again.
        address = f"local[{at_a_time * cpus},{tries}]"
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = sessions.builder.appName("shardine").master(address)
    builder.config("spark.task.maxFailures", str(tries))
    builder.config("spark.task.cpus", str(cpus))
    return builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()


def _tries(context: Any) -> int:
    """How often a task may fail before the session gives up the whole job."""
    local = re.fullmatch(r"local(?:\[[^,\]]*(?:,\s*(\d+))?\])?", context.master)
    set_to = context.getConf().get("spark.task.maxFailures", "4")
    return int(local[1] or 1 if local else set_to)


def run(
    job: Job,
    tasks: List[int],
    *,
    retries: int = 3,
    workers: Optional[int] = None,
    address: Optional[str] = None,
) -> Generator[Ended, None, None]:
    """address: a master; by default the active session's, else this machine with
    `workers` tasks at a time. An active session keeps its own spark.task.cpus, which
    has to be `cpus`, and its spark.task.maxFailures, where that means fewer tries.
    spark.speculation may be on: a task can run twice at once."""
    pyspark = package("pyspark", "pyspark")
    sessions = package("pyspark.sql", "pyspark").SparkSession
    active = sessions.getActiveSession()
    session = active or _new_session(sessions, address, workers, job.cpus, retries + 1)
    context, group = session.sparkContext, f"shardine-{uuid.uuid4()}"
    last = min(retries, _tries(context) - 1)
    endings = context.accumulator([], Endings())
    failures: List[Exception] = []

    def work() -> None:
        try:
            context.setJobGroup(group, job.plan, interruptOnCancel=True)
            every = context.parallelize(tasks, len(tasks))
            every.foreach(functools.partial(attempt, job, last, endings))
        except Exception as error:
            failures.append(error)

    seen: Set[int] = set()
    try:
        if context.getConf().get("spark.task.cpus", "1") != str(job.cpus):
            raise ValueError(f"cpus: {job.cpus} is not spark.task.cpus of the session")
        thread = pyspark.InheritableThread(target=work)
        thread.start()
        is_over = False
        while not is_over:
            thread.join(0.2)
            is_over = not thread.is_alive()
            for ended in endings.value[len(seen) :]:
                seen.add(ended.task)
                yield ended
        text = str(failures[0])[:500] if failures else "Spark lost it"
        yield from (Ended(task, 1, text) for task in tasks if task not in seen)
    finally:
        context.cancelJobGroup(group)
        if active is None:
            session.stop()
