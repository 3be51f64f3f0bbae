"""The examples that are a page each, as their users run them."""

import pathlib
import sqlite3
import subprocess
import sys

import numpy
import pytest
from conftest import PHOTOS

import shardine

EXAMPLES = pathlib.Path(__file__).parents[2] / "python" / "examples"


def run(name: str, *arguments: object) -> str:
    done = subprocess.run(
        [sys.executable, "-B", EXAMPLES / name, *map(str, arguments)],
        capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_rows_of_sqlite(tmp_path: pathlib.Path) -> None:
    photos = sorted(PHOTOS.glob("*/*"))
    database = sqlite3.connect(tmp_path / "zoo.db")
    database.execute("CREATE TABLE pictures (name TEXT, image BLOB, species TEXT)")
    database.executemany(
        "INSERT INTO pictures VALUES (?, ?, ?)",
        [(photo.name, photo.read_bytes(), photo.parent.name) for photo in photos])
    database.commit()
    said = run("from_sqlite.py", tmp_path / "zoo.db", tmp_path / "out")
    assert f"samples={len(photos)}" in said
    dataset = shardine.Dataset(tmp_path / "out")
    assert dataset.keys != sorted(dataset.keys)  # reshuffled
    for photo in photos:
        sample = dataset[dataset.position(photo.name)]
        assert sample.image == photo.read_bytes()
        assert dataset.classes[int(sample.label)] == photo.parent.name
    assert shardine.verify(tmp_path / "out").sound


def test_rows_of_parquet(tmp_path: pathlib.Path) -> None:
    pyarrow = pytest.importorskip(
        "pyarrow", reason="NOT TESTED: there is no pyarrow for this Python")
    parquet = pytest.importorskip("pyarrow.parquet")
    photos = [photo.read_bytes() for photo in sorted(PHOTOS.glob("*/*"))]
    table = pyarrow.table({"image": photos, "label": range(len(photos)),
                           "caption": [f"photo {n}" for n in range(len(photos))]})
    parquet.write_table(table, tmp_path / "rows.parquet", row_group_size=5)
    said = run("from_parquet.py", tmp_path / "rows.parquet", tmp_path / "out")
    assert f"samples={len(photos)}" in said
    for number, sample in enumerate(shardine.Dataset(tmp_path / "out")):
        assert sample.image == photos[number] and sample.label == number
        assert sample.fields["caption"] == "photo %d" % number


def test_images_of_hugging_face_are_structs(tmp_path: pathlib.Path) -> None:
    pyarrow = pytest.importorskip(
        "pyarrow", reason="NOT TESTED: there is no pyarrow for this Python")
    parquet = pytest.importorskip("pyarrow.parquet")
    photos = sorted(PHOTOS.glob("*/*"))[:2]
    images = [{"bytes": photos[0].read_bytes(), "path": "a.jpg"},
              {"bytes": None, "path": str(photos[1])}]
    table = pyarrow.table({"image": images, "label": [3, None]})
    parquet.write_table(table, tmp_path / "rows.parquet")
    run("from_parquet.py", tmp_path / "rows.parquet", tmp_path / "out")
    dataset = shardine.Dataset(tmp_path / "out")
    assert [each.image for each in dataset] == [photo.read_bytes() for photo in photos]
    assert list(dataset.labels) == [(3,), ()]


def test_arrays(tmp_path: pathlib.Path) -> None:
    random = numpy.random.default_rng(1)
    images = random.integers(0, 256, (40, 32, 32, 3), "u1")
    labels = random.integers(0, 10, 40)
    numpy.save(tmp_path / "images.npy", images)
    numpy.save(tmp_path / "labels.npy", labels)
    run("from_arrays.py", tmp_path / "images.npy", tmp_path / "labels.npy",
        tmp_path / "out")
    dataset = shardine.Dataset(tmp_path / "out")
    assert all((sample.array == images[n]).all() for n, sample in enumerate(dataset))
    assert dataset.targets == labels.tolist()


def test_pack_and_train(tmp_path: pathlib.Path) -> None:
    said = run("pack_and_train.py", PHOTOS, tmp_path / "out").splitlines()
    assert [line.split(":")[0] for line in said] == ["epoch 0", "epoch 1", "epoch 2"]
    last, of = map(int, said[-1].split(": ")[1].split(" of "))
    assert of == 24 and last > 24 / 4  # better than a guess, of four classes
