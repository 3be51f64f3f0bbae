"""Labels of lists, and samples of several labels (semantics review 1, 5)."""

import io
import json
import pathlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from PIL import Image

import shardine


def jpeg(number: int) -> bytes:
    noise = numpy.random.default_rng(number).integers(0, 255, (20, 24, 3))
    file = io.BytesIO()
    Image.fromarray(noise.astype("u1")).save(file, "JPEG")
    return file.getvalue()


def write(
    out: pathlib.Path,
    labels: list[Any],
    name: Callable[[int], str] = "{:05d}.jpg".format,
    **options: Any,
) -> pathlib.Path:
    with shardine.Writer(out, format="tfrecord", lossy_labels=True, **options) as writer:
        for number, label in enumerate(labels):
            writer.write({"image": jpeg(number), "label": label}, key=name(number))
    return out


def listed(folder: pathlib.Path, *rows: tuple[int, int, str]) -> pathlib.Path:
    path = folder / "labels.lst"
    path.write_text("".join(f"{id}\t{label}\t{key}\n" for id, label, key in rows))
    return path


def test_a_list_is_of_the_dataset_or_refused(tmp_path: pathlib.Path) -> None:
    """semantics review 1."""
    out = write(tmp_path / "out", [0, 0, 0, 1, 1, 1])
    refused = [
        [(100 + i, 7, f"x/{i}.jpg") for i in range(6)],  # ids of no sample
        [(i, 7, f"other/{i}.jpg") for i in range(6)],  # right ids, other keys
        [(0, 7, "00000.jpg"), (9, 8, "nobody.jpg")],  # a row of nobody
    ]
    for rows in refused:
        with pytest.raises(shardine.InvalidArgumentError, match="labels_by"):
            shardine.Dataset(out, labels=listed(tmp_path, *rows))
        with pytest.raises(shardine.InvalidArgumentError, match='by="id"'):
            shardine.relabel(out, tmp_path / "no", tmp_path / "labels.lst")
    one = listed(tmp_path, (3, 7, "data/00003.jpg"))  # from a folder above
    with pytest.warns(UserWarning, match="5 of 6 samples are not in the list"):
        dataset = shardine.Dataset(out, labels=one)
    assert dataset.targets == [0, 0, 0, 7, 1, 1]


def test_labels_of_no_class_are_said(tmp_path: pathlib.Path) -> None:
    """semantics review 1: such labels passed, and select("a") was empty then."""
    out = write(tmp_path / "out", ["a", "a", "b"], classes=["a", "b"])
    rows = [(i, 7 * (i > 0), f"{i:05d}.jpg") for i in range(3)]
    with pytest.warns(UserWarning, match="2 of 3 samples get a label that no class"):
        dataset = shardine.Dataset(out, labels=listed(tmp_path, *rows))
    assert dataset.targets == [0, 7, 7]


def test_the_ways_out_that_errors_advise_work(tmp_path: pathlib.Path) -> None:
    out = write(tmp_path / "out", [0, 0, 0, 1, 1, 1])
    rows = [(i, 10 + i, f"other/{i}.jpg") for i in range(6)]
    path = listed(tmp_path, *rows)
    ways: list[Any] = ["id", "position"]
    for by in ways:
        assert shardine.Dataset(out, labels=path, labels_by=by).targets == [
            *range(10, 16)]
        shardine.relabel(out, tmp_path / by, path, by=by)
        assert shardine.Dataset(tmp_path / by).targets == [*range(10, 16)]
    with pytest.raises(ValueError, match="labels_by"):
        shardine.Dataset(out, labels=path, labels_by="name")  # type: ignore[arg-type]


def test_json_goes_by_the_same_rules(tmp_path: pathlib.Path) -> None:
    out = write(tmp_path / "out", [0, 1])
    path = tmp_path / "labels.json"
    path.write_text(json.dumps([{"path": "00000.jpg", "label": 7},
                                {"path": "nobody.jpg", "label": 8}]))
    with pytest.raises(shardine.InvalidArgumentError, match="entry 1, nobody.jpg"):
        shardine.Dataset(out, labels=path)
    path.write_text(json.dumps([{"path": "00001.jpg", "label": 7},
                                {"path": "00000.jpg", "label": 8}]))
    assert shardine.Dataset(out, labels=path).targets == [8, 7]


def test_shards_without_ids_match_no_ids(tmp_path: pathlib.Path) -> None:
    """The order of a scan is no id (field report B2)."""
    out = tmp_path / "out"
    with shardine.Writer(out, format="webdataset") as writer:
        for number in range(4):
            writer.write({"image": jpeg(number), "label": number},
                         key=f"b{number}.jpg")
    shards = sorted(map(str, out.glob("*.tar")))
    other = listed(tmp_path, *((i, 7, f"a{i}.jpg") for i in range(4)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(shardine.InvalidArgumentError, match="none of the 4 rows"):
            shardine.Dataset(shards, labels=other)
        asked = shardine.Dataset(shards, labels=other, labels_by="position")
    assert asked.targets == [7] * 4


def several(out: pathlib.Path, prefix: str) -> pathlib.Path:
    labels = [["b"], ["a", "c"], ["b"], ["a", "c"]]
    return write(out, labels, lambda i: f"{prefix}{i}.jpg", classes=["a", "b", "c"])


def test_samples_of_several_labels_are_in_all_their_classes(
    tmp_path: pathlib.Path,
) -> None:
    """semantics review 5: merge, relabel, maps, counts, select and where agree."""
    one, two = several(tmp_path / "1", "x"), several(tmp_path / "2", "y")
    counts = [(each.name, each.count) for each in shardine.info(one).classes]
    assert counts == [("a", 2), ("b", 2), ("c", 2)]
    dataset = shardine.Dataset(one)
    for name in "abc":
        assert (
            dataset.select(name).positions
            == dataset.select(where=f"class = {name}").positions
        )
    shardine.merge([one, two], tmp_path / "merged")
    merged = shardine.Dataset(tmp_path / "merged")
    assert sorted(merged.labels) == sorted(dataset.labels * 2)
    shardine.relabel(one, tmp_path / "relabelled", listed(tmp_path, (0, 1, "x0.jpg")))
    assert shardine.Dataset(tmp_path / "relabelled").labels == dataset.labels
    with pytest.raises(shardine.InvalidArgumentError, match="label 9 is none of"):
        shardine.relabel(one, tmp_path / "no", listed(tmp_path, (0, 9, "x0.jpg")))
    change = tmp_path / "map.txt"
    change.write_text("a 0 ac\nc 0\nb 1\n")
    shardine.convert(one, tmp_path / "mapped", label_map=change)
    mapped = shardine.Dataset(tmp_path / "mapped")
    assert mapped.labels == [(1,), (0,), (1,), (0,)]
    assert mapped.classes == ["ac", "b"]
    change.write_text("b 1\n* -\n")
    shardine.convert(one, tmp_path / "fewer", label_map=change)
    assert len(shardine.Dataset(tmp_path / "fewer")) == 2
    assert shardine.verify(tmp_path / "mapped", level="full").sound


def test_integers_stay_integers_whatever_stands_beside_them(
    tmp_path: pathlib.Path,
) -> None:
    """semantics review 6: decided over the loader's own samples."""
    big = 1 << 24

    def labels(data: Any, **options: Any) -> Any:
        loader = shardine.Loader(data, batch_size=5, raw=True, order="sequential",
                                 **options)
        (batch,) = loader
        return batch.labels

    rows = [[big + i, 3] for i in range(1, 6)]
    both = labels(write(tmp_path / "several", rows))
    assert (both.dtype, both.tolist()) == ("int64", rows)
    mixed = shardine.Dataset(write(tmp_path / "mixed", [0.5, *range(big, big + 5)]))
    assert labels(mixed[1:]).tolist() == [*range(big, big + 5)]
    assert labels(mixed[1:]).dtype == "int64"
    # Beside a fraction they need float64.
    all_of = labels(mixed[:5])
    assert (all_of.dtype, all_of[3]) == ("float64", big + 2)
    with pytest.raises(shardine.UnsupportedError, match="float32 has no number for"):
        labels(mixed[:5], label_dtype="float32")
    targets = write(tmp_path / "targets", [0.25, 0.5, 1, 2, 3])
    fine = write(tmp_path / "fine", [0.1, 0.5, 1, 2, 3])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert labels(targets).dtype == "float32"
        assert labels(fine, label_dtype="float32").dtype == "float32"
    with pytest.warns(RuntimeWarning, match="labels such as 0.1 are rounded"):
        assert labels(fine).dtype == "float32"


def test_a_damaged_sample_decides_no_type(tmp_path: pathlib.Path) -> None:
    out = write(tmp_path / "out", [0.5, 1.5, 2.5])
    shard = next(out.glob("*.tfrecord"))
    content = bytearray(shard.read_bytes())
    at = content.find(jpeg(0))
    content[at + 200] ^= 1
    shard.write_bytes(content)
    loader = shardine.Loader(out, batch_size=3, order="sequential", on_bad="gray",
                             transform=shardine.CenterCrop(8))
    assert next(iter(loader)).labels.tolist() == [0.5, 1.5, 2.5]


def test_a_label_that_has_no_type_ends_its_epoch_as_any_failure(
    tmp_path: pathlib.Path,
) -> None:
    """semantics review 9."""
    out = write(tmp_path / "out", [*range(5), 5.5, 6, 7])
    loader = shardine.Loader(out, batch_size=2, raw=True, order="sequential",
                             label_dtype="int64")
    for epoch in range(3):
        assert loader.epoch == epoch
        got = []
        with pytest.raises(shardine.UnsupportedError, match="label 5.5"):
            for batch in loader:
                got.append(batch.positions.tolist())
        assert got == [[0, 1], [2, 3]]
        with pytest.raises(shardine.UnsupportedError):  # until it is moved
            loader._open().next()
        if epoch < 2:
            assert loader.state_dict()["position"] == 4
            loader.set_epoch(epoch + 1)


def test_classes_say_where_labels_are_no_positions(tmp_path: pathlib.Path) -> None:
    """semantics review 10."""
    tree = tmp_path / "tree"
    for name in "abc":
        (tree / name).mkdir(parents=True)
        (tree / name / "0.jpg").write_bytes(jpeg(0))
    shardine.pack(tree, tmp_path / "out", label_offset=1)
    dataset = shardine.Dataset(tmp_path / "out")
    with pytest.warns(UserWarning, match="labels 1 to 3, not 0 to 2") as caught:
        assert dataset.classes == dataset.classes == ["a", "b", "c"]
    assert len(caught) == 1
    assert dataset.class_to_idx == {"a": 1, "b": 2, "c": 3}


def test_a_state_by_ratio_holds_the_order(tmp_path: pathlib.Path) -> None:
    """semantics review 7: the order depends on the changes of images."""

    def turned(number: int) -> bytes:
        exif = Image.Exif()
        exif[0x112] = 6 if number % 2 else 1
        file = io.BytesIO()
        size = (40 + 5 * (number % 7), 30 + 4 * (number % 5))
        Image.new("RGB", size).save(file, "JPEG", exif=exif)
        return file.getvalue()

    with shardine.Writer(tmp_path / "out") as writer:
        for number in range(24):
            writer.write({"image": turned(number), "label": 0})

    def load(**options: Any) -> shardine.Loader:
        return shardine.Loader(tmp_path / "out", batch_size=4,
                               transform=shardine.RectVal(32), **options)

    loader = load()
    next(iter(loader))
    state = loader.state_dict()
    assert state["order"].startswith("ratio ")
    again = load(threads=1)
    again.load_state_dict(state)
    assert again.steps_left == 5
    with pytest.raises(shardine.InvalidArgumentError, match='order "ratio'):
        load(apply_exif=True).load_state_dict(state)


def test_a_field_that_lies_over_the_image_is_refused(tmp_path: pathlib.Path) -> None:
    """field report B19."""

    def png(value: int) -> bytes:
        file = io.BytesIO()
        Image.new("L", (24, 20), value).save(file, "PNG")
        return file.getvalue()

    with shardine.Writer(tmp_path / "out", format="webdataset") as writer:
        for number in range(4):
            writer.write({
                "image": jpeg(number), "label": 0, "mask.npy": numpy.ones((20, 24), "u1"),
                "planes.npy": numpy.ones((2, 20, 24), "f4"), "mask.png": png(number),
                "points.npy": numpy.ones((20, 2), "f4"), "thumb.png": png(0)[:20],
            })

    def load(*fields: str, **options: Any) -> Any:
        options.setdefault("transform", shardine.CenterCrop(8))
        return shardine.Loader(tmp_path / "out", batch_size=2, fields=fields, **options)

    for name in ("mask.npy", "planes.npy", "mask.png"):
        with pytest.raises(shardine.InvalidArgumentError, match="follow={} says"):
            load("points.npy", name)
        assert next(iter(load(name, follow={}))).fields[name] is not None
        load(name, transform=None)
    load("points.npy", "thumb.png")
    with pytest.raises(ValueError, match="follow"):
        load("mask.npy", follow={"mask.npy": "mask"})
    moved = next(iter(load(follow={"mask.npy": "nearest", "mask.png": "nearest"})))
    assert [moved.fields[name].shape for name in moved.fields] == [(2, 8, 8)] * 2
    with pytest.raises(shardine.InvalidArgumentError, match="follow={} says"):
        load("mask.png", follow={"mask.npy": "nearest"})
