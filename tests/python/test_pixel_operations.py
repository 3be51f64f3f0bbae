"""Lists of transforms: their members, and their effect on pixels."""

import pathlib
import pickle
from typing import Any

import numpy
import pytest

import shardine
import shardine.pixel_operations
import shardine.transforms

Part = shardine.transforms.Transform | shardine.pixel_operations.PixelOperation

EVERYTHING: list[Part] = [
    shardine.RandomCrop(32, padding=4, pad_if_needed=True, fill=(9, 8, 7)),
    shardine.RandomHorizontalFlip(),
    shardine.RandomVerticalFlip(0.1),
    shardine.ColorJitter(0.4, (0.5, 2), 0.4, 0.1, p=0.8),
    shardine.RandomGrayscale(),
    shardine.RandomInvert(0.1),
    shardine.RandomPosterize(5),
    shardine.RandomSolarize(128),
    shardine.RandomAutocontrast(),
    shardine.RandomEqualize(),
    shardine.RandomAdjustSharpness(2),
    shardine.GaussianBlur(5, p=0.5),
    shardine.Lighting(),
    shardine.RandAugment(),
    shardine.TrivialAugmentWide(10, "bilinear", (1, 2, 3)),
    shardine.AutoAugment("svhn"),
    shardine.Affine(5, (1, -1), 1.1, (2, 3), "bilinear", p=0.5),
    shardine.RandomAffine(9, (0.1, 0.2), (0.9, 1.1), (1, 2, 3, 4), fill=(1, 2, 3)),
    shardine.RandomRotation((-5, 15), fill=None),
    shardine.RandomErasing(value=3),
    shardine.Cutout(8),
]


def epoch(packed: pathlib.Path, transform: Any, **options: Any) -> dict[int, Any]:
    options.setdefault("batch_size", 5)
    loader = shardine.Loader(
        packed, last_batch="short", transform=transform, layout="nhwc", **options
    )
    return {
        int(sample): (image.copy(), tuple(box))
        for batch in loader
        for sample, image, box in zip(batch.ids, batch.images, batch.boxes)
    }


def same(one: dict[int, Any], other: dict[int, Any]) -> bool:
    return one.keys() == other.keys() and all(
        (one[sample][0] == other[sample][0]).all()
        and one[sample][1] == other[sample][1]
        for sample in one
    )


def test_a_list_is_a_compose(packed: pathlib.Path) -> None:
    listed = epoch(packed, EVERYTHING, seed=3)
    assert same(listed, epoch(packed, shardine.Compose(EVERYTHING), seed=3))
    assert same(listed, epoch(packed, tuple(EVERYTHING), seed=3, threads=1))
    assert same(listed, epoch(packed, EVERYTHING, seed=3, batch_size=7))
    assert not same(listed, epoch(packed, EVERYTHING, seed=4))


def test_ranks_have_the_pixels_of_one(packed: pathlib.Path) -> None:
    whole = epoch(packed, EVERYTHING)
    ranks = [epoch(packed, EVERYTHING, rank=r, world=2) for r in range(2)]
    assert same(whole, {**ranks[0], **ranks[1]})


def test_operations_change_pixels(packed: pathlib.Path) -> None:
    cut = shardine.CenterCrop(24)
    plain = epoch(packed, cut)
    inverted = epoch(packed, [cut, shardine.RandomInvert(1)])
    for sample, (image, box) in plain.items():
        assert (inverted[sample][0] == 255 - image).all()
        assert inverted[sample][1] == box
    assert same(plain, epoch(packed, [cut]))
    assert same(plain, epoch(packed, [cut, shardine.RandomInvert(0)]))


def test_boxes_say_how_an_image_was_turned(packed: pathlib.Path) -> None:
    cut = shardine.CenterCrop(24)
    plain = epoch(packed, cut)
    flips = [shardine.RandomHorizontalFlip(), shardine.RandomVerticalFlip()]
    flipped = epoch(packed, [cut, *flips])
    seen = set()
    for sample, (image, box) in plain.items():
        turned, (*place, flip) = flipped[sample]
        assert tuple(place) == box[:4]
        seen.add(int(flip))
        if flip & 1:
            image = image[:, ::-1]
        if flip & 2:
            image = image[::-1]
        assert (turned == image).all()
    assert len(seen) > 1


def test_phases_take_lists(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    loader = shardine.PhasedLoader(
        [
            shardine.Phase(0, dataset, EVERYTHING, 4),
            shardine.Phase(1, dataset, shardine.CenterCrop(16), 4),
        ]
    )
    assert next(iter(loader)).images.shape[2:] == (32, 32)
    loader.set_epoch(1)
    assert next(iter(loader)).images.shape[2:] == (16, 16)


def test_floats_are_normalized_last(packed: pathlib.Path) -> None:
    whole = epoch(packed, EVERYTHING)
    floats = epoch(packed, EVERYTHING, dtype="float32", mean=(9, 9, 9), std=(4, 4, 4))
    for sample, (image, _) in whole.items():
        assert (floats[sample][0] == (image.astype(numpy.float32) - 9) / 4).all()


def test_a_state_goes_on_with_the_same_pixels(packed: pathlib.Path) -> None:
    def loader(batch_size: int) -> shardine.Loader:
        return shardine.Loader(
            packed, batch_size=batch_size, transform=EVERYTHING, seed=5
        )

    first, second = loader(3), loader(1)
    iteration = iter(first)
    next(iteration)
    second.load_state_dict(first.state_dict())
    rest = next(iteration).images
    for image, batch in zip(rest, second):
        assert (image == batch.images[0]).all()


def test_they_are_values() -> None:
    for each in EVERYTHING:
        assert each == pickle.loads(pickle.dumps(each))
        assert eval(repr(each), vars(shardine)) == each
        assert hash(each) == hash(pickle.loads(pickle.dumps(each)))
    whole = shardine.Compose(EVERYTHING)
    assert whole == pickle.loads(pickle.dumps(whole))
    assert isinstance(hash(whole), int)


def test_what_torchvision_takes_is_taken() -> None:
    assert shardine.ColorJitter(0.4)._native() is not None
    assert shardine.GaussianBlur((5, 9), 0.5).sigma == 0.5
    assert shardine.RandomCrop(32, (1, 2)).padding == (1, 2)
    assert shardine.RandomErasing(0.25, (0.02, 0.2), (0.3, 3.3), (1, 2, 3)).p == 0.25


def refused(kind: Any, *values: Any, **options: Any) -> str:
    with pytest.raises((TypeError, ValueError)) as raised:
        kind(*values, **options)
    return str(raised.value)


def test_nonsense_is_refused_at_once() -> None:
    assert refused(shardine.RandomInvert, 1.5) == "p: 1.5 is not in 0 to 1"
    assert refused(shardine.RandomInvert, float("nan")).startswith("p: nan")
    assert refused(shardine.ColorJitter, -0.4) == "brightness: -0.4 is negative"
    assert "2 numbers" in refused(shardine.ColorJitter, contrast=(1, 2, 3))
    assert "not a number" in refused(shardine.ColorJitter, hue="red")
    assert "hue" in refused(shardine.ColorJitter, hues=0.1)
    assert "value" in refused(shardine.RandomErasing, value=256)
    assert "three" in refused(shardine.RandomErasing, value=(1, 2))
    assert "policy" in refused(shardine.AutoAugment, "svnh")
    assert "degrees: -1 is neg" in refused(shardine.RandomAffine, -1)
    assert "interpolation" in refused(shardine.RandomRotation, 1, "bicubic")
    assert "translate" in refused(shardine.Affine, translate=(1.5, 0))
    assert "translate" in refused(shardine.Affine, translate=(1 << 31, 0))
    assert "two nor four" in refused(shardine.RandomCrop, 32, (1, 2, 3))
    assert "kernel_size" in refused(shardine.GaussianBlur, (1, 2, 3))


def test_nonsense_that_only_a_loader_sees_is_refused(packed: pathlib.Path) -> None:
    cut = shardine.CenterCrop(24)

    def fault(*operations: Any) -> str:
        return refused(shardine.Loader, packed, batch_size=2, transform=[*operations])

    assert "kernel_width of GaussianBlur must be odd" in fault(
        cut, shardine.GaussianBlur(4)
    )
    assert "hue of ColorJitter" in fault(cut, shardine.ColorJitter(hue=0.6))
    assert "degrees of RandomRotation" in fault(cut, shardine.RandomRotation(40000))
    assert "magnitude of RandAug" in fault(cut, shardine.RandAugment(magnitude=31))
    assert "translate of RandomAffine" in fault(cut, shardine.RandomAffine(1, (2, 0)))
    assert "padding must be less" in fault(shardine.RandomCrop(8, padding=8))
    both = shardine.RandomResizedCrop(8), shardine.RandomHorizontalFlip()
    assert "flips by itself" in fault(*both)
    assert "begins with" in fault(shardine.RandomInvert(), cut)
    assert "begins with" in fault(cut, cut)
    assert "begins with" in fault()
    assert "none of shardine's" in fault(cut, lambda image: image)
    alone = refused(
        shardine.Loader, packed, batch_size=2, transform=shardine.RandomInvert()
    )
    assert "[shardine.CenterCrop(224), RandomInvert(p=0.5)]" in alone


def test_the_way_out_that_the_flips_error_names_works(packed: pathlib.Path) -> None:
    crop = shardine.RandomResizedCrop(8, flip=0)
    boxes = epoch(packed, [crop, shardine.RandomHorizontalFlip(1)])
    assert all(box[4] == 1 for _, box in boxes.values())
