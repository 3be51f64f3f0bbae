"""Tasks that a scheduler runs out of our sight: their receipts say which are done."""

from __future__ import annotations

import json
import subprocess
from typing import Any, Callable, Dict, Generator, List, Optional, Set

from ..errors import ShardineError
from .task import Ended, Job, command, last_words

# In place of an exit code: nothing is known of the task.
LOST = -1
_LOST_MESSAGE = "it did not come to its end, and left no reason"
# The exit code of the failures that status lists; 1 for others.
_EXIT_CODES = {"invalid-argument": 2, "io": 5, "remote": 6, "changed": 7}


def status_of(job: Job) -> Dict[str, Any]:
    """The output of `shardine status --json` for the plan."""
    done = subprocess.run(
        command(job, "status", "--json"), stdin=subprocess.DEVNULL, capture_output=True
    )
    try:
        status = json.loads(done.stdout)
    except ValueError:
        raise ShardineError(last_words(done.stderr) or "status said nothing") from None
    assert isinstance(status, dict)
    return status


def numbers(ranges: str) -> List[int]:
    """The numbers in "3,7-9"."""
    found: List[int] = []
    for part in filter(None, ranges.split(",")):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def missing_tasks(status: Dict[str, Any]) -> List[int]:
    """The tasks that are not done, whatever else is known of them."""
    return numbers(status["missing"])


def _failure(task: int, known: Optional[Dict[str, Any]]) -> Ended:
    if known is None:
        return Ended(task, LOST, _LOST_MESSAGE)
    return Ended(task, _EXIT_CODES.get(known["code"], 1), known["reason"][:500])


def follow(job: Job, tasks: List[int], is_over: Callable[[], bool]) -> Generator[Ended, None, None]:
    """Tasks as they are done, until all are or nothing is at work any more; then the
    outcomes of the others. is_over: waits for some seconds before it says so."""
    left: Set[int] = set(tasks)
    over = False
    while left and not over:
        over = is_over()
        status = status_of(job)
        missing = left.intersection(missing_tasks(status))
        yield from (Ended(task, 0) for task in sorted(left - missing))
        left = missing
    if left:
        known = {each["task"]: each for each in status["failed"]}
        for task in sorted(left):
            yield _failure(task, known.get(task))
