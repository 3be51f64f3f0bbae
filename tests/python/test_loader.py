"""Epochs, places, ranks and options of a loader."""

import itertools
import json
import pathlib
import sys
import threading
import types
from collections.abc import Callable, Iterable
from typing import Any

import pytest

import shardine
from conftest import Source, threads_and_files

Loop = Callable[[shardine.Loader, int], list[list[int]]]

CROP = shardine.RandomResizedCrop(8)


def load(dataset: Source, **options: Any) -> shardine.Loader:
    options.setdefault("batch_size", 5)
    options.setdefault("transform", CROP)
    return shardine.Loader(dataset, **options)


def ids(batches: Iterable[shardine.Batch]) -> list[list[int]]:
    return [batch.ids.tolist() for batch in batches]


def taken(loader: shardine.Loader, count: int) -> list[list[int]]:
    return [batch.ids.tolist() for _, batch in zip(range(count), loader)]


def test_a_finished_iteration_leads_to_the_next_epoch(packed: pathlib.Path) -> None:
    loader = load(packed)
    assert len(loader) == 4
    epochs = [ids(loader) for _ in range(3)]
    assert loader.epoch == 3
    assert epochs[0] != epochs[1] != epochs[2]
    for epoch in (1, 0, 2):
        loader.set_epoch(epoch)
        assert loader.epoch == epoch
        assert ids(loader) == epochs[epoch]
    assert ids(load(packed, seed=1)) != epochs[0]
    assert ids(load(packed, threads=1, prefetch=1)) == epochs[0]


def epochs_of(
    packed: pathlib.Path, count: int, **options: Any
) -> list[list[list[int]]]:
    loader = load(packed, **options)
    return [ids(loader) for _ in range(count)]


def by_islice(loader: shardine.Loader, count: int) -> list[list[int]]:
    return ids(itertools.islice(loader, count))


def by_zip(loader: shardine.Loader, count: int) -> list[list[int]]:
    # Asks for the number first, so never for a batch too many.
    return [batch.ids.tolist() for _, batch in zip(range(count), loader)]


def by_next(loader: shardine.Loader, count: int) -> list[list[int]]:
    iterator = iter(loader)
    return [next(iterator).ids.tolist() for _ in range(count)]


def by_break(loader: shardine.Loader, count: int) -> list[list[int]]:
    batches = []
    for batch in loader:
        batches.append(batch.ids.tolist())
        if len(batches) == count:
            break
    return batches


LOOPS = [by_islice, by_zip, by_next, by_break]
POLICIES = ["drop", "short", "pad", "roll"]


@pytest.mark.parametrize("last_batch", POLICIES)
@pytest.mark.parametrize("loop", LOOPS)
def test_who_never_asks_for_the_end_has_other_epochs_too(
    packed: pathlib.Path, loop: Loop, last_batch: str
) -> None:
    whole = epochs_of(packed, 6, last_batch=last_batch)
    assert len({str(epoch) for epoch in whole}) == 6
    loader = load(packed, last_batch=last_batch)
    for number, epoch in enumerate(whole):
        assert loader.epoch == number
        assert len(loader) == loader.steps_left == len(epoch)
        assert loop(loader, len(loader)) == epoch
        assert loader.state_dict()["epoch"] == loader.epoch == number + 1


@pytest.mark.parametrize("last_batch", POLICIES)
@pytest.mark.parametrize("loop", LOOPS)
def test_an_epoch_that_was_left_early_is_followed_by_the_next(
    packed: pathlib.Path, loop: Loop, last_batch: str
) -> None:
    whole = epochs_of(packed, 6, last_batch=last_batch)
    loader = load(packed, last_batch=last_batch)
    for number, epoch in enumerate(whole):
        taken = 1 + number % 3
        assert loop(loader, taken) == epoch[:taken]
        assert len(loader) == len(epoch)
        assert loader.steps_left == len(epoch) - taken
        assert loader.epoch == number
    list(loader)
    assert loader.epoch == 7


@pytest.mark.parametrize("last_batch", POLICIES)
def test_two_loops_over_one_epoch_each(packed: pathlib.Path, last_batch: str) -> None:
    whole = epochs_of(packed, 4, last_batch=last_batch)
    loader = load(packed, last_batch=last_batch)
    for first, second in (whole[:2], whole[2:]):
        assert ids(loader) == first
        assert by_islice(loader, len(loader)) == second


def test_an_iterator_of_which_nothing_was_taken_costs_no_epoch(
    packed: pathlib.Path
) -> None:
    whole = epochs_of(packed, 2)
    loader = load(packed)
    for _ in range(3):
        iter(loader)
    assert by_next(loader, 4) == whole[0]
    iter(loader)
    assert ids(loader) == whole[1]


def test_an_iterator_ends_with_its_last_batch(packed: pathlib.Path) -> None:
    loader = load(packed)
    old = iter(loader)
    for _ in range(4):
        next(old)
    new = iter(loader)
    assert next(new).epoch == 1
    for _ in range(2):
        with pytest.raises(StopIteration):
            next(old)
    assert len(list(new)) == 3


def test_one_iteration_at_a_time(packed: pathlib.Path) -> None:
    loader = load(packed)
    old = iter(loader)
    assert next(old).epoch == 0
    new = iter(loader)
    assert next(new).epoch == 1
    with pytest.raises(RuntimeError, match="over"):
        next(old)
    assert len(list(new)) == 3
    with pytest.raises(StopIteration):
        next(new)
    assert loader.epoch == 2


def test_a_loop_inside_a_loop_is_an_error_not_a_wrong_epoch(
    packed: pathlib.Path
) -> None:
    loader = load(packed)
    with pytest.raises(RuntimeError, match="over"):
        for _outer in loader:
            assert len(list(loader)) == 4


def test_an_epoch_is_its_images_and_labels(packed: pathlib.Path) -> None:
    for batch in load(packed):
        images, labels = batch
        assert images.shape == (5, 3, 8, 8)
        assert (images == batch.images).all()
        assert (labels == batch.labels).all()
    for step, (images, labels) in enumerate(load(packed)):
        assert len(images) == len(labels) == 5
    assert step == 3


@pytest.mark.parametrize("last_batch", ["drop", "short", "pad", "roll"])
def test_a_state_goes_on_exactly(packed: pathlib.Path, last_batch: str) -> None:
    def make() -> shardine.Loader:
        return load(packed, last_batch=last_batch)

    loader = make()
    whole = [ids(loader), ids(loader)]
    for cut in range(len(whole[0]) + 1):
        loader = make()
        for step, batch in enumerate(loader):
            if step == cut:
                break
        state = json.loads(json.dumps(loader.state_dict()))
        delivered = min(cut + 1, len(whole[0]))
        is_over = delivered == len(whole[0])
        assert state["epoch"] == (1 if is_over else 0)
        for says_epoch in (False, True):
            resumed = make()
            resumed.load_state_dict(state)
            if says_epoch:  # as trainers do before each loop
                resumed.set_epoch(state["epoch"])
            rest = whole[1] if is_over else whole[0][delivered:]
            assert len(resumed) == len(whole[1] if is_over else whole[0])
            assert resumed.steps_left == len(rest)
            assert by_islice(resumed, len(rest)) == rest
            if not is_over:
                assert ids(resumed) == whole[1]


def test_batches_in_advance_do_not_count(packed: pathlib.Path) -> None:
    loader = load(packed, prefetch=4)
    iterator = iter(loader)
    next(iterator)
    state = loader.state_dict()
    assert state["position"] == 5
    assert len(json.dumps(state)) < 1024
    next(iterator)
    loader.load_state_dict(state)
    assert loader.steps_left == 3
    with pytest.raises(RuntimeError):
        next(iterator)
    first = next(iter(loader)).ids.tolist()
    loader.set_epoch(0)
    assert taken(loader, 2)[1] == first


def test_what_was_resumed_and_left_early_is_followed_by_the_next_epoch(
    packed: pathlib.Path
) -> None:
    whole = epochs_of(packed, 2)
    loader = load(packed)
    loader.load_state_dict({**loader.state_dict(), "position": 10})
    assert (len(loader), loader.steps_left) == (4, 2)
    assert taken(loader, 1) == whole[0][2:3]
    assert (len(loader), loader.steps_left) == (4, 1)
    assert ids(loader) == whole[1]


def test_set_epoch_goes_back_once_something_was_taken(packed: pathlib.Path) -> None:
    whole = epochs_of(packed, 2)
    loader = load(packed)
    state = {**loader.state_dict(), "position": 10}
    loader.load_state_dict(state)
    taken(loader, 1)
    loader.set_epoch(0)
    assert ids(loader) == whole[0]
    loader.load_state_dict(state)
    loader.set_epoch(1)
    assert ids(loader) == whole[1]


def test_ranks_share_an_epoch_and_a_state(packed: pathlib.Path) -> None:
    loaders = [
        load(packed, rank=rank, world=3, batch_size=3, last_batch="short")
        for rank in range(3)
    ]
    assert {len(loader) for loader in loaders} == {3}
    begun = [taken(loader, 1)[0] for loader in loaders]
    states = [loader.state_dict() for loader in loaders]
    assert states[0] == states[1] == states[2]
    rest = load(packed, batch_size=4, rank=0, world=1, last_batch="short")
    rest.load_state_dict(states[0])
    everything = sum(begun + ids(rest), [])
    assert sorted(everything) == list(range(24))


def test_padding_is_counted(packed: pathlib.Path) -> None:
    batches = list(load(packed, last_batch="pad"))
    assert [batch.padding for batch in batches] == [0, 0, 0, 0, 1]
    assert batches[4].ids[4] == batches[0].ids[0]


def test_states_of_something_else_are_refused(packed: pathlib.Path) -> None:
    loader = load(packed)
    state = loader.state_dict()
    with pytest.raises(ValueError, match="seed"):
        load(packed, seed=1).load_state_dict(state)
    with pytest.raises(ValueError, match="another dataset"):
        loader.load_state_dict({**state, "order_digest": "0" * 32})
    with pytest.raises(ValueError, match="hex"):
        loader.load_state_dict({**state, "order_digest": "zero"})
    with pytest.raises(ValueError, match="epoch, position"):
        loader.load_state_dict({"order_digest": "", "seed": 0})
    with pytest.raises(shardine.InvalidArgumentError, match="position 25"):
        loader.load_state_dict({**state, "position": 25})
    wrong: Any
    for wrong in (None, 3, "state", [("seed", 0)]):
        with pytest.raises(TypeError, match="state_dict"):
            loader.load_state_dict(wrong)
    for name, value in (
        ("order_digest", 3),
        ("seed", "0"),
        ("epoch", None),
        ("epoch", 1.0),
        ("position", "5"),
    ):
        with pytest.raises(TypeError, match=name):
            loader.load_state_dict({**state, name: value})
    for name, value in (("epoch", -1), ("epoch", 2**63), ("position", -5)):
        with pytest.raises(ValueError, match=name):
            loader.load_state_dict({**state, name: value})
    with pytest.raises(ValueError, match="epoch"):
        loader.set_epoch(2**62)  # no epoch could follow the last one
    assert loader.state_dict() == state
    assert len(ids(loader)) == 4


def test_options_of_pixels_are_refused_where_there_are_none(packed: pathlib.Path) -> None:
    for name, value in (
        ("dtype", "float32"),
        ("layout", "nchw"),
        ("filter", "lanczos"),
        ("apply_exif", True),
        ("gray", True),
    ):
        without: Any
        for without in ({"raw": True}, {"fields": ["image"]}):
            with pytest.raises(ValueError, match=f"{name}: .* there are no pixels"):
                options: Any = {name: value}
                shardine.Loader(packed, batch_size=2, **without, **options)


def test_the_rest_of_another_order_is_refused(packed: pathlib.Path) -> None:
    loader = load(packed)
    begin = loader.state_dict()
    taken(loader, 1)
    state = loader.state_dict()
    assert ("order" in begin, state["order"]) == (False, "shuffle/2")
    for options in ({"order": "sequential"}, {"order": "blocks", "block": 4}):
        other = load(packed, **options)
        other.load_state_dict(begin)
        with pytest.raises(shardine.InvalidArgumentError, match='order "shuffle/2"'):
            other.load_state_dict(state)
        assert other.state_dict() == begin
    with pytest.raises(TypeError, match="order: 3 is not a string"):
        loader.load_state_dict({**state, "order": 3})
    with pytest.raises(shardine.InvalidArgumentError, match='order "random"'):
        loader.load_state_dict({**state, "order": "random"})
    # semantics review 8: the shuffle of version 1 is refused by name, and its next
    # epoch is not.
    with pytest.raises(shardine.InvalidArgumentError, match=r"set_epoch\(1\)"):
        loader.load_state_dict({**state, "order": "shuffle"})
    loader.set_epoch(1)
    loader.load_state_dict(begin)
    del state["order"]  # written by hand
    loader.load_state_dict(state)
    assert loader.steps_left == 3


def test_a_loader_that_could_give_no_batch_is_refused(packed: pathlib.Path) -> None:
    with pytest.raises(shardine.InvalidArgumentError, match="no epoch has a"):
        load(packed, batch_size=25)
    with pytest.raises(ValueError, match="7 on each of 4 ranks.*there are 24"):
        load(packed, batch_size=7, rank=0, world=4)
    assert len(load(packed, batch_size=25, last_batch="short")) == 1


def test_rank_and_world_come_from_torch_or_the_environment(
    packed: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)

    def share(**options: Any) -> tuple[int, int, int]:
        loader = load(packed, batch_size=1, **options)
        return loader.rank, loader.world, len(loader)

    assert share() == (0, 1, 24)
    monkeypatch.setenv("RANK", "2")
    with pytest.raises(ValueError, match="WORLD_SIZE"):
        share()
    monkeypatch.setenv("WORLD_SIZE", "4")
    assert share() == (2, 4, 6)
    distributed: Any = types.ModuleType("torch.distributed")
    distributed.is_available = lambda: True
    distributed.is_initialized = lambda: False
    distributed.get_rank = lambda: 1
    distributed.get_world_size = lambda: 3
    monkeypatch.setitem(sys.modules, "torch.distributed", distributed)
    assert share() == (2, 4, 6)
    distributed.is_initialized = lambda: True
    assert share() == (1, 3, 8)
    assert share(rank=0, world=2) == (0, 2, 12)
    with pytest.raises(ValueError, match="both"):
        share(rank=0)


def test_torch_is_never_imported(packed: pathlib.Path) -> None:
    list(load(packed))
    assert "torch" not in sys.modules


def test_raw_or_a_transform(packed: pathlib.Path) -> None:
    both: dict[str, Any] = {"raw": True, "transform": CROP}
    for given in ({}, both):
        with pytest.raises(TypeError, match="transform.*raw"):
            shardine.Loader(packed, batch_size=2, **given)


@pytest.mark.parametrize(
    "option, value, names",
    [
        ("order", "random", "shuffle, blocks, sequential"),
        ("last_batch", "keep", "drop, short, pad, roll"),
        ("on_bad", "skip", "fail, drop, gray"),
        ("entry_points", "none", "trusted, proved, unused"),
        ("layout", "chw", "channels_last, nhwc, nchw"),
        ("dtype", "int8", "uint8, float32, float16"),
        ("label_dtype", "int8", "int64, float32, float64"),
        ("filter", "cubic", "bilinear"),
        ("batch_size", 0, "batch_size"),
        ("batch_size", -1, "batch_size"),
        ("seed", 2**64, "seed"),
        ("prefetch", 2**32, "prefetch"),
    ],
)
def test_values_that_make_no_sense_are_refused_by_name(
    packed: pathlib.Path, option: str, value: object, names: str
) -> None:
    with pytest.raises(ValueError, match=names):
        load(packed, **{option: value})


def test_a_deviation_of_nothing_is_refused(packed: pathlib.Path) -> None:
    with pytest.raises(ValueError, match="std"):
        load(packed, dtype="float32", std=(0, 1, 1))


def test_a_number_is_asked_of_numbers(packed: pathlib.Path) -> None:
    with pytest.raises(TypeError, match="batch_size.*'5'"):
        load(packed, batch_size="5")


def test_orders_are_three(packed: pathlib.Path) -> None:
    stored = [sample.id for sample in shardine.Dataset(packed)]
    flat = sum(ids(load(packed, order="sequential", last_batch="short")), [])
    assert flat == stored
    blocks = load(packed, order="blocks", block=4, window=2, batch_size=8)
    assert sorted(sum(ids(blocks), [])) == list(range(24))
    assert ids(blocks) != ids(blocks)


def test_a_closed_loader_says_so(packed: pathlib.Path) -> None:
    with load(packed) as loader:
        batch = next(iter(loader))
        images = batch.images.copy()
    assert (batch.images == images).all()
    loader.close()
    for use in (
        lambda: iter(loader),
        lambda: len(loader),
        lambda: loader.state_dict(),
    ):
        with pytest.raises(ValueError, match="closed"):
            use()


def endless(dataset: Source) -> shardine.Loader:
    """Its first batch takes longer than any test."""
    return load(dataset, batch_size=500_000, last_batch="pad")


def test_others_run_while_one_waits(packed: pathlib.Path) -> None:
    loader = endless(packed)
    closer = threading.Timer(0.2, loader.close)
    closer.start()
    with pytest.raises(shardine.CancelledError):
        next(iter(loader))
    closer.join()


def test_statistics_count_what_was_delivered(packed: pathlib.Path) -> None:
    loader = load(packed)
    assert loader.stats().images == 0
    list(loader)
    stats = loader.stats()
    assert stats.images == 20
    assert stats.batches == 4
    assert stats.bytes > 0
    assert stats.seconds > 0
    assert 0 <= stats.waiting_for_data <= 1
    assert stats.images_per_second == pytest.approx(20 / stats.seconds)
    assert [stage.name for stage in stats.stages] == [
        "read",
        "decode",
        "deliver",
    ]
    assert stats.stages[1].busy > 0
    assert stats.stages[1].p50 <= stats.stages[1].p95 <= stats.stages[1].p99
    assert stats.bottleneck in repr(stats)


def test_opened_and_closed_over_and_over(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    list(load(dataset))
    before = threads_and_files()
    for _ in range(30):
        with load(dataset) as loader:
            next(iter(loader))
    assert threads_and_files() == before
