"""Others' archives, whose keys come again in each split and shard."""

import io
import json
import pathlib
import tarfile
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from command_line import files_of, run
from PIL import Image

import shardine

LAYOUTS = [
    None, "webdataset", "webdataset:keys=id", "webdataset:keys=original",
    "recordio/mxnet", "tfrecord/imagenet", "tfrecord/tfds", "lmdb/folder2lmdb",
    "lmdb/datum", "lmdb/fields", "lmdb/tensorpack", "lmdb/images", "lmdb/pytorch-lmdb",
    "lmdb/stylegan2:resolution=16", "hdf5/fuel", "hdf5/array", "hdf5/caffe",
]  # fmt: skip
WITH_FIELDS = ("webdataset", "tfrecord", "lmdb/fields", "hdf5/fuel")
KEYS: dict[str, Callable[[int], str]] = {
    "numbers": "{:06}".format,
    "bare": str,
    "dots": "./{:06}".format,
    "eight": "{:08}".format,
    "later": lambda i: f"{i + 3:06}",
    "backwards": lambda i: f"{9 - i:06}",
    "large": lambda i: str(2**64 - 5 + i),
    "larger": lambda i: str(10**25 + i),
    "folders": "n01/{:04}".format,
}
pytestmark = pytest.mark.filterwarnings("ignore")


def image(number: int) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (16, 16), (number * 7 % 256, number, 99)).save(file, "JPEG")
    return file.getvalue()


def archive(path: pathlib.Path, keys: Iterable[str], first: int, text: bool) -> str:
    """Samples with an image of a number, and its rest by 5 as label."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w") as tar:
        for number, key in enumerate(keys, first):
            files = {"jpg": image(number), "cls": b"%d" % (number % 5)}
            if text:
                files |= {"json": json.dumps({"n": number}).encode(), "txt": b"a text"}
            for extension, content in files.items():
                member = tarfile.TarInfo(f"{key}.{extension}")
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    return str(path)


def archives(folder: pathlib.Path, key: Callable[[int], str], text: bool
             ) -> dict[str, Any]:
    """Two splits, one of two shards: each begins with the first key."""
    shard = [archive(folder / f"{name}.tar", map(key, range(count)), first, text)
             for name, count, first in (("a", 4, 0), ("b", 3, 50), ("c", 2, 90))]
    return {"train": shard[:2], "val": shard[2]}


def samples(path: pathlib.Path) -> list[Any]:
    return [(each.id, each.split, each.key.split("/")[-1], each.labels)
            for each in shardine.ls(path)]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("keys", KEYS)
def test_keys_that_begin_again_are_no_damage(
    tmp_path: pathlib.Path, keys: str, layout: str | None
) -> None:
    """field report C5."""
    text = layout is None or layout.startswith(WITH_FIELDS)
    source = archives(tmp_path / "in", KEYS[keys], text)
    options: dict[str, Any] = {"format": layout} if layout else {}
    if layout == "lmdb/fields":
        with pytest.raises(shardine.UnsupportedError, match='prefix="{id}/" of convert'):
            shardine.convert(source, tmp_path / "out", **options)
        options["prefix"] = "{id}/"
    shardine.convert(source, tmp_path / "out", **options)
    assert shardine.verify(tmp_path / "out", level="deep").sound
    shardine.index(source, tmp_path / "indexed")
    assert samples(tmp_path / "out") == samples(tmp_path / "indexed")
    if layout in ("hdf5/array", "hdf5/caffe"):
        return  # arrays are other content
    for back in (None, "webdataset", "recordio"):
        options = {"format": back} if back else {}
        if text and back == "recordio":
            options["fields"] = "none"
        done = shardine.convert(tmp_path / "out", tmp_path / f"back-{back}", **options)
        assert "fields" in options or done.content_digest == shardine.info(
            tmp_path / "indexed").content_digest
        assert shardine.verify(tmp_path / f"back-{back}", level="full").sound


@pytest.mark.parametrize(
    "order", [{"shards": 1}, {"reshuffle": 4}, {"shards": 1, "reshuffle": 5}], ids=str)
@pytest.mark.parametrize(
    "layout", [None, "webdataset", "webdataset:keys=id", "webdataset:keys=original"])
def test_archives_are_named_by_ids_where_keys_cannot(
    tmp_path: pathlib.Path, layout: str | None, order: dict[str, Any]
) -> None:
    """Equal keys in one shard: the ids do, and each key stays in its .json."""
    source = archives(tmp_path / "in", KEYS["numbers"], True)["train"]
    options = {"format": layout, **order} if layout else order
    out = tmp_path / "out"
    if layout == "webdataset:keys=original":
        with pytest.raises(shardine.UnsupportedError, match="keys=id.* names them"):
            shardine.convert(source, out, **options)
        assert not out.exists()
        shardine.convert(source, out, prefix="{shard}/", **options)
        assert {each.key for each in shardine.ls(out)} == {
            f"{shard}/{number:06}.jpg" for shard, count in (("a", 4), ("b", 3))
            for number in range(count)}
        return
    with pytest.warns() as warned:
        shardine.convert(source, out, **options)
    texts = [str(each.message) for each in warned]
    assert any(text.startswith("files are named by ids, since ") for text in texts
               ) == (layout != "webdataset:keys=id")
    names = {name for tar in out.glob("*.tar") for name in tarfile.open(tar).getnames()}
    assert {name.split(".")[0] for name in names} == {f"{i:08}" for i in range(7)}
    assert sorted(each.key for each in shardine.ls(out)) == sorted(
        f"{number:06}.jpg" for count in (4, 3) for number in range(count))
    assert shardine.verify(out, level="deep").sound
    run("convert", *source, tmp_path / "program", **options)
    assert files_of(tmp_path / "program") == files_of(out)


def test_a_merge_tells_equal_keys_apart(tmp_path: pathlib.Path) -> None:
    once = archive(tmp_path / "once.tar", ["a", "b"], 0, False)
    again = archive(tmp_path / "again.tar", ["a", "c"], 10, False)
    twice = archive(tmp_path / "twice.tar", ["a", "x", "a"], 20, False)
    out = tmp_path / "out"
    with pytest.raises(shardine.InvalidArgumentError, match='prefix="{n}/" does so'):
        shardine.merge([once, again], out)
    shardine.merge([once, again], tmp_path / "two", prefix="{n}/")
    assert [each.key for each in shardine.ls(tmp_path / "two")] == [
        "0/a.jpg", "0/b.jpg", "1/a.jpg", "1/c.jpg"]
    for prefix in ("x", "{n}/", "{name}-", "{id}/"):
        with pytest.raises(shardine.InvalidArgumentError, match='="{n}/{id}/" does so'):
            shardine.merge([once, twice], out, prefix=prefix)
        assert not out.exists()
    shardine.merge([once, twice, again], out, prefix="{n}/{id}/")
    assert [each.key for each in shardine.ls(out)] == [
        "0/0/a.jpg", "0/1/b.jpg", "1/0/a.jpg", "1/1/x.jpg", "1/2/a.jpg", "2/0/a.jpg",
        "2/1/c.jpg"]
    assert shardine.verify(out, level="deep").sound
