"""Text given as str comes back as str (field reports, B20)."""

import io
import pathlib
import pickle
import tarfile

import pytest
from conftest import PHOTOS

import shardine

PHOTO = (PHOTOS / "hounds" / "made_gray.jpg").read_bytes()
CAPTIONS = ["a dog", "", "ein Hund \u00fc", "\u72ac"]


def write(folder: pathlib.Path, format: str = "tfrecord") -> pathlib.Path:
    with shardine.Writer(folder, format=format) as writer:
        for number, caption in enumerate(CAPTIONS):
            writer.write({"image": PHOTO, "caption": caption, "raw": b"\xff\x00",
                          "label": number})  # fmt: skip
    return folder


def captions(folder: pathlib.Path) -> list[object]:
    return [sample.fields["caption"] for sample in shardine.Dataset(folder)]


@pytest.mark.parametrize("format", ["tfrecord", "webdataset", "lmdb/fields", "hdf5"])
def test_a_writer_gives_str_back(tmp_path: pathlib.Path, format: str) -> None:
    folder = write(tmp_path / "out", format)
    dataset = shardine.Dataset(folder)
    assert dataset.text_fields == ["caption"]
    assert captions(folder) == CAPTIONS
    assert dataset[0].fields["raw"] == b"\xff\x00"
    assert shardine.info(folder).text_fields == ("caption",)
    loader = shardine.Loader(
        dataset, batch_size=2, fields=["caption", "raw"], order="sequential",
        transform=shardine.CenterCrop(8),
    )  # fmt: skip
    batches = [batch.fields for batch in loader]
    assert [each for batch in batches for each in batch["caption"]] == CAPTIONS
    assert [bytes(each) for each in batches[0]["raw"]] == [b"\xff\x00"] * 2


def test_conversions_merges_and_parts_keep_it(tmp_path: pathlib.Path) -> None:
    folder = write(tmp_path / "out")
    shardine.convert(folder, tmp_path / "tar", format="webdataset")
    assert captions(tmp_path / "tar") == CAPTIONS
    shardine.convert(folder, tmp_path / "bare", fields=["raw"])
    assert shardine.Dataset(tmp_path / "bare").text_fields == []
    shardine.merge([folder, tmp_path / "tar"], tmp_path / "both", prefix="{n}/")
    assert captions(tmp_path / "both") == CAPTIONS * 2
    for part in range(2):
        with shardine.Writer(
            tmp_path / "parts", format="tfrecord", part=part, parts=2
        ) as writer:
            writer.write({"caption": f"of part {part}"}, key=str(part))
    shardine.join(tmp_path / "parts")
    assert captions(tmp_path / "parts") == ["of part 0", "of part 1"]


def test_digests_are_those_of_bytes(tmp_path: pathlib.Path) -> None:
    digests = []
    for name, value in (("text", "a dog"), ("bytes", b"a dog")):
        with shardine.Writer(tmp_path / name, format="tfrecord") as writer:
            writer.write({"caption": value})
        digests.append(shardine.info(tmp_path / name).content_digest)
    assert digests[0] == digests[1]


def test_a_field_is_text_in_all_samples_or_in_none(tmp_path: pathlib.Path) -> None:
    writer = shardine.Writer(tmp_path / "out", format="tfrecord")
    writer.write({"caption": "a dog"}, key="a")
    with pytest.raises(shardine.InvalidArgumentError, match="was text") as caught:
        writer.write({"caption": b"a dog"}, key="b")
    assert caught.value.key == "b"
    writer.abandon()


def test_what_utf8_has_not_is_refused_by_sample(tmp_path: pathlib.Path) -> None:
    with shardine.Writer(tmp_path / "out", format="tfrecord") as writer:
        writer.write({"caption": "a dog"}, key="a")
        with pytest.raises(ValueError, match="sample 'b': field 'caption'"):
            writer.write({"caption": "\udcff"}, key="b")


def tar(path: pathlib.Path, texts: list[bytes]) -> pathlib.Path:
    with tarfile.open(path, "w") as file:
        for number, text in enumerate(texts):
            for name, content in (("jpg", PHOTO), ("txt", text),
                                  ("json", b'{"a": 1}')):  # fmt: skip
                member = tarfile.TarInfo(f"{number}.{name}")
                member.size = len(content)
                file.addfile(member, io.BytesIO(content))
    return path


def test_texts_of_tars_are_str(tmp_path: pathlib.Path) -> None:
    path = tar(tmp_path / "0.tar", [text.encode() for text in CAPTIONS])
    with pytest.warns(UserWarning, match="was scanned"):
        dataset = shardine.Dataset([path])
    assert [sample.fields["txt"] for sample in dataset] == CAPTIONS
    assert dataset[0].fields["json"] == '{"a": 1}'
    shardine.index([path], tmp_path / "indexed")
    assert shardine.Dataset(tmp_path / "indexed").text_fields == ["json", "txt"]


def test_texts_of_tars_that_are_not_utf8_stay_bytes(tmp_path: pathlib.Path) -> None:
    path = tar(tmp_path / "0.tar", [b"a", b"\xfc"])
    result = shardine.index([path], tmp_path / "indexed")
    assert any('"txt" is no text' in warning for warning in result.warnings)
    dataset = shardine.Dataset(tmp_path / "indexed")
    assert dataset.text_fields == ["json"]
    assert dataset[1].fields["txt"] == b"\xfc"


def test_older_sets_say_it_by_an_option(tmp_path: pathlib.Path) -> None:
    with shardine.Writer(tmp_path / "out", format="tfrecord") as writer:
        for number, caption in enumerate([b"a dog", b"\xff"]):
            writer.write({"caption": caption}, key=str(number))
    assert shardine.Dataset(tmp_path / "out").text_fields == []
    dataset = shardine.Dataset(tmp_path / "out", text=["caption"])
    assert dataset[0].fields["caption"] == "a dog"
    assert pickle.loads(pickle.dumps(dataset))[0].fields["caption"] == "a dog"
    with pytest.raises(shardine.UnsupportedError, match="not UTF-8") as caught:
        dataset[1]
    assert caught.value.key == "1"
    loader = shardine.Loader(
        tmp_path / "out", batch_size=1, fields=["caption"], text=["caption"],
        order="sequential",
    )  # fmt: skip
    batches = iter(loader)
    assert next(batches).fields["caption"] == ["a dog"]
    with pytest.raises(shardine.UnsupportedError, match="sample 1: .* not UTF-8"):
        next(batches)
    with pytest.raises(ValueError, match="none of fields"):
        shardine.Loader(tmp_path / "out", batch_size=1, raw=True, text=["caption"])
