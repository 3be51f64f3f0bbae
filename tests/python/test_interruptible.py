"""A look at work that fails in C++ ends the work (row 20 of the review of concurrency)."""

import time

import interruptible_probe
import pytest


@pytest.mark.parametrize(("failure", "kind"), [("memory", MemoryError),
                                               ("a cast", RuntimeError)])
def test_a_look_that_fails_asks_the_work_to_stop(
    failure: str, kind: type[Exception]
) -> None:
    begun = time.monotonic()
    with pytest.raises(kind):
        interruptible_probe.run(failure)
    assert interruptible_probe.is_heard()
    assert time.monotonic() - begun < 5
