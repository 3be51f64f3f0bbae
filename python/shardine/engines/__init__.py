"""The tasks of a plan, run by the engines that people have.

An engine is given numbers of tasks and gives back how each ended; each task is the
program `shardine run-task`, which reads and writes the data itself. Scheduling, tries
and the loss of machines are the engine's.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import os
import subprocess
from dataclasses import dataclass
from typing import Any, Callable, Dict, Generator, List, Literal, Optional, Tuple, Union
from typing import get_args

from ..errors import ShardineError
from ..outcome import Outcome
from ..progress import Tell, told
from ..verb_results import VerifyResult
from .follow import missing_tasks, status_of
from .report import report_of
from .task import DONE, Ended, Job, command, last_words

__all__ = ["DistributeResult", "Engine", "TaskFailed", "TaskProgress", "distribute"]

Engine = Literal["local", "ray", "dask", "spark", "slurm", "mpi"]
Starts = Callable[..., Any]


@dataclass(frozen=True, repr=False)
class TaskProgress(Outcome):
    """How many of a plan's tasks are done, and how many have failed for good.

    >>> import subprocess, sys, shardine
    >>> words = ["plan", "pack", "photos", "out", "--shards", "2"]
    >>> words += ["--task-size", "1", "--to", "photos.plan"]
    >>> _ = subprocess.run([sys.executable, "-m", "shardine", *words], check=True)
    >>> told = []
    >>> _ = shardine.distribute("photos.plan", workers=1, progress=told.append)
    >>> [(each.tasks, each.tasks_total, each.failed) for each in told][-1]
    (2, 2, 0)
    """

    tasks: int
    tasks_total: int
    failed: int


@dataclass(frozen=True, repr=False)
class DistributeResult(Outcome):
    """The result of distribute(). tasks: the plan's tasks; run: the tasks that were
    left to run; finished: whether the dataset or report exists now; rejected: whether
    it lacks some inputs; verified: the report of a verification's plan, as verify()
    returns."""

    plan: str
    engine: str
    tasks: int
    run: int
    finished: bool
    rejected: bool
    verified: Optional[VerifyResult] = None


class TaskFailed(ShardineError):
    """Tasks that no retry would complete. Finished tasks stay finished: the same call
    does the others once the cause is gone.

    failures: each has its number (`task`), the exit code of its program (`code`) and
    the end of the program's output (`message`).

    >>> import pathlib, subprocess, sys, shardine
    >>> words = ["plan", "pack", "photos", "out", "--shards", "2"]
    >>> words += ["--task-size", "1", "--to", "photos.plan"]
    >>> _ = subprocess.run([sys.executable, "-m", "shardine", *words], check=True)
    >>> for photo in pathlib.Path("photos").glob("*/*"):
    ...     photo.unlink()
    >>> try:
    ...     shardine.distribute("photos.plan")
    ... except shardine.TaskFailed as error:
    ...     [(each.task, each.code) for each in error.failures]
    [(0, 7), (1, 7)]
    """

    failures: Tuple[Ended, ...] = ()


def _failed(plan: str, failures: List[Ended]) -> TaskFailed:
    failures.sort()
    first = failures[0]
    others = len(failures) - 1
    more = f"; so did {others} other task{'s' if others > 1 else ''}" if others else ""
    error = TaskFailed(
        f"{plan}: task {first.task} failed (exit {first.code}): {first.message}{more}"
    )
    error.path, error.failures = plan, tuple(failures)
    return error


def _start_of(engine: str, detach: bool, options: Dict[str, Any]) -> Starts:
    """The function of the engine's adapter, whose own options these have to be."""
    if engine not in get_args(Engine):
        raise ValueError(f"engine: {engine!r} is none of {', '.join(get_args(Engine))}")
    adapter = importlib.import_module(f"{__name__}.{engine}")
    start: Optional[Starts] = getattr(adapter, "detach" if detach else "run", None)
    if start is None:
        raise ValueError(f"detach: the tasks of {engine} end with the process that began")
    declared = inspect.signature(getattr(adapter, "start", adapter.run))
    known = list(declared.parameters)[2:]
    for name in options:
        if name not in known:
            raise TypeError(
                f"distribute: {engine} has no option {name}; it has {', '.join(known)}"
            )
    return start


def _run_tasks(
    endings: Generator[Ended, None, None], total: int, done: int, tell: Optional[Tell]
) -> Tuple[List[Ended], bool]:
    """The failures, and whether tasks left inputs out. Any error here ends running
    tasks."""
    failures: List[Ended] = []
    rejected = False
    with contextlib.closing(endings):
        for ended in endings:
            if ended.is_done:
                done += 1
            else:
                failures.append(ended)
            rejected |= ended.code == 3
            if tell:
                tell(TaskProgress(done, total, len(failures)))
    return failures, rejected


def _finalize(job: Job) -> Tuple[bool, Optional[VerifyResult]]:
    """Whether inputs were left out, and the report of a verification."""
    words = command(job, "finalize", "--json")
    ended = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True)
    report = report_of(ended.stdout)
    if report is None and ended.returncode not in DONE:
        raise ShardineError(last_words(ended.stderr))
    return report is None and ended.returncode != 0, report


def distribute(
    plan: Union[str, "os.PathLike[str]"],
    engine: Engine = "local",
    *,
    cpus: int = 1,
    finalize: bool = True,
    detach: bool = False,
    program: str = "",
    progress: Any = None,
    **options: Any,
) -> DistributeResult:
    """Does those tasks of a plan that are not done yet, and makes the dataset of them.

    The plan is made by `shardine plan pack SOURCE OUT --to PLAN`. Workers need the
    plan, the sources and OUT under the same names, on a shared file system or a server,
    and this package (Slurm and MPI: its program). Tasks may run anywhere, at once and
    again: the dataset equals pack()'s, byte for byte. A plan by `shardine plan verify
    DATASET --to PLAN` has the report of verify().

    >>> import subprocess, sys, shardine
    >>> words = ["plan", "pack", "photos", "out", "--shards", "2"]
    >>> words += ["--task-size", "1", "--to", "photos.plan"]
    >>> _ = subprocess.run([sys.executable, "-m", "shardine", *words], check=True)
    >>> done = shardine.distribute("photos.plan", workers=2)
    >>> done.tasks, done.run, done.finished, done.rejected
    (2, 2, True, False)
    >>> len(shardine.Dataset("out"))
    24
    >>> words = ["plan", "verify", "out", "--to", "out.plan"]
    >>> _ = subprocess.run([sys.executable, "-m", "shardine", *words], check=True)
    >>> shardine.distribute("out.plan").verified.sound
    True

    engine: "local", "ray", "dask", "spark", "slurm" or "mpi".
    cpus: processors of a task, which the engine sets aside and the task uses.
    finalize=False: leave the shards as they are, for `shardine finalize PLAN`.
    detach=True, of Slurm: submit the tasks and, to come after them, the end of the
      work, and return; `shardine status PLAN` says how far they are.
    program: the path of `shardine` on the workers, by default the package's.
    progress: see shardine.verbs; a function is called with a TaskProgress.

    Options of engines:
      retries: how often a task is tried again, 3 by default, where its worker died or
        the cause may be gone by then: full disks, servers. mpi: all that are left.
      workers: tasks at a time; mpi: ranks; ray, dask, spark: workers of a cluster that
        is started for this call alone. address (ray, dask, spark): the cluster's:
        "auto", "tcp://HOST:PORT", "spark://HOST:PORT". By default the cluster that this
        process is connected to, else one on this machine.
      window (ray, dask): tasks that are submitted and not ended.
      submit (slurm, mpi): more options of sbatch or mpirun, as one text.
      stagger (slurm): seconds from one start to the next of the first workers.

    Ctrl-C ends running tasks (dask: those that have not begun), and the same call
    resumes.

    Errors: TaskFailed: with the numbers and messages of tasks, after all others were
    run. ImportError, NotFoundError: the engine is not installed. ShardineError: the
    plan, or the findings of finalize.
    """
    start = _start_of(engine, detach, options)
    path = os.fspath(plan)
    at = path if "://" in path else os.path.abspath(path)
    job = Job(at, program, cpus)
    status = status_of(job)
    tasks, total = missing_tasks(status), int(status["tasks"])
    if detach and tasks:
        start(job, tasks, finalize=finalize, **options)
        return DistributeResult(path, engine, total, len(tasks), False, False)
    rejected = False
    if tasks:  # else the engine need not be started
        with told("tasks", progress, "tasks") as tell:
            endings = start(job, tasks, **options)
            failures, rejected = _run_tasks(endings, total, total - len(tasks), tell)
        if failures:
            raise _failed(path, failures)
    report = None
    if finalize:
        left_out, report = _finalize(job)
        rejected |= left_out
    return DistributeResult(path, engine, total, len(tasks), finalize, rejected, report)
