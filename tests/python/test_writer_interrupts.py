"""Ctrl-C while a Writer writes, reads a shard back or closes: within 2 seconds it is
raised, and nothing is left."""

import os
import pathlib
import signal
import threading
import time
from collections.abc import Callable

import pytest

import shardine

NOISE = os.urandom(1 << 20)


def interrupted(after: float, work: Callable[[], None]) -> float:
    """How long Ctrl-C took to end the work, in seconds."""
    sent: list[float] = []

    def press() -> None:
        time.sleep(after)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        work()
    ended = time.monotonic()
    thread.join()
    return ended - sent[0]


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("after", [0.2, 0.45, 0.7])
def test_ctrl_c_in_write_is_heard_at_once(
    tmp_path: pathlib.Path, threads: int, after: float
) -> None:
    # Shards of a tenth of a second and of some seconds.
    for size in ("100M", "2000M"):
        def write() -> None:
            with shardine.Writer(tmp_path / "out", format="tfrecord", threads=threads,
                                 shard_size=size) as writer:
                while True:
                    writer.write({"noise": NOISE})

        assert interrupted(after, write) < 2
        assert not (tmp_path / "out").exists()


def test_ctrl_c_in_close_is_heard_at_once(tmp_path: pathlib.Path) -> None:
    writer = shardine.Writer(tmp_path / "out", format="tfrecord", shard_size="2000M")
    for _ in range(600):
        writer.write({"noise": NOISE})

    def close() -> None:
        while True:  # it may have been too quick to be interrupted
            writer.close()

    assert interrupted(0.1, close) < 2


def test_what_was_not_written_by_then_can_be_written_after(
    tmp_path: pathlib.Path,
) -> None:
    """A caller that catches Ctrl-C goes on: the sample is left out, and nothing
    else."""
    written = 0
    with shardine.Writer(tmp_path / "out", format="tfrecord",
                         shard_size="16M") as writer:
        def write() -> None:
            nonlocal written
            while True:
                writer.write({"noise": NOISE}, key=str(written))
                written += 1

        assert interrupted(0.3, write) < 2
        assert writer.samples in (written, written + 1)
        writer.write({"noise": b"more"}, key="more")
        count = writer.samples
    assert writer.result is not None and writer.result.samples == count
    assert len(shardine.Dataset(tmp_path / "out")) == count
    assert shardine.verify(tmp_path / "out").sound


def test_a_handler_of_the_signal_may_write_and_close(tmp_path: pathlib.Path) -> None:
    writer = shardine.Writer(tmp_path / "out", format="tfrecord", shard_size="16M")

    def handle(*_: object) -> None:
        writer.write({"noise": b"of the handler"}, key="handler")
        writer.abandon()

    before = signal.signal(signal.SIGALRM, handle)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises((ValueError, shardine.ShardineError)):
            while True:
                writer.write({"noise": NOISE})
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not (tmp_path / "out").exists()


def test_threads_that_wait_for_their_turn_hear_it_too(tmp_path: pathlib.Path) -> None:
    writer = shardine.Writer(tmp_path / "out", format="tfrecord", shard_size="500M")
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            try:
                writer.write({"noise": NOISE})
            except (ValueError, shardine.ShardineError):
                return

    threads = [threading.Thread(target=write) for _ in range(3)]
    for thread in threads:
        thread.start()

    def write_too() -> None:
        while True:
            writer.write({"noise": NOISE})

    assert interrupted(0.5, write_too) < 2
    began = time.monotonic()
    writer.abandon()
    stop.set()
    for thread in threads:
        thread.join()
    assert time.monotonic() - began < 2
    assert not (tmp_path / "out").exists()
