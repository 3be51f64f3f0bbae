"""Forged states of loaders."""

import functools
import pathlib
import tracemalloc
from typing import Any, Callable

import pytest

import shardine

FORGED: list[Callable[[int], Any]] = [
    lambda size: b"x" * size,
    lambda size: "x" * size,
    lambda size: [0] * size,
    lambda size: 1 << size,
]


def put(state: Any, name: str, value: Callable[[int], Any], size: int) -> Any:
    return {**state, name: value(size)}


def test_a_forged_state_costs_what_its_bytes_do(packed: pathlib.Path) -> None:
    """Messages showed all of it."""
    loader = shardine.Loader(packed, batch_size=4, raw=True)
    begin = loader.state_dict()
    states = FORGED[:3]
    for value in FORGED:
        states.append(functools.partial(put, begin, "seed", value))
    # A number is no text, and Python does not show so long a one.
    for value in FORGED[:3]:
        states.append(functools.partial(put, {**begin, "position": 4}, "order", value))
    for state in states:
        before = 0
        for doubling in range(11):
            made = state(200 << doubling)
            tracemalloc.start()
            with pytest.raises((TypeError, ValueError)) as raised:
                loader.load_state_dict(made)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert len(str(raised.value)) < 600
            assert before == 0 or peak <= 2.5 * before + (1 << 20)
            before = peak
    assert loader.state_dict() == begin
