"""The code that runs in the workers of Spark."""

from __future__ import annotations

from typing import Any, List

from .needs import package
from .task import Ended, Job, RetryTask, run_task


class Endings:
    """An AccumulatorParam: how tasks ended, each once, as they end."""

    def zero(self, _: List[Ended]) -> List[Ended]:
        return []

    def addInPlace(self, endings: List[Ended], more: List[Ended]) -> List[Ended]:
        endings += more
        return endings


def attempt(job: Job, last: int, endings: Any, task: int) -> None:
    """Adds how the task ended to `endings`, an accumulator. RetryTask: Spark tries it
    again. The attempt of number `last` does not raise, since that would end all."""
    number = package("pyspark", "pyspark").TaskContext.get().attemptNumber()
    try:
        endings.add([run_task(job, task)])
    except RetryTask as error:
        if number < last:
            raise
        endings.add([error.ended])
