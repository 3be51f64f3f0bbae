"""Others' shards whose fields are image, label and key by the names that are given."""

import io
import pathlib
import shutil
import tarfile
import warnings
from typing import Any, Optional

import pytest
from conftest import PHOTOS

import shardine

JPEGS = sorted(PHOTOS.rglob("*.jpg"))[:3]
KINDS = ["cat", "dog", "cat"]


def shard_of(tmp_path: pathlib.Path, format: str) -> pathlib.Path:
    """A bare shard with fields photo, kind, name and n, and no image or label."""
    with shardine.Writer(tmp_path / "made", format=format) as writer:
        for n, (jpeg, kind) in enumerate(zip(JPEGS, KINDS)):
            sample: dict[str, Any] = {"photo": jpeg.read_bytes(), "name": f"k{n}", "n": n}
            if n < 2 or format != "tfrecord":
                sample["kind"] = kind
            writer.write(sample)
    (shard,) = (each for each in (tmp_path / "made").glob("train-*") if each.is_file())
    bare = tmp_path / ("bare" + shard.suffix)
    shutil.move(shard, bare)
    shutil.rmtree(tmp_path / "made")
    return bare


def tar_of(tmp_path: pathlib.Path, *texts: Optional[str]) -> pathlib.Path:
    """input.jpg and output.cls of each sample, and a mask that comes first."""
    path = tmp_path / "foreign.tar"
    with tarfile.open(path, "w") as archive:
        for n, text in enumerate(texts):
            members = {"a.png": b"mask", "input.jpg": JPEGS[n].read_bytes()}
            if text is not None:
                members["output.cls"] = text.encode()
            for extension, data in members.items():
                info = tarfile.TarInfo(f"{n:03}.{extension}")
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
    return path


def opened(path: pathlib.Path, **options: Any) -> shardine.Dataset:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return shardine.Dataset(path, **options)


@pytest.mark.parametrize("format", ["tfrecord", "lmdb/fields", "webdataset", "hdf5"])
def test_fields_of_each_format_have_roles(tmp_path: pathlib.Path, format: str) -> None:
    bare = shard_of(tmp_path, format)
    dataset = opened(bare, image="photo", label="kind", key="name", fields=["n"])
    assert dataset.classes == ["cat", "dog"]
    assert [each.key for each in dataset] == ["k0", "k1", "k2"]
    last = () if format == "tfrecord" else (0,)
    assert list(dataset.labels) == [(0,), (1,), last]
    assert bytes(dataset[1].image) == JPEGS[1].read_bytes()
    assert set(dataset[2].fields) == {"image", "n"}
    indexed = shardine.index(
        bare, tmp_path / "indexed", image="photo", label="kind", key="name", fields="n"
    )
    assert indexed.samples == 3
    again = opened(tmp_path / "indexed")
    assert again.classes == ["cat", "dog"]
    assert list(again.labels) == list(dataset.labels)
    assert bytes(again[0].image) == JPEGS[0].read_bytes()
    assert shardine.verify(tmp_path / "indexed").findings == ()
    shardine.convert(tmp_path / "indexed", tmp_path / "from_index", format="webdataset")
    shardine.convert(
        bare, tmp_path / "direct", format="webdataset",
        image="photo", label="kind", key="name", fields="n",
    )  # fmt: skip
    assert (
        shardine.info(tmp_path / "direct").content_digest
        == shardine.info(tmp_path / "from_index").content_digest
        == indexed.content_digest
    )
    assert shardine.Dataset(tmp_path / "direct").classes == ["cat", "dog"]


def test_the_same_index_again_has_nothing_to_do(tmp_path: pathlib.Path) -> None:
    bare = shard_of(tmp_path, "tfrecord")
    names: dict[str, Any] = {"image": "photo", "label": "kind"}
    first = shardine.index(bare, tmp_path / "out", **names)
    assert shardine.index(bare, tmp_path / "out", **names).nothing_to_do
    assert first.content_digest == shardine.info(tmp_path / "out").content_digest
    others: list[dict[str, Any]] = [
        {"image": "photo"}, {**names, "key": "name"}, {**names, "fields": "n"}]
    for other in others:
        with pytest.raises(shardine.ChangedError):
            shardine.index(bare, tmp_path / "out", **other)


def test_extensions_of_a_tar_are_named(tmp_path: pathlib.Path) -> None:
    path = tar_of(tmp_path, "7\n", None, "9\n")
    dataset = opened(path, image="input.jpg", label="output.cls")
    assert list(dataset.labels) == [(7,), (), (9,)]
    assert dataset.classes == []
    assert bytes(dataset[0].image) == JPEGS[0].read_bytes()
    assert dataset[0].key == "000.input.jpg"
    assert set(dataset[0].fields) == {"image", "a.png"}
    # Without names, the mask's neighbour is the image by the table of extensions.
    with pytest.warns(UserWarning, match="fields left out: .a.png. .3 of 3."):
        shardine.Dataset(path, image="input.jpg", fields=[])


def test_texts_that_are_not_all_numbers_are_classes(tmp_path: pathlib.Path) -> None:
    dataset = opened(tar_of(tmp_path, "10", "9", "x"), label="output.cls", fields=[])
    assert dataset.classes == ["10", "9", "x"]
    assert list(dataset.labels) == [(0,), (1,), (2,)]


def set_of(tmp_path: pathlib.Path, *shards: dict[str, bytes]) -> list[pathlib.Path]:
    """A tar of each, with these members."""
    paths = [tmp_path / f"s{n}.tar" for n in range(len(shards))]
    for path, members in zip(paths, shards):
        with tarfile.open(path, "w") as archive:
            for name, data in members.items():
                info = tarfile.TarInfo(name)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
    return paths


def test_a_label_may_be_in_some_shards_alone(tmp_path: pathlib.Path) -> None:
    jpeg = JPEGS[0].read_bytes()
    shards = set_of(
        tmp_path, {"0.jpg": jpeg}, {"1.jpg": jpeg, "1.output.cls": b"dog"}, {"2.jpg": jpeg}
    )
    dataset = opened(shards, label="output.cls")  # type: ignore[arg-type]
    assert dataset.classes == ["dog"]
    assert list(dataset.labels) == [(), (0,), ()]
    shardine.index(shards, tmp_path / "out", label="output.cls")
    assert list(shardine.Dataset(tmp_path / "out").labels) == [(), (0,), ()]
    shardine.verify(tmp_path / "out", level="deep")
    shardine.convert(tmp_path / "out", tmp_path / "made", format="tfrecord")
    for name in ("output.clss", "1.output.cls"):
        with pytest.raises(shardine.InvalidArgumentError, match="no record has a field"):
            shardine.index(shards, tmp_path / "no", label=name)
        with pytest.raises(shardine.InvalidArgumentError, match="no record has a field"):
            shardine.Dataset(shards, label=name)


def test_folders_of_a_tar_are_labels_where_that_is_asked(tmp_path: pathlib.Path) -> None:
    jpeg = JPEGS[0].read_bytes()
    shards = set_of(
        tmp_path,
        {"train/cat/0.jpg": jpeg, "train/dog/0.jpg": jpeg},
        {"train/ant/1.jpg": jpeg, "loose.jpg": jpeg},
    )
    assert list(opened(shards).labels) == [()] * 4  # type: ignore[arg-type]
    dataset = opened(shards, label="{folder}")  # type: ignore[arg-type]
    assert dataset.classes == ["ant", "cat", "dog"]
    assert list(dataset.labels) == [(1,), (2,), (0,), ()]
    shardine.index(shards, tmp_path / "out", label="{folder}")
    indexed = shardine.Dataset(tmp_path / "out")
    assert indexed.classes == ["ant", "cat", "dog"]
    assert list(indexed.labels) == [(1,), (2,), (0,), ()]
    shardine.verify(tmp_path / "out")
    shardine.convert(shards, tmp_path / "made", label="{folder}", format="recordio")
    assert list(shardine.Dataset(tmp_path / "made").labels) == [(1,), (2,), (0,), ()]
    flat = set_of(tmp_path, {"0.jpg": jpeg})
    with pytest.raises(shardine.InvalidArgumentError, match="a key with a folder"):
        shardine.index(flat, tmp_path / "no", label="{folder}")


def test_names_that_are_nowhere_are_refused(tmp_path: pathlib.Path) -> None:
    bare = shard_of(tmp_path, "tfrecord")
    there = 'no record has a field "pic"; the fields are "kind" .2 of 3., "n" .3 of 3.'
    for verb in (
        lambda: shardine.Dataset(bare, image="pic"),
        lambda: shardine.index(bare, tmp_path / "no", image="pic"),
        lambda: shardine.convert(bare, tmp_path / "no", image="pic"),
        lambda: shardine.verify(bare, image="pic"),
    ):
        with pytest.raises(shardine.InvalidArgumentError, match=there):
            verb()
    assert not (tmp_path / "no").exists()
    with pytest.raises(shardine.InvalidArgumentError, match="has two roles"):
        shardine.Dataset(bare, image="photo", label="photo")


def test_a_dataset_has_its_roles_already(tmp_path: pathlib.Path) -> None:
    bare = shard_of(tmp_path, "tfrecord")
    shardine.index(bare, tmp_path / "out", image="photo")
    for verb in (
        lambda: shardine.Dataset(tmp_path / "out", image="photo"),
        lambda: shardine.convert(tmp_path / "out", tmp_path / "no", label="kind"),
        lambda: shardine.verify(tmp_path / "out", label="kind"),
    ):
        with pytest.raises(shardine.InvalidArgumentError, match="is a dataset, whose"):
            verb()


def test_records_without_names_have_no_roles(tmp_path: pathlib.Path) -> None:
    with shardine.Writer(tmp_path / "made", format="recordio") as writer:
        writer.write({"image": JPEGS[0], "label": 0})
    (shard,) = (tmp_path / "made").glob("*.rec")
    shutil.copy(shard, tmp_path / "bare.rec")
    with pytest.raises(shardine.InvalidArgumentError, match="name no fields"):
        shardine.Dataset(tmp_path / "bare.rec", label="kind")


def test_a_changed_label_is_found(tmp_path: pathlib.Path) -> None:
    path = tar_of(tmp_path, "cat", "dog", "cat")
    shardine.index(path, tmp_path / "out", image="input.jpg", label="output.cls")
    data = path.read_bytes()
    path.write_bytes(data.replace(b"dog", b"cow"))
    findings = shardine.verify(tmp_path / "out").findings
    assert any("label" in str(each) for each in findings), findings
