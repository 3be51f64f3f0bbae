"""Threads: one consumer of a loader, any number of its batches and of a dataset;
interruptions; threads that end with a dropped loader."""

import gc
import os
import pathlib
import pickle
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import pytest

import shardine
from conftest import Source, threads_of_this_process

Alarm = Callable[[float], object]

CROP = shardine.RandomResizedCrop(8)


def load(dataset: Source, **options: Any) -> shardine.Loader:
    options.setdefault("batch_size", 4)
    options.setdefault("threads", 2)
    options.setdefault("transform", CROP)
    return shardine.Loader(dataset, **options)


def content(batch: shardine.Batch) -> tuple[list[int], list[str], bytes]:
    return (batch.ids.tolist(), batch.keys, batch.images.tobytes())


def run_all(*actions: Callable[[], object]) -> None:
    """Runs each action in a thread; their exceptions are raised here."""
    failures = []

    def guarded(action: Callable[[], object]) -> None:
        try:
            action()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=[a]) for a in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    if failures:
        raise failures[0]


def test_a_second_consumer_is_refused(packed: pathlib.Path) -> None:
    # Its first batch takes longer than any test.
    loader = load(packed, batch_size=500_000, last_batch="pad")
    iterator, state = iter(loader), loader.state_dict()

    def wait() -> None:
        with pytest.raises(shardine.CancelledError):
            next(iterator)

    def try_as_well() -> None:
        while loader.stats().seconds == 0:
            time.sleep(0.001)
        try:
            for use in (
                lambda: next(iterator),
                lambda: loader.set_epoch(1),
                lambda: loader.load_state_dict(state),
            ):
                with pytest.raises(RuntimeError, match="consumer"):
                    use()
            assert loader.state_dict() == state
            assert loader.stats().batches == 0
        finally:
            loader.close()

    run_all(wait, try_as_well)


def test_threads_that_take_turns_share_an_epoch(packed: pathlib.Path) -> None:
    expected = {tuple(ids): (ids, *rest) for ids, *rest in
                map(content, load(packed, batch_size=1))}
    loader = load(packed, batch_size=1)
    iterator, lock, seen = iter(loader), threading.Lock(), []

    def take() -> None:
        while True:
            with lock:
                batch = next(iterator, None)
            if batch is None:
                return
            seen.append(content(batch))

    run_all(*[take] * 4)
    assert len(seen) == 24
    assert all(expected[tuple(each[0])] == each for each in seen)


def test_batches_are_used_and_dropped_by_other_threads(packed: pathlib.Path) -> None:
    expected = [content(batch) for batch in load(packed)]
    batches: queue.Queue[tuple[int, shardine.Batch | None]] = queue.Queue()
    seen = {}

    def use() -> None:
        while True:
            number, batch = batches.get()
            if batch is None:
                return
            images = batch.images
            seen[number] = content(batch)
            del batch
            assert images.tobytes() == seen[number][2]

    def deliver() -> None:
        loader = load(packed, prefetch=1)
        number = 0
        for epoch in range(20):
            loader.set_epoch(0)
            for batch in loader:
                batches.put((number, batch))
                number += 1
        del batch
        loader.close()
        for _ in range(3):
            batches.put((-1, None))

    run_all(deliver, use, use, use)
    assert len(seen) == 20 * 6
    assert all(seen[i] == expected[i % 6] for i in seen)


def test_a_batch_is_more_than_its_loader(packed: pathlib.Path) -> None:
    loader = load(packed)
    batch = next(iter(loader))
    loader.set_epoch(0)
    second = next(iter(loader))
    assert content(batch) == content(second)
    expected = content(second)
    del second
    loader.close()
    assert content(batch) == expected
    del loader
    gc.collect()
    assert content(batch) == expected
    held = [batch]
    del batch
    assert content(held[0]) == expected
    run_all(held.clear)


def test_a_dataset_is_read_by_many_at_once(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    expected = list(dataset)

    def read(shift: int) -> None:
        for i in range(3 * 24):
            position = (i + shift) % 24
            assert dataset[position] == expected[position]
            assert dataset.key(position) == expected[position].key

    run_all(*[lambda shift=shift: read(shift) for shift in range(0, 24, 6)])


def test_loaders_of_one_dataset_are_independent(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    expected = [content(batch) for batch in load(dataset)]

    def stream(threads: int) -> None:
        loader = load(dataset, threads=threads)
        for _ in range(5):
            loader.set_epoch(0)
            assert [content(batch) for batch in loader] == expected

    run_all(*[lambda threads=threads: stream(threads) for threads in (1, 2, 3)])
    pairs = zip(load(dataset), load(dataset, threads=1), strict=True)
    for (one, other), each in zip(pairs, expected, strict=True):
        assert content(one) == content(other) == each


def test_threads_end_with_the_last_name_of_a_loader(packed: pathlib.Path) -> None:
    gc.disable()  # no cycle that would have to be found
    try:
        before = threads_of_this_process()
        for _ in range(3):
            loader = load(packed)
            iterator = iter(loader)
            next(iterator)
            assert threads_of_this_process() > before
            del loader
            assert len(list(iterator)) == 5
            del iterator
            assert threads_of_this_process() == before
            for _batch in load(packed):
                break
            assert threads_of_this_process() == before
    finally:
        gc.enable()


class Interruption(Exception):
    pass


@pytest.fixture
def interrupt() -> Iterator[Alarm]:
    """Interrupts this test's thread in so many seconds, as Ctrl-C does."""

    def raise_it(*_: object) -> NoReturn:
        raise Interruption

    old = signal.signal(signal.SIGALRM, raise_it)
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, old)


def test_an_interrupted_wait_loses_nothing(
    packed: pathlib.Path, interrupt: Alarm
) -> None:
    def large() -> shardine.Loader:
        # One of its batches takes a good part of a second.
        return load(packed, batch_size=1200, last_batch="pad")

    whole = content(next(iter(large())))
    loader = large()
    iterator, state = iter(loader), loader.state_dict()
    with pytest.raises(Interruption):
        interrupt(0.02)
        next(iterator)
    assert loader.state_dict() == state
    assert loader.stats().batches == 0
    assert content(next(iterator)) == whole
    assert next(iterator, None) is None


def test_a_handler_of_a_signal_may_save_the_state(packed: pathlib.Path) -> None:
    """Handlers that are told to leave a machine do so, in the middle of a wait."""
    loader = load(packed, batch_size=500_000, last_batch="pad")
    saved = []

    def handle(*_: object) -> None:
        saved.append((loader.state_dict(), len(loader), loader.epoch))
        with pytest.raises(RuntimeError, match="consumer"):
            loader.set_epoch(3)
        loader.close()

    old = signal.signal(signal.SIGUSR1, handle)
    try:
        threading.Timer(
            0.3, os.kill, [os.getpid(), signal.SIGUSR1]
        ).start()
        with pytest.raises(shardine.CancelledError):
            next(iter(loader))
    finally:
        signal.signal(signal.SIGUSR1, old)
    ((state, length, epoch),) = saved
    assert (state["position"], length, epoch) == (0, 1, 0)


def test_loaders_and_batches_are_not_pickled(packed: pathlib.Path) -> None:
    loader = load(packed)
    batch = next(iter(loader))
    for thing in (loader, batch):
        with pytest.raises(TypeError, match="pickle"):
            pickle.dumps(thing)
    images = pickle.loads(pickle.dumps(batch.images))
    assert (images == batch.images).all()
