"""Slurm: an array of jobs; the end of the work may be a job that depends on it."""

from __future__ import annotations

import re
import shlex
import subprocess
import time
from typing import Any, Generator, List

from ..errors import ShardineError
from .follow import follow
from .needs import program
from .slurm_script import array_script, grouped
from .task import Ended, Job, command, last_words

_SECONDS = 5.0


def _run(name: str, *words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    path = program(name, "Slurm", "slurm-client")
    return subprocess.run([path, *words], input=text, capture_output=True, text=True)


def _say(name: str, *words: str, text: str = "") -> str:
    done = _run(name, *words, text=text)
    if done.returncode != 0:
        said = last_words(done.stderr.encode())
        raise ShardineError(f"{name}: {said or f'exit {done.returncode}'}")
    return done.stdout


def _submit(text: str, submit: str, *more: str) -> str:
    """The number of the job."""
    said = _say("sbatch", "--parsable", *more, *shlex.split(submit), text=text)
    return said.split(";")[0].strip()


def start(
    job: Job,
    tasks: List[int],
    *,
    retries: int = 3,
    workers: int = 0,
    submit: str = "",
    stagger: float = 0.1,
) -> str:
    """Submits the array and returns its number. workers: tasks at a time, by default as
    Slurm likes. submit: more options of sbatch, such as "--partition=batch --time=60".
    stagger: seconds from one start to the next, of those that start at once."""
    most = re.search(r"MaxArraySize\s*= (\d+)", _say("scontrol", "show", "config"))
    groups = grouped(tasks, int(most[1]) if most else 1001)
    return _submit(array_script(job, groups, retries, workers, stagger), submit)


def detach(job: Job, tasks: List[int], *, finalize: bool, **options: Any) -> None:
    """Leaves the tasks to Slurm, and the job that makes a dataset of their shards, or
    names the missing ones."""
    array = start(job, tasks, **options)
    if finalize:
        text = f"#!/bin/sh\nexec {shlex.join(command(job, 'finalize'))}\n"
        after = ("--job-name=shardine", f"--dependency=afterany:{array}")
        _submit(text, options.get("submit", ""), *after)


def _is_over(array: str) -> bool:
    time.sleep(_SECONDS)
    squeue = _run("squeue", "--noheader", "--jobs", array)
    # Slurm forgets jobs in time. A controller that restarts is waited for.
    forgotten = "Invalid job id" in squeue.stderr
    return forgotten or (squeue.returncode == 0 and not squeue.stdout.strip())


def run(job: Job, tasks: List[int], **options: Any) -> Generator[Ended, None, None]:
    """As start() does, and follows the tasks."""
    array = start(job, tasks, **options)
    try:
        yield from follow(job, tasks, lambda: _is_over(array))
    except BaseException:
        _say("scancel", array)
        raise
