"""Files beside images that are fields: pack(fields=, pair=)."""

import io
import json
import os
import pathlib
import subprocess
from typing import Any

import pytest
from command_line import as_flags
from conftest import SHARDINE
from PIL import Image

import shardine

FORMATS = ("tfrecord", "lmdb/fields", "hdf5/fuel", "webdataset")


def png(color: int) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (9, 7), (color, 0, 0)).save(file, "PNG")
    return file.getvalue()


def put(folder: pathlib.Path, files: dict[str, Any]) -> pathlib.Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def tree(folder: pathlib.Path) -> pathlib.Path:
    files: dict[str, Any] = {}
    for n in range(6):
        stem = f"{'cat' if n % 2 else 'dog'}/{n}"
        files |= {f"{stem}.png": png(n), f"{stem}.txt": f"größe {n}",
                  f"{stem}.json": json.dumps({"n": n}), f"{stem}_mask.png": png(99 - n)}
    del files["cat/3.txt"]
    return put(folder / "tree", files)


FIELDS = {"caption": ".txt", "meta": ".json", "mask": "_mask.png"}


def check(out: pathlib.Path) -> None:
    dataset = shardine.Dataset(out)
    assert len(dataset) == 6
    for sample in dataset:
        n = int(pathlib.PurePath(sample.key).stem)
        fields = sample.fields
        assert fields["mask"] == png(99 - n)
        assert json.loads(fields["meta"]) == {"n": n}
        assert fields.get("caption") == (None if n == 3 else f"größe {n}")
    assert dataset.text_fields == ["caption", "meta"]
    shardine.verify(out, level="full")


def listed(out: pathlib.Path) -> list[tuple[str, str]]:
    lines = (out / "ignored.jsonl").read_text().splitlines()
    return [(line["reason"], line["key"]) for line in map(json.loads, lines)]


def packed(tmp_path: pathlib.Path, **options: Any) -> pathlib.Path:
    out = tmp_path / "out"
    shardine.pack(tree(tmp_path), out, fields=FIELDS, format="webdataset", **options)
    return out


def test_fields_survive_each_format_and_the_way_back(tmp_path: pathlib.Path) -> None:
    out = packed(tmp_path)
    check(out)
    assert listed(out) == [("field-missing", "cat/3.txt")]
    digest = shardine.info(out).content_digest
    with pytest.raises(shardine.UnsupportedError, match="holds no field"):
        shardine.convert(out, tmp_path / "mxnet", format="recordio")
    for n, name in enumerate(FORMATS):
        shardine.convert(out, tmp_path / str(n), format=name)
        check(tmp_path / str(n))
        back = tmp_path / f"{n}_back"
        shardine.convert(tmp_path / str(n), back, format="webdataset")
        assert shardine.info(back).content_digest == digest


def test_the_same_command_has_nothing_to_do(tmp_path: pathlib.Path) -> None:
    out = packed(tmp_path)
    text = "caption=.txt,meta=.json,mask=_mask.png"
    again = shardine.pack(tmp_path / "tree", out, fields=text, format="webdataset")
    assert again.nothing_to_do
    assert shardine.info(out).made.options["fields"] == text
    with pytest.raises(shardine.ChangedError, match="fields"):
        shardine.pack(tmp_path / "tree", out, fields="caption=.txt", format="webdataset")
    (tmp_path / "tree/cat/1.txt").write_text("longer than it was")
    with pytest.raises(shardine.ChangedError):
        shardine.pack(tmp_path / "tree", out, fields=text, format="webdataset")


def test_sizes_and_tasks_have_the_fields(tmp_path: pathlib.Path) -> None:
    out = packed(tmp_path, variants="original,sz/5")
    check(out)
    check(out / "sz" / "5")
    plan = tmp_path / "plan"
    flags = as_flags({"fields": FIELDS, "variants": "original,sz/5", "to": plan,
                      "format": "webdataset"})
    for command in (["plan", "pack", tmp_path / "tree", tmp_path / "tasks", *flags],
                    ["run-task", plan, "0"], ["finalize", plan],
                    ["diff", out, tmp_path / "tasks"]):
        subprocess.run([SHARDINE, *map(str, command)], check=True, capture_output=True)
    check(tmp_path / "tasks" / "sz" / "5")
    assert listed(tmp_path / "tasks") == listed(out)


def test_batches_have_text_as_str(tmp_path: pathlib.Path) -> None:
    os.remove(tree(tmp_path) / "cat/3.json")
    (tmp_path / "tree/cat/3.txt").write_text("größe 3")
    out = tmp_path / "out"
    shardine.pack(tmp_path / "tree", out, fields=FIELDS, format="tfrecord")
    loader = shardine.Loader(out, batch_size=6, order="sequential", fields=["caption"],
                             transform=shardine.CenterCrop(8, resize=8))
    (batch,) = loader
    assert all(isinstance(each, str) for each in batch.fields["caption"])
    assert sorted(batch.fields["caption"]) == [f"größe {n}" for n in range(6)]


def test_bad_neighbours_are_dealt_with_as_bad_images(tmp_path: pathlib.Path) -> None:
    folder = put(tmp_path / "tree", {
        **{f"a/{n}.png": png(n) for n in range(6)},
        "a/0.txt": b"\xff\xfe", "a/1.txt": "", "a/5.txt": "fine",
    })
    os.symlink("nowhere", folder / "a/2.txt")
    os.mkfifo(folder / "a/3.txt")
    (folder / "a/4.txt").mkdir()
    options: dict[str, Any] = {"fields": {"caption": ".txt"}, "format": "webdataset"}
    with pytest.raises(shardine.CorruptError, match="field caption"):
        shardine.pack(folder, tmp_path / "none", **options)
    out = tmp_path / "out"
    shardine.pack(folder, out, on_bad="skip", **options)
    fields = {sample.key: sample.fields.get("caption") for sample in shardine.Dataset(out)}
    assert fields == {"a/1.png": "", "a/4.png": None, "a/5.png": "fine"}
    rejected = map(json.loads, (out / "rejected.jsonl").read_text().splitlines())
    assert sorted((line["key"], line["reason"]) for line in rejected) == [
        ("a/0.png", "field-not-utf8"), ("a/2.png", "field-unreadable"),
        ("a/3.png", "field-unreadable")]


def test_a_neighbour_of_3_gb_is_not_read(tmp_path: pathlib.Path) -> None:
    folder = put(tmp_path / "tree", {"a/0.png": png(0), "a/1.png": png(1), "a/1.txt": "x"})
    with open(folder / "a/0.txt", "wb") as file:
        file.truncate(3 << 30)
    out = tmp_path / "out"
    shardine.pack(folder, out, on_bad="skip", fields="caption=.txt", format="webdataset",
                  space_check=False)
    assert [sample.key for sample in shardine.Dataset(out)] == ["a/1.png"]


def test_masks_of_another_tree(tmp_path: pathlib.Path) -> None:
    root = put(tmp_path / "data", {
        f"{kind}/{n}.png": png(n + add) for kind, add in (("images", 0), ("masks", 9))
        for n in range(3)})
    with pytest.raises(shardine.InvalidArgumentError, match="the pairs of") as error:
        shardine.pack(root, tmp_path / "none")
    pair = str(error.value).split(" folders are ")[1].split(";")[0].split(" ")[0].rstrip(".")
    out = tmp_path / "out"
    shardine.pack(root / "images", out, pair=pair, unlabelled=True, format="webdataset")
    for sample in shardine.Dataset(out):
        assert sample.fields["mask"] == png(int(sample.key[0]) + 9)
    with pytest.raises(ValueError, match="whole path"):
        shardine.pack(root / "images", tmp_path / "none", pair="m=../masks/{stem}.png",
                      unlabelled=True)


def test_files_are_images_by_their_first_bytes(tmp_path: pathlib.Path) -> None:
    file = io.BytesIO()
    Image.new("RGB", (9, 7)).save(file, "JPEG")
    folder = put(tmp_path / "tree", {
        "a/photo.jfif": file.getvalue(), "a/1": png(1), "a/2.JPE": file.getvalue(),
        "a/3": "text", "a/4.jfif": "text", "a/note.txt": file.getvalue()})
    os.mkfifo(folder / "a/pipe")
    out = tmp_path / "out"
    shardine.pack(folder, out)
    assert sorted(s.key for s in shardine.Dataset(out)) == ["a/1", "a/2.JPE", "a/photo.jfif"]
    assert {key for _, key in listed(out)} == {"a/3", "a/4.jfif", "a/note.txt", "a/pipe"}


def test_scan_names_what_is_left_out(tmp_path: pathlib.Path) -> None:
    (put(tmp_path / "tree", {"cat/x.csv": "1"})) and tree(tmp_path)
    found = shardine.scan(tmp_path / "tree")
    assert {each.word: each.count for each in found.others} == {
        ".csv": 1, ".json": 6, ".txt": 5}
    assert {each.word: each.count for each in found.neighbours} == {".json": 6, ".txt": 5}


def test_work_that_goes_on_takes_a_changed_neighbour(tmp_path: pathlib.Path) -> None:
    folder = tree(tmp_path)
    (folder / "dog/4.png").write_bytes(b"no image")
    options: dict[str, Any] = {"fields": FIELDS, "format": "webdataset", "shards": 6,
                               "shuffle": False, "jobs": 1}
    with pytest.raises(shardine.CorruptError):
        shardine.pack(folder, tmp_path / "out", **options)
    assert any((tmp_path / "out").glob("*.tar"))
    size = (folder / "cat/1.txt").stat().st_size
    changed = "x" * size
    (folder / "cat/1.txt").write_text(changed)
    shardine.pack(folder, tmp_path / "out", on_bad="skip", **options)
    fields = {s.key: s.fields.get("caption") for s in shardine.Dataset(tmp_path / "out")}
    assert fields["cat/1.png"] == changed and len(fields) == 5
    shardine.verify(tmp_path / "out", level="full")


def test_pairs_of_cityscapes_and_ade20k(tmp_path: pathlib.Path) -> None:
    city = put(tmp_path / "city", {
        "leftImg8bit/aachen/aachen_0_leftImg8bit.png": png(1),
        "gtFine/aachen/aachen_0_gtFine_labelIds.png": png(2),
        "gtFine/aachen/aachen_0_gtFine_polygons.json": "{}"})
    stem = f"{city}/gtFine/{{dir}}/{{stem-_leftImg8bit}}_gtFine"
    shardine.pack(city / "leftImg8bit", tmp_path / "out", format="webdataset",
                  pair={"ids": f"{stem}_labelIds.png", "polygons": f"{stem}_polygons.json"})
    (sample,) = shardine.Dataset(tmp_path / "out")
    assert (sample.fields["ids"], sample.fields["polygons"]) == (png(2), "{}")
    ade = put(tmp_path / "ade", {"x/ADE_1.jpg": png(3), "x/ADE_1_seg.png": png(4),
                                 "x/ADE_1_parts_1.png": png(5)})
    shardine.pack(ade, tmp_path / "seg", format="webdataset",
                  fields="seg=_seg.png,part=_parts_1.png")
    (sample,) = shardine.Dataset(tmp_path / "seg")
    assert (sample.fields["seg"], sample.fields["part"]) == (png(4), png(5))
