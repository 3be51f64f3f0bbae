"""WebP, GIF, BMP and TIFF have Pillow's pixels from a pack to a batch; what differs is
stated in lib/image/README.md."""

import io
import pathlib
from typing import Any, Dict

import numpy as np
import pytest
from conftest import PHOTOS

import shardine

Image = pytest.importorskip("PIL.Image")

PHOTO = Image.open(PHOTOS / "hounds" / "Irish_wolfhound.JPEG").convert("RGB")
GRAY = PHOTO.convert("L")
CLEAR = PHOTO.convert("RGBA")
CLEAR.putalpha(GRAY)
# Each is saved with these arguments.
SAVED: Dict[str, Any] = {
    "lossy.webp": (PHOTO, {"quality": 80}),
    "lossless.webp": (PHOTO, {"lossless": True}),
    "alpha.webp": (CLEAR, {"quality": 60}),
    "alpha_lossless.webp": (CLEAR, {"lossless": True, "exact": True}),
    "animated.webp": (PHOTO, {"save_all": True, "append_images": [GRAY.convert("RGB")]}),
    "photo.bmp": (PHOTO, {}),
    "gray.bmp": (GRAY, {}),
    "one_bit.bmp": (PHOTO.convert("1"), {}),
    "palette.bmp": (PHOTO.quantize(16), {}),
    "alpha.bmp": (CLEAR, {}),
    "photo.tif": (PHOTO, {}),
    "lzw.tif": (PHOTO, {"compression": "tiff_lzw"}),
    "deflate.tif": (CLEAR, {"compression": "tiff_adobe_deflate"}),
    "gray.tif": (GRAY, {"compression": "packbits"}),
    "fax.tif": (PHOTO.convert("1"), {"compression": "group4"}),
    "palette.tif": (PHOTO.quantize(200), {}),
    "cmyk.tif": (PHOTO.convert("CMYK"), {}),
    "jpeg.tif": (PHOTO, {"compression": "jpeg", "quality": 90}),
    "pages.tif": (PHOTO, {"save_all": True, "append_images": [GRAY]}),
}
# Without a suffix that trees are searched for.
LISTED: Dict[str, Any] = {
    "photo.gif": (PHOTO, {}),
    "gray.gif": (GRAY, {}),
    "clear.gif": (CLEAR, {}),
    "animated.gif": (PHOTO.quantize(64), {"save_all": True, "append_images": [GRAY]}),
    "interlaced.gif": (PHOTO.quantize(32), {"interlace": 1}),
}


def tree(folder: pathlib.Path, images: Dict[str, Any]) -> pathlib.Path:
    (folder / "a").mkdir(parents=True)
    for name, (image, options) in images.items():
        image.save(folder / "a" / name, **options)
    return folder


def pixels(dataset: pathlib.Path) -> Dict[str, Any]:
    """The pixels of each key, as stored, by a loader."""
    size = PHOTO.size
    found = {}
    for batch in shardine.EvalLoader(
        dataset, batch_size=1, transform=shardine.FixedCrop((0, 0, *size), size=size[::-1])
    ):
        found[batch.keys[0]] = np.moveaxis(np.asarray(batch.images[0]), 0, -1)
    return found


def expected(image: bytes) -> Any:
    return np.asarray(Image.open(io.BytesIO(image)).convert("RGB"))


def test_trees_of_other_kinds_have_pillows_pixels(tmp_path: pathlib.Path) -> None:
    source = tree(tmp_path / "source", SAVED)
    result = shardine.pack(source, tmp_path / "out", check="decode")
    assert result.rejected == ()
    found = pixels(tmp_path / "out")
    assert len(found) == len(SAVED)
    for name in SAVED:
        image = (source / "a" / name).read_bytes()
        assert np.array_equal(found[f"a/{name}"], expected(image)), name
    stored = {s.key: bytes(s.image) for s in shardine.Dataset(tmp_path / "out")}
    assert stored == {f"a/{n}": (source / "a" / n).read_bytes() for n in SAVED}


def test_listed_gifs_have_pillows_pixels(tmp_path: pathlib.Path) -> None:
    source = tree(tmp_path / "source", LISTED)
    rows = [f"{i}\t0\ta/{name}\n" for i, name in enumerate(LISTED)]
    (tmp_path / "all.lst").write_text("".join(rows))
    shardine.pack(source, tmp_path / "out", list=tmp_path / "all.lst", check="decode")
    found = pixels(tmp_path / "out")
    for name in LISTED:
        image = (source / "a" / name).read_bytes()
        assert np.array_equal(found[f"a/{name}"], expected(image)), name


def test_ycbcr_and_16_bits_differ_as_stated(tmp_path: pathlib.Path) -> None:
    deep = Image.fromarray(np.asarray(GRAY).astype(np.uint16) * 256 + 3)
    source = tree(
        tmp_path / "source",
        {"ycbcr.tif": (PHOTO.convert("YCbCr"), {}), "deep.tif": (deep, {})},
    )
    result = shardine.pack(source, tmp_path / "out", check="decode")
    assert any("1 image is a 16-bit TIFF" in warning for warning in result.warnings)
    found = pixels(tmp_path / "out")
    ycbcr = expected((source / "a" / "ycbcr.tif").read_bytes()).astype(int)
    assert np.abs(found["a/ycbcr.tif"] - ycbcr).max() <= 1
    assert np.array_equal(found["a/deep.tif"][..., 0], np.asarray(GRAY))


@pytest.mark.parametrize("variant", ["sz/64", "sz/64,original"])
def test_sizes_are_made_of_all_kinds(tmp_path: pathlib.Path, variant: str) -> None:
    source = tree(tmp_path / "source", SAVED)
    shardine.pack(source, tmp_path / "out", variants=variant, encoding="png")
    sizes = shardine.Dataset(tmp_path / "out" / "sz" / "64")
    assert len(sizes) == len(SAVED)
    for sample in sizes:
        image = Image.open(io.BytesIO(sample.image)).convert("RGB")
        whole = Image.open(source / sample.key).convert("RGB")
        wanted = whole.resize(image.size, Image.BILINEAR)
        assert np.array_equal(np.asarray(image), np.asarray(wanted)), sample.key


def test_kinds_left_out_are_bad_images(tmp_path: pathlib.Path) -> None:
    images = {"a.webp": SAVED["lossy.webp"], "b.png": (PHOTO, {}), "c.bmp": (PHOTO, {})}
    source = tree(tmp_path / "source", images)
    with pytest.raises(shardine.CorruptError, match="the kinds are jpeg,png"):
        shardine.pack(source, tmp_path / "out", kinds=["png", "jpeg"])
    result = shardine.pack(source, tmp_path / "out", kinds=["jpeg", "png"], on_bad="skip")
    assert [r.count for r in result.rejected] == [2]
    with pytest.raises(ValueError, match="jpegg"):
        shardine.pack(source, tmp_path / "other", kinds=["jpegg"])


def test_a_complete_dataset_keeps_its_kinds(tmp_path: pathlib.Path) -> None:
    source = tree(tmp_path / "source", {"a.webp": SAVED["lossy.webp"], "b.png": (PHOTO, {})})
    old, new = tmp_path / "old", tmp_path / "new"
    shardine.pack(source, old, kinds=["jpeg", "png"], on_bad="skip")
    assert "kinds" not in shardine.info(old).made.options
    again = shardine.pack(source, old, on_bad="skip")
    assert again.nothing_to_do
    shardine.pack(source, new, on_bad="skip")
    assert shardine.info(new).made.options["kinds"] == "jpeg,png,webp,gif,bmp,tiff"
    assert shardine.pack(source, new, on_bad="skip").nothing_to_do
    with pytest.raises(shardine.ChangedError, match="kinds jpeg,png"):
        shardine.pack(source, old, on_bad="skip", kinds=["webp", "png"])
    with pytest.raises(shardine.ChangedError, match="jpeg,png,webp"):
        shardine.pack(source, new, on_bad="skip", kinds=["jpeg", "png"])


@pytest.mark.parametrize("kind", ["avif", "heic", "jxl"])
def test_other_kinds_are_refused_by_name(tmp_path: pathlib.Path, kind: str) -> None:
    image = {
        "avif": b"\0\0\0\x1cftypavif" + bytes(40),
        "heic": b"\0\0\0\x18ftypheic" + bytes(40),
        "jxl": b"\0\0\0\x0cJXL \r\n\x87\n" + bytes(40),
    }[kind]
    (tmp_path / "source" / "a").mkdir(parents=True)
    (tmp_path / "source" / "a" / "x.png").write_bytes(image)
    with pytest.raises(shardine.CorruptError, match=f"{kind} images are not decoded"):
        shardine.pack(tmp_path / "source", tmp_path / "out")


def test_damaged_images_of_other_kinds_are_found(tmp_path: pathlib.Path) -> None:
    source = tree(tmp_path / "source", SAVED)
    for name in SAVED:
        path = source / "a" / name
        image = path.read_bytes()
        path.write_bytes(image[: len(image) * 2 // 3])
    result = shardine.pack(source, tmp_path / "out", check="decode", on_bad="keep")
    assert sum(r.count for r in result.rejected) == len(SAVED)
