"""Epochs, places, ranks and options of a loader."""

import json
import os
import sys
import threading
import types

import pytest

import shardine

CROP = shardine.RandomResizedCrop(8)


def load(dataset, **options):
    options.setdefault("batch_size", 5)
    options.setdefault("transform", CROP)
    return shardine.Loader(dataset, **options)


def ids(batches):
    return [batch.ids.tolist() for batch in batches]


def taken(loader, count):
    return [batch.ids.tolist() for _, batch in zip(range(count), loader)]


def test_a_finished_iteration_leads_to_the_next_epoch(packed):
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


def test_an_iteration_that_was_broken_off_begins_anew(packed):
    loader = load(packed)
    whole = ids(loader)
    loader.set_epoch(0)
    for count in (1, 2, 4):
        for step, batch in enumerate(loader, 1):
            assert len(loader) == 4
            assert loader.steps_left == 4 - step
            if step == count:
                break
    assert loader.epoch == 0
    assert len(loader) == 4
    assert ids(loader) == whole
    assert loader.epoch == 1


def test_one_iteration_at_a_time(packed):
    loader = load(packed)
    old = iter(loader)
    first = next(old)
    new = iter(loader)
    assert next(new).ids.tolist() == first.ids.tolist()
    with pytest.raises(RuntimeError, match="over"):
        next(old)
    assert len(list(new)) == 3
    with pytest.raises(StopIteration):
        next(new)
    assert loader.epoch == 1


@pytest.mark.parametrize("last_batch", ["drop", "short", "pad", "roll"])
def test_a_state_goes_on_exactly(packed, last_batch):
    def make():
        return load(packed, last_batch=last_batch)

    loader = make()
    whole = [ids(loader), ids(loader)]
    for cut in range(len(whole[0]) + 1):
        loader = make()
        for step, batch in enumerate(loader):
            if step == cut:
                break
        state = json.loads(json.dumps(loader.state_dict()))
        delivered = cut + 1 if cut < len(whole[0]) else 0
        resumed = make()
        resumed.load_state_dict(state)
        rest = whole[0][delivered:] if delivered else whole[1]
        assert len(resumed) == len(rest)
        assert ids(resumed) == rest
        if delivered:
            assert ids(resumed) == whole[1]


def test_batches_in_advance_do_not_count(packed):
    loader = load(packed, prefetch=4)
    iterator = iter(loader)
    next(iterator)
    state = loader.state_dict()
    assert state["position"] == 5
    assert len(json.dumps(state)) < 1024
    next(iterator)
    loader.load_state_dict(state)
    assert len(loader) == 3
    with pytest.raises(RuntimeError):
        next(iterator)
    first = next(iter(loader)).ids.tolist()
    loader.set_epoch(0)
    assert taken(loader, 2)[1] == first


def test_what_was_resumed_and_broken_off_begins_its_epoch_anew(packed):
    loader = load(packed)
    whole = ids(loader)
    loader.load_state_dict({**loader.state_dict(), "epoch": 0, "position": 10})
    assert len(loader) == 2
    assert len(iter(loader).__class__.__name__) > 0
    assert taken(loader, 1) == whole[2:3]
    assert len(loader) == 4
    assert ids(loader) == whole


def test_ranks_share_an_epoch_and_a_state(packed):
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


def test_padding_is_counted(packed):
    batches = list(load(packed, last_batch="pad"))
    assert [batch.padding for batch in batches] == [0, 0, 0, 0, 1]
    assert batches[4].ids[4] == batches[0].ids[0]


def test_states_of_something_else_are_refused(packed):
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


def test_rank_and_world_come_from_torch_or_the_environment(
    packed, monkeypatch
):
    for name in ("RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)

    def share(**options):
        loader = load(packed, batch_size=1, **options)
        return loader.rank, loader.world, len(loader)

    assert share() == (0, 1, 24)
    monkeypatch.setenv("RANK", "2")
    with pytest.raises(ValueError, match="WORLD_SIZE"):
        share()
    monkeypatch.setenv("WORLD_SIZE", "4")
    assert share() == (2, 4, 6)
    distributed = types.ModuleType("torch.distributed")
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


def test_torch_is_never_imported(packed):
    list(load(packed))
    assert "torch" not in sys.modules


def test_raw_or_a_transform(packed):
    for options in ({}, {"raw": True, "transform": CROP}):
        with pytest.raises(TypeError, match="transform.*raw"):
            shardine.Loader(packed, batch_size=2, **options)


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
    packed, option, value, names
):
    with pytest.raises(ValueError, match=names):
        load(packed, **{option: value})


def test_a_deviation_of_nothing_is_refused(packed):
    with pytest.raises(ValueError, match="std"):
        load(packed, dtype="float32", std=(0, 1, 1))


def test_a_number_is_asked_of_numbers(packed):
    with pytest.raises(TypeError, match="batch_size.*'5'"):
        load(packed, batch_size="5")


def test_orders_are_three(packed):
    stored = [sample.id for sample in shardine.Dataset(packed)]
    flat = sum(ids(load(packed, order="sequential", last_batch="short")), [])
    assert flat == stored
    blocks = load(packed, order="blocks", block=4, window=2, batch_size=8)
    assert sorted(sum(ids(blocks), [])) == list(range(24))
    assert ids(blocks) != ids(blocks)


def test_a_closed_loader_says_so(packed):
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


def endless(dataset):
    """Its first batch takes longer than any test."""
    return load(dataset, batch_size=500_000, last_batch="pad")


def test_others_run_while_one_waits(packed):
    loader = endless(packed)
    closer = threading.Timer(0.2, loader.close)
    closer.start()
    with pytest.raises(shardine.CancelledError):
        next(iter(loader))
    closer.join()


def test_statistics_count_what_was_delivered(packed):
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


def test_opened_and_closed_over_and_over(packed):
    def held():
        return (
            len(os.listdir("/proc/self/fd")),
            len(os.listdir("/proc/self/task")),
        )

    dataset = shardine.Dataset(packed)
    list(load(dataset))
    before = held()
    for _ in range(30):
        with load(dataset) as loader:
            next(iter(loader))
    assert held() == before
