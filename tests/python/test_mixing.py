"""MixUp and CutMix in the batch, and labels as shares of classes."""

import pathlib
from typing import Any

import numpy
import pytest
from conftest import damage

import shardine

CUT = shardine.RandomResizedCrop((20, 24))
BOTH = [shardine.MixUp(alpha=0.4), shardine.CutMix(alpha=1.0)]


def loader(packed: pathlib.Path, **options: Any) -> shardine.Loader:
    usual: dict[str, Any] = {"batch_size": 5, "seed": 3, "last_batch": "short",
                             "transform": CUT}
    return shardine.Loader(packed, **(usual | options))


def mixed_here(images: Any, mix: shardine.MixFactors) -> Any:
    """NumPy's mix of unmixed images: N x 3 x H x W."""
    others = images[mix.partner]
    weight = mix.weight.reshape(-1, 1, 1, 1)
    blend = others.astype("f4") * (1 - weight) + images.astype("f4") * weight
    mixed = (numpy.rint(blend) if images.dtype == "u1" else blend).astype(images.dtype)
    for i, (x, y, width, height) in enumerate(mix.box):
        if width > 0 and height > 0:
            mixed[i] = images[i]
            part = (slice(None), slice(y, y + height), slice(x, x + width))
            mixed[i][part] = others[i][part]
    return mixed


@pytest.mark.parametrize("per", ["batch", "sample"])
@pytest.mark.parametrize("layout", ["channels_last", "nhwc", "nchw"])
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_images_are_those_that_numpy_mixes(
    packed: pathlib.Path, per: Any, layout: Any, dtype: Any
) -> None:
    options: dict[str, Any] = {"layout": layout, "dtype": dtype}
    if dtype == "float32":
        options["normalize"] = "imagenet"
    plain = loader(packed, **options)
    made = loader(packed, mix=BOTH, mix_per=per, **options)
    cuts = blends = 0
    for batch, before in zip(made, plain, strict=True):
        assert numpy.array_equal(batch.ids, before.ids)
        images, mix = batch.images, batch.mix
        assert mix is not None and before.mix is None
        n = len(batch)
        assert mix.weight.dtype == numpy.float32 and mix.box.dtype == numpy.int32
        assert mix.partner.tolist() == [n - 1, *range(n - 1)]
        expected = before.images
        if layout == "nhwc":
            images, expected = images.transpose(0, 3, 1, 2), expected.transpose(0, 3, 1, 2)
        assert numpy.array_equal(images, mixed_here(expected, mix))
        cuts += int((mix.box[:, 2] > 0).sum())
        blends += int(((mix.box[:, 2] == 0) & (mix.weight < 1)).sum())
        if per == "batch":
            assert len(set(mix.weight.tolist())) == 1
    assert cuts and blends


def test_halves_are_the_rounded_values_of_floats(packed: pathlib.Path) -> None:
    options: dict[str, Any] = {"dtype": "float16", "normalize": "imagenet"}
    for batch, before in zip(loader(packed, mix=shardine.MixUp(), **options),
                             loader(packed, **options), strict=True):
        assert batch.mix is not None
        assert numpy.array_equal(batch.images, mixed_here(before.images, batch.mix))


def test_labels_are_weighted_pairs(packed: pathlib.Path) -> None:
    for batch in loader(packed, mix=BOTH, mix_per="sample"):
        images, (labels, partners, weight) = batch
        assert batch.mix is not None and batch.mixed_labels is not None
        assert numpy.array_equal(images, batch.images)
        assert labels.tolist() == batch.labels.tolist()
        assert partners.tolist() == labels[batch.mix.partner].tolist()
        assert partners.dtype == labels.dtype == numpy.int64
        assert weight.tolist() == batch.mix.weight.tolist()
        assert batch.targets.labels.tolist() == labels.tolist()


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_one_hot_rows_are_mixed_in_float32(packed: pathlib.Path, smoothing: float) -> None:
    def rows(labels: Any) -> Any:
        off = smoothing / 4
        table = numpy.full((4, 4), off, "f4")
        numpy.fill_diagonal(table, 1.0 - smoothing + off)
        return table[labels]

    options: dict[str, Any] = {"one_hot": 4, "label_smoothing": smoothing}
    for images, targets in loader(packed, **options).as_tuples():
        assert targets.dtype == numpy.float32 and targets.shape == (len(images), 4)
    for batch in loader(packed, **options):
        assert numpy.array_equal(batch.targets, rows(batch.labels))
    for batch in loader(packed, mix=BOTH, mix_per="sample", **options):
        assert batch.mix is not None and batch.mixed_labels is not None
        weight = batch.mix.weight[:, None]
        expected = (rows(batch.mixed_labels.partners) * (1 - weight)
                    + rows(batch.labels) * weight)
        stays = batch.mix.weight == 1
        expected[stays] = rows(batch.labels)[stays]
        assert numpy.array_equal(batch.targets, expected)


def test_factors_alone_come_with_images_as_they_are(packed: pathlib.Path) -> None:
    made = loader(packed, mix=BOTH, one_hot=4)
    left = loader(packed, mix=BOTH, one_hot=4, mix_apply=False)
    for (images, targets), (plain, same, mix) in zip(made, left, strict=True):
        assert numpy.array_equal(mixed_here(plain, mix), images)
        assert numpy.array_equal(targets, same)
    # Unpacking two of them fails with a message.
    with pytest.raises(ValueError, match="too many values"):
        for _images, _targets in left:
            pass


def test_mixed_batches_go_on_exactly(packed: pathlib.Path) -> None:
    options: dict[str, Any] = {"mix": BOTH, "mix_per": "sample", "one_hot": 4}
    whole = [(b.images.copy(), b.targets.copy()) for b in loader(packed, **options)]
    first = loader(packed, **options)
    for _, _batch in zip(range(2), first):
        pass
    rest = loader(packed, threads=1, **options)
    rest.load_state_dict(first.state_dict())
    for (images, targets), batch in zip(whole[2:], rest, strict=True):
        assert numpy.array_equal(batch.images, images)
        assert numpy.array_equal(batch.targets, targets)


def test_phases_mix_at_their_own_size(packed: pathlib.Path) -> None:
    small = shardine.Dataset(packed, variant="sz/160")
    large = shardine.Dataset(packed)
    phases = [shardine.Phase(0, small, shardine.RandomResizedCrop(16), 8),
              shardine.Phase(1, large, shardine.RandomResizedCrop(40), 4)]
    phased = shardine.PhasedLoader(phases, seed=1, mix=shardine.CutMix(), one_hot=4)
    sides = []
    for _ in range(2):
        for batch in phased:
            assert batch.mix is not None
            box, side = batch.mix.box, batch.images.shape[2]
            assert (box[:, 0] + box[:, 2] <= side).all() and (box[:, 1] < side).all()
            sides.append(side)
    assert sides == [16] * 3 + [40] * 6


def test_a_gray_image_is_mixed_as_any(own_copy: pathlib.Path) -> None:
    damage(own_copy, shardine.Dataset(own_copy).sample(4).image)
    options: dict[str, Any] = {"order": "sequential", "on_bad": "gray"}
    made = loader(own_copy, mix=shardine.MixUp(), **options)
    for batch, before in zip(made, loader(own_copy, **options), strict=True):
        assert batch.mix is not None
        assert numpy.array_equal(batch.bad, before.bad)
        assert numpy.array_equal(batch.images, mixed_here(before.images, batch.mix))


def test_probabilities_are_shared_out(packed: pathlib.Path) -> None:
    def kinds(*mix: Any) -> set[str]:
        seen = set()
        for epoch in range(20):
            load = loader(packed, mix=list(mix), mix_per="sample", batch_size=24)
            load.set_epoch(epoch)
            for batch in load:
                assert batch.mix is not None
                for weight, box in zip(batch.mix.weight, batch.mix.box):
                    seen.add("cut" if box[2] else "blend" if weight < 1 else "none")
        return seen

    up, cut = shardine.MixUp, shardine.CutMix
    assert kinds(up(1.0), up(3.0)) == {"blend"}
    assert kinds(up(1.0), cut(0.5)) >= {"blend", "cut"}
    assert kinds(up(1.0, p=0.3), up(0.5, p=0.2)) == {"blend", "none"}
    assert kinds(up(1.0, p=0.0)) == {"none"}
    assert kinds(up(1.0, p=0.0), up(2.0)) == {"blend"}


@pytest.mark.parametrize("options, words", [
    ({"mix": "mixup"}, "mix: 'mixup' is neither MixUp, CutMix nor a list of them"),
    ({"mix": [CUT]}, "mix: RandomResizedCrop.* is neither MixUp nor CutMix"),
    ({"mix": []}, "mix: an empty list"),
    ({"mix": [shardine.MixUp(p=0.7), shardine.CutMix(p=0.7), shardine.MixUp()]},
     "mix: p of .* leave nothing"),
    ({"mix": [shardine.MixUp(p=0.7), shardine.CutMix(p=0.7)]},
     "mix: probabilities add up to 1.4"),
    ({"mix": shardine.MixUp(0)}, "mix: alpha of MixUp must be 0.001 to 1000"),
    ({"mix": shardine.MixUp(), "raw": True, "transform": None}, "mix: needs a transform"),
    ({"mix": shardine.MixUp(), "views": [CUT, CUT], "transform": None},
     "mix: is of one view"),
    ({"mix_apply": False}, "mix_per, mix_apply: are of mix="),
    ({"mix_per": "image"}, "mix_per: \"image\" is none of batch, sample"),
    ({"one_hot": 0}, "one_hot: 0 is not in 1 to"),
    ({"one_hot": 1}, "one_hot: the first sample has the label|none of the classes 0 to 0"),
    ({"label_smoothing": 0.1}, "label_smoothing: needs one_hot"),
    ({"one_hot": 4, "label_smoothing": 1.5}, "label_smoothing: must be 0 to 1"),
])
def test_what_cannot_be_is_refused(
    packed: pathlib.Path, options: dict[str, Any], words: str
) -> None:
    with pytest.raises((TypeError, ValueError, shardine.ShardineError), match=words):
        list(loader(packed, **options))


def test_numbers_that_are_none_are_refused() -> None:
    for made in (shardine.MixUp, shardine.CutMix):
        with pytest.raises(TypeError, match="alpha: 'x' is not a number"):
            made(alpha="x")  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="p: 2 is not in 0 to 1"):
            made(p=2)
        with pytest.raises(TypeError, match="unknown option prob"):
            made(prob=1)  # type: ignore[call-arg]


def test_evaluation_does_not_mix(packed: pathlib.Path) -> None:
    with pytest.raises(TypeError, match="EvalLoader: mix: evaluation is of images"):
        shardine.EvalLoader(packed, batch_size=4, mix=shardine.MixUp())
    rows = shardine.EvalLoader(packed, batch_size=4, transform=CUT, one_hot=4)
    assert sum(len(targets) for _, targets in rows) == 24


def test_samples_of_several_labels_are_refused(tmp_path: pathlib.Path) -> None:
    image = numpy.zeros((8, 8, 3), "u1")
    with shardine.Writer(tmp_path / "two", format="tfrecord") as writer:
        for _ in range(4):
            writer.write({"image": image, "label": [1, 2]})
    for options in ({"mix": shardine.MixUp()}, {"one_hot": 4}):
        with pytest.raises(shardine.InvalidArgumentError,
                           match="needs one label of each sample; the first has 2"):
            loader(tmp_path / "two", **options)


def test_a_batch_may_be_of_one_sample_or_of_none(packed: pathlib.Path) -> None:
    options: dict[str, Any] = {"batch_size": 1, "world": 30, "dtype": "float32"}
    for one_hot in (None, 4):
        options["one_hot"] = one_hot
        one = next(iter(loader(packed, rank=0, mix=shardine.MixUp(), **options)))
        plain = next(iter(loader(packed, rank=0, **options)))
        assert one.mix is not None and one.mix.partner.tolist() == [0]
        numpy.testing.assert_allclose(one.images, plain.images, rtol=1e-6)
        images, targets = next(iter(loader(packed, rank=29, mix=BOTH, **options)))
        assert images.shape == (0, 3, 20, 24)
        if one_hot is None:
            assert [part.shape for part in targets] == [(0,)] * 3
        else:
            assert targets.shape == (0, 4)


def test_padding_is_mixed_as_other_samples_are(packed: pathlib.Path) -> None:
    options: dict[str, Any] = {"batch_size": 7, "last_batch": "pad"}
    made = loader(packed, mix=shardine.MixUp(), **options)
    padding = 0
    for batch, before in zip(made, loader(packed, **options), strict=True):
        assert batch.mix is not None and len(batch) == 7
        assert numpy.array_equal(batch.images, mixed_here(before.images, batch.mix))
        padding += batch.padding
    assert padding == 4
