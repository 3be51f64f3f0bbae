"""Loaders that begin with the same epoch, and attributes that cannot be set."""

import pathlib
import warnings
from typing import Any

import pytest

import shardine
import shardine.same_epoch


@pytest.fixture(autouse=True)
def nothing_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shardine.same_epoch, "_begun", set())
    monkeypatch.setattr(shardine.same_epoch, "_said", set())


def begin(data: Any, kind: Any = shardine.TrainLoader, **options: Any) -> int:
    """How many warnings there were."""
    options.setdefault("transform", shardine.CenterCrop(32))
    loader = kind(data, batch_size=4, **options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        next(iter(loader))
    return sum("epoch 0 of the default seed" in str(w.message) for w in caught)


def test_a_second_loader_of_the_first_epoch_is_said_once(packed: pathlib.Path) -> None:
    """field report B13."""
    assert [begin(packed) for _ in range(4)] == [0, 1, 0, 0]


def test_what_begins_otherwise_is_not_said(packed: pathlib.Path) -> None:
    assert [begin(packed, shardine.EvalLoader) for _ in range(3)] == [0, 0, 0]
    assert [begin(packed, seed=0) for _ in range(3)] == [0, 0, 0]
    assert [begin(packed, order="sequential") for _ in range(3)] == [0, 0, 0]
    for _ in range(2):
        loader = shardine.TrainLoader(packed, batch_size=4, raw=True)
        state = loader.state_dict()
        loader.set_epoch(0)
        other = shardine.TrainLoader(packed, batch_size=4, raw=True)
        other.load_state_dict(state)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            next(iter(loader))
            next(iter(other))
            next(iter(loader))  # epoch 1 of the same


def test_phases_that_are_made_anew_begin_as_any_loader(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    crop = shardine.CenterCrop(32)

    def epochs(*, number: int, **options: Any) -> int:
        phases = [shardine.Phase(0, dataset, crop, 12), shardine.Phase(1, dataset, crop, 8)]
        loader = shardine.PhasedLoader(phases, **options)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for _ in range(number):
                list(loader)
        return sum("epoch 0 of the default seed" in str(w.message) for w in caught)

    assert [epochs(number=3) for _ in range(3)] == [0, 1, 0]
    assert begin(packed) == 0  # these samples were warned of
    assert [epochs(number=1, seed=0) for _ in range(2)] == [0, 0]


def test_draws_are_as_good_as_a_shuffle(packed: pathlib.Path) -> None:
    crop = shardine.RandomResizedCrop(32)
    options: Any = {"order": "sequential", "transform": crop}
    assert [begin(packed, **options) for _ in range(2)] == [0, 1]
    dataset = shardine.Dataset(packed)
    assert begin(dataset[:20], **options) == 0  # of other samples
    assert begin(dataset[:20], rank=1, world=2, **options) == 0


def test_attributes_of_a_loader_are_read_only(packed: pathlib.Path) -> None:
    """field report B17."""
    dataset = shardine.Dataset(packed, transform=len)
    dataset.transform = None
    loader = shardine.Loader(dataset, batch_size=4, raw=True)
    for name in ("batch_size", "rank", "world", "dataset", "epoch"):
        with pytest.raises(AttributeError):
            setattr(loader, name, 2)
    phases = shardine.PhasedLoader([shardine.Phase(0, dataset, None, 4)], raw=True)
    train = shardine.TrainLoader(dataset, batch_size=4, raw=True)
    records = shardine.ImageRecordIter(packed, (3, 16, 16), 4)
    with pytest.raises(AttributeError, match="rand_crop: an option of "):
        records.rand_crop = True
    for each in (loader, train, phases):
        for name in ("transform", "seed", "order", "on_bad", "threads", "sampling"):
            with pytest.raises(AttributeError, match=f"{name}: an option of "):
                setattr(each, name, 2)
        each.of_its_owner = 3
    with pytest.raises(AttributeError):
        phases.phases = []  # type: ignore[misc]
    for name in ("transform", "target_transform"):
        with pytest.raises(AttributeError, match="a Loader streams this dataset"):
            setattr(loader.dataset, name, len)
    assert "batches of 4" in repr(loader)
    sampling = shardine.Episodes(2, 1, 1, episodes=3)
    with pytest.raises(AttributeError, match="cannot be changed"):
        sampling.episodes = 7  # semantics review 18


DISPATCHER = """
class {name}:
    def __init__(self, dataset):
        self.dataset = dataset

    def __iter__(self):
        for batch in self.dataset:
            yield batch
"""


@pytest.mark.parametrize("name, module", [
    ("DataLoaderDispatcher", "accelerate.data_loader"),
    ("IterableDatasetShard", "accelerate.data_loader"),
    ("IterableDatasetShard", "transformers.trainer_pt_utils"),
])
def test_what_would_deal_a_share_out_again_is_refused(
    packed: pathlib.Path, name: str, module: str
) -> None:
    """field report B15; with accelerate itself in tests/interop/trainers."""
    names: dict[str, Any] = {"__name__": module}
    exec(DISPATCHER.format(name=name), names)

    def of(**options: Any) -> Any:
        return shardine.TrainLoader(packed, batch_size=4, raw=True, seed=1, **options)

    with pytest.raises(RuntimeError, match=f"{name} deals out batches"):
        list(names[name](of(rank=0, world=2)))
    assert len(list(names[name](of(rank=0, world=1)))) == 6
    names = {"__name__": "a_trainer_of_ones_own"}
    exec(DISPATCHER.format(name=name), names)
    assert len(list(names[name](of(rank=0, world=2)))) == 3
