"""Dataset as torchvision's ImageFolder: (image, target), targets, samples."""

import io
import os
import pathlib
import pickle
import struct
from typing import Any

import numpy
import pytest
from PIL import Image

import shardine
from conftest import PHOTOS, damage, pack
from shardine.pictures import picture


def corner(image: Any) -> tuple[int, ...]:
    return (*image.size, *image.getpixel((0, 0)))


def negative(target: int) -> int:
    return -target


def decoded(file: pathlib.Path) -> Any:
    with Image.open(file) as image:
        return image.convert("RGB")


def test_pairs_are_rgb_images_and_class_numbers(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed, decode=True)
    assert dataset.gives_pairs
    for position, (image, target) in enumerate(dataset):
        file = PHOTOS / os.fsdecode(dataset.key(position))
        assert image.mode == "RGB"
        assert image == decoded(file)
        assert type(target) is int
        assert dataset.classes[target] == file.parent.name
        assert dataset.class_to_idx[file.parent.name] == target
    assert position == 23
    assert dataset[-1] == dataset[23]
    with pytest.raises(IndexError):
        dataset[24]


def test_transforms_make_what_items_are(packed: pathlib.Path) -> None:
    plain = shardine.Dataset(packed, decode=True)
    both = shardine.Dataset(packed, transform=corner, target_transform=negative)
    for (image, target), item in zip(plain, both, strict=True):
        assert item == (corner(image), -target)
    one = shardine.Dataset(packed, target_transform=negative)
    assert one[3] == (plain[3][0], -plain[3][1])
    # The transform can be set later, as torchvision's can.
    later = shardine.Dataset(packed)
    assert later[3] == plain.sample(3) and not later.gives_pairs
    later.transform = corner
    assert later[3] == (both[3][0], plain[3][1])


def test_a_dataset_of_pairs_has_its_samples_yet(packed: pathlib.Path) -> None:
    plain = shardine.Dataset(packed)
    pairs = shardine.Dataset(packed, transform=corner)
    assert [pairs.sample(i) for i in range(24)] == list(plain)
    assert plain.sample(-1) == plain[-1]


def test_targets_and_samples_are_torchvisions(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    assert dataset.targets == [sample.label for sample in dataset]
    # semantics review 18: a list of the caller's own.
    dataset.targets[0] = 99
    assert dataset.targets[0] == dataset.samples[0][1] == dataset.labels[0][0]
    assert dataset.samples == [(s.key, s.label) for s in dataset]
    again = pickle.loads(pickle.dumps(dataset))
    assert again.targets == dataset.targets


def test_targets_and_samples_are_read_in_runs(
    packed: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = shardine.Dataset(packed)
    for together in (1, 5, 23, 24, 25):
        monkeypatch.setattr("shardine.dataset._TOGETHER", together)
        assert shardine.Dataset(packed).samples == whole.samples
    core = whole._core()
    for first, count in ((0, 25), (24, 1), (25, 0), (1, 2**64 - 1)):
        with pytest.raises(IndexError):
            core.labels(first, count)
        with pytest.raises(IndexError):
            core.keys(first, count)


def test_targets_are_known_without_reading_images(own_copy: pathlib.Path) -> None:
    whole = shardine.Dataset(own_copy)
    targets, samples, image = whole.targets, whole.samples, whole[5].image
    damage(own_copy, image)
    damaged = shardine.Dataset(own_copy, decode=True)
    with pytest.raises(shardine.CorruptError):
        damaged[5]
    assert damaged.targets == targets
    assert damaged.samples == samples


def test_targets_are_those_of_a_list(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    labels = tmp_path / "other.lst"
    labels.write_text("".join(f"{i}\t{i / 2}\tx\n" for i in range(24)))
    dataset = shardine.Dataset(packed, labels=labels, labels_by="id", decode=True)
    ids = [dataset.sample(i).id for i in range(24)]
    assert dataset.targets == [id / 2 for id in ids]
    assert [target for _, target in dataset] == dataset.targets
    assert {type(target) for target in dataset.targets} == {int, float}


def test_a_target_is_one_label(packed: pathlib.Path, tmp_path: pathlib.Path) -> None:
    lst = tmp_path / "two.lst"
    lst.write_text("".join(f"{i}\t{i}\t7\tx\n" for i in range(24)))
    two = shardine.Dataset(packed, labels=lst, labels_by="id", decode=True)
    flat = tmp_path / "flat"
    flat.mkdir()
    for file in (PHOTOS).glob("*/*"):
        (flat / file.name).write_bytes(file.read_bytes())
    bare = pack(flat, tmp_path / "out", "--unlabelled")
    none = shardine.Dataset(bare, decode=True)
    for dataset, labels in ((two, 2), (none, 0)):
        with pytest.raises(ValueError, match=f"position 0.* {labels};"):
            dataset.targets
        with pytest.raises(ValueError, match="position 0"):
            dataset.samples
        # The advice works.
        assert len(dataset.sample(3).labels) == labels
    with pytest.raises(ValueError, match="here are 2") as caught:
        two[3]
    assert repr(two.key(3)) in str(caught.value)
    assert isinstance(none[3], Image.Image)


def test_what_pillow_cannot_read_is_named(tmp_path: pathlib.Path) -> None:
    jpeg = io.BytesIO()
    Image.effect_noise((64, 64), 50).save(jpeg, "jpeg")
    contents = [jpeg.getvalue(), b"junk", jpeg.getvalue()[:-500], b""]
    shard = tmp_path / "foreign\x1b[31m.rec"
    with shard.open("wb") as file:
        for i, content in enumerate(contents):
            record = struct.pack("<IfQQ", 0, 1.0, i, 0) + content
            file.write(struct.pack("<II", 0xCED7230A, len(record)) + record)
            file.write(bytes(-len(record) % 4))
    with pytest.warns(UserWarning):
        dataset = shardine.Dataset(shard, decode=True)
    assert dataset[0][0].size == (64, 64)
    for position, kind, text in (
        (1, shardine.CorruptError, "Pillow knows no such"),
        (2, shardine.CorruptError, "truncated"),
        (3, shardine.UnsupportedError, "no image"),
    ):
        with pytest.raises(kind, match=text) as caught:
            dataset[position]
        assert caught.value.key == dataset.key(position)
        assert caught.value.path == str(shard)
        assert f" of {str(shard)!r}: " in str(caught.value)
        assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("shape", [(5, 7), (5, 7, 1), (5, 7, 3), (5, 7, 4)])
def test_pixels_are_pictures_too(shape: tuple[int, ...]) -> None:
    pixels = numpy.arange(numpy.prod(shape), dtype="u1").reshape(shape)
    rgb = numpy.asarray(picture(pixels, "k", None))
    channels = pixels.reshape(5, 7, -1)[:, :, :3]
    assert (rgb == numpy.broadcast_to(channels, (5, 7, 3))).all()


@pytest.mark.parametrize(
    "pixels",
    [numpy.zeros((4, 4), "<f4"), numpy.zeros((4, 4, 2), "u1"),
     numpy.zeros((0, 4), "u1"), numpy.zeros(4, "u1")],
)
def test_other_arrays_are_no_pictures(pixels: Any) -> None:
    with pytest.raises(shardine.UnsupportedError, match="sample 'k'.*shape"):
        picture(pixels, "k", None)


def test_pairs_go_through_pickles_with_their_transforms(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(
        packed, variant="sz/160", transform=corner, target_transform=negative
    )
    again = pickle.loads(pickle.dumps(dataset))
    assert list(again) == list(dataset)


def test_transforms_that_are_none_are_refused(packed: pathlib.Path) -> None:
    for wrong in (3, "crop", shardine.CenterCrop(8)):
        for name in ("transform", "target_transform"):
            with pytest.raises(TypeError, match=f"^{name}: "):
                shardine.Dataset(packed, **{name: wrong})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="for a shardine.Loader"):
        shardine.Dataset(packed, transform=shardine.CenterCrop(8))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="decode: 'yes'"):
        shardine.Dataset(packed, decode="yes")  # type: ignore[arg-type]


def test_a_loader_refuses_a_transform_that_it_would_not_call(
    packed: pathlib.Path,
) -> None:
    for options in ({"decode": True}, {"transform": corner}):
        dataset = shardine.Dataset(packed, **options)
        with pytest.raises(TypeError, match="^dataset: .*without decode"):
            shardine.Loader(dataset, batch_size=2, raw=True)


def test_items_without_labels_are_images_alone(tmp_path: pathlib.Path) -> None:
    photos = sorted(PHOTOS.rglob("*.JPEG"))[:3]
    for name, labels in (("none", [None] * 3), ("some", [1, None, None])):
        with shardine.Writer(tmp_path / name) as writer:
            for photo, label in zip(photos, labels, strict=True):
                labelled = {} if label is None else {"label": label}
                writer.write({"image": photo.read_bytes(), **labelled}, key=photo.name)
    none = shardine.Dataset(tmp_path / "none", transform=corner)
    expected = [corner(decoded(photo)) for photo in photos]
    assert sorted(none) == sorted(expected)
    assert none.__getitems__([1, 2]) == [none[1], none[2]]
    assert isinstance(shardine.Dataset(tmp_path / "none", decode=True)[0], Image.Image)
    with pytest.raises(ValueError, match="here are 0"):
        shardine.Dataset(tmp_path / "none", target_transform=negative)[0]
    with pytest.raises(ValueError, match="here are 0"):
        list(shardine.Dataset(tmp_path / "some", decode=True))
