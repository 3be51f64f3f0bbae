"""A callback's results are delivered in the place of its batches."""

import pathlib
import threading
from typing import Any

import numpy
import pytest

import shardine

USUAL: dict[str, Any] = {"batch_size": 4, "seed": 3, "last_batch": "short",
                         "transform": shardine.RandomResizedCrop(32)}


def inverted(batch: Any) -> Any:
    return 255 - batch.images, batch.labels, batch.ids


def test_it_gets_each_batch_in_the_thread_that_takes_it(packed: pathlib.Path) -> None:
    threads = set()

    def callback(batch: Any) -> Any:
        threads.add(threading.current_thread())
        return inverted(batch)

    plain = shardine.Loader(packed, **USUAL)
    made = shardine.Loader(packed, callback=callback, **USUAL)
    assert len(plain) == len(made)
    for batch, (images, labels, ids) in zip(plain, made, strict=True):
        assert numpy.array_equal(images, 255 - batch.images)
        assert numpy.array_equal(labels, batch.labels)
        assert numpy.array_equal(ids, batch.ids)
    assert threads == {threading.current_thread()}


def test_it_goes_on_exactly(packed: pathlib.Path) -> None:
    loader = shardine.TrainLoader(packed, callback=inverted, **USUAL)
    whole = [ids.tolist() for _, _, ids in loader]
    loader.set_epoch(0)
    first = [ids.tolist() for _, (_, _, ids) in zip(range(2), loader)]
    again = shardine.Loader(packed, callback=inverted, **USUAL)
    again.load_state_dict(loader.state_dict())
    assert first + [ids.tolist() for _, _, ids in again] == whole


def test_tuples_are_of_what_it_returns(packed: pathlib.Path) -> None:
    loader = shardine.Loader(packed, callback=inverted, **USUAL)
    assert {len(each) for each in loader.as_tuples()} == {3}
    loader = shardine.Loader(packed, callback=lambda batch: None, **USUAL)
    assert set(loader) == {None}
    with pytest.raises(TypeError, match="as_tuples: callback= returned None"):
        next(loader.as_tuples())


def test_what_it_raises_ends_the_iteration(packed: pathlib.Path) -> None:
    loader = shardine.Loader(packed, callback=lambda batch: 1 // 0, **USUAL)
    iterator = iter(loader)
    with pytest.raises(ZeroDivisionError):
        next(iterator)
    assert loader.state_dict()["position"] == 4  # it counts as taken
    assert next(iterator, "over") == "over"


def test_it_cannot_end_an_epoch_in_silence(packed: pathlib.Path) -> None:
    def callback(batch: Any) -> Any:
        raise StopIteration

    with pytest.raises(RuntimeError, match="callback raised StopIteration"):
        list(shardine.Loader(packed, callback=callback, **USUAL))


def test_what_cannot_be_called_is_refused(packed: pathlib.Path) -> None:
    with pytest.raises(TypeError, match="callback: 'mix' cannot be called"):
        shardine.Loader(packed, callback="mix", **USUAL)  # type: ignore[arg-type]
