"""Images of other kinds become PNGs or JPEGs on request, and so do arrays: with the
pixels that loaders had of them before."""

import io
import pathlib
import shutil
from typing import Any, Dict, List

import numpy as np
import pytest
from conftest import PHOTOS
from test_image_kinds import LISTED, PHOTO, SAVED, pixels, tree

import shardine

Image = pytest.importorskip("PIL.Image")

GRAY = np.asarray(PHOTO.convert("L")).astype(np.uint16)


def recoded(tmp_path: pathlib.Path, images: Dict[str, Any], **options: Any) -> pathlib.Path:
    source = tree(tmp_path / "source", images)
    shardine.pack(source, tmp_path / "out", **options)
    return tmp_path / "out"


def kinds(dataset: pathlib.Path) -> Dict[str, str]:
    return {
        sample.key: Image.open(io.BytesIO(sample.image)).format
        for sample in shardine.Dataset(dataset)
    }


def warnings_of(warnings: Any, text: str) -> List[str]:
    return [warning for warning in warnings if text in warning]


def test_pngs_have_the_pixels_of_their_sources(tmp_path: pathlib.Path) -> None:
    source = tree(tmp_path / "source", {**SAVED, **LISTED, "kept.png": (PHOTO, {})})
    rows = [f"{i}\t0\ta/{path.name}\n" for i, path in enumerate(sorted((source / "a").iterdir()))]
    (tmp_path / "all.lst").write_text("".join(rows))
    (source / "a" / "kept.jpg").write_bytes(next(PHOTOS.rglob("*.JPEG")).read_bytes())
    options: Any = {"list": tmp_path / "all.lst"}
    shardine.pack(source, tmp_path / "before", **options)
    result = shardine.pack(source, tmp_path / "after", recode="png", **options)
    (said,) = warnings_of(result.warnings, "encoded again: ")
    assert said.startswith(f"{len(SAVED) + len(LISTED)} images encoded again: tiff (")
    assert not warnings_of(result.warnings, "neither JPEG nor PNG")
    before, after = pixels(tmp_path / "before"), pixels(tmp_path / "after")
    assert before.keys() == after.keys()
    for key, image in before.items():
        assert np.array_equal(image, after[key]), key
    assert set(kinds(tmp_path / "after").values()) == {"PNG"}
    stored = {s.key: bytes(s.image) for s in shardine.Dataset(tmp_path / "after")}
    assert stored["a/kept.png"] == (source / "a" / "kept.png").read_bytes()


def test_a_conversion_encodes_as_a_pack_does(tmp_path: pathlib.Path) -> None:
    source = tree(tmp_path / "source", SAVED)
    shardine.pack(source, tmp_path / "before")
    packed = shardine.pack(source, tmp_path / "packed", recode="jpeg", quality=80)
    made = shardine.convert(
        tmp_path / "before", tmp_path / "made", format="webdataset", recode="jpeg", quality=80
    )
    assert made.content_digest == packed.content_digest
    assert set(kinds(tmp_path / "made").values()) == {"JPEG"}
    other = shardine.convert(tmp_path / "before", tmp_path / "other", recode="jpeg")
    assert other.content_digest != packed.content_digest
    shardine.verify(tmp_path / "made", level="deep")
    # Nothing is left to be encoded: the samples are proved to be the same.
    again = shardine.convert(tmp_path / "made", tmp_path / "again", recode="png")
    assert again.content_digest == made.content_digest


def test_threads_and_lost_shards_give_the_same_bytes(tmp_path: pathlib.Path) -> None:
    source = tree(tmp_path / "source", {**SAVED, "deep.tif": (Image.fromarray(GRAY * 256), {})})
    options: Any = {"recode": "jpeg", "to_8_bits": True, "quality": 71, "shards": 3}
    digests = set()
    for jobs in (1, 2, 7):
        out = tmp_path / str(jobs)
        digests.add(shardine.pack(source, out, jobs=jobs, **options).content_digest)
    assert len(digests) == 1
    # The sources of a lost shard are of other kinds than the dataset's images.
    lost = next((tmp_path / "1").glob("*.rec"))
    whole = lost.read_bytes()
    lost.unlink()
    shardine.pack(source, tmp_path / "1", **options)
    assert lost.read_bytes() == whole


def test_another_value_is_another_dataset(tmp_path: pathlib.Path) -> None:
    images = {"a.webp": SAVED["lossy.webp"], "b.png": (PHOTO, {})}
    out = recoded(tmp_path, images, recode="png")
    source = tmp_path / "source"
    assert shardine.info(out).made.options["recode"] == "png"
    assert shardine.pack(source, out, recode="png").nothing_to_do
    for other in ({}, {"recode": "jpeg"}, {"recode": "png", "to_8_bits": True}):
        with pytest.raises(shardine.ChangedError, match="recode|to-8-bits") as error:
            shardine.pack(source, out, **other)
        assert "of another size" not in str(error.value)
    with pytest.raises(shardine.InvalidArgumentError, match="encoded again"):
        shardine.verify(out, against=source)
    for useless in ({"to_8_bits": True}, {"recode": "png", "variants": "sz/64"}):
        with pytest.raises(ValueError, match="no effect"):
            shardine.pack(source, tmp_path / "no", **useless)


def test_sixteen_bits_are_kept_scaled_or_refused(tmp_path: pathlib.Path) -> None:
    deep = Image.fromarray(GRAY * 257)
    images: Dict[str, Any] = {"a.tif": (deep, {}), "b.png": (deep, {})}
    out = recoded(tmp_path, images, recode="png")
    for sample in shardine.Dataset(out):
        assert np.array_equal(np.asarray(Image.open(io.BytesIO(sample.image))), GRAY * 257)
    source = tmp_path / "source"
    with pytest.raises(shardine.UnsupportedError, match="a JPEG holds 8"):
        shardine.pack(source, tmp_path / "refused", recode="jpeg")
    result = shardine.pack(source, tmp_path / "scaled", recode="png", to_8_bits=True)
    assert warnings_of(result.warnings, "2 images scaled from 16 bits a channel to 8")
    found = pixels(tmp_path / "scaled")
    for key in ("a/a.tif", "a/b.png"):
        assert np.array_equal(found[key][..., 0], GRAY), key


def test_damaged_images_are_bad_ones(tmp_path: pathlib.Path) -> None:
    images = {name: SAVED[name] for name in ("lzw.tif", "lossy.webp", "photo.bmp")}
    source = tree(tmp_path / "source", images)
    for path in (source / "a").iterdir():
        whole = path.read_bytes()
        (source / "a" / f"cut{path.suffix}").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(shardine.CorruptError):
        shardine.pack(source, tmp_path / "fails", recode="png")
    for on_bad in ("skip", "keep"):
        result = shardine.pack(source, tmp_path / on_bad, recode="png", on_bad=on_bad)  # type: ignore[arg-type]
        assert result.samples == 3, "what cannot be encoded cannot be kept"
    shutil.rmtree(tmp_path / "skip")
    result = shardine.pack(source, tmp_path / "skip", recode="png", on_bad="skip", check="none")
    assert result.samples == 3


def arrays_of(images: List[Any], path: pathlib.Path) -> pathlib.Path:
    with shardine.Writer(path, format="webdataset", image_format="array") as writer:
        for i, image in enumerate(images):
            writer.write({"image": image, "label": i}, key=str(i))
    return path


@pytest.mark.parametrize("word", ["hwc", "chw", "bgr", "bgr-planes"])
def test_arrays_are_encoded_in_any_layout(tmp_path: pathlib.Path, word: str) -> None:
    whole = np.asarray(PHOTO)[:40, :60]
    array = whole[..., ::-1] if "bgr" in word else whole
    if word in ("chw", "bgr-planes"):
        array = np.moveaxis(array, -1, 0)
    source = arrays_of([np.ascontiguousarray(array)] * 2, tmp_path / "arrays")
    made = shardine.convert(source, tmp_path / "made", encode="png", image_layout=word)  # type: ignore[arg-type]
    assert warnings_of(made.warnings, "2 images encoded again: array (2)")
    for sample in shardine.Dataset(tmp_path / "made"):
        assert np.array_equal(np.asarray(Image.open(io.BytesIO(sample.image))), whole)
    crop = shardine.FixedCrop((0, 0, 60, 40), size=(40, 60))
    for path, layout in ((source, word), (tmp_path / "made", "hwc")):
        loader = shardine.EvalLoader(path, batch_size=2, transform=crop, image_layout=layout)  # type: ignore[arg-type]
        (batch,) = list(loader)
        got = np.moveaxis(np.asarray(batch.images), 1, -1)
        assert np.array_equal(got[0], whole) and np.array_equal(got[1], whole)


def test_planes_of_hdf5_are_loaded_and_encoded(tmp_path: pathlib.Path) -> None:
    images: Dict[str, Any] = {"a.png": (PHOTO, {}), "b.png": (PHOTO.rotate(180), {})}
    source = tree(tmp_path / "source", images)
    shardine.pack(source, tmp_path / "packed")
    before = pixels(tmp_path / "packed")
    for order, layout in (("rgb", "chw"), ("bgr", "bgr-planes")):
        arrays = tmp_path / order
        shardine.convert(tmp_path / "packed", arrays, format="hdf5/array", pixels=order)  # type: ignore[arg-type]
        crop = shardine.FixedCrop((0, 0, *PHOTO.size), size=PHOTO.size[::-1])
        with pytest.raises(shardine.UnsupportedError, match="image_layout"):
            shardine.EvalLoader(arrays, batch_size=2, transform=crop)
        loader = shardine.EvalLoader(arrays, batch_size=2, transform=crop, image_layout=layout)  # type: ignore[arg-type]
        (batch,) = list(loader)
        for key, image in zip(sorted(before), np.moveaxis(np.asarray(batch.images), 1, -1)):
            assert any(np.array_equal(image, other) for other in before.values()), key
        again = shardine.convert(
            arrays, tmp_path / f"{order}-png", format="recordio", encode="png", image_layout=layout  # type: ignore[arg-type]
        )
        assert again.samples == 2
        found = pixels(tmp_path / f"{order}-png")
        assert sorted(image.sum() for image in found.values()) == sorted(
            image.sum() for image in before.values()
        )


def test_bools_and_sixteen_bits_are_encoded(tmp_path: pathlib.Path) -> None:
    deep = GRAY[:20, :30] * 200
    source = arrays_of([deep > 9000], tmp_path / "bools")
    shardine.convert(source, tmp_path / "bool", encode="png")
    (sample,) = shardine.Dataset(tmp_path / "bool")
    found = np.asarray(Image.open(io.BytesIO(sample.image)))
    assert np.array_equal(found, np.where(deep > 9000, 255, 0))
    source = arrays_of([deep], tmp_path / "deeps")
    shardine.convert(source, tmp_path / "deep", encode="png")
    (sample,) = shardine.Dataset(tmp_path / "deep")
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(sample.image))), deep)
    with pytest.raises(shardine.UnsupportedError, match="a JPEG holds 8"):
        shardine.convert(source, tmp_path / "jpeg", encode="jpeg")
    shardine.convert(source, tmp_path / "scaled", encode="png", to_8_bits=True)
    (sample,) = shardine.Dataset(tmp_path / "scaled")
    found = np.asarray(Image.open(io.BytesIO(sample.image)))
    assert np.array_equal(found, (deep.astype(np.uint32) + 128) // 257)


def test_axes_that_can_be_read_in_two_ways_are_refused(tmp_path: pathlib.Path) -> None:
    source = arrays_of([np.arange(9, dtype=np.uint8).reshape(3, 1, 3)], tmp_path / "arrays")
    with pytest.raises(shardine.InvalidArgumentError, match="image_layout= names"):
        shardine.convert(source, tmp_path / "made", encode="png")
    for word, size in (("hwc", (1, 3)), ("chw", (3, 1))):
        shardine.convert(source, tmp_path / word, encode="png", image_layout=word)  # type: ignore[arg-type]
        (sample,) = shardine.Dataset(tmp_path / word)
        assert Image.open(io.BytesIO(sample.image)).size == size


def test_arrays_and_formats_of_arrays_alone(tmp_path: pathlib.Path) -> None:
    images = {"a.webp": SAVED["lossless.webp"]}
    shardine.pack(tree(tmp_path / "source", images), tmp_path / "packed")
    for options in ({"recode": "png"}, {"encode": "png"}):
        with pytest.raises(shardine.InvalidArgumentError, match="arrays of pixels alone"):
            shardine.convert(tmp_path / "packed", tmp_path / "no", format="hdf5/array", **options)  # type: ignore[arg-type]


def test_one_text_column_is_the_text_of_ocr(tmp_path: pathlib.Path) -> None:
    source = tree(tmp_path / "source", {"a.png": (PHOTO, {}), "b.png": (PHOTO, {})})
    (tmp_path / "texts.tsv").write_text("path\ttext\na/a.png\tStraße 7\na/b.png\tstop\n")
    options: Any = {"list": tmp_path / "texts.tsv", "unlabelled": True, "shuffle": False}
    done = shardine.pack(source, tmp_path / "out", format="lmdb/ocr", **options)
    assert warnings_of(done.warnings, "the column text becomes the field label")
    samples = list(shardine.Dataset(tmp_path / "out"))
    assert [sample.fields["label"] for sample in samples] == ["Straße 7", "stop"]
    assert shardine.pack(source, tmp_path / "out", format="lmdb/ocr", **options).nothing_to_do


@pytest.mark.parametrize("array", [
    np.zeros((2, 5, 5), np.uint8), np.zeros((4, 5, 2), np.uint8), np.zeros((3, 4, 5), np.uint8),
    np.zeros((4, 5), np.float32), np.zeros((4, 5), np.int16), np.zeros((2, 3, 4, 5), np.uint8),
])  # fmt: skip
def test_other_arrays_are_refused_by_name(tmp_path: pathlib.Path, array: Any) -> None:
    source = arrays_of([array], tmp_path / "arrays")
    with pytest.raises(shardine.UnsupportedError, match="and no image"):
        shardine.convert(source, tmp_path / "made", encode="png")
    assert not (tmp_path / "made" / "shardine.json").exists()
