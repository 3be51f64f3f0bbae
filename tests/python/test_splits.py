"""Splits that are cut of packed samples, and new orders of them."""

import json
import pathlib
import shutil
import subprocess
import warnings
from typing import Any

import pytest
from command_line import as_flags, files_of, run
from conftest import PHOTOS, SHARDINE, pack

import shardine

CUTS: list[dict[str, Any]] = [
    {"split": {"train": 0.75, "val": 0.25}},
    {"split": "a=0.5,b=0.3,c=0.2", "seed": 2**64 - 1},
    {"hold_out": 2, "seed": 5},
    {"split": {"train": 0.75, "val": 0.25}, "stratify": True, "seed": 1},
    {"split": {"train": 0.6, "val": 0.4}, "group_by": "/(made|.)"},
    {"split": "a=0.5,b=0.5", "stratify": True, "group_by": "/(made|.)",
     "small_classes": "train"},
]


@pytest.fixture(scope="module")
def in_order(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return pack(PHOTOS, tmp_path_factory.mktemp("splits") / "in", "--no-shuffle",
                "--shards=3", "--format=webdataset")


def samples_of(path: pathlib.Path) -> list[tuple[Any, ...]]:
    return sorted((each.split, each.key, each.id, each.labels) for each in shardine.ls(path))


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize(
    "format", ["recordio", "tfrecord", "lmdb", "webdataset", "hdf5"])
def test_a_cut_is_that_of_a_pack(
    in_order: pathlib.Path, tmp_path: pathlib.Path, cut: dict[str, Any], format: str
) -> None:
    wanted = pack(PHOTOS, tmp_path / "packed", "--no-shuffle", f"--format={format}",
                  *as_flags(cut))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small splits lack classes
        done = shardine.split(in_order, tmp_path / "cut", format=format, **cut)
    assert samples_of(tmp_path / "cut") == samples_of(wanted)
    made, packed = shardine.info(tmp_path / "cut"), shardine.info(wanted)
    assert [(s.name, s.samples) for s in made.splits] == [
        (s.name, s.samples) for s in packed.splits]
    assert made.binding_digest == packed.binding_digest
    assert made.content_digest == done.content_digest
    assert shardine.verify(tmp_path / "cut", level="deep").sound
    assert shardine.diff(tmp_path / "cut", wanted).equal


@pytest.mark.parametrize("rule", [{}, {"stratify": True}, {"group_by": "/(made|.)"}])
def test_tasks_and_verbs_make_the_bytes_of_convert(
    packed: pathlib.Path, tmp_path: pathlib.Path, rule: dict[str, Any]
) -> None:
    cut: dict[str, Any] = {"split": {"train": 0.7, "val": 0.3}, "seed": 3,
                           "reshuffle": 4, "format": "tfrecord", **rule}
    shardine.convert(packed, tmp_path / "convert", **cut)
    shardine.split(packed, tmp_path / "split", **cut)
    run("split", packed, tmp_path / "program", **cut)
    plan = tmp_path / "plan"
    run("plan", "convert", packed, tmp_path / "tasks", to=plan, task_size=1, **cut)
    run("run-task", plan, 0, of=1)
    run("finalize", plan)
    wanted = files_of(tmp_path / "convert")
    for other in ("split", "program", "tasks"):
        assert files_of(tmp_path / other) == wanted, other
    shardine.shuffle(packed, tmp_path / "shuffle")
    run("shuffle", packed, tmp_path / "shuffled")
    run("convert", packed, tmp_path / "reshuffled", reshuffle=0)
    assert files_of(tmp_path / "shuffle") == files_of(tmp_path / "shuffled")
    assert files_of(tmp_path / "shuffle") == files_of(tmp_path / "reshuffled")
    assert samples_of(tmp_path / "shuffle") == samples_of(packed)


def test_one_split_of_several_is_chosen_and_cut(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    run("split", packed, tmp_path / "two", split="train=0.75,test=0.25")
    of_train = {"split": "train=0.9,val=0.1", "where": "split = 'train'"}
    run("split", tmp_path / "two", tmp_path / "three", **of_train)
    assert {s.name: s.samples for s in shardine.info(tmp_path / "three").splits} == {
        "train": 17, "val": 1}
    refused = subprocess.run(
        [SHARDINE, "split", tmp_path / "two", tmp_path / "no", "--split=a=0.5,b=0.5"],
        capture_output=True, text=True)
    assert refused.returncode == 2
    assert "--where 'split = \"NAME\"' takes those of one" in refused.stderr
    with pytest.raises(shardine.InvalidArgumentError, match="where=\"split = 'NAME'\""):
        shardine.split(tmp_path / "two", tmp_path / "no", split="a=0.5,b=0.5")
    run("split", tmp_path / "two", tmp_path / "held", hold_out=1)
    assert {s.name for s in shardine.info(tmp_path / "held").splits} == {
        "train", "test", "val"}


@pytest.mark.parametrize(("options", "message"), [
    ({}, "into which splits"),
    ({"split": "train"}, "into which splits"),
    ({"split": "a=0.5,b=0.4"}, "do not sum to 1"),
    ({"split": {"a": 0.5, "b": 0.5}, "hold_out": 1}, "exclude each other"),
    ({"split": {"a": 0.99, "b": 0.01}}, "split b of 24 samples would be empty"),
    ({"hold_out": 12}, "leaves none"),
    ({"split": "a=0.98,b=0.01,c=0.01", "stratify": True}, "is too small for split b: 6 samples"),
    ({"split": "a=0.5,b=0.5", "group_by": "/(x.*)"}, "24 keys have no group, this one"),
    ({"split": "a=0.5,b=0.5", "group_by": "/x"}, "has 0 captures, not one"),
    ({"split": "a=0.9,b=0.1", "group_by": "^(.)[^/]*/"}, "b of 24 samples would be empty"),
    ({"hold_out": 1, "stratify": True}, "split"),
])
def test_what_cuts_nothing_is_refused(
    packed: pathlib.Path, tmp_path: pathlib.Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        shardine.split(packed, tmp_path / "out", **options)
    refused = subprocess.run(
        [SHARDINE, "split", packed, tmp_path / "out", *as_flags(options)],
        capture_output=True, text=True)
    assert (refused.returncode, message in refused.stderr) == (2, True)
    assert not (tmp_path / "out").exists()


def test_a_seed_alone_is_refused(packed: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for verb in (shardine.convert, shardine.shuffle):
        with pytest.raises(shardine.InvalidArgumentError, match="reshuffle=SEED"):
            verb(packed, tmp_path / "out", seed=3)


def test_classes_that_a_split_lacks_are_said(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    with pytest.warns(UserWarning, match="classes: val lacks [123] of 4, such as "):
        shardine.split(packed, tmp_path / "out", split={"train": 0.9, "val": 0.1})


def test_classes_that_a_merge_tells_apart_by_their_form_are_said(
    tmp_path: pathlib.Path,
) -> None:
    """Semantics review 3: merged sets, as the splits of one pack."""
    image = next(PHOTOS.rglob("*.jpg"))
    names = {"a": ("Cat", "caf\u00e9", "fox"), "b": ("cat", "cafe\u0301", "owl")}
    for each, classes in names.items():
        for name in classes:
            folder = tmp_path / each / name
            folder.mkdir(parents=True)
            shutil.copy(image, folder / f"{each}.jpg")
        shardine.pack({"train" if each == "a" else "val": tmp_path / each}, tmp_path / (each + "d"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        merged = shardine.merge([tmp_path / "ad", tmp_path / "bd"], tmp_path / "m")
    said = [text for text in merged.warnings if text.startswith("classes: ")]
    assert len(said) == 1, merged.warnings
    assert "differ in Unicode form alone, as do 1 more" in said[0]
    assert "3 classes are in val alone" in said[0]


@pytest.mark.parametrize("on_bad", ["keep", "skip", "quarantine"])
def test_bad_images_go_with_their_sample(tmp_path: pathlib.Path, on_bad: str) -> None:
    tree = pathlib.Path(shutil.copytree(PHOTOS, tmp_path / "tree"))
    bad = sorted(tree.glob("*/*"))[::8]
    for file in bad:
        file.write_bytes(file.read_bytes()[:-4000])
    subprocess.run([SHARDINE, "pack", tree, tmp_path / "in", f"--on-bad={on_bad}"],
                   capture_output=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shardine.split(tmp_path / "in", tmp_path / "out", split="a=0.5,b=0.5")
    assert shardine.verify(tmp_path / "out", level="deep").sound
    split_of = {each.key: each.split for each in shardine.ls(tmp_path / "out")}
    assert set(split_of.values()) == {"a", "b"}
    rejects = [json.loads(line)
               for line in (tmp_path / "out/rejected.jsonl").read_text().splitlines()]
    assert sorted(reject["key"] for reject in rejects) == sorted(
        str(file.relative_to(tree)) for file in bad)
    for reject in rejects:
        assert reject["split"] == split_of.get(reject["key"], "a")


def test_shard_files_of_others_are_cut(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    shard = shutil.copy(sorted(packed.glob("*.rec"))[0], tmp_path / "foreign.rec")
    shardine.split(shard, tmp_path / "out", split={"train": 0.5, "val": 0.5},
                   format="webdataset")
    whole = shardine.Dataset(shard)
    made = [shardine.Dataset(tmp_path / "out", split=split) for split in ("train", "val")]
    ids = [[sample.id for sample in dataset] for dataset in made]
    assert sorted(ids[0] + ids[1]) == sorted(sample.id for sample in whole)
    assert abs(len(ids[0]) - len(ids[1])) <= 1


def test_classes_and_groups_keep_their_shares(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    half = {"train": 0.5, "val": 0.5}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shardine.split(packed, tmp_path / "each", split=half, stratify=True,
                       format="webdataset")
    places = [(each.split, each.key.split("/")[0]) for each in shardine.ls(tmp_path / "each")]
    assert len(places) == 24 and {places.count(place) for place in places} == {3}
    with pytest.warns(UserWarning, match=r"groups: 14, each in one split; train has 0\.\d+ of"):
        shardine.split(packed, tmp_path / "apart", split=half, group_by="/(made|.)")
    splits: dict[str, set[str]] = {}
    for each in shardine.ls(tmp_path / "apart"):
        name = each.key.split("/")[1]
        splits.setdefault("made" if name.startswith("made") else name[0], set()).add(each.split)
    assert len(splits) == 14 and all(len(each) == 1 for each in splits.values())
    assert shardine.info(tmp_path / "apart").made.options["group-by"] == "/(made|.)"
    assert shardine.verify(tmp_path / "apart").sound


def test_tasks_make_the_splits_of_a_pack(tmp_path: pathlib.Path) -> None:
    rule: dict[str, Any] = {"split": "train=0.6,val=0.4", "group_by": "/(made|.)",
                            "stratify": True, "small_classes": "train"}
    run("pack", PHOTOS, tmp_path / "packed", **rule)
    plan = tmp_path / "plan"
    run("plan", "pack", PHOTOS, tmp_path / "tasks", to=plan, task_size=1, **rule)
    run("run-task", plan, 0, of=1)
    run("finalize", plan)
    assert files_of(tmp_path / "tasks") == files_of(tmp_path / "packed")
    verified = tmp_path / "verified"
    run("plan", "verify", tmp_path / "tasks", to=verified)
    run("run-task", verified, 0, of=1)
    run("finalize", verified)
