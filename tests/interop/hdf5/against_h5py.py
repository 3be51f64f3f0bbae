"""Lets h5py read shardine's files, and shardine h5py's.

Runs under the Python that has h5py.
Usage: against_h5py.py BINARY PHOTOS [unittest options]
"""

import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable
from typing import Any

import h5py
import numpy as np

Sample = dict[str, Any]  # as `ls --json` has it
Fill = Callable[[Any], None]

BINARY = ""
PHOTOS = pathlib.Path()
BYTES = h5py.vlen_dtype(np.uint8)


def shardine(*arguments: object) -> bytes:
    """Standard output of a run that must succeed."""
    done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True)
    if done.returncode != 0:
        raise AssertionError(f"shardine {arguments}: exit {done.returncode}\n"
                             + done.stderr.decode(errors="replace"))
    return done.stdout


def listed(dataset: pathlib.Path) -> list[Sample]:
    lines = shardine("ls", dataset, "--json").splitlines()
    return [json.loads(line) for line in lines]


def photos() -> list[tuple[str, bytes, int]]:
    """(key, bytes, class number) of each photo, in order of keys."""
    classes = sorted(path.name for path in PHOTOS.iterdir())
    return [(path.relative_to(PHOTOS).as_posix(), path.read_bytes(),
             classes.index(path.parent.name))
            for path in sorted(PHOTOS.rglob("*")) if path.is_file()]


def payload(contents: bytes, sample: Sample) -> bytes:
    return b"".join(contents[at:at + size] for at, size in sample["extents"])


def put_rows(file: Any, name: str, rows: list[bytes], **options: Any) -> None:
    dataset = file.create_dataset(name, (len(rows),), dtype=BYTES, **options)
    for number, row in enumerate(rows):
        dataset[number] = np.frombuffer(row, np.uint8)


class Case(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name).resolve()


class H5pyReadsOurs(Case):
    def test_fuel(self) -> None:
        out = self.top / "out"
        shardine("pack", PHOTOS, out, "--format", "hdf5", "--shards", 3)
        samples = listed(out)
        self.assertEqual(len(samples), len(photos()))
        expected = {key: (image, label) for key, image, label in photos()}
        for shard in sorted({sample["shard"] for sample in samples}):
            mine = [s for s in samples if s["shard"] == shard]
            with h5py.File(out / shard) as file:
                self.check_fuel(file, mine, expected)
        shardine("verify", out)

    def check_fuel(self, file: Any, samples: list[Sample],
                   expected: dict[str, tuple[bytes, int]]) -> None:
        self.assertEqual(list(file), ["encoded_images", "filenames", "targets"])
        self.assertEqual(file["targets"].shape, (len(samples), 1))
        self.assertEqual(file["targets"].dtype, np.int64)
        self.assertEqual(h5py.check_vlen_dtype(file["encoded_images"].dtype),
                         np.uint8)
        for row, sample in enumerate(samples):
            image, label = expected[sample["key"]]
            self.assertEqual(file["encoded_images"][row].tobytes(), image)
            self.assertEqual(file["targets"][row, 0], label)
            self.assertEqual(file["filenames"][row].decode(), sample["key"])
        self.check_split(file.attrs["split"], len(samples))

    def test_each_split_of_ours_says_which_it_is(self) -> None:
        out = self.top / "out"
        shardine("pack", f"val={PHOTOS}", f"test={PHOTOS}", out, "--format",
                 "hdf5", "--shards", 1)
        for split in ("val", "test"):
            with h5py.File(out / f"{split}-00000-of-00001.h5") as file:
                self.assertEqual({row["split"].decode()
                                  for row in file.attrs["split"]}, {split})

    def check_split(self, split: Any, rows: int) -> None:
        # H5PYDataset.get_start_stop and get_indices read the attribute in this way.
        self.assertEqual(split.dtype.names, ("split", "source", "start", "stop",
                                             "indices", "available", "comment"))
        self.assertEqual([row["source"].decode() for row in split],
                         ["encoded_images", "filenames", "targets"])
        for row in split:
            self.assertEqual(row["split"], b"train")
            self.assertEqual((row["start"], row["stop"]), (0, rows))
            self.assertTrue(row["available"])
            self.assertFalse(row["indices"])
            self.assertEqual(row["comment"], b".")

    def make_indexed(self, fill: Fill) -> pathlib.Path:
        path = self.top / "made.h5"
        with h5py.File(path, "w") as file:
            fill(file)
        shardine("index", path, self.top / "index")
        return self.top / "index"

    def converted(self, fill: Fill, form: str) -> pathlib.Path:
        out = self.top / "out"
        shardine("convert", self.make_indexed(fill), out, "--format", form,
                 "--shards", 1)
        shard, = {str(sample["shard"]) for sample in listed(out)}
        return out / shard

    def test_arrays(self) -> None:
        images = np.random.default_rng(1).integers(
            0, 256, (1234, 3, 8, 8), np.uint8)
        labels = np.arange(1234) % 10

        def fill(file: Any) -> None:
            file["imgs"] = images
            file["labels"] = labels
        with h5py.File(self.converted(fill, "hdf5/array:chunk=100")) as file:
            self.assertEqual(file["imgs"].chunks, (100, 3, 8, 8))
            self.assertEqual(file["imgs"].maxshape, (None, 3, 8, 8))
            np.testing.assert_array_equal(file["imgs"], images)
            np.testing.assert_array_equal(file["labels"], labels)
            self.assertEqual(file["labels"].dtype, np.int64)

    def test_caffe(self) -> None:
        images = np.random.default_rng(2).random((300, 1, 5, 7), np.float32)

        def fill(file: Any) -> None:
            file["data"] = images
            file["label"] = np.arange(300, dtype=np.float32) / 4
        shard = self.converted(fill, "hdf5/caffe")
        # The layer reads the list, then each file's tops as a whole.
        names = shard.with_suffix(".txt").read_text().splitlines()
        self.assertEqual(names, [shard.name])
        with h5py.File(shard) as file:
            self.assertEqual(len(file["data"]), len(file["label"]))
            self.assertIn(file["label"].dtype.kind, "fiu")
            np.testing.assert_array_equal(file["data"][()], images)
            np.testing.assert_array_equal(file["label"][()],
                                          np.arange(300) / 4)

    def test_fields(self) -> None:
        rows = 600
        points = np.random.default_rng(3).random((rows, 4, 2))
        flags = points[:, :, 0] > 0.5

        def fill(file: Any) -> None:
            put_rows(file, "encoded_images", [b"x" * row for row in range(rows)])
            file["points"] = points
            file["flags"] = flags
            file["note"] = np.array([b"n%d" % row for row in range(rows)])
        with h5py.File(self.converted(fill, "hdf5/fuel")) as file:
            for row in range(rows):
                self.assertEqual(file["encoded_images"][row].tobytes(),
                                 b"x" * row)
                self.assertEqual(list(file["points.shape"][row]), [4, 2])
                self.assertEqual(file["points"][row].tobytes(),
                                 points[row].tobytes())
                np.testing.assert_array_equal(file["flags"][row], flags[row])
                self.assertEqual(file["note"][row].tobytes(), b"n%d" % row)


class NamesStay(Case):
    """Names of the datasets of other programs' files stay through a conversion."""

    def names_after(self, fill: Fill, *formats: str) -> dict[str, Any]:
        """Names and lengths, converted into each format in turn."""
        path = self.top / "made.h5"
        with h5py.File(path, "w") as file:
            fill(file)
        shardine("index", path, self.top / "set0")
        for number, form in enumerate(formats):
            asked = ("--format", form) if form else ()
            shardine("convert", self.top / f"set{number}",
                     self.top / f"set{number + 1}", *asked)
        last = self.top / f"set{len(formats)}"
        shardine("verify", last)
        shard, = {str(sample["shard"]) for sample in listed(last)}
        with h5py.File(last / shard) as file:
            return {name: len(file[name]) for name in file}

    @staticmethod
    def fill_bytes(file: Any) -> None:
        put_rows(file, "image_bytes", [p[1] for p in photos()])
        file["label"] = np.array([p[2] for p in photos()])
        file["50%"] = np.arange(len(photos()))
        file["a%2Fb"] = np.arange(len(photos()))

    def test_of_bytes(self) -> None:
        rows = len(photos())
        kept = {"image_bytes": rows, "label": rows, "filenames": rows,
                "50%": rows, "50%.shape": rows, "a%2Fb": rows,
                "a%2Fb.shape": rows}
        for form in ("", "hdf5", "hdf5/fuel"):
            with self.subTest(form=form):
                self.setUp()
                self.assertEqual(self.names_after(self.fill_bytes, form), kept)

    def test_of_arrays(self) -> None:
        def fill(file: Any) -> None:
            file["images"] = np.zeros((7, 3, 4, 4), np.uint8)
            file["target"] = np.arange(7)
        for form in ("", "hdf5/array", "hdf5/array:chunk=2"):
            with self.subTest(form=form):
                self.setUp()
                self.assertEqual(self.names_after(fill, form),
                                 {"images": 7, "target": 7})

    def test_by_way_of_another_format_where_they_are_asked_for(self) -> None:
        asked = "hdf5/fuel:images=image_bytes,labels=label"
        found = self.names_after(self.fill_bytes, "webdataset", asked)
        self.assertTrue({"image_bytes", "label", "50%"} <= set(found))
        self.setUp()
        found = self.names_after(self.fill_bytes, "webdataset", "hdf5")
        self.assertTrue({"encoded_images", "targets", "50%"} <= set(found))

    def test_files_that_differ_in_them_are_one_dataset(self) -> None:
        for name in ("imgs", "images"):
            with h5py.File(self.top / f"{name}.h5", "w") as file:
                file[name] = np.zeros((3, 3, 4, 4), np.uint8)
                file["labels"] = np.arange(3)
        shardine("index", self.top / "imgs.h5", self.top / "images.h5",
                 self.top / "both")
        self.assertEqual(len(listed(self.top / "both")), 6)

    def test_a_field_that_would_be_taken_for_the_images_is_refused(self) -> None:
        def fill(file: Any) -> None:
            put_rows(file, "encoded_images", [p[1] for p in photos()])
            file["imgs"] = np.arange(len(photos()))
        self.assertIn("imgs", self.names_after(fill, "hdf5"))
        refused = subprocess.run(
            [BINARY, "convert", self.top / "set1", self.top / "refused",
             "--format", "hdf5/fuel:images=data"], capture_output=True)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn(b'no field of the name "imgs"', refused.stderr)


class WeReadH5py(Case):
    def check(self, fill: Fill, *, labels: bool = True, keys: bool = False,
              **options: Any) -> None:
        path = self.top / "made.hdf5"
        out = self.top / "out"
        with h5py.File(path, "w", **options) as file:
            fill(file)
        shardine("index", path, out)
        shardine("verify", out)
        contents = path.read_bytes()
        samples = listed(out)
        self.assertEqual(len(samples), len(photos()))
        for sample, (key, image, label) in zip(samples, photos()):
            self.assertEqual(payload(contents, sample), image)
            if labels:
                self.assertEqual(sample["label"], label)
            if keys:
                self.assertEqual(sample["key"], key)
        if keys:
            key, image, _ = photos()[0]
            self.assertEqual(shardine("cat", out, key), image)

    def test_variable_length(self) -> None:
        images = [image for _, image, _ in photos()]
        labels = [label for _, _, label in photos()]
        filters: list[dict[str, Any]] = [
            {}, {"chunks": (5,)}, {"compression": "gzip", "shuffle": True},
            {"compression": "lzf"}, {"maxshape": (None,)}]
        names = [("encoded_images", "targets"), ("image_bytes", "targets")]
        for (name, label), options, libver in itertools.product(
                names, filters, ["earliest", "latest"]):
            with self.subTest(name=name, options=options, libver=libver):
                def fill(file: Any) -> None:
                    put_rows(file, name, images, **options)
                    file[label] = np.array(labels, ">i2").reshape(-1, 1)
                self.setUp()
                self.check(fill, libver=libver)

    def test_fuel(self) -> None:
        def fill(file: Any) -> None:
            put_rows(file, "encoded_images", [p[1] for p in photos()])
            file["targets"] = np.array([[p[2]] for p in photos()], np.int16)
            file["filenames"] = np.array([[p[0].encode()] for p in photos()],
                                         "S64")
        self.check(fill, keys=True)

    def test_splits_of_fuel(self) -> None:
        # H5PYDataset.create_split_array makes the attribute in this way.
        rows = len(photos())
        wanted = {"train": [2, 0, 1], "valid": list(range(3, rows - 1)),
                  "test": [rows - 1]}
        path = self.top / "made.hdf5"
        with h5py.File(path, "w") as file:
            put_rows(file, "encoded_images", [p[1] for p in photos()])
            file["targets"] = np.array([[p[2]] for p in photos()], np.int16)
            file["train_rows"] = np.array(wanted["train"])
            nothing = h5py.Reference()
            file.attrs["split"] = np.array(
                [("train", "encoded_images", 0, 0, file["train_rows"].ref, 1),
                 ("train", "targets", 0, 0, file["train_rows"].ref, 1),
                 ("valid", "encoded_images", 3, rows - 1, nothing, 1),
                 ("valid", "targets", 3, rows - 1, nothing, 1),
                 ("test", "encoded_images", rows - 1, rows, nothing, 1),
                 ("test", "targets", 0, 0, nothing, 0)],
                [("split", "S5"), ("source", "S14"), ("start", np.int64),
                 ("stop", np.int64), ("indices", h5py.ref_dtype),
                 ("available", np.bool_)])
        refused = subprocess.run([BINARY, "index", path, self.top / "all"],
                                 capture_output=True)
        self.assertEqual(refused.returncode, 2)
        self.assertIn(b"train (3 samples)", refused.stderr)
        contents = path.read_bytes()
        for split, numbers in wanted.items():
            shardine("index", path, self.top / split, "--split", split)
            shardine("verify", self.top / split)
            samples = listed(self.top / split)
            self.assertEqual([payload(contents, s) for s in samples],
                             [photos()[n][1] for n in sorted(numbers)])
            labels = [s.get("label") for s in samples]
            expected = [photos()[n][2] for n in sorted(numbers)]
            self.assertEqual(labels,
                             [None] if split == "test" else expected)

    def test_a_group_per_split_and_a_dataset_per_class(self) -> None:
        def fill(file: Any) -> None:
            for name, rows in itertools.groupby(
                    photos(), lambda photo: photo[0].split("/")[0]):
                put_rows(file, f"train/{name}", [row[1] for row in rows])
        self.check(fill)

    def test_a_group_per_image(self) -> None:
        def fill(file: Any) -> None:
            for number, (_, image, label) in enumerate(photos()):
                file[f"{number}/data"] = np.frombuffer(image, np.uint8)
                file[f"{number}/target"] = label
        self.check(fill)

    def test_arrays(self) -> None:
        images = np.random.default_rng(4).integers(
            0, 256, (130, 3, 16, 16), np.uint8)
        chunks = [{}, {"chunks": True}, {"chunks": (50, 3, 16, 16)},
                  {"chunks": (1, 3, 16, 16)}, {"chunks": (7, 2, 5, 16)},
                  {"chunks": (7, 3, 16, 16), "fletcher32": True}]
        packed = [{"compression": "gzip"}, {"compression": "lzf"},
                  {"compression": "gzip", "shuffle": True, "fletcher32": True}]
        for options, libver, names in itertools.product(
                chunks + packed, ["earliest", "latest"],
                [("imgs", "labels"), ("data", "label")]):
            with self.subTest(options=options, libver=libver, names=names):
                self.setUp()
                path = self.top / "made.h5"
                with h5py.File(path, "w", libver=libver) as file:
                    file.create_dataset(names[0], data=images, **options)
                    file[names[1]] = np.arange(130, dtype=np.float32)
                shardine("index", path, self.top / "out")
                back = self.top / "back"
                shardine("convert", self.top / "out", back, "--format",
                         "hdf5/array", "--shards", 1)
                shard, = {sample["shard"] for sample in listed(back)}
                with h5py.File(back / shard) as file:
                    np.testing.assert_array_equal(file["imgs"], images)
                    np.testing.assert_array_equal(file["labels"],
                                                  np.arange(130))

    def test_big_endian_arrays_are_turned(self) -> None:
        for dtype in (">f4", ">i8", ">u2", ">f2"):
            values = np.random.default_rng(5).integers(
                0, 100, (40, 3, 2)).astype(dtype)
            for options in ({}, {"chunks": (7, 3, 2)}, {"compression": "gzip"}):
                with self.subTest(dtype=dtype, options=options):
                    self.setUp()
                    path = self.top / "made.h5"
                    with h5py.File(path, "w") as file:
                        put_rows(file, "encoded_images", [b"x"] * 40)
                        file.create_dataset("values", data=values, **options)
                    shardine("index", path, self.top / "out")
                    back = self.top / "back"
                    shardine("convert", self.top / "out", back, "--format",
                             "hdf5/fuel", "--shards", 1)
                    shard, = {sample["shard"] for sample in listed(back)}
                    with h5py.File(back / shard) as file:
                        for row in range(40):
                            np.testing.assert_array_equal(
                                file["values"][row].reshape(3, 2), values[row])


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve())
    PHOTOS = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
