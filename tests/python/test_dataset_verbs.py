"""The verbs on existing datasets make the same in Python as in the program."""

import pathlib
import random
import re
import shutil
import subprocess
import warnings
from typing import Any

import pytest
from command_line import drawn, files_of, json_of, run
from conftest import PHOTOS, SHARDINE

import shardine

RESIZE: dict[str, list[Any]] = {
    "on_bad": ["skip", "keep"],
    "quality": [40, 100],
    "optimize": [True],
    "filter": ["nearest", "hamming"],
    "center_crop": [True],
    "color": ["color"],
    "upscale": [False],
    "exif": ["apply", "ignore"],
    "keep_icc": [True],
    "jobs": [1, 3],
}
SHARDS: dict[str, list[Any]] = {
    "format": ["tfrecord", "lmdb/datum"],
    "shards": [2, 5],
    "seed": [9],
    "shuffle": [False],
    "hold_out": [1],
    "split": [{"train": 0.5, "val": 0.5}],
    "label_offset": [3],
    "entry_points": ["none"],
}
# .resize has the size of each file and the time of each source.
Files = dict[str, bytes]


@pytest.mark.parametrize("seed", range(8))
def test_resize_makes_the_bytes_that_the_program_makes(
    seed: int, tmp_path: pathlib.Path
) -> None:
    draw = random.Random(seed)
    options = drawn(draw, RESIZE, 4)
    options["short_side"] = draw.choice([24, [16, 40], "40,16"])
    sources: Any = draw.choice([PHOTOS, {"a": PHOTOS / "hounds", "b": PHOTOS}])
    if seed % 2:
        sources = PHOTOS
        options.update(drawn(draw, SHARDS, 4))
        if "split" in options:
            options.pop("hold_out", None)
        options["to"] = "shards"
    named = (
        [f"{name}={path}" for name, path in sources.items()]
        if isinstance(sources, dict)
        else [sources]
    )
    run("resize", *named, tmp_path / "program", **options)
    shardine.resize(sources, tmp_path / "package", **options)
    assert images_of(tmp_path / "package") == images_of(tmp_path / "program"), options


def images_of(folder: pathlib.Path) -> Files:
    """All but the record of a resized tree, which has times."""
    return {
        name: content
        for name, content in files_of(folder).items()
        if not name.startswith(".resize")
    }


def test_the_preset_of_imagenet18_is_that_of_the_program(
    tmp_path: pathlib.Path,
) -> None:
    run("resize", PHOTOS, tmp_path / "program", preset="imagenet18")
    done = shardine.resize(PHOTOS, tmp_path / "package", preset="imagenet18")
    assert images_of(tmp_path / "package") == images_of(tmp_path / "program")
    assert (done.samples, done.files) == (24, 48)
    with pytest.raises(ValueError, match="quality: has no effect beside preset"):
        shardine.resize(PHOTOS, "out", preset="imagenet18", quality=3)
    with pytest.raises(ValueError, match='preset: has no effect without to="tree"'):
        shardine.resize(PHOTOS, "out", preset="imagenet18", to="shards")


def test_resize_refuses_what_would_do_nothing() -> None:
    with pytest.raises(TypeError, match="short_side is needed"):
        shardine.resize(PHOTOS, "out")
    with pytest.raises(ValueError, match='seed: has no effect without to="shards"'):
        shardine.resize(PHOTOS, "out", short_side=8, seed=3)
    with pytest.raises(ValueError, match='to: "shard" is none of tree, shards'):
        shardine.resize(PHOTOS, "out", short_side=8, to="shard")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match='short_side: "8" occurs twice'):
        shardine.resize(PHOTOS, "out", short_side=[8, 8])


@pytest.mark.parametrize(
    "options",
    [
        {"prefix": "{n}/"},
        {"prefix": "x{n}-", "format": "lmdb"},
        {"prefix": "{n}/", "entry_points": "none", "jobs": 1},
    ],
)
def test_merge_makes_the_bytes_that_the_program_makes(
    packed: pathlib.Path, tmp_path: pathlib.Path, options: Any
) -> None:
    run("merge", packed, packed, tmp_path / "program", **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # values that only the sidecar index keeps
        shardine.merge([packed, packed], tmp_path / "package", **options)
    assert files_of(tmp_path / "package") == files_of(tmp_path / "program")
    with pytest.raises(shardine.InvalidArgumentError):
        shardine.merge([packed, packed], tmp_path / "other")
    with pytest.raises(TypeError, match="sources: several paths are wanted"):
        shardine.merge({"a": packed}, tmp_path / "other")


def test_audit_tells_what_the_program_tells(tmp_path: pathlib.Path) -> None:
    tree = shutil.copytree(PHOTOS, tmp_path / "tree")
    first, *_, last = sorted(path for path in tree.rglob("*") if path.is_file())
    shutil.copy(first, first.with_name("copy.jpg"))
    shutil.copy(first, last.with_name("copy.jpg"))
    done = shardine.pack(tree, tmp_path / "out", split="train=0.5,val=0.5", seed=3)
    found = shardine.audit(tmp_path / "out")
    assert done.copies == found.splits
    assert found.samples == done.samples and found.conflicting == 1
    (image,) = found.copies
    assert image.proved and len(image.samples) == 3
    assert {each.label_text for each in image.samples} == {first.parent.name, last.parent.name}
    assert found.to_dict() == json_of("audit", tmp_path / "out")
    assert shardine.audit(tmp_path / "out", index_only=True).unproved == 1
    unpacked = shardine.audit(tree)
    keys_of = [sorted(each.key for each in found.samples) for found in (image, *unpacked.copies)]
    assert keys_of == [keys_of[0]] * 2 and unpacked.conflicting == 1
    clean = shardine.audit(tmp_path / "out", clean=tmp_path / "clean.lst")
    assert clean.left_out == 2
    keys = [line.split("\t")[2].rstrip("\n") for path in clean.lists for line in open(path)]
    assert len(keys) == len(set(keys)) == found.samples - 2
    # The remaining samples have no image twice.
    lists = {split: tmp_path / f"clean_{split}.lst" for split in ("train", "val")}
    for split, listed in lists.items():
        again = shardine.pack(tree, tmp_path / split, list=listed)
        assert shardine.audit(again.output).copies == ()


def test_report_writes_what_the_program_writes(tmp_path: pathlib.Path) -> None:
    tree = shutil.copytree(PHOTOS, tmp_path / "tree")
    first, *_, last = sorted(path for path in tree.rglob("*") if path.is_file())
    shutil.copy(first, last.with_name("copy.jpg"))
    out = tmp_path / "out"
    shardine.pack(tree, out, split="train=0.5,val=0.5", seed=3)
    page = tmp_path / "page.html"
    report = shardine.report(out, page, samples=5, seed=2)
    assert report.shown == 5 and report.bytes == page.stat().st_size
    assert report.conflicting == 1 and report.damaged == 0
    assert report.answer == ("no" if shardine.audit(out).leaking else "partly")
    own = page.read_text("utf-8")
    again = json_of("report", out, out=page, samples=5, seed=2)
    assert {**report.to_dict(), "bytes": 0} == {**again, "bytes": 0}
    without_time = re.compile(r'"seconds":[\d.e-]+|It took [^<]*|nonce="?-?\w+|nonce-\w+')
    assert without_time.sub("", page.read_text("utf-8")) == without_time.sub("", own)
    page.write_text("mine")
    with pytest.raises(shardine.InvalidArgumentError):
        shardine.report(out, page)
    assert page.read_text() == "mine"
    assert shardine.report(out, page, overwrite=True).shown == report.samples


@pytest.mark.parametrize("layout", ["webdataset", "tfrecord"])
def test_card_writes_what_the_program_writes(tmp_path: pathlib.Path, layout: Any) -> None:
    out = tmp_path / "out"
    shardine.pack(PHOTOS, out, format=layout, split="train=0.5,val=0.5")
    before = files_of(out)
    (tmp_path / "paper.bib").write_text("@book{a}\n")
    options: dict[str, Any] = {
        "license": "mit", "name": "Two <birds>", "citation": tmp_path / "paper.bib", "jobs": 2,
    }
    card = shardine.card(out, **options)
    assert [pathlib.Path(each).name for each in card.written] == [
        "manifest-sha256.txt", "croissant.json", "README.md",
    ]
    assert (card.samples, card.files, card.kept) == (24, len(before), ())
    own = files_of(out)
    assert {name: own[name] for name in before} == before
    again = json_of("card", out, out=tmp_path / "other", **options)
    assert {**card.to_dict(), "written": []} == {**again, "written": []}
    assert files_of(tmp_path / "other") == {
        name: text for name, text in own.items() if name not in before
    }
    (out / "README.md").write_text("mine")
    with pytest.raises(shardine.InvalidArgumentError, match="overwrite=True replaces it"):
        shardine.card(out)
    assert (out / "README.md").read_text() == "mine"
    assert not [each for each in shardine.verify(out).notes if "not listed" in each]
    assert shardine.card(out, overwrite=True).written


@pytest.mark.parametrize("by", ["id", "key"])
def test_relabel_makes_the_bytes_that_the_program_makes(
    packed: pathlib.Path, tmp_path: pathlib.Path, by: Any
) -> None:
    rows = list(shardine.ls(packed))[:5]
    text = "".join(f"{row.id}\t0\t{row.key}\n" for row in rows)
    (tmp_path / "new.lst").write_text(text)
    operands = packed, tmp_path / "program", tmp_path / "new.lst"
    run("relabel", *operands, by=by)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # how many samples keep their labels
        shardine.relabel(packed, tmp_path / "package", tmp_path / "new.lst", by=by)
    assert files_of(tmp_path / "package") == files_of(tmp_path / "program")
    found = shardine.diff(packed, tmp_path / "package")
    said = json_of("diff", packed, tmp_path / "package")
    told = found.to_dict()
    assert all(told[name] == said[name] for name in said)
    assert found.relabelled == len(found.differences) > 0
    assert {each.kind for each in found.differences} == {"relabelled"}
    assert {each.other_labels for each in found.differences} == {(0,)}
    assert shardine.diff(packed, tmp_path / "package", limit=0).differences == ()


def test_reindex_leaves_what_the_program_leaves(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    mine = shutil.copytree(packed, tmp_path / "mine")
    other = shutil.copytree(packed, tmp_path / "other")
    for points in ("none", "auto"):
        run("reindex", other, entry_points=points)
        done = shardine.reindex(mine, entry_points=points)  # type: ignore[call-overload]
        assert files_of(mine) == files_of(other)
        assert [each.path for each in done.datasets][0] == str(mine)
    assert files_of(mine) == files_of(packed)


def test_native_indexes_are_those_of_the_program(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    shard = shutil.copy(next(packed.glob("*.rec")), tmp_path / "a.rec")
    (made,) = shardine.reindex(shard, native=True)
    index = tmp_path / "a.idx"
    assert made.index == str(index) and made.written
    said = json_of("reindex", shard, native=True)["indexes"]
    assert said == [{**made.to_dict(), "written": False}]
    index.write_text("other")
    with pytest.raises(shardine.ExistsError):
        shardine.reindex([shard], native=True)
    assert shardine.reindex([shard], native=True, replace=True)[0].written
    with pytest.raises(TypeError, match="unknown option entry_points"):
        shardine.reindex(shard, native=True, entry_points="none")  # type: ignore[call-overload]


def test_a_list_is_read_and_verified_from_where_the_program_does(
    tmp_path: pathlib.Path,
) -> None:
    shutil.copytree(PHOTOS, tmp_path / "photos")
    names = ["whippet.JPEG", "redbone.JPEG", "whippet.JPEG"]
    lines = [f"{number}\t{number % 2}\t{name}\n" for number, name in enumerate(names)]
    (tmp_path / "a.lst").write_text("".join(lines))
    given: Any = {"list": tmp_path / "a.lst", "list_root": tmp_path / "photos" / "hounds"}
    run("pack", tmp_path / "photos", tmp_path / "program", **given)
    shardine.pack(tmp_path / "photos", tmp_path / "package", **given)
    assert files_of(tmp_path / "package") == files_of(tmp_path / "program")
    against = tmp_path / "photos"
    assert shardine.verify(tmp_path / "package", against=against, **given).sound
    assert not shardine.verify(tmp_path / "package", against=against).sound


def test_an_image_that_another_split_has_is_missing_from_this_one(
    tmp_path: pathlib.Path,
) -> None:
    """semantics review 4."""
    sources = {name: tmp_path / name for name in ("train", "val")}
    for source in sources.values():
        shutil.copytree(PHOTOS, source)
    left = sources["val"] / "hounds" / "whippet.JPEG"
    contents = left.read_bytes()
    left.unlink()
    shardine.pack(sources, tmp_path / "out")
    left.write_bytes(contents)
    found = json_of("verify", tmp_path / "out",
                    against=",".join(f"{name}={path}" for name, path in sources.items()))
    assert shardine.verify(tmp_path / "out", against=sources).notes
    assert any("hounds/whippet.JPEG" in note for note in found["notes"])


def test_the_command_of_info_packs_again_what_has_no_labels(tmp_path: pathlib.Path) -> None:
    """field report B21."""
    flat = pathlib.Path(shutil.copytree(PHOTOS / "hounds", tmp_path / "flat"))
    with pytest.warns(UserWarning, match="have no label"):
        shardine.pack(flat, tmp_path / "out", unlabelled=True)
    shown = subprocess.run([SHARDINE, "info", tmp_path / "out"], check=True, text=True,
                           capture_output=True).stdout
    (line,) = [line for line in shown.splitlines() if line.startswith("as ")]
    command = line.split()[1:]
    assert "--unlabelled" in command
    subprocess.run([SHARDINE, *command, tmp_path / "again"], check=True, capture_output=True)
    assert files_of(tmp_path / "again") == files_of(tmp_path / "out")


def test_scan_tells_what_the_program_tells(tmp_path: pathlib.Path) -> None:
    shutil.copytree(PHOTOS, tmp_path / "photos")
    (tmp_path / "photos" / "hounds" / "bad.jpg").write_bytes(b"\xff\xd8")
    (tmp_path / "photos" / "notes.txt").write_text("no image")
    for check in ("header", "decode"):
        said = json_of("scan", tmp_path / "photos", check=check)
        found = shardine.scan(tmp_path / "photos", check=check)  # type: ignore[arg-type]
        assert found.to_dict() == said
        assert (found.bad, found.ignored[0].count) == (1, 1)
    with pytest.raises(ValueError, match='check: "none" is not one of header.decode'):
        shardine.scan(PHOTOS, check="none")  # type: ignore[arg-type]


def test_extract_and_cat_give_the_files_that_were_packed(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    done = shardine.extract(packed, tmp_path / "files")
    said = json_of("extract", packed, tmp_path / "program")
    assert done.to_dict() == {**said, "directory": str(tmp_path / "files")}
    assert files_of(tmp_path / "files") == files_of(tmp_path / "program")
    for row in shardine.ls(packed):
        image = (PHOTOS / row.key).read_bytes()
        assert shardine.cat(packed, row.key) == image
        assert shardine.cat(packed, row.key.encode(), split="train") == image
    keys = [row.key for row in shardine.ls(packed)][::-1] * 2
    images = shardine.cat(packed, keys)
    assert images == [(PHOTOS / key).read_bytes() for key in keys]
    assert shardine.cat(packed, []) == []
    with pytest.raises(shardine.NotFoundError):
        shardine.cat(packed, "nobody")
    with pytest.raises(shardine.NotFoundError, match="nobody"):
        shardine.cat(packed, [row.key, "nobody"])
    (tmp_path / "files" / row.key).write_bytes(b"other")
    with pytest.raises(shardine.ExistsError):
        shardine.extract(packed, tmp_path / "files")
    again = shardine.extract(packed, tmp_path / "files", overwrite=True)
    assert (again.files, again.kept) == (1, 23)


def test_keys_outside_of_utf8_go_through_and_back(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "photos" / "a"
    folder.mkdir(parents=True)
    image = (PHOTOS / "hounds" / "made_gray.jpg").read_bytes()
    (pathlib.Path(str(folder)) / "b\udcff.jpg").write_bytes(image)
    shardine.pack(tmp_path / "photos", tmp_path / "out")
    (row,) = shardine.ls(tmp_path / "out")
    assert row.key == "a/b\udcff.jpg"
    assert shardine.cat(tmp_path / "out", row.key) == image
    listed = subprocess.run(
        [SHARDINE, "ls", str(tmp_path / "out")], stdout=subprocess.PIPE, text=True
    )
    assert "a/b\\xFF.jpg" in listed.stdout
