"""Writer: samples of one's own become a dataset."""

import io
import json
import os
import pathlib
import subprocess
import sys
from typing import Any

import numpy
import pytest
from command_line import files_of
from conftest import PHOTOS, SHARDINE, pack
from writing import class_names, photos, verify, write_photos, written

import shardine
import shardine.writer

FORMATS = ("recordio", "tfrecord", "lmdb", "hdf5", "webdataset")


@pytest.mark.parametrize("format", FORMATS)
def test_the_digests_are_those_of_packing_the_same_files(
    tmp_path: pathlib.Path, format: str
) -> None:
    packed = pack(PHOTOS, tmp_path / "packed", f"--format={format}", "--no-shuffle")
    with shardine.Writer(
        tmp_path / "written", format=format, shard_size="64K", classes=class_names()
    ) as writer:
        for key, label, file in photos():
            writer.write({"image": file, "label": label}, key=key)
    assert writer.result and writer.result.shards > 1
    assert writer.samples == writer.result.samples == 24
    verify(tmp_path / "written")
    subprocess.run(
        [SHARDINE, "diff", str(packed), str(tmp_path / "written")], check=True
    )
    ours, theirs = (
        json.loads((folder / "shardine.json").read_bytes())["splits"]
        for folder in (tmp_path / "written", packed)
    )
    for name in ("content_digest", "names_digest", "order_digest"):
        assert ours[0][name] == theirs[0][name], name
    assert writer.result.content_digest == ours[0]["content_digest"]


def test_fields_come_back_as_they_were(tmp_path: pathlib.Path) -> None:
    fields: dict[str, Any] = {
        "points": numpy.arange(24, dtype=">f4").reshape(4, 3, 2)[:, ::-1],
        "columns": numpy.asfortranarray(numpy.arange(6, dtype="u2").reshape(2, 3)),
        "none": numpy.zeros((0, 4)),
        "mask": numpy.array([True, False]),
        "half": numpy.float16(0.5),
        "when": numpy.array(["2026-11-23"], "M8[D]"),
        "names": numpy.array(["a", "bc"]),
        "count": 7,
        "share": 0.25,
        "flag": True,
    }
    dataset = written(tmp_path / "out", {**fields, "caption": "tôt", "raw": b"\0\1"})
    sample = dataset[0]
    for name, value in fields.items():
        expected = numpy.asarray(value)
        assert sample.fields[name].shape == expected.shape, name
        assert sample.fields[name].dtype == expected.dtype.newbyteorder("<"), name
        numpy.testing.assert_array_equal(sample.fields[name], expected)
    assert sample.fields["caption"] == "tôt"
    assert sample.fields["raw"] == b"\0\1"
    assert sample.labels == ()


def test_labels_are_numbers_names_or_lists(tmp_path: pathlib.Path) -> None:
    values: list[tuple[Any, tuple[Any, ...]]] = [
        (1, (1,)),
        ("dog", (1,)),
        (["cat", 1], (0, 1)),
        (numpy.int64(0), (0,)),
        (numpy.array([1.5, 2]), (1.5, 2)),
        (numpy.array(1, "u1"), (1,)),
        ((0.5, True), (0.5, 1)),
        ([], ()),
    ]
    dataset = written(
        tmp_path / "out",
        *({"label": value, "n": 1} for value, _ in values),
        classes=["cat", "dog"],
        lossy_labels=True,
    )
    assert [each.labels for each in dataset] == [labels for _, labels in values]
    assert dataset.classes == ["cat", "dog"]


@pytest.mark.parametrize(
    "classes",
    [{"dog": 7, "cat": 3}, [("dog", 7), ("cat", 3)], [("dog", 7, "a dog"), ("cat", 3)]],
)
def test_classes_can_have_labels_of_their_own(
    tmp_path: pathlib.Path, classes: Any
) -> None:
    dataset = written(tmp_path / "out", {"label": "dog", "n": 1}, classes=classes)
    assert dataset.class_to_idx == {"cat": 3, "dog": 7}
    assert dataset[0].label == 7


def test_pixels_are_encoded_without_loss(tmp_path: pathlib.Path) -> None:
    pillow = pytest.importorskip("PIL.Image")
    pixels = numpy.random.default_rng(1).integers(0, 256, (9, 7, 3), numpy.uint8)
    dataset = written(
        tmp_path / "out",
        {"image": pixels},
        {"image": pixels[:, :, 0]},
        {"image": pillow.fromarray(pixels)},
    )
    for position, expected in enumerate((pixels, pixels[:, :, 0], pixels)):
        image = pillow.open(io.BytesIO(dataset[position].image))
        assert image.format == "PNG"
        numpy.testing.assert_array_equal(numpy.asarray(image), expected)
    jpeg = written(
        tmp_path / "jpeg", {"image": pixels}, image_format="jpeg", quality=90
    )
    buffer = io.BytesIO()
    pillow.fromarray(pixels).save(buffer, "JPEG", quality=90)
    assert jpeg[0].image == buffer.getvalue()
    array = written(tmp_path / "array", {"image": pixels}, image_format="array")
    numpy.testing.assert_array_equal(array[0].image, pixels)
    with pytest.raises(ValueError, match="mode RGBA cannot be jpeg.*convert"):
        written(
            tmp_path / "rgba",
            {"image": pillow.new("RGBA", (2, 2))},
            image_format="jpeg",
        )


@pytest.mark.parametrize("mode", ["I;16", "I", "F"])
@pytest.mark.parametrize("form", ["png", "jpeg"])
def test_deep_pixels_are_never_clipped_unsaid(
    tmp_path: pathlib.Path, mode: str, form: str
) -> None:
    """Field report B12: such an image came back white."""
    pillow = pytest.importorskip("PIL.Image")
    deep = numpy.arange(300, 900, 100, "u2").reshape(2, 3)
    image = pillow.fromarray(deep.astype({"I;16": "u2", "I": "i4", "F": "f4"}[mode]))
    assert image.mode == mode
    with pytest.raises(ValueError, match=f"mode {mode} has more than.*image_format"):
        written(tmp_path / "file", {"image": image}, image_format=form)
    array = written(tmp_path / "array", {"image": image}, image_format="array")
    numpy.testing.assert_array_equal(array[0].image, deep)


def test_a_deep_file_is_read_with_a_warning(tmp_path: pathlib.Path) -> None:
    pillow = pytest.importorskip("PIL.Image")
    file = io.BytesIO()
    pillow.fromarray(numpy.full((4, 4), 300, "u2")).save(file, "PNG")
    written(tmp_path / "deep", {"image": file.getvalue(), "label": 1})
    with pytest.warns(UserWarning, match="mode I;16 has more than 8 bits"):
        shardine.Dataset(tmp_path / "deep", decode=True)[0]


@pytest.mark.parametrize("name, entry", [
    ("image/encoded", "image"), ("image/class/label", "label"),
])  # fmt: skip
def test_features_of_tensorflow_are_refused(
    tmp_path: pathlib.Path, name: str, entry: str
) -> None:
    with pytest.raises(ValueError, match=f"field '{name}': the {entry} is the entry"):
        written(tmp_path / "bad", {name: b"x"})


def test_an_entry_that_is_none_is_missing(tmp_path: pathlib.Path) -> None:
    image = next(PHOTOS.glob("*/*"))
    dataset = written(
        tmp_path / "out",
        {"image": image, "label": None, "caption": "x"},
        {"image": image, "label": 1, "caption": None},
    )
    assert list(dataset.labels) == [(), (1,)]
    assert [set(each.fields) for each in dataset] == [{"caption", "image"}, {"image"}]
    contents = shardine.info(tmp_path / "out").contents
    assert (contents.labelled, contents.fields["caption"]) == (1, 1)


@pytest.mark.parametrize("name, entry", [
    ("jpg", "image"), ("png", "image"), ("PNG", "image"), ("cls", "label"),
    ("target", "label"), ("class", "label"), ("Image", "image"), ("LABEL", "label"),
    ("input.jpg", "image"), ("output.cls", "label"),
])  # fmt: skip
def test_names_of_other_tools_are_refused(
    tmp_path: pathlib.Path, name: str, entry: str
) -> None:
    """Field report B12: the set had neither images nor labels."""
    others = {"image": next(PHOTOS.glob("*/*")), "label": 1}
    del others[entry]
    with pytest.raises(ValueError, match=f"field '{name}': the {entry} is the entry"):
        written(tmp_path / "bad", {**others, name: 3})
    others[entry] = 1 if entry == "label" else next(PHOTOS.glob("*/*"))
    written(tmp_path / "good", {**others, name: 3})


def test_keys_are_numbers_of_eight_digits_unless_given(
    tmp_path: pathlib.Path,
) -> None:
    with shardine.Writer(tmp_path / "out", format="tfrecord") as writer:
        writer.write({"n": 1})
        writer.write({"n": 2}, key="b\udcff", split="val")
        writer.write({"n": 3})
        writer.write({"n": 4}, key=b"\xfe")
    train = shardine.Dataset(tmp_path / "out", split="train")
    assert [each.key for each in train] == ["00000000", "00000002", "\udcfe"]
    assert shardine.Dataset(tmp_path / "out", split="val")[0].key_bytes == b"b\xff"


MASKED: Any = numpy.ma.MaskedArray([1], [True])  # type: ignore[no-untyped-call]
REFUSED: list[tuple[dict[Any, Any], type[Exception], str]] = [
    ({"points": [1, 2]}, TypeError, "field 'points': list .*numpy.array"),
    ({"points": {1}}, TypeError, "field 'points': set is neither"),
    ({"file": pathlib.Path("x")}, TypeError, "'file': pathlib.*read_bytes"),
    ({"a": numpy.array([None])}, TypeError, "field 'a': arrays of type object"),
    ({"a": numpy.zeros(2, "i4,f4")}, TypeError, "field 'a': arrays of type"),
    ({"a": MASKED}, TypeError, "'a': a masked array"),
    ({"a": 1 << 63}, ValueError, "field 'a': an integer beyond 64 bits"),
    ({"labels": 3}, ValueError, 'field \'labels\': labels are the entry "label"'),
    ({"__key__": "x"}, ValueError, "the key is write"),
    ({3: 3}, TypeError, "entry 3: names are strings"),
    ({"label": "dgo"}, ValueError, "no class 'dgo'; did you mean 'dog'"),
    ({"label": numpy.zeros((2, 2))}, TypeError, "label: an array of shape"),
    ({"label": float("nan")}, ValueError, "label: NaN is no label"),
    ({"label": 1 << 64}, ValueError, "label: an integer beyond 64 bits"),
    ({"image": 7}, TypeError, "field 'image': int is neither"),
    ({"image": numpy.zeros((2, 2, 3))}, TypeError, "'image': pixels of float64"),
    ({"image": numpy.zeros((2, 2, 4), "u1")}, TypeError, "in the shape"),
    ({"image": numpy.zeros((0, 2), "u1")}, ValueError, "no pixels"),
    ({"image": "not/there.jpg"}, shardine.NotFoundError, "not/there.jpg"),
]


def test_what_is_no_sample_is_refused_by_name_and_left_out(
    tmp_path: pathlib.Path,
) -> None:
    with shardine.Writer(
        tmp_path / "out", format="tfrecord", classes=["cat", "dog"]
    ) as writer:
        for sample, kind, message in REFUSED:
            with pytest.raises(kind, match=message):
                writer.write(sample)
        for key in (3, ["a"]):
            with pytest.raises(TypeError, match="key: .* is not a string"):
                writer.write({"n": 1}, key=key)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="sample: list is no dict"):
            writer.write([("n", 1)])  # type: ignore[arg-type]
        writer.write({"n": 1, "label": 1})
    assert len(shardine.Dataset(tmp_path / "out")) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"chek": "none"}, "unknown option chek; did you mean check"),
        ({"check": "headers"}, "check: 'headers' is none of .*did you mean 'header'"),
        ({"shard_size": "256MB"}, "shard_size: '256MB' is not a size"),
        ({"shard_size": 0}, "shard_size: 0 is not in 1"),
        ({"threads": 0}, "threads: 0 is not in 1 to 255"),
        ({"maxcount": 1}, "unknown option maxcount; it is shard_samples here"),
        ({"shuffle": True}, "it is close.reshuffle=SEED. here"),
        ({"shard_samples": -1}, "shard_samples: -1 is not in"),
        ({"classes": "cat"}, "classes: 'cat' is not a list of names"),
        ({"classes": ["a", ("b", 1)]}, "classes: some are names"),
        ({"classes": [("b",)]}, "classes: .* is neither a name"),
        ({"classes": ["a", "a"]}, "classes: 'a' occurs twice"),
        ({"quality": 90}, 'quality: is of image_format="jpeg"'),
        ({"image_format": "jpeg", "quality": 0}, "quality: 0 is not in 1 to 100"),
        ({"format": "tfrecords"}, "tfrecord"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    tmp_path: pathlib.Path, options: Any, message: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        shardine.Writer(tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()


def test_a_with_that_ends_by_an_exception_publishes_nothing(
    tmp_path: pathlib.Path,
) -> None:
    for folder in (tmp_path / "new", tmp_path / "there"):
        if folder.name == "there":
            folder.mkdir()
        with pytest.raises(KeyError):
            with shardine.Writer(folder, shard_samples=1) as writer:
                for _, _, file in photos():
                    writer.write({"image": file})
                raise KeyError
        assert writer.result is None
        with pytest.raises(ValueError, match="closed"):
            writer.write({"image": b""})
        with pytest.raises(ValueError, match="given up"):
            writer.close()
    assert list(tmp_path.iterdir()) == [tmp_path / "there"]
    assert not list((tmp_path / "there").iterdir())


@pytest.mark.parametrize("threads", [1, 3])
def test_a_failure_is_the_end(tmp_path: pathlib.Path, threads: int) -> None:
    writer = shardine.Writer(tmp_path / "out", threads=threads)
    writer.write({"image": photos()[0][2]})
    with pytest.raises(shardine.CorruptError) as caught:
        writer.write({"image": b"no image"}, key="bad")
        while True:  # with threads it is looked at later
            writer.write({"image": photos()[1][2]})
    assert caught.value.key == "bad"
    for call in (lambda: writer.write({"image": photos()[1][2]}), writer.close):
        with pytest.raises(shardine.CorruptError):
            call()
    assert not (tmp_path / "out").exists()
    with pytest.raises(shardine.InvalidArgumentError, match="no samples"):
        with shardine.Writer(tmp_path / "out", threads=threads):
            pass
    with shardine.Writer(tmp_path / "out", format="lmdb", threads=threads) as writer:
        with pytest.raises(shardine.UnsupportedError, match="points"):
            writer.write({"image": photos()[0][2], "points": numpy.zeros(3)})
        with pytest.raises(shardine.UnsupportedError, match="points"):
            writer.close()
    assert not (tmp_path / "out").exists()


def test_a_bad_image_at_the_end_is_told_by_close(tmp_path: pathlib.Path) -> None:
    with pytest.raises(shardine.CorruptError) as caught:
        with shardine.Writer(tmp_path / "out", threads=2) as writer:
            writer.write({"image": photos()[0][2]})
            writer.write({"image": b"no image"}, key="bad")
    assert caught.value.key == "bad"
    assert not (tmp_path / "out").exists()


def test_threads_never_change_a_byte(tmp_path: pathlib.Path) -> None:
    folders = [tmp_path / name for name in ("1", "2", "7")]
    for folder in folders:
        with shardine.Writer(
            folder, format="tfrecord", shard_size="96K", threads=int(folder.name)
        ) as writer:
            for key, label, file in photos() * 2:
                writer.write({"image": file, "label": label, "key size": len(key)})
    files = [files_of(folder) for folder in folders]
    assert len(files[0]) > 10 and files[0] == files[1] == files[2]


def test_reshuffling_is_what_convert_does(tmp_path: pathlib.Path) -> None:
    for name in ("plain", "shuffled"):
        with shardine.Writer(tmp_path / name, shard_size="256K") as writer:
            write_photos(writer)
            writer.close(reshuffle=7 if name == "shuffled" else None)
        assert writer.result and writer.result.samples == 24
    shardine.convert(tmp_path / "plain", tmp_path / "converted", reshuffle=7)
    plain, shuffled, converted = (
        files_of(tmp_path / name) for name in ("plain", "shuffled", "converted")
    )
    # A manifest names its source, so manifests differ.
    assert shuffled.pop("shardine.json") != converted.pop("shardine.json")
    assert shuffled == converted
    assert shuffled.keys() == plain.keys() - {"shardine.json"}
    assert shuffled["train-00000-of-00003.rec"] != plain["train-00000-of-00003.rec"]
    verify(tmp_path / "shuffled")
    assert sorted(os.listdir(tmp_path)) == ["converted", "plain", "shuffled"]


def test_reshuffling_leaves_files_of_the_users(tmp_path: pathlib.Path) -> None:
    """A2: a folder is never removed with all that is in it."""
    with shardine.Writer(tmp_path / "out", format="webdataset") as writer:
        write_photos(writer)
        (tmp_path / "out" / "provenance.json").write_text("mine")
        (tmp_path / "out" / "notes").mkdir()
        (tmp_path / "out" / "notes" / "x.txt").write_text("mine")
        writer.close(reshuffle=7)
    assert (tmp_path / "out" / "provenance.json").read_text() == "mine"
    assert (tmp_path / "out" / "notes" / "x.txt").read_text() == "mine"
    assert os.listdir(tmp_path) == ["out"]
    verify(tmp_path / "out")


def test_closing_goes_on_once_the_way_is_free(tmp_path: pathlib.Path) -> None:
    """A7, and a manifest of another's that appears meanwhile stays."""
    writer = shardine.Writer(tmp_path / "out", format="tfrecord")
    writer.write({"n": 1})
    (tmp_path / "out" / "shardine.json").write_text("somebody's")
    for _ in range(2):
        with pytest.raises(shardine.ExistsError, match="shardine.json"):
            writer.close()
    assert (tmp_path / "out" / "shardine.json").read_text() == "somebody's"
    with pytest.raises(ValueError, match="closed"):
        writer.write({"n": 2})
    (tmp_path / "out" / "shardine.json").unlink()
    assert writer.close().samples == 1
    verify(tmp_path / "out")


def test_reshuffling_that_cannot_be_leaves_the_order_given(
    tmp_path: pathlib.Path,
) -> None:
    writer = shardine.Writer(tmp_path / "out", format="tfrecord")
    for n in range(2):
        writer.write({"n": n})
    (tmp_path / "out" / ".pack" / "next").write_text("in the way")
    with pytest.raises(shardine.InvalidArgumentError, match="next: is there"):
        writer.close(reshuffle=1)
    assert [s.fields["n"] for s in shardine.Dataset(tmp_path / "out")] == [0, 1]
    (tmp_path / "out" / ".pack" / "next").unlink()
    assert writer.close(reshuffle=1).samples == 2
    assert sorted(os.listdir(tmp_path / "out")) == [
        ".shardine", "shardine.json", "train-00000-of-00001.tfrecord",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="closed without it"):
        writer.close(reshuffle=2)


def write_bad(out: pathlib.Path, **options: Any) -> shardine.writer.Written:
    good = next(PHOTOS.rglob("*.JPEG")).read_bytes()
    with shardine.Writer(out, format="tfrecord", check="decode", **options) as writer:
        for key, image in [("a", good), ("b", good[:900]), ("c", good), ("d", b"no")]:
            writer.write({"image": image, "label": 1}, key=key)
    assert writer.result is not None
    return writer.result


@pytest.mark.parametrize("on_bad, kept", [("skip", "ac"), ("quarantine", "ac"),
                                          ("keep", "abcd")])  # fmt: skip
def test_a_bad_image_is_left_out_copied_or_kept(
    tmp_path: pathlib.Path, on_bad: Any, kept: str
) -> None:
    """A5: and the list of them equals pack's."""
    out = tmp_path / "out"
    result = write_bad(out, on_bad=on_bad)
    assert shardine.Dataset(out).keys == list(kept)
    lines = [json.loads(line) for line in (out / "rejected.jsonl").open()]
    assert [(each["key"], each["action"]) for each in lines] == [
        ("b", on_bad), ("d", on_bad)]  # fmt: skip
    assert sum(each.count for each in result.rejected) == 2
    copies = {path.name for path in (out / "quarantine").rglob("?")}
    assert copies == ({"b", "d"} if on_bad == "quarantine" else set())
    verify(out)
    # A second writer, whose list replaces the first.
    write_bad(out, on_bad=on_bad, replace=True)
    assert shardine.Dataset(out).keys == list(kept)
    # Parts and their join give the same.
    for part in range(2):
        with shardine.Writer(tmp_path / "parts", format="tfrecord", check="decode",
                             on_bad=on_bad, part=part, parts=2) as writer:  # fmt: skip
            good = next(PHOTOS.rglob("*.JPEG")).read_bytes()
            samples = [("a", good), ("b", good[:900]), ("c", good), ("d", b"no")]
            for key, image in samples[2 * part : 2 * part + 2]:
                writer.write({"image": image, "label": 1}, key=key)
    shardine.join(tmp_path / "parts")
    for name in ("rejected.jsonl", "shardine.json"):
        assert (tmp_path / "parts" / name).read_bytes() == (out / name).read_bytes()


def test_a_bad_image_ends_the_writing_unless_told(tmp_path: pathlib.Path) -> None:
    with pytest.raises(shardine.CorruptError):
        write_bad(tmp_path / "out")
    assert not (tmp_path / "out").exists()


WRITE_AND_DIE = """
import os, sys, shardine
good = open(sys.argv[2], "rb").read()
writer = shardine.Writer(sys.argv[1], format="tfrecord", on_bad="quarantine")
for n in range(200):
    writer.write({"image": good if n % 3 else b"no"}, key=str(n))
while not os.path.exists(sys.argv[1] + "/quarantine"):
    pass
os._exit(9)
"""


def test_a_writer_goes_on_beside_the_copies_of_a_killed_one(
    tmp_path: pathlib.Path,
) -> None:
    photo = next(PHOTOS.rglob("*.JPEG"))
    done = subprocess.run([sys.executable, "-c", WRITE_AND_DIE, tmp_path / "out", photo])
    assert done.returncode == 9
    again = WRITE_AND_DIE.replace("os._exit(9)", "writer.close()")
    subprocess.run([sys.executable, "-c", again, tmp_path / "out", photo], check=True)
    assert len(shardine.Dataset(tmp_path / "out")) == 133
    verify(tmp_path / "out")


def test_a_writer_replaces_a_dataset_when_told_to(tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    for n in range(2):
        with shardine.Writer(out, format="tfrecord", replace=True) as writer:
            writer.write({"n": n})
            (out / "note").write_text("mine")
            assert n == 0 or shardine.Dataset(out)[0].fields["n"] == 0
        assert [sample.fields["n"] for sample in shardine.Dataset(out)] == [n]
    assert (out / "note").read_text() == "mine"
    with shardine.Writer(out, format="webdataset", replace=True) as writer:
        writer.write({"n": 3})
        writer.abandon()
    assert [sample.fields["n"] for sample in shardine.Dataset(out)] == [1]
    assert not (out / ".pack").exists()
    with pytest.raises(shardine.InvalidArgumentError, match="replaces nothing"):
        shardine.Writer(tmp_path / "p", part=0, parts=2, replace=True)
