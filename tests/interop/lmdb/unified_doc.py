"""The databases of unified_doc_dataset, a synthesiser of document pages, in the
shape in which its programs write them, streamed whole.

Four records a page: two deformed ones with control points, a photo and the
original without; portrait or landscape; all of them pickled dicts of NumPy
arrays. The program also writes `__keys__` and `__len__`, which are numbers and no keys.

Runs under the Python that has lmdb.
Usage: unified_doc.py BINARY [unittest options]
"""

import collections
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest
import warnings
from typing import Any

import lmdb
import numpy
import shardine
from numpy.typing import NDArray

Fields = dict[str, NDArray[Any]]

BINARY = ""
CLASSES = ("booklet", "receipt")
PAGES = 6  # of a class
POINTS = (61, 61, 2)


def page(number: int) -> dict[str, Fields]:
    """Its records by their suffixes. Pixels are BGR, as OpenCV has them; the
    last two as large as they came."""
    random = numpy.random.default_rng(number)
    size = (96, 128) if number % 2 else (128, 96)

    def pixels(height: int, width: int) -> NDArray[Any]:
        return random.integers(0, 256, (height, width, 3), numpy.uint8)

    def deformed() -> Fields:
        # Reversed along the last axis, to x and y: not in C order.
        points = random.random(POINTS)[:, :, ::-1] * 960
        return {"image": pixels(*size), "label": points}

    return {"d1": deformed(), "d2": deformed(),
            "w1": {"image": pixels(70 + number, 90)},
            "di": {"image": pixels(80, 60 + 3 * number)}}


def write(folder: pathlib.Path) -> None:
    """warp24.lmdb as doc_img_synthesis.py leaves it: a directory, committed
    page by page."""
    count = 0
    environment = lmdb.open(str(folder / "warp24.lmdb"), subdir=True,
                            map_size=1 << 40, readonly=False, meminit=False)
    for label, _ in enumerate(CLASSES):
        for running in range(PAGES):
            with environment.begin(write=True) as transaction:
                name = f"{label}_{running:04}_{running}"
                for suffix, fields in page(label * PAGES + running).items():
                    key = f"{name}_{suffix}".encode("ascii")
                    transaction.put(key, pickle.dumps(fields))
                    count += 1
    listed = [str(k).encode("ascii") for k in range(count)]
    with environment.begin(write=True) as transaction:
        transaction.put(b"__keys__", pickle.dumps(listed))
        transaction.put(b"__len__", pickle.dumps(len(listed)))
    environment.sync()
    environment.close()


def read(path: pathlib.Path, *, subdir: bool) -> dict[bytes, Fields]:
    """Reads as read_lmdb.py does: a cursor, and pickle."""
    with lmdb.open(str(path), subdir=subdir, readonly=True,
                   lock=False) as environment, \
            environment.begin() as transaction:
        return {key: pickle.loads(value) for key, value
                in transaction.cursor() if not key.startswith(b"__")}


class UnifiedDoc(unittest.TestCase):
    folder: tempfile.TemporaryDirectory[str]
    root: pathlib.Path
    index: pathlib.Path
    records: dict[bytes, Fields]

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name)
        write(cls.root)
        cls.records = read(cls.root / "warp24.lmdb", subdir=True)
        cls.index = cls.root / "index"
        database = cls.root / "warp24.lmdb" / "data.mdb"
        subprocess.run([BINARY, "index", database, cls.index], check=True,
                       capture_output=True)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    def check(self, keys: list[bytes], name: str, arrays: Any) -> None:
        for key, array in zip(keys, arrays):
            expected = self.records[key].get(name)
            if expected is None:
                self.assertIsNone(array, key)
                continue
            self.assertEqual(array.dtype, expected.dtype)
            numpy.testing.assert_array_equal(array, expected)

    def test_each_record_is_a_sample(self) -> None:
        dataset = shardine.Dataset(self.index)
        self.assertEqual(len(dataset), 4 * PAGES * len(CLASSES))
        self.assertEqual([s.key_bytes for s in dataset], sorted(self.records))
        for sample in dataset:
            written = self.records[sample.key_bytes]
            self.assertEqual(list(sample.fields), sorted(written))
            for name, value in written.items():
                numpy.testing.assert_array_equal(sample.fields[name], value)

    def test_all_of_it_streams_twice_in_either_order(self) -> None:
        order: Any
        form: Any
        for order in ("sequential", "shuffle"):
            for form in ("list", "offsets"):
                loader = shardine.Loader(
                    self.index, batch_size=10, last_batch="short", order=order,
                    fields=["image", "label"], ragged=form)
                epochs = [self.stream(loader, form) for _ in range(2)]
                for keys in epochs:
                    self.assertEqual(sorted(keys), sorted(self.records))
                in_order = epochs[0] == sorted(epochs[0])
                self.assertEqual(in_order, order == "sequential")
                self.assertEqual(epochs[0] == epochs[1], order == "sequential")

    def stream(self, loader: shardine.Loader, form: str) -> list[bytes]:
        seen: list[bytes] = []
        for batch in loader:
            for name in ("image", "label"):
                field = batch.fields[name]
                there = [name in self.records[key] for key in batch.key_bytes]
                if form == "offsets":
                    self.assertEqual(field.present.tolist(), there)
                    field = list(field.samples())
                self.assertEqual([a is not None for a in field], there)
                self.check(batch.key_bytes, name, field)
            seen += batch.key_bytes
        return seen

    def test_parts_of_pages_come_beside_their_points(self) -> None:
        loader = shardine.Loader(
            self.index, batch_size=8, last_batch="short",
            transform=shardine.FixedCrop((5, 3, 40, 50), (50, 40)),
            layout="nhwc", fields=["label"], ragged="offsets")
        labelled = collections.Counter[bool]()
        for batch in loader:
            field = batch.fields["label"]
            self.check(batch.key_bytes, "label", field.samples())
            labelled.update(field.present.tolist())
            for key, image in zip(batch.key_bytes, batch.images):
                part = self.records[key]["image"][3:53, 5:45]
                numpy.testing.assert_array_equal(image, part)
        self.assertEqual(labelled, {True: 24, False: 24})

    def test_smaller_pages_are_such_a_database_again(self) -> None:
        out = self.root / "small"
        subprocess.run(
            [BINARY, "resize", self.index, out, "--to", "shards",
             "--short-side", "32"], check=True, capture_output=True)
        (shard,) = (out / "sz" / "32").glob("*.lmdb")
        records = self.records
        made = read(shard, subdir=False)
        self.assertEqual(made.keys(), records.keys())
        for key, fields in made.items():
            self.assertEqual(fields.keys(), records[key].keys())
            height, width = records[key]["image"].shape[:2]
            short = min(height, width)
            self.assertEqual(fields["image"].shape,
                             (height * 32 // short, width * 32 // short, 3))
            if "label" in fields:
                numpy.testing.assert_array_equal(fields["label"],
                                                 records[key]["label"])


if __name__ == "__main__":
    warnings.simplefilter("ignore", ResourceWarning)
    BINARY = sys.argv.pop(1)
    unittest.main()
