"""One task of a plan, as the worker of an engine runs it: by the program, in a process
of its own, so that nothing native can take the worker with it.

An engine carries a Job and a number to the worker, and an Ended back: under 1 kB
together, whatever the size of the data.
"""

from __future__ import annotations

import pathlib
import subprocess
from dataclasses import dataclass
from typing import Callable, NamedTuple, Optional

# Exit codes (tools/README.md). Files of this machine, a server and an interruption may
# be better next time; a negative code is the signal that ended the process.
DONE = (0, 3)
WORTH_ANOTHER_TRY = (5, 6, 130)
# There was no program to run, as shells say it.
NO_PROGRAM = 127

_MESSAGE_BYTES = 500


@dataclass(frozen=True)
class Job:
    """The data that a worker gets beside the number of its task.

    program: empty: the package's where the worker runs. cpus: the threads of a task.
    """

    plan: str
    program: str
    cpus: int


class Ended(NamedTuple):
    """How a task ended, with the end of its output where it failed."""

    task: int
    code: int
    message: str = ""

    @property
    def is_done(self) -> bool:
        return self.code in DONE


class RetryTask(Exception):
    """Raised to the engine, which tries the task again as often as it was told to."""

    def __init__(self, ended: Ended) -> None:
        super().__init__(ended)
        self.ended = ended

    def __str__(self) -> str:
        return f"task {self.ended.task}: {self.ended.message}"


def own_program() -> str:
    """The program of this package."""
    return str(pathlib.Path(__file__).parents[1] / "bin" / "shardine")


def command(job: Job, *words: str) -> list[str]:
    """A verb of the program over the plan: ("run-task", "7")."""
    return [job.program or own_program(), words[0], job.plan, *words[1:]]


def last_words(said: bytes) -> str:
    """The end of standard error, whole lines of it where they fit."""
    end = said.strip()[-_MESSAGE_BYTES:]
    if len(end) == _MESSAGE_BYTES and b"\n" in end:
        end = end.partition(b"\n")[2]
    return end.decode(errors="replace").removeprefix("shardine: ")


def run_task(
    job: Job,
    task: int,
    started: Optional[Callable[[subprocess.Popen[bytes]], object]] = None,
) -> Ended:
    """Runs it to its end. RetryTask: it failed, and another try may succeed. An
    interrupt of this thread ends the process, too; a task may be killed anywhere."""
    words = command(job, "run-task", "--quiet", f"--jobs={job.cpus}", str(task))
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
    except OSError as error:
        message = f"{words[0]}: {error.strerror}: the program is not on this worker"
        return Ended(task, NO_PROGRAM, message)
    with process:
        if started:
            started(process)
        try:
            said = process.communicate()[1]
        except BaseException:
            process.terminate()
            raise
    code = process.returncode
    if code in DONE:
        return Ended(task, code)
    message = last_words(said)
    if code < 0:
        message = f"{message}\nended by signal {-code}".strip()
    ended = Ended(task, code, message)
    if code in WORTH_ANOTHER_TRY or code < 0:
        raise RetryTask(ended)
    return ended
