"""Loaders of some of a dataset's samples."""

import pathlib
import pickle
from typing import Any

import numpy
import pytest

import shardine

CUT: dict[str, Any] = {"batch_size": 4, "seed": 7, "last_batch": "short",
                       "transform": shardine.RandomResizedCrop(24)}


def by_id(loader: shardine.Loader) -> dict[int, bytes]:
    return {int(id): image.tobytes() for batch in loader
            for id, image in zip(batch.ids, batch.images)}


def test_an_epoch_has_these_samples_and_their_pixels(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    everything = by_id(shardine.Loader(dataset, **CUT))
    for order in ("shuffle", "blocks", "sequential", "ratio"):
        chosen = dataset.select([20, 3, 5, 4, 11])
        cut = CUT | ({"transform": shardine.CenterCrop(24)} if order == "ratio" else {})
        with shardine.TrainLoader(chosen, order=order, **cut) as loader:  # type: ignore[arg-type]
            assert len(loader) == 2
            assert loader.dataset is chosen and loader.dataset.classes == dataset.classes
            images = by_id(loader)
            assert images.keys() == {sample.id for sample in chosen}
            if order != "ratio":
                assert all(everything[id] == image for id, image in images.items())


def test_classes_are_chosen_by_their_names(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    names = dataset.classes[:2]
    loader = shardine.EvalLoader(dataset.select(names), batch_size=5, raw=True)
    labels = numpy.concatenate([batch.labels for batch in loader])
    wanted = {dataset.class_to_idx[name] for name in names}
    assert set(labels.tolist()) == wanted
    assert len(labels) == sum(target in wanted for target in dataset.targets)


def test_a_state_is_of_the_same_choice_alone(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    first = shardine.Loader(dataset[:11], **CUT)
    seen = [int(id) for _, batch in zip(range(1), first) for id in batch.ids]
    state = first.state_dict()
    rest = shardine.Loader(dataset[:11], **CUT | {"batch_size": 3})
    rest.load_state_dict(state)
    seen += [int(id) for batch in rest for id in batch.ids]
    assert sorted(seen) == sorted(sample.id for sample in dataset[:11])
    for other in (dataset, dataset[:12], dataset[10::-1]):
        with pytest.raises(ValueError, match="order_digest"):
            shardine.Loader(other, **CUT).load_state_dict(state)


def test_choices_that_make_no_sense_are_explained(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    with pytest.raises(ValueError, match="no sample is chosen"):
        shardine.Loader(dataset[5:5], **CUT)
    with pytest.raises(ValueError, match="3 comes twice"):
        shardine.Loader(dataset.select([3, 4, 3]), **CUT)
    with pytest.raises(TypeError, match="makes pairs"):
        shardine.Loader(shardine.Dataset(packed, decode=True)[:4], **CUT)
    with pytest.raises(ValueError, match="no class 'nobody'"):
        dataset.select([dataset.classes[0], "nobody"])
    with pytest.raises(TypeError, match="not an integer"):
        dataset.select([dataset.classes[0], 3])  # type: ignore[arg-type]


def test_samples_are_selected_by_a_condition(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    chosen = dataset.select(where='class = terriers or (id < 3 and key ~ "*.jpg")')
    assert list(chosen.positions) == [
        position for position, sample in enumerate(dataset)
        if sample.label == 2 or (sample.id < 3 and sample.key.endswith(".jpg"))]
    assert len(shardine.Loader(chosen, **CUT)) == -(-len(chosen) // 4)
    with pytest.raises(ValueError, match="a value is expected"):
        dataset.select(where="class ==")
    with pytest.raises(TypeError, match="either what is wanted or where="):
        dataset.select()
    with pytest.raises(TypeError, match="either"):
        dataset.select([1], where="id = 3")


def test_compact_labels_are_dense(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    chosen = dataset.select(["terriers", "hounds"], labels="compact")
    plain = dataset.select(["terriers", "hounds"])
    names = ["hounds", "terriers"]
    assert chosen.classes == names and len(dataset.classes) > 2
    assert chosen.positions == plain.positions
    expected = [(names.index(dataset.classes[each.labels[0]]),) for each in plain]
    assert [each.labels for each in chosen] == expected
    assert [chosen.dataset.labels[at] for at in chosen.positions] == expected
    assert dataset[plain.positions[0]].labels == plain[0].labels  # as they were
    for again in (pickle.loads(pickle.dumps(chosen)), chosen[1:]):
        assert again.classes == names
        assert [each.labels for each in again] == expected[-len(again):]
    loader = shardine.Loader(chosen, batch_size=3, seed=1, last_batch="short",
                             transform=shardine.CenterCrop(16, resize=16))
    found = {int(i): (int(label),) for batch in loader
             for i, label in zip(batch.ids, batch.labels, strict=True)}
    assert found == {each.id: label for each, label in zip(plain, expected, strict=True)}


def test_compact_labels_are_compact_again(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    two = dataset.select(dataset.classes[1:], labels="compact").dataset
    last = two.select([two.classes[-1]], labels="compact")
    assert last.classes == dataset.classes[-1:]
    assert {each.labels for each in last} == {(0,)}
    assert {each.labels for each in dataset.select(last.positions)} == {
        (len(dataset.classes) - 1,)}
    where = dataset.select(where="id >= 0", labels="compact")
    assert [each.labels for each in where] == dataset.labels
    assert len(dataset.select([], labels="compact")) == 0
    with pytest.raises(ValueError, match='neither "kept" nor "compact"'):
        dataset.select([0], labels="dense")  # type: ignore[arg-type]
    outside = next(i for i, labels in enumerate(two.labels) if labels == (-1,))
    with pytest.raises(ValueError, match="these samples have other labels"):
        two.select([outside], labels="compact")
