"""Phases of training: other images and batches from given epochs on."""

import itertools
import pathlib
from collections.abc import Iterable
from typing import Any

import pytest

import shardine


@pytest.fixture
def phases(packed: pathlib.Path) -> list[shardine.Phase]:
    small = shardine.Dataset(packed, variant="sz/160")
    large = shardine.Dataset(packed)
    return [
        shardine.Phase(0, small, shardine.RandomResizedCrop(16), 8),
        shardine.Phase(1, large, shardine.RandomResizedCrop(32), 6),
        shardine.Phase(3, large, shardine.RandomResizedCrop(32), 4),
    ]


def epochs(
    loader: Iterable[shardine.Batch], count: int
) -> list[list[tuple[int, int, list[int]]]]:
    """(size, side, ids) of each batch of each epoch."""
    return [
        [(len(b), b.images.shape[-1], b.ids.tolist()) for b in loader]
        for _ in range(count)
    ]


def test_each_epoch_is_of_its_phase(phases: list[shardine.Phase]) -> None:
    with shardine.PhasedLoader(phases, seed=3, threads=2) as loader:
        lengths = []
        seen = []
        for _ in range(4):
            lengths.append(len(loader))
            seen += epochs(loader, 1)
        assert lengths == [len(epoch) for epoch in seen] == [3, 4, 4, 6]
        assert loader.epoch == 4
        assert loader.phase == 2
    for epoch, (size, side) in zip(seen, [(8, 16), (6, 32), (6, 32), (4, 32)]):
        assert {batch[:2] for batch in epoch} == {(size, side)}
        assert sorted(id for batch in epoch for id in batch[2]) == list(range(24))


def test_a_state_goes_on_in_its_phase(phases: list[shardine.Phase]) -> None:
    whole = epochs(shardine.PhasedLoader(phases, seed=3), 3)
    loader = shardine.PhasedLoader(phases, seed=3)
    list(loader)
    iteration = iter(loader)
    next(iteration)
    other = shardine.PhasedLoader(phases, seed=3)
    other.load_state_dict(loader.state_dict())
    assert (other.phase, len(other), other.steps_left) == (1, 4, 3)
    assert epochs(other, 2) == [whole[1][1:], whole[2]]
    other.set_epoch(0)
    assert epochs(other, 1) == whole[:1]


def test_who_never_asks_for_the_end_comes_to_the_next_phase(
    phases: list[shardine.Phase]
) -> None:
    whole = epochs(shardine.PhasedLoader(phases, seed=3), 4)
    loader = shardine.PhasedLoader(phases, seed=3)
    for number, (epoch, phase) in enumerate(zip(whole, (0, 1, 1, 2))):
        assert (loader.epoch, loader.phase) == (number, phase)
        steps = len(loader)
        assert steps == loader.steps_left == len(epoch)
        taken = itertools.islice(loader, steps)
        assert epochs(taken, 1)[0] == epoch
        assert loader.state_dict()["epoch"] == number + 1


def test_a_look_at_a_loader_does_not_move_it(phases: list[shardine.Phase]) -> None:
    """semantics review 22."""
    loader = shardine.PhasedLoader(phases, seed=1)
    loader.set_epoch(phases[1].first_epoch - 1)
    batches = iter(loader)
    for _ in range(len(loader)):
        next(batches)
    # All batches are taken, and the iteration has not been asked for its end.
    assert "phase 1 of" in repr(loader)
    assert (loader.phase, loader.epoch) == (1, phases[1].first_epoch)
    assert loader._phase == 0
    assert next(batches, None) is None
    assert loader.loader is loader._loaders[1]


def test_an_epoch_that_is_left_early_leads_to_the_next_phase(
    phases: list[shardine.Phase]
) -> None:
    whole = epochs(shardine.PhasedLoader(phases, seed=3), 4)
    loader = shardine.PhasedLoader(phases, seed=3)
    for epoch in whole:
        assert next(iter(loader)).ids.tolist() == epoch[0][2]
    assert loader.phase == 2
    loader.set_epoch(0)
    assert epochs(loader, 1) == whole[:1]


def test_phases_that_make_no_schedule_are_refused(phases: list[shardine.Phase]) -> None:
    with pytest.raises(ValueError, match="epoch 0"):
        shardine.PhasedLoader(phases[1:])
    with pytest.raises(ValueError, match="epoch 0"):
        shardine.PhasedLoader([])
    with pytest.raises(ValueError, match="ascend"):
        shardine.PhasedLoader([phases[0], phases[0]])
    with pytest.raises(TypeError, match="Phase"):
        wrong: Any = phases[0].dataset
        shardine.PhasedLoader([wrong])
    with pytest.raises(TypeError, match="dataset: 'out'"):
        out: Any = "out"
        shardine.Phase(0, out, shardine.Resize(8), 4)
    with pytest.raises(TypeError, match="PhasedLoader: unknown option seeds; .* seed"):
        shardine.PhasedLoader(phases, seeds=3)
    with pytest.raises(TypeError, match="unknown option transform"):
        shardine.PhasedLoader(phases, transform=shardine.Resize(8))
    with pytest.raises(ValueError, match="batch_size"):
        shardine.PhasedLoader(
            [shardine.Phase(0, phases[0].dataset, shardine.Resize(8), 0)]
        )
