"""Every option of every verb that writes, in the program and in the package: the same
bytes, or a refusal by both. Complements the other tests, which draw at random."""

import itertools
import pathlib
import random
import re
import shlex
import json
import shutil
import subprocess
import typing
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from command_line import as_flags, drawn, files_of, json_of
from conftest import PHOTOS, SHARDINE, pack
from test_dataset_verbs import RESIZE, SHARDS, images_of
from test_verbs import CONVERT, PACK, SIZES

import shardine
import shardine.verb_options

# Records without names of fields; test_named_fields.py has others.
ROLES: dict[str, list[dict[str, Any]]] = {
    **{role: [{role: "photo"}] for role in ("image", "label", "key")},
    "one_hot": [{"one_hot": True}, {"label": "kind", "one_hot": True}],
}
# A value that stands for a path is a name in the folder of `world`.
SOURCES: dict[str, list[dict[str, Any]]] = {
    "list": [{"list": "some.lst"}, {"list": "some.json"}],
    "list_root": [{"list": "hounds.lst", "list_root": "photos/hounds"}],
    "metadata_file": [{"metadata_file": "none"},
                      {"metadata_file": "rows.csv", "SOURCE": "captioned",
                       "format": "webdataset"}, {"metadata_file": "lost.csv"}],
    "label_map": [{"label_map": "map.txt"}, {"label_map": "map.json"}],
    "blacklist": [{"blacklist": "black.txt"}],
    "val_labels": [{"val_labels": "val.txt", "SOURCE": "flat"}],
    "unlabelled": [{"unlabelled": True, "SOURCE": "flat"}, {"SOURCE": "flat"}],
    "class_text": [{"class_text": "text.txt"}],
    "bounding_boxes": [{"bounding_boxes": "boxes.csv", "format": "tfrecord"}],
    "annotations": [{"annotations": "coco:boxes.json", "SOURCE": "flat",
                     "format": "webdataset"},
                    {"annotations": "coco:wrong.json", "SOURCE": "flat",
                     "format": "tfrecord"}, {"annotations": "cvat:boxes.json"}],
    "bad_annotations": [{"annotations": "coco:wrong.json", "SOURCE": "flat",
                         "format": "webdataset", "bad_annotations": each}
                        for each in ("fail", "skip")] + [{"bad_annotations": "skip"}],
    "fields": [{"fields": {"caption": ".txt", "mask": "_m.jpg"}, "SOURCE": "captioned",
                "format": "webdataset"},
               {"fields": "auto", "SOURCE": "captioned", "format": "webdataset"},
               {"fields": "caption=.xml", "SOURCE": "captioned"}, {"fields": "caption"}],
    "pair": [{"pair": {"text": "texts/{class}/{stem}.txt"}, "SOURCE": "captioned",
              "format": "tfrecord"}, {"pair": "text=../{stem}.txt"}],
    "unite_classes": [{"unite_classes": True, "SOURCE": "forms"}, {"SOURCE": "forms"}],
    "numbered_classes": [{"numbered_classes": True, "SOURCE": "numbers"},
                         {"numbered_classes": True}, {"SOURCE": "numbers"}],
    "empty_classes": [{"empty_classes": each, "SOURCE": "gaps"}
                      for each in ("refuse", "keep", "drop")],
    "on_bad": [{"on_bad": each, "SOURCE": "bad"}
               for each in ("fail", "skip", "quarantine", "keep")],
    "pass_order": [{"pass_order": "pillow12", "variants": "sz/24"}],
    "encoding": [{"encoding": "png", "png_level": 3, "variants": "sz/24"},
                 {"encoding": "jpeg", "variants": "sz/24"}],
    "shard_size": [{"shard_size": "200K"}, {"shard_size": 90_000},
                   {"shard_size": "9000B"}, {"shard_size": 1000}],
    "replace": [{"replace": True}],
    "lossy_labels": [{"lossy_labels": True, "list": "halves.lst", "format": "lmdb/datum"},
                     {"list": "halves.lst", "format": "lmdb/datum"}],
}
RULES: dict[str, list[dict[str, Any]]] = {
    "stratify": [{"split": "train=0.5,val=0.5", "stratify": True}, {"stratify": True}],
    "small_classes": [
        {"split": "train=0.98,val=0.01,test=0.01", "stratify": True, "small_classes": each}
        for each in ("refuse", "train")] + [
        {"split": "train=0.6,val=0.4", "stratify": True, "small_classes": "train"}],
    "group_by": [{"split": "train=0.5,val=0.5", "group_by": each}
                 for each in ("folder:1", "/(..)", "(", "nothing(x)")],
    "dedup_groups": [{"split": "train=0.5,val=0.5", "dedup_groups": True},
                     {"dedup_groups": True}],
    "near_groups": [{"split": "train=0.5,val=0.5", "near_groups": True},
                    {"near_groups": True}],
}
CASES: dict[str, dict[str, list[dict[str, Any]]]] = {
    "pack": {**SOURCES, **RULES, "kinds": [
        {"kinds": each} for each in (["jpeg", "png"], ["png"], ["heic"], [])],
        "recode": [{"recode": "png"}, {"recode": "jpeg", "quality": 70},
                   {"recode": "png", "quality": 70}, {"recode": "png", "variants": "sz/24"}],
        "to_8_bits": [{"recode": "png", "to_8_bits": True}, {"to_8_bits": True}]},
    "resize": {
        **{name: cases for name, cases in SOURCES.items()
           if name not in ("bounding_boxes", "encoding", "pass_order", "shard_size")},
        **RULES,
        "pass_order": [{"pass_order": "pillow12"}],
        "dry_run": [{"dry_run": True}, {"dry_run": True, "replace": True}],
        "encoding": [{"encoding": "png", "png_level": 3}, {"subsampling": "444"}],
        "shard_size": [{"shard_size": "64K"}],
        "min_per_class": [{"min_per_class": 6}],
        "bounding_boxes": [{"bounding_boxes": "boxes.csv"}],
    },
    "convert": {
        **RULES,
        "label_map": [{"label_map": "relabel.txt"}],
        "fields": [{"fields": "none", "SOURCE": "fielded"},
                   {"fields": ["caption"], "SOURCE": "fielded", "format": "webdataset"}],
        "class_names": [{"class_names": "names.txt", "SOURCE": "foreign.rec"}],
        **ROLES,
        "shards": [{"shards": 4}],
        "prefix": [{"prefix": "{n}-{name}-{shard}/{id}/"}, {"prefix": "{x}"}],
        "hold_out": [{"hold_out": 1}, {"hold_out": 99}],
        "seed": [{"seed": 3}, {"split": "a=0.5,b=0.5", "seed": 3}],
        "strict": [{"strict": True}, {"strict": True, "format": "tfrecord"}],
        "pixels": [{"pixels": "bgr", "format": "hdf5/array", "SOURCE": "square"},
                   {"pixels": "gray", "format": "tfrecord", "SOURCE": "square"}],
        "recode": [{"recode": "png"}, {"recode": "jpeg", "quality": 70},
                   {"recode": "png", "quality": 70}],
        "to_8_bits": [{"recode": "png", "to_8_bits": True}, {"to_8_bits": True}],
        "encode": [{"encode": "png"}, {"encode": "jpeg", "image_layout": "bgr"}],
        "image_layout": [{"image_layout": "chw"}],
        "on_bad": [{"on_bad": each, "SOURCE": "packed_bad", **more}
                   for each in ("fail", "skip", "quarantine", "keep")
                   for more in ({}, {"pixels": "rgb", "format": "tfrecord"})],
        "check": [{"on_bad": "skip", "check": each, "SOURCE": "packed_bad"}
                  for each in ("none", "header", "decode")]
                 + [{"check": "decode", "SOURCE": "packed_bad"},
                    {"check": "header", "pixels": "rgb", "format": "tfrecord"}],
        "drop_keys": [{"drop_keys": "drop.txt"}, {"drop_keys": "names.txt"}],
        "space_check": [{"space_check": False}],
        "dry_run": [{"dry_run": True}, {"dry_run": True, "replace": True}],
        "replace": [{"replace": True}],
        "lossy_labels": [{"lossy_labels": True, "SOURCE": "halves", "format": "lmdb/datum"},
                         {"SOURCE": "halves", "format": "lmdb/datum"}],
    },
    "index": {
        "split": [{"split": "val"}],
        "class_names": [{"class_names": "names.txt"}],
        "list": [{"list": "foreign.lst"}],
        "list_by": [{"list": "foreign.lst", "list_by": each}
                    for each in ("key", "id", "position")],
        "format": [{"format": "recordio/mxnet"}],
        **ROLES,
        "fields": [{"fields": "none"}, {"fields": ["a", "b"]}],
        "jobs": [{"jobs": 1}, {"jobs": 5}],
    },
    "merge": {
        **RULES,
        "split": [{"split": "train=0.5,val=0.5"}],
        "seed": [{"split": "train=0.5,val=0.5", "seed": 3}, {"seed": 3}],
        "prefix": [{}],
        "on_bad": [{"on_bad": each, "SOURCE": ["packed_bad", "packed"]}
                   for each in ("fail", "skip", "quarantine", "keep")],
        "check": [{"on_bad": "skip", "check": each, "SOURCE": ["packed_bad", "packed"]}
                  for each in ("none", "header", "decode")],
        "drop_keys": [{"drop_keys": "drop.txt"}, {"drop_keys": "names.txt"}],
        "format": [{"format": "tfrecord"}],
        "entry_points": [{"entry_points": "none"}],
        "space_check": [{"space_check": False}],
        "dry_run": [{"dry_run": True}, {"dry_run": True, "replace": True}],
        "replace": [{"replace": True}],
        "lossy_labels": [{"lossy_labels": True, "SOURCE": ["halves", "halves"],
                          "format": "lmdb/datum"},
                         {"SOURCE": ["halves", "halves"], "format": "lmdb/datum"}],
        "jobs": [{"jobs": 3}],
    },
    "relabel": {
        "by": [{"by": "id"}, {"by": "key"}, {"by": "position"}],
        "on_bad": [{"on_bad": each} for each in ("fail", "skip", "quarantine", "keep")],
        "check": [{"check": each} for each in ("none", "header", "decode")],
        "entry_points": [{"entry_points": "none"}],
        "space_check": [{"space_check": False}],
        "lossy_labels": [{"lossy_labels": True}],
        "jobs": [{"jobs": 3}],
    },
    "verify": {
        **ROLES,
        "fields": [{"fields": "none"}],
        "level": [{"level": each} for each in ("quick", "full", "deep")],
        "against": [{"against": "photos"}],
        "list": [{"list": "all.lst", "against": "photos"}],
        "list_root": [{"list": "all.lst", "list_root": "photos", "against": "photos"}],
        "jobs": [{"jobs": 2}],
    },
}
# Options that are drawn elsewhere.
DRAWN: dict[str, set[str]] = {
    "pack": {*PACK, *SIZES, "variants"},
    "convert": {*CONVERT, "suffix"},
    "resize": {*RESIZE, *SHARDS, "short_side", "preset"},
}
OF_PYTHON = {"progress"}
KINDS = {verb: f"{verb.title()}Options" for verb in CASES}


@pytest.mark.parametrize("verb", CASES)
def test_no_option_is_left_out(verb: str) -> None:
    kind = getattr(shardine.verb_options, KINDS[verb])
    given = {name for cases in CASES[verb].values() for case in cases for name in case}
    left = set(typing.get_type_hints(kind)) - given - DRAWN.get(verb, set()) - OF_PYTHON
    assert left <= {"prefix"}  # without which keys of a merge are there twice


def labelled(paths: list[pathlib.Path], root: pathlib.Path) -> str:
    return "".join(f"{number}\t{number % 3}\t{path.relative_to(root)}\n"
                   for number, path in enumerate(paths))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """All that options can name."""
    world = tmp_path_factory.mktemp("world")
    photos = pathlib.Path(shutil.copytree(PHOTOS, world / "photos"))
    files = sorted(photos.glob("*/*"))
    hounds = sorted((photos / "hounds").iterdir())
    (world / "some.lst").write_text(labelled(files[::3], photos))
    (world / "all.lst").write_text(labelled(files, photos))
    (world / "hounds.lst").write_text(labelled(hounds, photos / "hounds"))
    rows = (f'["{path.relative_to(photos)}", {n}]' for n, path in enumerate(files[::4]))
    (world / "some.json").write_text(f"[{', '.join(rows)}]")
    classes = sorted(each.name for each in photos.iterdir())
    (world / "map.txt").write_text(
        "".join(f"{name} {7 - n}\n" for n, name in enumerate(classes)))
    (world / "map.json").write_text(
        "{" + ", ".join(f'"{name}": {n + 3}' for n, name in enumerate(classes)) + "}")
    (world / "text.txt").write_text(
        "".join(f"{name}\tthe {name}\n" for name in classes))
    (world / "names.txt").write_text(
        "".join(f"{name} {n}\n" for n, name in enumerate(classes)))
    (world / "black.txt").write_text(f"{files[0].name}\n{files[5].relative_to(photos)}\n")
    (world / "drop.txt").write_text(f"{files[3].relative_to(photos)}\nnothing.jpg\n")
    (world / "boxes.csv").write_text(f"{hounds[0].name},0.1,0.2,0.5,0.75\n")
    for name, box in (("boxes", [1, 2, 3, 4]), ("wrong", [1, 2, 0, 4])):
        (world / f"{name}.json").write_text(json.dumps({
            "images": [{"id": 1, "file_name": hounds[0].name}],
            "categories": [{"id": 1, "name": "dog"}],
            "annotations": [{"image_id": 1, "category_id": 1, "bbox": box}]}))
    (world / "relabel.txt").write_text("0 5 five\n1 -\n* 2 two\n")
    flat = world / "flat"
    flat.mkdir()
    for path in hounds:
        shutil.copy(path, flat)
    (world / "val.txt").write_text(
        "".join(f"{path.name} {n % 2}\n" for n, path in enumerate(hounds)))
    shutil.copytree(PHOTOS, world / "gaps")
    (world / "gaps" / "empty").mkdir()
    for n, name in enumerate(("caf\u00e9", "cafe\u0301")):
        (world / "forms" / name).mkdir(parents=True)
        shutil.copy(hounds[n], world / "forms" / name / f"{n}.jpg")
    for n, name in enumerate(("0", "1", "10", "2")):
        (world / "numbers" / name).mkdir(parents=True)
        shutil.copy(hounds[0], world / "numbers" / name / f"{n}.jpg")
    for path in hounds:
        for name in (path.name, f"{path.stem}.txt", f"{path.stem}_m.jpg"):
            copy = world / "captioned" / "hounds" / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(b"woof" if name.endswith(".txt") else path.read_bytes())
        copy = world / "captioned" / "texts" / "hounds" / f"{path.stem}.txt"
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(path.name)
    (world / "captioned" / "rows.csv").write_text(
        "file_name,n\n" + "".join(f"hounds/{path.name},{path.name}\n" for path in hounds))
    bad = pathlib.Path(shutil.copytree(PHOTOS, world / "bad"))
    (bad / "hounds" / "bad.jpg").write_bytes(b"\xff\xd8 and no more")
    pack(photos, world / "packed", "--shard-size=128K", "--seed=7")
    pack(bad, world / "packed_bad", "--on-bad=keep")
    pack(photos, world / "square_photos", "--variants=sz/32", "--center-crop")
    shutil.copytree(world / "square_photos" / "sz" / "32", world / "square")
    foreign = next((world / "packed").glob("*.rec"))
    shutil.copy(foreign, world / "foreign.rec")
    ids = [row.id for row in shardine.ls(world / "packed")
           if pathlib.Path(row.shard).name == foreign.name]
    (world / "foreign.lst").write_text("".join(f"{n}\t{n % 2}\tk{n}\n" for n in ids))
    with shardine.Writer(world / "fielded", format="tfrecord") as writer:
        for path in hounds:
            writer.write({"image": path, "label": 1, "caption": path.name, "n": 3},
                         key=path.name)
    (world / "halves.lst").write_text("".join(
        f"{n}\t{n / 2}\t{path.relative_to(photos)}\n" for n, path in enumerate(files)))
    with shardine.Writer(world / "halves", format="webdataset") as writer:
        for n, path in enumerate(hounds):
            writer.write({"image": path, "label": n / 2}, key=path.name)
    (world / "new.lst").write_text(
        "".join(f"{row.id}\t4\t{row.key}\n" for row in shardine.ls(world / "packed")))
    return world


def operands_of(verb: str, source: str, out: pathlib.Path) -> list[Any]:
    usual: dict[str, list[Any]] = {
        "pack": ["photos", out], "resize": ["photos", out], "convert": ["packed", out],
        "index": ["foreign.rec", out], "verify": ["packed"],
        "merge": [["packed", "packed"], out], "relabel": ["packed", out, "new.lst"],
    }
    return [source, out] if source else usual[verb]


def by_package(verb: str, operands: list[Any], options: dict[str, Any]) -> Any:
    """The result, or the error."""
    call: Callable[..., Any] = getattr(shardine, verb)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call(*operands, **options)
        except (shardine.ShardineError, ValueError, TypeError) as error:
            return error


def by_program(
    verb: str, operands: list[Any], options: dict[str, Any]
) -> subprocess.CompletedProcess[str]:
    flat = itertools.chain.from_iterable(
        each if isinstance(each, list) else [each] for each in operands)
    return subprocess.run([SHARDINE, verb, *map(str, flat), *as_flags(options)],
                          capture_output=True, text=True)


def cases() -> list[Any]:
    return [pytest.param(verb, case, id=f"{verb}-{name}-{number}")
            for verb, options in CASES.items()
            for name, listed in options.items()
            for number, case in enumerate(listed)]


@pytest.mark.parametrize("verb, case", cases())
def test_both_make_the_same_of_an_option(
    verb: str, case: dict[str, Any], world: pathlib.Path, tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(world)
    options = dict(case)
    source = options.pop("SOURCE", "")
    if verb == "resize":
        options["short_side"] = 24
        if {"shard_size", "bounding_boxes", "replace", "format"} & options.keys():
            options["to"] = "shards"
    if verb == "merge":
        options.setdefault("prefix", "{n}/")
    # Some draws of options that go with anything.
    draw = random.Random(repr((verb, case)))
    if verb in ("pack", "resize", "convert"):
        options.update(drawn(draw, {"jobs": [1, 2, 5]}, 1))
    if verb == "pack":
        options.update(drawn(draw, {"seed": [1, 2], "shuffle": [False]}, 1))
    program, package = tmp_path / "program", tmp_path / "package"
    if "replace" in options:
        for folder in (program, package):
            shutil.copytree("square_photos", folder)
    said = by_program(verb, operands_of(verb, source, program), options)
    made = by_package(verb, operands_of(verb, source, package), options)
    if said.returncode not in (0, 3):
        assert isinstance(made, Exception) or not getattr(made, "sound", True), said
        assert not package.exists() or not any(package.glob("shardine.json"))
        return
    assert not isinstance(made, Exception), made
    if verb == "verify":
        again = json_of(verb, *operands_of(verb, source, program), **options)
        told = made.to_dict()
        assert all(told[name] == again[name] for name in ("sound", "samples", "findings"))
        return
    files = images_of if verb == "resize" else files_of
    assert files(package) == files(program), options
    assert files(package)
    if options.get("dry_run"):
        assert made.replaced
    elif verb in ("pack", "convert", "merge") or options.get("to") == "shards":
        assert files_of(made_again(program, tmp_path / "again")) == files_of(program)


def made_again(dataset: pathlib.Path, out: pathlib.Path) -> pathlib.Path:
    """The output of the command that `info` prints for a dataset."""
    variant = next(dataset.rglob("shardine.json")).parent
    info = subprocess.run([SHARDINE, "info", variant], capture_output=True, text=True)
    (command,) = re.findall("^as +(.*)$", info.stdout, re.M)
    run = subprocess.run([SHARDINE, *shlex.split(command), out], capture_output=True,
                         text=True)
    assert run.returncode in (0, 3), (command, run.stderr)
    return out
