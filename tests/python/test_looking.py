"""Looking at samples: one line, pixels, notebooks, slices and selections."""

import base64
import io
import pathlib
import pickle

import numpy
import pytest
from PIL import Image

import shardine


def test_a_sample_is_shown_in_one_line_without_its_bytes(
    packed: pathlib.Path,
) -> None:
    sample = shardine.Dataset(packed)[3]
    key = sample.key
    assert repr(sample) == (
        f"<shardine.Sample {sample.id} {key!r}: label {sample.label}, "
        f"image JPEG of {len(sample.image)} bytes>"
    )
    odd = shardine.Sample(
        7, "a\n\udce9\x1b[31m", (1, 0.5),
        {"a\nb": b"x" * 999, "points": numpy.zeros((61, 2), "<f4")},
    )
    assert repr(odd) == (
        "<shardine.Sample 7 'a\\n\\udce9\\x1b[31m': label (1, 0.5), "
        "'a\\nb' 999 bytes, points 61 x 2 float32>"
    )
    assert "no label" in repr(odd._replace(labels=()))
    assert "several" in repr(odd._replace(key=["a", "b"]))  # type: ignore[arg-type]


def test_a_sample_has_pixels_and_a_picture(packed: pathlib.Path) -> None:
    sample = shardine.Dataset(packed)[3]
    with Image.open(io.BytesIO(sample.image)) as image:
        rgb = image.convert("RGB")
    assert sample.pil() == rgb
    assert (sample.array == numpy.asarray(rgb)).all()
    stored = numpy.zeros((4, 5, 2), "<f4")
    assert sample._replace(fields={"image": stored}).array is stored
    with pytest.raises(shardine.UnsupportedError, match="no image"):
        sample._replace(fields={}).array
    assert pickle.loads(pickle.dumps(sample)) == sample


def test_a_notebook_shows_the_image_and_no_markup_of_names(
    packed: pathlib.Path,
) -> None:
    sample = shardine.Dataset(packed)[3]._replace(key="<script>x</script>")
    page = sample._repr_html_()
    assert "<script>" not in page and "&lt;script&gt;" in page
    png = base64.b64decode(page.split("base64,")[1].split('"')[0])
    assert png == sample._repr_png_()
    with Image.open(io.BytesIO(png)) as shown:
        assert shown.format == "PNG"
        assert max(shown.size) <= 320
    junk = sample._replace(fields={"image": b"junk"})
    assert junk._repr_png_() is None
    assert "<img" not in junk._repr_html_()


def test_slices_are_selections(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    whole = list(dataset)
    for cut in (slice(0, 10), slice(-3, None), slice(None, None, -5), slice(9, 2)):
        part = dataset[cut]
        assert isinstance(part, shardine.Selection)
        assert len(part) == len(whole[cut])
        assert list(part) == whole[cut]
    tail = dataset[10:][2:5]
    assert [tail[0], tail[-1], tail.sample(1)] == [whole[12], whole[14], whole[13]]
    assert repr(tail) == f"<shardine.Selection: 3 samples of {dataset!r}>"
    assert list(pickle.loads(pickle.dumps(tail))) == whole[12:15]
    for outside in (3, -4):
        with pytest.raises(IndexError, match="of 3 samples"):
            tail[outside]
    assert [int(id) for batch in shardine.Loader(
        tail, batch_size=2, raw=True, order="sequential", last_batch="short")
        for id in batch.ids] == [sample.id for sample in whole[12:15]]


def test_samples_are_selected_by_position_class_and_function(
    packed: pathlib.Path,
) -> None:
    dataset = shardine.Dataset(packed)
    whole = list(dataset)
    assert dataset.labels == [sample.labels for sample in whole]
    assert list(dataset.select([5, 0, -1])) == [whole[5], whole[0], whole[23]]
    for name, label in dataset.class_to_idx.items():
        expected = [sample for sample in whole if sample.label == label]
        assert expected
        assert list(dataset.select(name)) == expected
    some = list(dataset.class_to_idx)[:2]
    labels = [dataset.class_to_idx[name] for name in some]
    assert list(dataset.select(some)) == [s for s in whole if s.label in labels]
    odd = dataset.select(lambda sample: sample.id % 2)
    assert list(odd) == [sample for sample in whole if sample.id % 2]


def test_selections_that_make_no_sense_are_explained(packed: pathlib.Path) -> None:
    dataset = shardine.Dataset(packed)
    with pytest.raises(ValueError, match="no class 'hound'; did you mean 'hounds'"):
        dataset.select("hound")
    with pytest.raises(IndexError, match="position 24 of 24"):
        dataset.select([0, 24])
    def forgets(sample: shardine.Sample) -> None:
        sample.label == 0  # noqa: B015

    for wrong in (3, b"hounds", [1.5], [True, False], numpy.ones(24, bool), forgets):
        with pytest.raises(TypeError, match="^wanted: "):
            dataset.select(wrong)  # type: ignore[arg-type]


def test_a_loader_gives_plain_tuples(packed: pathlib.Path) -> None:
    def load() -> shardine.Loader:
        crop = shardine.CenterCrop(16)
        return shardine.Loader(packed, batch_size=6, seed=3, transform=crop)

    with load() as one, load() as other:
        pairs = list(one.as_tuples())
        batches = list(other)
    assert len(pairs) == 4 and {type(pair) for pair in pairs} == {tuple}
    for (images, labels), batch in zip(pairs, batches, strict=True):
        assert (images == batch.images).all() and (labels == batch.labels).all()
