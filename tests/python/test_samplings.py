"""Which samples an epoch has, and how often: samplings, mixes, curricula."""

import collections
import itertools
import pathlib
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import shardine
from shardine.samplings import Sampling

CUT: dict[str, Any] = {"batch_size": 4, "seed": 7, "last_batch": "short",
                       "transform": shardine.RandomResizedCrop(24)}
Key = tuple[int, int]  # position, repetition


def taken(loader: shardine.Loader, batches: int | None = None) -> list[tuple[Key, bytes]]:
    return [((int(position), int(repetition)), image.tobytes())
            for batch in itertools.islice(loader, batches)
            for position, repetition, image in zip(
                batch.positions, batch.repetitions, batch.images)]


def positions(loader: shardine.Loader) -> list[int]:
    return [key[0] for key, _ in taken(loader)]


SAMPLINGS: list[Callable[[], Sampling]] = [
    lambda: shardine.Repeated(3),
    lambda: shardine.Repeated(3, samples=24),
    lambda: shardine.Repeated(1, samples=10),
    lambda: shardine.ClassBalanced(samples=20),
    lambda: shardine.ClassBalanced(samples=20, replacement=True),
    lambda: shardine.Weighted({0: 1, "terriers": 2, 1: 0.5, 3: 3}, samples=29),
    lambda: shardine.Weighted(numpy.arange(24), samples=31),
    lambda: shardine.Weighted([0.5] * 24, replacement=True),
    lambda: shardine.Episodes(2, 1, 1, episodes=7),
]


@pytest.mark.parametrize("make", SAMPLINGS)
def test_an_epoch_is_the_same_whoever_takes_the_rest_of_it(
    packed: pathlib.Path, make: Callable[[], Sampling]
) -> None:
    dataset = shardine.Dataset(packed)
    whole = taken(shardine.Loader(dataset, sampling=make(), **CUT))
    assert len({key for key, _ in whole}) == len(whole)
    for cut, world in itertools.product((1, 2), (1, 2, 3)):
        first = shardine.Loader(dataset, sampling=make(), **CUT)
        got = taken(first, cut)
        for rank in range(world):
            rest = shardine.Loader(dataset, sampling=make(), rank=rank, world=world, **CUT)
            rest.load_state_dict(first.state_dict())
            got += taken(rest)
        assert sorted(got) == sorted(whole)


def test_a_sample_that_comes_again_has_other_pixels(packed: pathlib.Path) -> None:
    plain = dict(taken(shardine.Loader(packed, **CUT)))
    repeated = dict(taken(shardine.Loader(packed, sampling=shardine.Repeated(3), **CUT)))
    assert len(repeated) == 3 * len(plain) == 72
    assert all(repeated[key] == image for key, image in plain.items())
    assert len(set(repeated.values())) == 72


def test_copies_are_dealt_to_ranks_as_deit_does(packed: pathlib.Path) -> None:
    """RASampler of facebookresearch/deit (samplers.py), without shuffling, of as many
    samples as there are."""
    for world in (1, 2, 3, 4):
        for rank in range(world):
            copies = [i for i in range(24) for _ in range(3)]
            loader = shardine.Loader(
                packed, sampling=shardine.Repeated(3, samples=24), rank=rank, world=world,
                order="sequential", **CUT | {"batch_size": 2})
            assert positions(loader) == copies[rank::world][:24 // world]


def test_a_policy_says_what_it_did_to_each_copy(packed: pathlib.Path) -> None:
    policy = shardine.RandAugment()
    drawn = [policy.drawn(5, (24, 24), seed=7, repetition=i) for i in range(20)]
    assert drawn[0] == policy.drawn(5, (24, 24), seed=7)
    assert len({repr(each) for each in drawn}) > 15


def test_classes_come_by_their_weights(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    names = dataset.classes
    for sampling, expected in (
        (shardine.Weighted({names[0]: 3, names[1]: 1, names[2]: 0, 3: 0}), [18, 6, 0, 0]),
        (shardine.ClassBalanced(), [6, 6, 6, 6]),
        (shardine.ClassBalanced(samples=40), [10, 10, 10, 10]),
    ):
        loader = shardine.Loader(dataset, sampling=sampling, **CUT)
        for _ in range(2):
            labels = numpy.concatenate([batch.labels for batch in loader])
            assert numpy.bincount(labels, minlength=4).tolist() == expected


def test_samples_come_by_their_weights(packed: pathlib.Path) -> None:
    weights = numpy.arange(24.0)
    loader = shardine.Loader(packed, sampling=shardine.Weighted(weights, samples=276), **CUT)
    assert numpy.bincount(positions(loader)).tolist() == list(range(24))
    chosen = shardine.Dataset(packed).select([20, 3, 5])
    loader = shardine.Loader(chosen, sampling=shardine.Weighted([4, 1, 3]), **CUT,
                             order="sequential")
    assert sorted(set(positions(loader))) in ([5, 20], [3, 5, 20])
    loader = shardine.Loader(chosen, sampling=shardine.Weighted([4, 1, 3], samples=8), **CUT,
                             order="sequential")
    assert positions(loader) == [20, 20, 20, 20, 3, 5, 5, 5]


def test_an_episode_is_a_batch(packed: pathlib.Path) -> None:
    options = CUT | {"batch_size": 2 * (2 + 3)}
    loader = shardine.Loader(packed, sampling=shardine.Episodes(2, 2, 3), **options)
    for batch in loader:
        labels = batch.labels.tolist()
        first, second = labels[0], labels[2]
        assert first != second
        assert labels == [first] * 2 + [second] * 2 + [first] * 3 + [second] * 3
        assert len(set(batch.positions.tolist())) == 10


def test_a_mix_has_its_datasets_by_their_weights(
    packed: pathlib.Path, own_copy: pathlib.Path
) -> None:
    other = shardine.Dataset(own_copy)
    hounds = shardine.Dataset(packed).select("hounds")
    mix = shardine.Mix([(hounds, 1), (other, 2)], samples=24)
    assert len(mix) == len(hounds) + 24 and mix.classes == other.classes
    loader = shardine.Loader(mix, **CUT)
    assert loader.dataset is mix
    alone = {tuple(each.ids.tolist()): each.images.tobytes()
             for each in shardine.Loader(packed, **CUT | {"batch_size": 1})}
    for _ in range(2):
        numbers = collections.Counter[int]()
        for batch in loader:
            parts, own = mix.origin(batch.positions)
            numbers.update(parts.tolist())
            for i, part in enumerate(parts.tolist()):
                sample = mix.dataset_of(part).sample(int(own[i]))
                assert (sample.id, sample.key) == (batch.ids[i], batch.keys[i])
                assert parts[i] == 1 or sample.label == 0
                assert mix.parts[1].sample(0).id == other[0].id
                if loader.epoch == 0 and batch.repetitions[i] == 0:
                    assert alone[(sample.id,)] == batch.images[i:i + 1].tobytes()
        assert numbers == {0: 8, 1: 16}
    # semantics review 13: the samples that len() counts.
    keys = [mix.sample(i).key for i in range(len(mix))]
    assert keys == [mix.key(i) for i in range(len(mix))]
    assert keys == [*(each.key for each in hounds), *other.keys]
    for beyond in (len(mix), -1):
        with pytest.raises(IndexError):
            mix.sample(beyond)
    for wrong in ([0, 48], [-1]):
        with pytest.raises(IndexError, match="of 48 samples"):
            mix.origin(wrong)
    with pytest.raises(TypeError):
        mix.origin([0.5])
    assert [each.tolist() for each in mix.origin([])] == [[], []]


def test_a_mix_of_other_classes_is_refused(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    with shardine.Writer(tmp_path / "other", classes=["car", "terriers"]) as writer:
        writer.write({"image": shardine.Dataset(packed)[0].image, "label": 0})
    with pytest.raises(ValueError, match='"hounds" with the label 0 .*"car" with the label 0'):
        shardine.Loader(shardine.Mix([(packed, 1), (tmp_path / "other", 1)]), **CUT)


def test_a_curriculum_goes_from_phase_to_phase(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    cut = shardine.RandomResizedCrop(16)

    def phased(**options: Any) -> shardine.PhasedLoader:
        return shardine.PhasedLoader([
            shardine.Phase(0, dataset[:8], cut, 4),
            shardine.Phase(1, dataset, cut, 4, sampling=shardine.ClassBalanced(samples=12)),
            shardine.Phase(2, shardine.Mix([(dataset, 1), (dataset[:4], 1)]), cut, 8),
        ], seed=1, same_samples=False, **options)

    loader = phased()
    lengths = [[len(batch) for batch in loader] for _ in range(4)]
    assert lengths == [[4, 4], [4, 4, 4], [8] * 3, [8] * 3]
    loader.set_epoch(1)
    next(iter(loader))
    other = phased()
    other.load_state_dict(loader.state_dict())
    assert (other.phase, other.steps_left) == (1, 2)
    assert [b.ids.tolist() for b in other] == [b.ids.tolist() for b in
                                              itertools.islice(_rest(loader), 2)]
    for sampling in (shardine.Repeated(2), None):
        second = shardine.Phase(1, dataset if sampling else dataset[3:], cut, 4, sampling)
        with pytest.raises(ValueError, match="phases have other samples"):
            shardine.PhasedLoader([shardine.Phase(0, dataset, cut, 4), second],
                                  last_batch="roll")


def _rest(loader: shardine.PhasedLoader) -> shardine.PhasedLoader:
    loader.load_state_dict(loader.state_dict())
    return loader


def test_a_state_is_of_its_sampling_alone(packed: pathlib.Path) -> None:
    state = shardine.Loader(packed, **CUT).state_dict()
    loader = shardine.Loader(packed, sampling=shardine.ClassBalanced(), **CUT)
    with pytest.raises(ValueError, match="without sampling, and this one's is class-balanced"):
        loader.load_state_dict(state)
    with pytest.raises(ValueError, match="another dataset"):
        shardine.Loader(packed, **CUT).load_state_dict(loader.state_dict())


@pytest.mark.parametrize(("make", "said"), [
    (lambda: shardine.Weighted([1, -2] * 12), "weight 1 is -2"),
    (lambda: shardine.Weighted([1, float("nan")] * 12), "weight 1 is nan"),
    (lambda: shardine.Weighted([1, float("inf")] * 12), "weight 1 is inf"),
    (lambda: shardine.Weighted([0] * 24), "no weight is above 0"),
    (lambda: shardine.Weighted([1] * 23), "23 weights of 24 samples"),
    (lambda: shardine.Weighted({"hounds": 1}),
     r"class 1 \(snakes_and_spiders\) has no weight"),
    (lambda: shardine.Weighted({"car": 1}), "weights: there is no class 'car'"),
    (lambda: shardine.Weighted({"hounds": 1, 0: 2}), "label 0 has two weights"),
    (lambda: shardine.Episodes(2, 4, 5), "batch_size: 4 is no multiple of 18"),
    (lambda: shardine.Episodes(2, 0, 2), "way or shot is 0"),
    (lambda: shardine.Repeated(0), "0 times"),
    (lambda: shardine.Repeated(2, samples=0), "an epoch of none"),
    (lambda: shardine.ClassBalanced(samples=-1), "samples: -1"),
])
def test_samplings_that_make_no_sense_are_explained(
    packed: pathlib.Path, make: Callable[[], Any], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        shardine.Loader(packed, sampling=make(), **CUT)


@pytest.mark.parametrize(("make", "said"), [
    (lambda: shardine.Weighted(3), "neither weights by class nor one for each sample"),  # type: ignore[arg-type]
    (lambda: shardine.Weighted("abc"), "neither weights"),  # type: ignore[arg-type]
    (lambda: shardine.Weighted({1.5: 1}), "1.5 is no class"),
    (lambda: shardine.Weighted(["x"]), "is not a number"),  # type: ignore[list-item]
    (lambda: [1, 2, 3], r"positions are those of dataset.select"),
    (lambda: shardine.ClassBalanced, r"ClassBalanced\(\) is one"),
    (lambda: shardine.Repeated(3, num_samples=4), "it is samples here"),  # type: ignore[call-arg]
    (lambda: shardine.Mix(3), "no list of pairs"),  # type: ignore[arg-type]
    (lambda: shardine.Mix([1, 2]), "no list of pairs"),  # type: ignore[list-item]
])
def test_what_is_no_sampling_is_explained(
    packed: pathlib.Path, make: Callable[[], Any], said: str
) -> None:
    with pytest.raises(TypeError, match=said):
        shardine.Loader(packed, sampling=make(), **CUT)


def test_a_mix_is_a_sampling_of_its_own(packed: pathlib.Path) -> None:
    mix = shardine.Mix([(packed, 1)])
    with pytest.raises(TypeError, match="a Mix is one of its own"):
        shardine.Loader(mix, sampling=shardine.Repeated(2), **CUT)
    with pytest.raises(ValueError, match="there are none"):
        shardine.Mix([])
    with pytest.raises(ValueError, match="part 0 would never come"):
        shardine.Loader(shardine.Mix([(packed, 1e-9), (packed, 1)]), **CUT)
    with pytest.raises(TypeError, match="makes pairs"):
        shardine.Loader(shardine.Mix([(shardine.Dataset(packed, decode=True), 1)]), **CUT)


def test_samplings_show_what_they_are() -> None:
    assert repr(shardine.Repeated(3)) == "shardine.Repeated(times=3, samples=None)"
    assert repr(shardine.Weighted([1] * 9)) == "<shardine.Weighted: 9 samples>"
    assert repr(shardine.Weighted({"a": 1})).startswith("shardine.Weighted(weights={'a': 1.0}")
    assert repr(shardine.Episodes(5, 1, 15)).endswith("(way=5, shot=1, query=15, episodes=None)")
