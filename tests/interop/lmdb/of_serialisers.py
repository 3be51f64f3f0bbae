"""pyarrow 10, msgpack, msgpack-numpy and pickle write LMDBs by py-lmdb, as
folder2lmdb, tensorpack and others do, and shardine reads them: images byte for
byte, labels equal, by each of its ways out.

Runs under the Python that has them, with PYTHONPATH at shardine's package.
Usage: of_serialisers.py BINARY PHOTOS [unittest options]
"""

import json
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest
import warnings
from collections.abc import Callable
from typing import Any

import lmdb
import msgpack
import msgpack_numpy
import numpy
import pyarrow

import shardine

Dumps = Callable[[Any], bytes]
Entries = list[tuple[bytes, bytes]]

BINARY = ""
PHOTOS = ""


def dumps_arrow(value: Any) -> bytes:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        buffer: bytes = pyarrow.serialize(value).to_buffer().to_pybytes()
    return buffer


def dumps_msgpack(value: Any) -> bytes:
    """tensorpack's, with msgpack_numpy.patch()."""
    packed: bytes = msgpack.dumps(value, default=msgpack_numpy.encode,
                                  use_bin_type=True)
    return packed


def dumps_raw_msgpack(value: Any) -> bytes:
    """Packs like the versions that did not tell bytes from text."""
    packed: bytes = msgpack.dumps(value, use_bin_type=False)
    return packed


def dumps_pickle(protocol: int) -> Dumps:
    return lambda value: pickle.dumps(value, protocol=protocol)


def run(*arguments: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True)


def command(*arguments: object) -> bytes:
    """Standard output of a run that must succeed."""
    done = run(*arguments)
    if done.returncode != 0:
        raise AssertionError(f"shardine {arguments}: exit {done.returncode}\n"
                             + done.stderr.decode(errors="replace"))
    return done.stdout


def write_lmdb(path: pathlib.Path, entries: Entries,
               database: bytes | None = None) -> None:
    env = lmdb.open(str(path), subdir=False, map_size=2**30, max_dbs=4)
    handle = None if database is None else env.open_db(database)
    with env.begin(write=True, db=handle) as txn:
        for key, value in entries:
            txn.put(key, value)
    env.close()


class Case(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name).resolve()
        paths = sorted(path for path in pathlib.Path(PHOTOS).rglob("*")
                       if path.is_file())[:12]
        self.images = [path.read_bytes() for path in paths]
        self.labels = [i * 37 % 1000 for i in range(len(paths))]
        self.made = 0

    def pairs(self) -> list[tuple[bytes, int]]:
        return list(zip(self.images, self.labels))

    def folder2lmdb(self, dumps: Dumps, values: list[Any],
                    has_length: bool = True) -> pathlib.Path:
        """The database that folder2lmdb makes with `dumps`; tensorpack's, which
        has no length."""
        self.made += 1
        path = self.top / f"set{self.made}.lmdb"
        keys = [b"%d" % i for i in range(len(values))]
        entries = [(key, dumps(value)) for key, value in zip(keys, values)]
        entries.append((b"__keys__", dumps(keys)))
        if has_length:
            entries.append((b"__len__", dumps(len(keys))))
        write_lmdb(path, entries)
        return path

    def index(self, path: pathlib.Path, layout: str) -> pathlib.Path:
        out = path.with_suffix(".out")
        summary = json.loads(command("index", path, out, "--json"))
        self.assertTrue(summary["format"].startswith(layout), summary["format"])
        command("verify", out, "--level", "full")
        return out

    def check_converted(self, out: pathlib.Path,
                        labels: list[list[int]]) -> None:
        """Checks the labels in another format, and as files."""
        copy = out.with_suffix(".copy")
        command("convert", out, copy, "--format", "webdataset")
        found = shardine.Dataset(str(copy))
        self.check_images([bytes(found[i].image) for i in range(len(found))],
                          self.images)
        self.assertEqual([list(found[i].labels) for i in range(len(found))],
                         labels)

    def check_files(self, out: pathlib.Path) -> None:
        files = out.with_suffix(".files")
        command("extract", out, files)
        found = [path.read_bytes() for path in files.rglob("*")
                 if path.is_file()]
        self.check_images(sorted(found), sorted(self.images))

    def check_images(self, found: list[bytes], images: list[bytes]) -> None:
        """Compares images without a message of megabytes."""
        self.assertEqual(len(found), len(images))
        self.assertEqual([i for i, image in enumerate(images)
                          if found[i] != image], [])

    def check(self, path: pathlib.Path, layout: str = "lmdb/folder2lmdb",
              labelled: bool = True, streams: bool = True) -> None:
        """`streams`: the images lie in the file as they are."""
        labels = [[label] if labelled else [] for label in self.labels]
        out = self.index(path, layout)
        self.check_converted(out, labels)
        if not streams:
            self.assertIn(b"convert the dataset first",
                          run("extract", out, self.top / "none").stderr)
            return
        self.check_files(out)
        dataset = shardine.Dataset(str(out))
        self.check_images([bytes(dataset[i].image)
                           for i in range(len(dataset))], self.images)
        self.assertEqual([list(dataset[i].labels)
                          for i in range(len(dataset))], labels)
        loader = shardine.Loader(dataset, batch_size=4, order="sequential",
                                 transform=shardine.CenterCrop(32, resize=40))
        self.assertEqual(sum(len(batch.images) for batch in loader),
                         len(labels))
        self.assertEqual([bad for batch in loader for bad in batch.bad
                          if bad], [])


class Serialisers(Case):
    ALL: dict[str, Dumps] = {"arrow": dumps_arrow, "msgpack": dumps_msgpack,
                             "pickle": dumps_pickle(4)}

    def test_image_and_label(self) -> None:
        for name, dumps in self.ALL.items():
            with self.subTest(name):
                self.check(self.folder2lmdb(dumps, self.pairs()))

    def test_an_image_in_an_array_of_bytes(self) -> None:
        """tensorpack's dataflow, without a length."""
        values = [[numpy.frombuffer(image, numpy.uint8), label]
                  for image, label in self.pairs()]
        for name, dumps in self.ALL.items():
            with self.subTest(name):
                self.check(self.folder2lmdb(dumps, values, has_length=False))

    def test_labels_of_numpy(self) -> None:
        kinds: list[Callable[[int], Any]] = [
            numpy.int64, numpy.uint16, lambda label: numpy.array(label),
            lambda label: numpy.array([label], ">i4"),
            lambda label: numpy.float32(label)]
        values = [(image, kinds[i % len(kinds)](label))
                  for i, (image, label) in enumerate(self.pairs())]
        arrow = [(image, numpy.int64(label)) if i % 2 else
                 (image, numpy.array([label]))
                 for i, (image, label) in enumerate(self.pairs())]
        self.check(self.folder2lmdb(dumps_pickle(4), values))
        self.check(self.folder2lmdb(dumps_msgpack, values))
        self.check(self.folder2lmdb(dumps_arrow, arrow))

    def test_batches_of_one(self) -> None:
        values = [([image], numpy.array([label]))
                  for image, label in self.pairs()]
        for name, dumps in self.ALL.items():
            with self.subTest(name):
                self.check(self.folder2lmdb(dumps, values))

    def test_an_image_alone(self) -> None:
        for name, dumps in self.ALL.items():
            with self.subTest(name):
                self.check(self.folder2lmdb(
                    dumps, [(image,) for image in self.images]), labelled=False)
        self.check(self.folder2lmdb(dumps_pickle(4), self.images),
                   labelled=False)

    def test_text_for_bytes(self) -> None:
        self.check(self.folder2lmdb(dumps_raw_msgpack, self.pairs()))

    def test_pickles_of_texts(self) -> None:
        for protocol in (0, 1):
            with self.subTest(protocol):
                self.check(self.folder2lmdb(dumps_pickle(protocol),
                                            self.pairs()), streams=False)

    def test_dicts(self) -> None:
        points = numpy.arange(6.0).reshape(2, 3)
        values = [{"image": image, "label": label, "points": points, "n": i}
                  for i, (image, label) in enumerate(self.pairs())]
        for name, dumps in self.ALL.items():
            with self.subTest(name):
                path = self.folder2lmdb(dumps, values)
                self.check(path, "lmdb/fields")
                found = shardine.Dataset(str(path.with_suffix(".copy")))
                for i in range(len(found)):
                    numpy.testing.assert_array_equal(found[i].fields["points"], points)
                    self.assertEqual(found[i].fields["n"], i)


class Classes(Case):
    def classes(self, dumps: Dumps, names: Any) -> list[tuple[int, str]]:
        """The classes of the manifest, where `names` stands under __classes__."""
        self.labels = [i % 3 for i in range(len(self.images))]
        path = self.folder2lmdb(dumps, self.pairs())
        write_lmdb(path, [(b"__classes__", dumps(names))])
        self.index(path, "lmdb/folder2lmdb")
        manifest = json.loads(
            (path.with_suffix(".out") / "shardine.json").read_text())
        return [(entry["label"], entry["name"])
                for entry in manifest["classes"]]

    def test_names_of_classes(self) -> None:
        names = ["ape", "bat", "cat"]
        wanted = list(enumerate(names))
        for name, dumps in Serialisers.ALL.items():
            with self.subTest(name):
                self.assertEqual(self.classes(dumps, names), wanted)
                self.assertEqual(self.classes(
                    dumps, {name: i for i, name in wanted}), wanted)


class NamedDatabases(Case):
    def test_one_is_read_by_its_name(self) -> None:
        """json2lmdb's: raw images, and the other fields of each."""
        path = self.top / "named.lmdb"
        keys = [b"%03d" % i for i in range(len(self.images))]
        write_lmdb(path, list(zip(keys, self.images)), b"image")
        write_lmdb(path, [(key, dumps_pickle(4)({"n": 1})) for key in keys],
                   b"extra")
        done = run("index", path, self.top / "out")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b'named databases ("extra", "image")', done.stderr)
        self.assertIn(b"as in lmdb/fields:database=extra", done.stderr)
        self.assertIn(b"shardine index FILE OUT --format LAYOUT:database=NAME",
                      done.stderr)
        out = self.top / "image"
        image = ("--format", "lmdb/fields:database=image")
        done = run("convert", self.top / "image", self.top / "no", *image)
        self.assertNotEqual(done.returncode, 0)
        done = run("pack", PHOTOS, self.top / "no", *image)
        self.assertIn(b"shards are written without it", done.stderr)
        self.assertFalse((self.top / "no").exists())
        command("index", path, out, *image)
        command("verify", out, "--level", "full")
        self.check_files(out)
        copy = self.top / "copy"
        command("convert", out, copy)
        self.check_files(copy)
        command("verify", copy, "--level", "full")

    def test_databases_are_splits(self) -> None:
        """env.open_db(b"train") and env.open_db(b"val") of one file."""
        path = self.top / "splits.lmdb"
        splits = {"train": self.pairs()[:8], "val": self.pairs()[8:]}
        for name, pairs in splits.items():
            keys = [b"%d" % i for i in range(len(pairs))]
            entries = [(key, dumps_pickle(4)(pair))
                       for key, pair in zip(keys, pairs)]
            write_lmdb(path, entries + [
                (b"__keys__", dumps_pickle(4)(keys)),
                (b"__len__", dumps_pickle(4)(len(keys)))], name.encode())
        for name in splits:
            command("index", f"{name}={path}", self.top / name, "--format",
                    f"lmdb/folder2lmdb:keys=%d,database={name}")
        both = self.top / "both"
        command("merge", self.top / "train", self.top / "val", both)
        command("verify", both, "--level", "full")
        for name, pairs in splits.items():
            found = shardine.Dataset(str(both), split=name)
            self.assertEqual([(bytes(found[i].image), list(found[i].labels))
                              for i in range(len(found))],
                             [(image, [label]) for image, label in pairs])


class Images(Case):
    def test_keys_are_keys(self) -> None:
        """LSUN's, StyleGAN2's with its length, BasicSR's beside its text."""
        forms: list[tuple[Callable[[int], bytes], Entries]] = [
            (lambda i: b"%040x" % i, []),
            (lambda i: b"256-%05d" % i, [(b"length", b"12")]),
            (lambda i: b"baboon_s%03d" % i, [])]
        for form, others in forms:
            self.made += 1
            path = self.top / f"images{self.made}.lmdb"
            keys = [form(i) for i in range(len(self.images))]
            write_lmdb(path, list(zip(keys, self.images)) + others)
            self.check(path, "lmdb/fields", labelled=False)
            found = shardine.Dataset(str(path.with_suffix(".out")))
            self.assertEqual([found[i].key_bytes for i in range(len(found))],
                             keys)

    def test_texts_in_images(self) -> None:
        path = self.top / "text.lmdb"
        entries = [(b"num-samples", b"12")]
        for i, image in enumerate(self.images, 1):
            entries.append((b"image-%09d" % i, image))
            entries.append((b"label-%09d" % i, b"text %d" % i))
        write_lmdb(path, entries)
        self.check(path, "lmdb/fields", labelled=False)
        found = shardine.Dataset(str(path.with_suffix(".out")))
        self.assertEqual([found[i].fields["label"] for i in range(len(found))],
                         [f"text {i}" for i in range(1, 13)])


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve())
    PHOTOS = sys.argv.pop(1)
    unittest.main()
