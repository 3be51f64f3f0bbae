"""Labels that records would change, and samples that lack something: refused or said
by every way into a dataset."""

import io
import json
import pathlib
import shutil
import subprocess
import tarfile
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from command_line import json_of
from conftest import PHOTOS, SHARDINE

import shardine

PHOTO = (PHOTOS / "hounds" / "redbone.JPEG").read_bytes()
# Labels that a format's records keep, round, or change.
KINDS: dict[str, list[float]] = {
    "class": [3],
    "negative": [-1],
    "float32": [2**24 + 1],
    "int32": [2**31],
    "fraction": [2.883333],
    "infinite": [float("inf")],
    "several": [0, 1, 0],
}
CHANGED: dict[str, set[str]] = {
    "recordio": {"float32"},
    "tfrecord": {"fraction", "infinite"},
    "tfrecord/tfds": {"fraction", "infinite", "several"},
    "lmdb/datum": {"int32", "fraction", "infinite", "several"},
    "lmdb/folder2lmdb": {"fraction", "infinite", "several"},
    "lmdb/fields": set(),
    "hdf5/fuel": {"fraction", "infinite", "several"},
    "webdataset": set(),
}
ROWS = [(format, kind) for format in CHANGED for kind in KINDS]


def said(verb: str, *operands: object) -> tuple[int, str]:
    done = subprocess.run(
        [SHARDINE, verb, *map(str, operands)], capture_output=True, text=True
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def exact(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], pathlib.Path]:
    """A dataset with labels of a kind, in a format that keeps them all."""
    root = tmp_path_factory.mktemp("exact")
    files = sorted((PHOTOS / "terriers").iterdir())
    other = f"terriers/{files[0].name}"

    def make(kind: str) -> pathlib.Path:
        out = root / kind
        if not out.exists():
            with shardine.Writer(out, format="webdataset") as writer:
                labels: Any = KINDS[kind]
                writer.write({"image": PHOTO, "label": labels}, key="hounds/redbone.JPEG")
                writer.write({"image": PHOTO, "label": [1] * len(labels)}, key=other)
        return out

    return make


def tree(kind: str, folder: pathlib.Path) -> list[str]:
    """Operands of pack: a list over the photos."""
    other = sorted((PHOTOS / "terriers").iterdir())[0].name
    path = folder / f"{kind}.lst"
    rows: list[tuple[list[float], str]] = [
        (KINDS[kind], "hounds/redbone.JPEG"),
        ([1] * len(KINDS[kind]), f"terriers/{other}"),
    ]
    path.write_text("".join(
        "\t".join([str(number), *map(repr, labels), name]) + "\n"
        for number, (labels, name) in enumerate(rows)
    ))
    return [str(PHOTOS), "--list", str(path)]


def check(kind: str, format: str, code: int, text: str, out: pathlib.Path) -> None:
    """Refused with the key, the value before and after, and the way out."""
    if kind not in CHANGED[format]:
        assert code == 0, text
        assert out.exists() or out.with_suffix(".plan").exists()
        return
    assert code == 2, text
    assert "hounds/redbone.JPEG: " in text
    assert " would hold label " in text
    assert "--lossy-labels writes it so" in text
    assert "webdataset keep it" in text
    assert not (out / "shardine.json").exists()


@pytest.mark.parametrize("format, kind", ROWS)
def test_a_changed_label_is_refused_by_each_verb(
    format: str, kind: str, tmp_path: pathlib.Path,
    exact: Callable[[str], pathlib.Path],
) -> None:  # fmt: skip
    """Field report B8: 2.883333 became 3, 2^31 became 2^31 - 1, one-hot its first."""
    ways: dict[str, Callable[[pathlib.Path], list[object]]] = {
        "pack": lambda out: ["pack", *tree(kind, tmp_path), out, "--format", format],
        "plan": lambda out: ["plan", "pack", *tree(kind, tmp_path), out, "--format",
                             format, "--to", out.with_suffix(".plan")],
        "convert": lambda out: ["convert", exact(kind), out, "--format", format],
    }  # fmt: skip
    for name, way in ways.items():
        code, text = said(*map(str, way(tmp_path / name)))
        check(kind, format, code, text, tmp_path / name)
        code, text = said(*map(str, way(tmp_path / f"lossy {name}")), "--lossy-labels")
        assert code == 0, text
        if kind in CHANGED[format] and name != "plan":
            what = "more labels than" if kind == "several" else "labels are changed in"
            assert f"1 {what}" in text or f"2 samples have {what}" in text
            assert "the sidecar index keeps them" in text
            exactly = shardine.Dataset(tmp_path / f"lossy {name}")
            assert [*KINDS[kind]] in [[*sample.labels] for sample in exactly]


@pytest.mark.parametrize("format, kind", [
    ("lmdb/datum", "fraction"), ("lmdb/datum", "several"), ("recordio", "float32"),
    ("hdf5/fuel", "fraction"), ("tfrecord", "infinite"),
])  # fmt: skip
def test_a_changed_label_is_refused_by_merge_relabel_and_resize(
    format: str, kind: str, tmp_path: pathlib.Path,
    exact: Callable[[str], pathlib.Path],
) -> None:  # fmt: skip
    """Field report B8."""
    plain = shardine.convert(exact("class"), tmp_path / "plain", format=format).output
    listed = tree(kind, tmp_path)[2]
    ways = {
        "merge": ["merge", exact(kind), exact("class"), tmp_path / "merge",
                  "--format", format, "--prefix", "{n}/"],
        "relabel": ["relabel", plain, tmp_path / "relabel", listed],
        "resize": ["resize", exact(kind), tmp_path / "resize", "--to", "shards",
                   "--short-side", "32", "--format", format],
        "plan resize": ["plan", "resize", exact(kind), tmp_path / "planned", "--to",
                        tmp_path / "p", "--short-side", "32", "--format", format],
        "plan convert": ["plan", "convert", exact(kind), tmp_path / "planned", "--to",
                         tmp_path / "q", "--format", format],
    }  # fmt: skip
    for name, way in ways.items():
        code, text = said(*map(str, way))
        assert (name, code) == (name, 2), text
        assert "hounds/redbone.JPEG: " in text and "--lossy-labels writes it so" in text
        code, text = said(*map(str, way), "--lossy-labels")
        assert (name, code) == (name, 0), text


@pytest.mark.parametrize("format, kind", ROWS)
def test_a_writer_refuses_a_label_that_would_change(
    format: str, kind: str, tmp_path: pathlib.Path
) -> None:
    """Field report B8."""
    labels: Any = KINDS[kind]
    writer = shardine.Writer(tmp_path / "out", format=format)
    if kind in CHANGED[format]:
        with pytest.raises(
            shardine.InvalidArgumentError, match="would hold label .*lossy_labels=True"
        ) as raised:
            writer.write({"image": PHOTO, "label": labels}, key="a")
        assert raised.value.key == "a"
    else:
        writer.write({"image": PHOTO, "label": labels}, key="a")
        writer.close()
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        lossy = shardine.Writer(tmp_path / "lossy", format=format, lossy_labels=True)
        lossy.write({"image": PHOTO, "label": labels}, key="a")
        lossy.close(reshuffle=3)
    told = [str(each.message) for each in given]
    assert any("labels" in each and "sidecar" in each for each in told) == (
        kind in CHANGED[format]
    )
    assert [*shardine.Dataset(tmp_path / "lossy")[0].labels] == labels


def test_a_rounded_fraction_is_said_with_an_example(tmp_path: pathlib.Path) -> None:
    """Field report B8: the warning was for an error of 1e-7."""
    code, text = said("pack", *tree("fraction", tmp_path), tmp_path / "out")
    assert code == 0
    assert (
        "warning: 1 fractions are rounded in records of recordio/mxnet, the first from "
        "2.883333 to 2.8833329677581787; the sidecar index keeps them exactly" in text
    )


def test_parts_and_joins_keep_what_their_writers_allowed(tmp_path: pathlib.Path) -> None:
    for part in range(2):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with shardine.Writer(tmp_path / "out", format="lmdb/datum", part=part,
                                 parts=2, lossy_labels=True) as writer:
                writer.write({"image": PHOTO, "label": [0.5, part]}, key=f"k{part}")
            joined = None if part == 0 else shardine.join(tmp_path / "out")
    assert joined is not None and joined.samples == 2
    assert [*shardine.Dataset(tmp_path / "out")[1].labels] == [0.5, 1]


def tar_of(path: pathlib.Path, members: dict[str, bytes]) -> pathlib.Path:
    with tarfile.open(path, "w") as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return path


LACKING = {
    "0.jpg": PHOTO, "0.cls": b"1", "1.jpg": PHOTO, "1.cls": b"0", "2.cls": b"1",
    "3.jpg": PHOTO, "3.caption": b"a dog",
}  # fmt: skip
LINE = '3 of 4 samples have a label, 3 of 4 an image; fields "caption" (1 of 4)'


def test_what_samples_lack_is_one_line_of_each_verb(tmp_path: pathlib.Path) -> None:
    """Field report B9: unsorted tars, macOS files, other names of labels."""
    shard = tar_of(tmp_path / "a.tar", LACKING)
    code, text = said("index", shard, tmp_path / "out")
    assert code == 0 and f"  {LINE}\n" in text
    assert said("index", shard, tmp_path / "out")[1].count(LINE) == 1
    assert f"contents        {LINE}\n" in said("info", tmp_path / "out")[1]
    for target in (tmp_path / "out", shard):
        code, text = said("verify", target)
        assert code == 0 and text.count(f"note: {LINE}\n") == 1
    code, text = said("convert", tmp_path / "out", tmp_path / "fields", "--format",
                      "lmdb/fields")  # fmt: skip
    assert code == 0 and LINE in text
    code, text = said("merge", tmp_path / "out", shard, tmp_path / "merged",
                      "--prefix", "{n}/")  # fmt: skip
    assert code == 0 and "6 of 8 samples have a label, 6 of 8 an image" in text
    info = json_of("info", tmp_path / "out")
    assert info["contents"] == {
        "samples": 4, "labelled": 3, "deep": 0, "fields": {"image": 3, "caption": 1},
        "text": LINE,
    }  # fmt: skip
    assert info["splits"][0]["lacking"] == {"image": 1, "caption": 3}
    verified = json_of("verify", tmp_path / "out")
    assert verified["contents"] == info["contents"]


def test_python_warns_of_what_an_index_lacks(tmp_path: pathlib.Path) -> None:
    """Field report B9."""
    shard = tar_of(tmp_path / "a.tar", LACKING)
    with pytest.warns(UserWarning, match="3 of 4 samples have a label"):
        done = shardine.index(shard, tmp_path / "out")
    assert done.contents.lacks and done.contents.text == LINE
    assert shardine.info(tmp_path / "out").contents.fields == {"image": 3, "caption": 1}
    assert shardine.verify(tmp_path / "out").contents.labelled == 3


def test_an_index_says_what_samples_have_where_nothing_lacks(
    tmp_path: pathlib.Path,
) -> None:
    """Field report B9."""
    shard = tar_of(tmp_path / "a.tar", {"0.jpg": PHOTO, "0.cls": b"1", "0.caption": b"x"})
    code, text = said("index", shard, tmp_path / "out")
    assert code == 0
    assert '  1 of 1 samples have a label, 1 of 1 an image; fields "caption"' in text
    for verb in ("info", "verify"):
        assert "samples have" not in said(verb, tmp_path / "out")[1]


def test_a_dataset_that_lacks_nothing_says_nothing(packed: pathlib.Path) -> None:
    manifest = json.loads((packed / "shardine.json").read_text())
    for split in manifest["splits"]:
        assert "lacking" not in split and "deep" not in split
    for verb in ("info", "verify"):
        assert "samples have" not in said(verb, packed)[1]


def test_tasks_count_what_samples_lack_as_one_process_does(
    tmp_path: pathlib.Path,
) -> None:
    """Field report B9."""
    said("index", tar_of(tmp_path / "a.tar", LACKING), tmp_path / "in")
    options = ["--format", "webdataset", "--shards", "3"]
    assert said("convert", tmp_path / "in", tmp_path / "one", *options)[0] == 0
    assert said("plan", "convert", tmp_path / "in", tmp_path / "tasks", *options,
                "--to", tmp_path / "plan")[0] == 0  # fmt: skip
    for task in range(json_of("status", tmp_path / "plan")["tasks"]):
        assert said("run-task", tmp_path / "plan", task)[0] == 0
    code, text = said("finalize", tmp_path / "plan")
    assert code == 0 and "3 of 4 samples have a label" in text
    one, tasks = (json.loads((tmp_path / each / "shardine.json").read_text())
                  for each in ("one", "tasks"))  # fmt: skip
    assert one["splits"] == tasks["splits"]
    assert one["splits"][0]["lacking"] == {"image": 1, "caption": 3}
    assert said("plan", "verify", tmp_path / "tasks", "--to", tmp_path / "check")[0] == 0
    for task in range(json_of("status", tmp_path / "check")["tasks"]):
        assert said("run-task", tmp_path / "check", task)[0] == 0
    code, text = said("finalize", tmp_path / "check")
    assert code == 0 and "note: 3 of 4 samples have a label" in text


def test_convert_does_not_advise_to_drop_what_may_be_the_label(
    tmp_path: pathlib.Path,
) -> None:
    """Field report B9: Kaggle's `class` went with --fields none."""
    shard = tar_of(tmp_path / "a.tar", {"0.jpg": PHOTO, "0.target": b"1"})
    code, text = said("convert", shard, tmp_path / "out", "--format", "recordio")
    assert code != 0
    assert "the sample has no label besides; if that field is the label, " in text
    assert "shardine index --list FILE gives labels" in text


def rejecting(folder: pathlib.Path, bad: int) -> pathlib.Path:
    source = folder / "source"
    for name in ("a", "b"):
        (source / name).mkdir(parents=True)
        (source / name / "good.jpg").write_bytes(PHOTO)
    for number in range(bad):
        (source / "a" / f"bad{number}.jpg").write_bytes(b"no image")
    assert said("pack", source, folder / "out", "--on-bad", "skip")[0] == 3
    return folder / "out"


def test_merge_says_what_its_inputs_lost(tmp_path: pathlib.Path) -> None:
    """Field report B18: "rejected 0" of inputs that lost 77."""
    inputs = [rejecting(tmp_path / str(bad), bad) for bad in (2, 5)]
    code, text = said("merge", *inputs, tmp_path / "merged", "--prefix", "{n}/")
    assert code == 0
    assert "  rejected before, in the input: 7 not-an-image (skip)\n" in text
    assert "rejected        7, listed in rejected.jsonl\n" in said("info", tmp_path / "merged")[1]
    lines = (tmp_path / "merged" / "rejected.jsonl").read_text().splitlines()
    keys = [json.loads(line)["key"] for line in lines]
    assert len(keys) == 7 and "0/a/bad0.jpg" in keys and "1/a/bad4.jpg" in keys
    again = said("merge", *inputs, tmp_path / "merged", "--prefix", "{n}/")
    assert again[0] == 0 and "nothing to do" in again[1]
    assert said("verify", tmp_path / "merged")[0] == 0
    for verb in ("convert", "relabel"):
        more = [tmp_path / "empty.lst"] if verb == "relabel" else []
        for path in more:
            path.write_text("7\t0\t0/a/good.jpg\n")
        code, text = said(verb, tmp_path / "merged", tmp_path / verb, *more)
        assert code == 0 and "rejected before, in the input: 7" in text, text
        assert "rejected        7, listed in rejected.jsonl\n" in said("info", tmp_path / verb)[1]
    # A part of the samples has no list of the whole's losses.
    said("convert", tmp_path / "merged", tmp_path / "part", "--limit", "1")
    assert "rejected        0\n" in said("info", tmp_path / "part")[1]


@pytest.mark.parametrize("mapped", [True, False])
def test_a_random_split_says_which_classes_its_splits_lack(
    tmp_path: pathlib.Path, mapped: bool
) -> None:
    """Field report B18: two of three classes were missing in val."""
    rows: list[str] = []
    for label, (name, count) in enumerate((("benign", 18), ("malignant", 1), ("other", 1))):
        (tmp_path / "tree" / name).mkdir(parents=True)
        for number in range(count):
            key = f"{name}/{number}.jpg"
            shutil.copy(PHOTOS / "hounds" / "redbone.JPEG", tmp_path / "tree" / key)
            rows.append(f"{len(rows)}\t{label}\t{key}\n")
    (tmp_path / "all.lst").write_text("".join(rows))
    (tmp_path / "names.txt").write_text("benign 0\nmalignant 1\nother 2\n")
    more = ["--list", tmp_path / "all.lst", "--label-map", tmp_path / "names.txt"]
    for seed in range(9):
        code, text = said("pack", tmp_path / "tree", tmp_path / str(seed), *(
            more if mapped else []), "--split", "train=0.8,val=0.1,test=0.1",
            "--seed", seed, "--dry-run")  # fmt: skip
        assert code == 0
        lines = [line for line in text.splitlines() if "warning: classes: " in line]
        # A class of one sample lacks in two of three splits, whatever the seed.
        assert len(lines) == 1, text
        lacks = sum(int(part.split(" lacks ")[1].split()[0]) for part in lines[0].split("; "))
        assert lacks == 4
        assert " of 3, such as " in lines[0]


@pytest.mark.parametrize("mode", ["I;16", "RGB16"])
def test_a_dataset_of_deep_images_warns_when_it_is_opened(
    tmp_path: pathlib.Path, mode: str
) -> None:
    """Field report B12: 16-bit PNGs that go in as bytes come back clipped."""
    import struct
    import zlib

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    channels, color = (1, 0) if mode == "I;16" else (3, 2)
    header = struct.pack(">IIBBBBB", 4, 1, 16, color, 0, 0, 0)
    row = b"\0" + b"\x10\x20" * 4 * channels
    png = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
           + chunk(b"IDAT", zlib.compress(row)) + chunk(b"IEND", b""))  # fmt: skip
    with pytest.warns(UserWarning, match="2 images are 16-bit"):
        with shardine.Writer(tmp_path / "out", format="webdataset") as writer:
            for number in range(2):
                writer.write({"image": png, "label": number})
    kept = "2 images (have 16 bits a channel|are 16-bit)"
    shard = tmp_path / "a.tar"
    shard.write_bytes(next((tmp_path / "out").glob("*.tar")).read_bytes())
    for source in (tmp_path / "out", shard):
        with pytest.warns(UserWarning, match=kept):
            shardine.Dataset(source)
    with pytest.warns(UserWarning, match=kept):
        shardine.index(shard, tmp_path / "indexed")
    with pytest.warns(UserWarning, match=kept):
        shardine.TrainLoader(tmp_path / "indexed", batch_size=1)
