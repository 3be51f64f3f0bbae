"""Names of the files of an extraction."""

import io
import pathlib
import tarfile
from typing import Any

import pytest
from command_line import files_of, json_of
from conftest import PHOTOS, pack
from PIL import Image

import shardine

JPEG = next((PHOTOS / "hounds").glob("*.jpg")).read_bytes()
BMP = io.BytesIO()
Image.new("RGB", (4, 4)).save(BMP, "BMP")
KINDS = {"jpg": JPEG, "png": b"\x89PNG\r\n\x1a\n rest", "gif": b"GIF89a rest",
         "bmp": BMP.getvalue(), "webp": b"RIFF\4\0\0\0WEBPVP8 ", "img": b"unknown"}


def write(out: pathlib.Path, keys: list[str], images: list[bytes], **fields: Any
          ) -> pathlib.Path:
    with shardine.Writer(out, format="webdataset", on_bad="keep") as writer:
        for number, (key, image) in enumerate(zip(keys, images, strict=True)):
            writer.write({"image": image, "label": number % 2, **fields}, key=key)
    return out


@pytest.mark.filterwarnings("ignore")
def test_equal_keys_have_a_file_each_by_ids(tmp_path: pathlib.Path) -> None:
    """field report C7: names of classes and numbers, equal in each of the classes."""
    tree = tmp_path / "tars"
    tree.mkdir()
    for name, folder in (("a", "hounds"), ("b", "terriers")):
        with tarfile.open(tree / f"{name}.tar", "w") as tar:
            for number, photo in enumerate(sorted((PHOTOS / folder).iterdir())):
                tar.add(photo, f"./{number}_0.jpg")
    shardine.index(sorted(tree.glob("*.tar")), tmp_path / "set")
    with pytest.raises(shardine.ExistsError, match='; names="id" of extract'):
        shardine.extract(tmp_path / "set", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    done = shardine.extract(tmp_path / "set", tmp_path / "out", names="id")
    photos = [path.read_bytes() for folder in ("hounds", "terriers")
              for path in sorted((PHOTOS / folder).iterdir())]
    assert done.files == len(photos) == len(list((tmp_path / "out").iterdir()))
    for sample in shardine.ls(tmp_path / "set"):
        (file,) = (tmp_path / "out").glob(f"{sample.id:08}.*")
        assert file.read_bytes() == photos[sample.id]


@pytest.mark.filterwarnings("ignore")
def test_keys_of_digits_have_a_file_each_by_ids(tmp_path: pathlib.Path) -> None:
    """Its databases have %08d_LABEL for a key: all samples of a class have one name."""
    pixels = write(tmp_path / "set", list("abcd"), [JPEG] * 4)
    shardine.convert(pixels, tmp_path / "lmdb", format="lmdb/datum", shards=1, prefix="x")
    (shard,) = (tmp_path / "lmdb").glob("*.lmdb")
    database = tmp_path / "digits.lmdb"
    content = shard.read_bytes()
    for key, label in zip(("xa", "xb", "xc", "xd"), "0101", strict=True):
        assert content.count(b"_" + key.encode()) == 1
        content = content.replace(b"_" + key.encode(), b"_0" + label.encode())
    database.write_bytes(content)
    shardine.index(database, tmp_path / "digits")
    assert [each.key for each in shardine.ls(tmp_path / "digits")] == ["00", "01"] * 2
    with pytest.raises(shardine.ExistsError, match='; names="id" of extract'):
        shardine.extract(tmp_path / "digits", tmp_path / "out")
    assert shardine.extract(tmp_path / "digits", tmp_path / "out", names="id").files == 4
    shardine.extract(tmp_path / "digits", tmp_path / "classes", names="class/id")
    assert {path.name for path in (tmp_path / "classes").iterdir()} == {"0", "1"}


@pytest.mark.parametrize("split", [{}, {"split": {"train": 0.5, "val": 0.5}}])
@pytest.mark.parametrize("names", ["key", "id", "class/id"])
@pytest.mark.filterwarnings("ignore")
def test_both_give_the_same_files(
    packed: pathlib.Path, tmp_path: pathlib.Path, names: Any, split: dict[str, Any]
) -> None:
    source = tmp_path / "set"
    shardine.convert(packed, source, **split)
    done = shardine.extract(source, tmp_path / "package", names=names)
    said = json_of("extract", source, tmp_path / "program", names=names)
    assert done.files == said["files"] == 24
    files = files_of(tmp_path / "package")
    assert files == files_of(tmp_path / "program")
    dataset = shardine.info(source)
    classes = {each.label: each.name for each in dataset.classes}
    for sample in shardine.ls(source):
        name = {"key": sample.key, "id": f"{sample.id:08}.jpg",
                "class/id": f"{classes[int(sample.labels[0])]}/{sample.id:08}.jpg"}[names]
        if split:
            name = f"{sample.split}/{name}"
        if names != "key" and name not in files:  # a PNG among them
            name = name.removesuffix("jpg") + "png"
        assert files[name] == shardine.cat(source, sample.key, split=sample.split)
    assert shardine.extract(source, tmp_path / "package", names=names).kept == 24


def test_folders_of_classes_are_packed_again(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    shardine.extract(packed, tmp_path / "tree", names="class/id")
    pack(tmp_path / "tree", tmp_path / "again", "--no-shuffle")
    pairs = [sorted((sample.labels, sample.image) for sample in shardine.Dataset(path))
             for path in (packed, tmp_path / "again")]
    assert pairs[0] == pairs[1]
    assert shardine.Dataset(packed).classes == shardine.Dataset(tmp_path / "again").classes


def test_extensions_are_those_of_the_content(tmp_path: pathlib.Path) -> None:
    write(tmp_path / "set", [f"{n}.txt" for n in range(len(KINDS))], list(KINDS.values()),
          mask=b"a field")
    done = shardine.extract(tmp_path / "set", tmp_path / "out", names="id")
    assert done.fields_left == len(KINDS)
    assert files_of(tmp_path / "out") == {
        f"{number:08}.{kind}": image for number, (kind, image) in enumerate(KINDS.items())}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("key", ["/etc/a.jpg", "../a.jpg", "a/../../b.jpg", "a//b.jpg",
                                 "a/.", "d" * 252 + ".jpg", "d" * 256 + "/a.jpg"])
def test_keys_that_are_no_files_are_refused(
    tmp_path: pathlib.Path, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "set", ["a.jpg", key], [JPEG, JPEG])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(shardine.UnsupportedError, match='; names="id" of extract') as error:
        shardine.extract("set", "out")
    assert error.value.key == key
    assert not pathlib.Path("out").exists()
    shardine.extract("set", "out", names="id")
    assert sorted(files_of(tmp_path / "out")) == ["00000000.jpg", "00000001.jpg"]


def test_names_are_words(packed: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for names in ("ids", "class", "class/key"):
        with pytest.raises(ValueError, match=r"names: .* not one of key\|id\|class/id"):
            shardine.extract(packed, tmp_path / "out", names=names)  # type: ignore[arg-type]


def test_changed_names_leave_what_was_extracted(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    """One folder may have an extraction by each."""
    for names in ("key", "id", "class/id"):
        shardine.extract(packed, tmp_path / "out", names=names)  # type: ignore[arg-type]
    assert len(files_of(tmp_path / "out")) == 72
