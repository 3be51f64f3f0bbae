"""Damaged records, bad images and unwanted keys are left out, in the package as in
the program."""

import json
import pathlib
from typing import Any

import pytest
from command_line import files_of, json_of
from conftest import PHOTOS

import shardine

Rejects = list[dict[str, Any]]


def rejects_in(folder: pathlib.Path) -> Rejects:
    lines = (folder / "rejected.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture
def damaged(own_copy: pathlib.Path) -> pathlib.Path:
    """One bit of the first image of the first shard is another."""
    sample = next(iter(shardine.ls(own_copy)))
    shard = own_copy / sample.shard
    contents = bytearray(shard.read_bytes())
    contents[sample.extents[0][0] + 200] ^= 1
    shard.write_bytes(bytes(contents))
    return own_copy


def test_convert_leaves_out_and_lists_a_damaged_record(
    damaged: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    with pytest.raises(shardine.CorruptError) as caught:
        shardine.convert(damaged, tmp_path / "no", format="tfrecord")
    assert caught.value.record == 0
    out = tmp_path / "out"
    done = shardine.convert(damaged, out, format="tfrecord", on_bad="skip")
    assert done.samples == 23
    assert [(each.reason, each.action, each.count) for each in done.rejected] == [
        ("checksum", "skip", 1)
    ]
    (reject,) = rejects_in(out)
    sample = next(iter(shardine.ls(damaged)))
    assert reject["key"] == sample.key
    assert reject["file"] == sample.shard
    assert reject["record"] == 0
    assert reject["byte"] == sample.extents[0][0]
    assert shardine.verify(out).sound
    assert shardine.info(out).made.options["on-bad"] == "skip"
    assert shardine.convert(damaged, out, format="tfrecord", on_bad="skip").nothing_to_do
    with pytest.raises(shardine.ChangedError):
        shardine.convert(damaged, out, format="tfrecord")
    by_program = json_of("convert", damaged, tmp_path / "p", format="tfrecord", on_bad="skip")
    assert by_program["rejected"] == [{"reason": "checksum", "action": "skip", "count": 1}]
    assert files_of(tmp_path / "p") == files_of(out)


def test_merge_and_extract_leave_out_a_damaged_record(
    damaged: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    both = shardine.merge(
        [damaged, damaged], tmp_path / "both", prefix="{n}/", on_bad="skip"
    )
    assert both.samples == 46
    assert len(rejects_in(tmp_path / "both")) == 2
    assert shardine.verify(tmp_path / "both").sound
    with pytest.raises(shardine.CorruptError):
        shardine.extract(damaged, tmp_path / "no")
    files = shardine.extract(damaged, tmp_path / "files", on_bad="skip")
    assert files.files == 23
    assert [(each.reason, each.count) for each in files.rejected] == [("checksum", 1)]
    assert len(rejects_in(tmp_path / "files")) == 1
    again = shardine.extract(damaged, tmp_path / "files", on_bad="skip")
    assert (again.files, again.kept) == (0, 23)


def test_keys_of_a_file_are_left_out(packed: pathlib.Path, tmp_path: pathlib.Path) -> None:
    keys = [each.key for each in shardine.ls(packed)]
    unwanted = tmp_path / "unwanted.txt"
    unwanted.write_text(f"{keys[2]}\nnothing.jpg\n{keys[5]}\n")
    out = tmp_path / "out"
    done = shardine.convert(packed, out, drop_keys=unwanted)
    assert [each.key for each in shardine.ls(out)] == [
        key for key in keys if key not in (keys[2], keys[5])
    ]
    assert {each.reason: each.count for each in done.ignored} == {
        "dropped": 2,
        "drop-keys-unmatched": 1,
    }
    assert shardine.verify(out).sound
    unwanted.write_text("nothing.jpg\n")
    with pytest.raises(shardine.InvalidArgumentError, match="1 of 1 keys"):
        shardine.convert(packed, tmp_path / "none", drop_keys=unwanted)


@pytest.mark.parametrize("on_bad", ["skip", "quarantine", "keep"])
def test_a_writer_deals_with_bad_images(on_bad: Any, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    photo = next((PHOTOS / "hounds").glob("*.jpg"))
    writer = shardine.Writer(out, format="webdataset", on_bad=on_bad)
    writer.write({"image": b"<html>not found</html>"}, key="page.jpg")
    writer.write({"image": photo.read_bytes()}, key="photo.jpg")
    written = writer.close()
    assert [(each.reason, each.action) for each in written.rejected] == [
        ("not-an-image", on_bad)
    ]
    (reject,) = rejects_in(out)
    assert (reject["key"], reject["action"]) == ("page.jpg", on_bad)
    assert "file" not in reject
    aside = out / "quarantine" / "train" / "page.jpg"
    assert aside.exists() == (on_bad == "quarantine")
