"""Lets py-lmdb, pickle, NumPy and protobuf read shardine's files, and shardine theirs.

Runs under the Python that has lmdb.
Usage: against_py_lmdb.py BINARY PHOTOS PROTOC [unittest options]
"""

import importlib.util
import json
import pathlib
import pickle
import struct
import subprocess
import sys
import tempfile
import types
import unittest
import zlib
from collections.abc import Callable, Iterable
from typing import Any

import lmdb
import numpy
from numpy.typing import NDArray

Sample = dict[str, Any]  # as `ls --json` has it
Documents = dict[bytes, dict[str, NDArray[Any]]]

BINARY = ""
PHOTOS = ""
CAFFE: Any = None  # the module that protoc makes of caffe.proto


def run(*arguments: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True)


def shardine(*arguments: object) -> bytes:
    """Standard output of a run that must succeed."""
    done = run(*arguments)
    if done.returncode != 0:
        raise AssertionError(f"shardine {arguments}: exit {done.returncode}\n"
                             + done.stderr.decode(errors="replace"))
    return done.stdout


def listed(dataset: pathlib.Path) -> list[Sample]:
    lines = shardine("ls", dataset, "--json").splitlines()
    return [json.loads(line) for line in lines]


def payloads(shard: pathlib.Path, sample: Sample) -> bytes:
    """The bytes of a sample's image at its extents, joined."""
    contents = shard.read_bytes()
    return b"".join(contents[at:at + size] for at, size in sample["extents"])


def load_caffe(protoc: str, folder: pathlib.Path) -> types.ModuleType:
    """The Python module of caffe.proto, compiled here and now."""
    here = pathlib.Path(__file__).parent
    subprocess.run([protoc, f"--proto_path={here}", f"--python_out={folder}",
                    "caffe.proto"], check=True)
    spec = importlib.util.spec_from_file_location("caffe_pb2",
                                                  folder / "caffe_pb2.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tiny_png(size: int) -> bytes:
    """A PNG of one pixel in exactly `size` bytes, at least 79."""
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + \
            struct.pack(">I", zlib.crc32(name + data))
    head = b"\x89PNG\r\n\x1a\n" + chunk(
        b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    tail = chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")
    room = size - len(head) - len(tail) - 12
    return head + chunk(b"teSt", b"x" * room) + tail


class ImageFolderLMDB:
    """The reader of folder2lmdb, without the decoding."""

    def __init__(self, path: pathlib.Path) -> None:
        self.env = lmdb.open(str(path), subdir=path.is_dir(), readonly=True,
                             lock=False, readahead=False, meminit=False)
        with self.env.begin(write=False) as txn:
            self.length = pickle.loads(txn.get(b"__len__"))
            self.keys = pickle.loads(txn.get(b"__keys__"))

    def __getitem__(self, index: int) -> Any:
        with self.env.begin(write=False) as txn:
            return pickle.loads(txn.get(self.keys[index]))

    def raw(self, key: bytes) -> bytes:
        with self.env.begin(write=False) as txn:
            return bytes(txn.get(key))

    def __len__(self) -> int:
        return int(self.length)


class Case(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name).resolve()
        self.tree = pathlib.Path(PHOTOS).resolve()
        self.out = self.top / "out"

    def pack(self, layout: str,
             *arguments: object) -> dict[pathlib.Path, list[Sample]]:
        """Packs the tree; its samples by shard."""
        shardine("pack", self.tree, self.out, "--format", layout, "--json",
                 *arguments)
        self.assertEqual(list(self.out.rglob("*lock*")), [])
        samples = listed(self.out)
        self.assertEqual(len(samples), sum(
            path.is_file() for path in self.tree.rglob("*")))
        shards: dict[str, list[Sample]] = {}
        for sample in samples:
            shards.setdefault(sample["shard"], []).append(sample)
        return {self.out / name: mine for name, mine in shards.items()}

    def image(self, sample: Sample) -> bytes:
        key: str = sample["key"]
        return (self.tree / key).read_bytes()


class PythonReadsOurs(Case):
    def check_folder2lmdb(self, path: pathlib.Path, samples: list[Sample],
                          key_of: Callable[[int], bytes]) -> None:
        reader = ImageFolderLMDB(path)
        self.assertEqual(len(reader), len(samples))
        keys = [key_of(i) for i in range(len(samples))]
        self.assertEqual(reader.keys, keys)
        for i, sample in enumerate(samples):
            image, label = reader[i]
            self.assertEqual(image, self.image(sample))
            self.assertEqual(label, sample["label"])
            self.assertEqual(reader.raw(keys[i]), pickle.dumps(
                (image, label), protocol=4))
        self.assertEqual(reader.raw(b"__keys__"),
                         pickle.dumps(keys, protocol=4))
        self.assertEqual(reader.raw(b"__len__"),
                         pickle.dumps(len(samples), protocol=4))
        reader.env.close()

    def test_folder2lmdb(self) -> None:
        for path, samples in self.pack("lmdb", "--shards", 3).items():
            self.check_folder2lmdb(path, samples, lambda i: b"%08d" % i)

    def test_folder2lmdb_with_plain_keys(self) -> None:
        shards = self.pack("lmdb/folder2lmdb:keys=%d", "--shards", 1)
        for path, samples in shards.items():
            self.check_folder2lmdb(path, samples, lambda i: b"%d" % i)

    def test_pickles_of_every_form(self) -> None:
        """Lists of one, of full batches, of several frames; values on both
        sides of each limit of a pickle."""
        sizes = [*range(250, 262), *range(65520, 65545), 131072]
        for count in (1, 2, 999, 1000, 1001, 7000):
            self.tree = self.top / f"tree{count}"
            self.out = self.top / f"out{count}"
            for i in range(count):
                folder = self.tree / f"c{i % 300:03d}"
                folder.mkdir(parents=True, exist_ok=True)
                size = sizes[i] if i < len(sizes) and count > 1 else 80 + i % 5
                (folder / f"{i}.png").write_bytes(tiny_png(size))
            for path, samples in self.pack("lmdb", "--shards", 1).items():
                self.check_folder2lmdb(path, samples, lambda i: b"%08d" % i)

    def test_datum(self) -> None:
        for path, samples in self.pack("lmdb/datum", "--shards", 2).items():
            env = lmdb.open(str(path), subdir=False, readonly=True, lock=False)
            with env.begin() as txn:
                entries = [(bytes(key), bytes(value))
                           for key, value in txn.cursor()]
            env.close()
            self.assertEqual(len(entries), len(samples))
            for i, (sample, (key, value)) in enumerate(zip(samples, entries)):
                self.assertEqual(key, b"%08d_" % i + sample["key"].encode())
                datum = CAFFE.Datum.FromString(value)
                self.assertTrue(datum.encoded)
                self.assertEqual(datum.data, self.image(sample))
                self.assertEqual(datum.label, sample["label"])
                self.assertFalse(datum.HasField("channels"))
                self.assertEqual(datum.SerializeToString(deterministic=True),
                                 value)

    def test_fields(self) -> None:
        for path, samples in self.pack("lmdb/fields", "--shards", 2).items():
            reader = ImageFolderLMDB(path)
            self.assertEqual(reader.keys,
                             [sample["key"].encode() for sample in samples])
            for i, sample in enumerate(samples):
                self.assertEqual(reader[i], {
                    "image": self.image(sample),
                    "__labels__": [sample["label"]]})
            reader.env.close()


def write_lmdb(path: pathlib.Path, entries: Iterable[tuple[bytes, bytes]],
               subdir: bool = False, commit_every: int = 5) -> None:
    """Writes as folder2lmdb does: commits on the way, then the two other entries in a
    transaction of their own."""
    env = lmdb.open(str(path), subdir=subdir, map_size=2**30, readonly=False,
                    meminit=False, map_async=True)
    txn = env.begin(write=True)
    for i, (key, value) in enumerate(entries):
        txn.put(key, value)
        if i % commit_every == 0:
            txn.commit()
            txn = env.begin(write=True)
    txn.commit()
    env.sync()
    env.close()


class WeReadPython(Case):
    def setUp(self) -> None:
        super().setUp()
        self.photos = sorted(path for path in self.tree.rglob("*")
                             if path.is_file())
        self.classes = sorted(path.name for path in self.tree.iterdir())
        self.images = [(path.read_bytes(),
                        self.classes.index(path.parent.name))
                       for path in self.photos]

    def index(self, path: pathlib.Path, layout: str) -> list[Sample]:
        """Indexes a foreign database; its samples."""
        summary = json.loads(shardine("index", path, self.out, "--json"))
        self.assertEqual(summary["format"], layout)
        shardine("verify", self.out)
        return listed(self.out)

    def check_images(self, file: pathlib.Path, samples: list[Sample]) -> None:
        self.assertEqual(len(samples), len(self.images))
        for sample, (image, label) in zip(samples, self.images):
            self.assertEqual(payloads(file, sample), image)
            self.assertEqual(sample["label"], label)

    def folder2lmdb(self, path: pathlib.Path, form: bytes, protocol: int,
                    subdir: bool = False) -> None:
        keys = [form % i for i in range(len(self.images))]
        entries = [(key, pickle.dumps(pair, protocol=protocol))
                   for key, pair in zip(keys, self.images)]
        entries.append((b"__keys__", pickle.dumps(keys, protocol=protocol)))
        entries.append((b"__len__", pickle.dumps(len(keys),
                                                 protocol=protocol)))
        write_lmdb(path, entries, subdir)

    def test_folder2lmdb(self) -> None:
        for form, name in ((b"%d", "%d"), (b"%08d", "%08d")):
            for protocol in (3, 4, 5):
                for subdir in (False, True):
                    with self.subTest(form=form, protocol=protocol,
                                      subdir=subdir):
                        path = self.top / f"set-{name}-{protocol}-{subdir}"
                        self.out = self.top / f"out-{path.name}"
                        self.folder2lmdb(path, form, protocol, subdir)
                        samples = self.index(
                            path, f"lmdb/folder2lmdb:keys={name}")
                        self.check_images(
                            path / "data.mdb" if subdir else path, samples)

    def test_protocol_2_has_no_extents(self) -> None:
        """Python 3's bytes are text there: converted, not streamed."""
        path = self.top / "set.lmdb"
        self.folder2lmdb(path, b"%08d", 2)
        shardine("index", path, self.out)
        copy = self.top / "copy"
        shardine("convert", self.out, copy, "--format", "lmdb")
        shard, = copy.glob("*.lmdb")
        reader = ImageFolderLMDB(shard)
        self.assertEqual([reader[i] for i in range(len(reader))], self.images)
        reader.env.close()

    def test_datum(self) -> None:
        path = self.top / "caffe_lmdb"
        entries = [(b"%08d_" % i + self.photos[i].name.encode(),
                    CAFFE.Datum(data=image, label=label, encoded=True)
                    .SerializeToString())
                   for i, (image, label) in enumerate(self.images)]
        write_lmdb(path, entries, subdir=True)
        samples = self.index(path, "lmdb/datum")
        self.check_images(path / "data.mdb", samples)
        self.assertEqual([sample["key"] for sample in samples],
                         [photo.name for photo in self.photos])

    def test_raw_datum_and_back(self) -> None:
        path = self.top / "raw.lmdb"
        draw = numpy.random.default_rng(1)
        pixels = [draw.integers(0, 256, (3, 5 + i, 7), dtype=numpy.uint8)
                  for i in range(6)]
        floats = [draw.standard_normal((2, 3, 4)).astype(numpy.float32)
                  for _ in range(3)]
        arrays: list[NDArray[Any]] = [*pixels, *floats]
        contents: list[dict[str, Any]] = [
            *({"data": array.tobytes()} for array in pixels),
            *({"float_data": array.ravel().tolist()} for array in floats)]
        values = [CAFFE.Datum(channels=array.shape[0], height=array.shape[1],
                              width=array.shape[2], label=-i, **content)
                  .SerializeToString()
                  for i, (array, content) in enumerate(zip(arrays, contents))]
        write_lmdb(path, [(b"%08d" % i, value)
                          for i, value in enumerate(values)])
        shardine("index", path, self.out)
        copy = self.top / "copy"
        shardine("convert", self.out, copy, "--format", "lmdb/datum")
        shard, = copy.glob("*.lmdb")
        env = lmdb.open(str(shard), subdir=False, readonly=True, lock=False)
        with env.begin() as txn:
            self.assertEqual([bytes(value) for _, value in txn.cursor()],
                             values)
        env.close()

    def documents(self) -> Documents:
        """Records as document datasets have them."""
        draw = numpy.random.default_rng(2)
        records = {}
        for i in range(8):
            shape = (64, 48, 3) if i % 2 else (48, 64, 3)
            record: dict[str, NDArray[Any]] = {
                "image": draw.integers(0, 256, shape, dtype=numpy.uint8)}
            if i % 4 < 2:
                record["label"] = draw.standard_normal((61, 61, 2))
            records[b"%d_%s_%d_d1" % (i % 3, b"abcd", i)] = record
        return records

    def check_documents(self, shard: pathlib.Path, records: Documents) -> None:
        env = lmdb.open(str(shard), subdir=False, readonly=True, lock=False)
        with env.begin() as txn:
            keys = pickle.loads(txn.get(b"__keys__"))
            self.assertEqual(pickle.loads(txn.get(b"__len__")), len(keys))
            self.assertEqual(sorted(keys), sorted(records))
            for key in keys:
                found = pickle.loads(txn.get(key))
                self.assertEqual(found.keys(), records[key].keys())
                for name, array in found.items():
                    self.assertEqual(array.dtype, records[key][name].dtype)
                    numpy.testing.assert_array_equal(array,
                                                     records[key][name])
                    self.assertTrue(array.flags.c_contiguous)
        env.close()

    def test_documents_both_ways(self) -> None:
        records = self.documents()
        for protocol in (2, 3, 4, 5):
            with self.subTest(protocol=protocol):
                path = self.top / f"documents{protocol}.lmdb"
                self.out = self.top / f"out{protocol}"
                entries = [(key, pickle.dumps(record, protocol=protocol))
                           for key, record in records.items()]
                # Keys that do not exist, as unified_doc writes them.
                numbers = [b"%d" % i for i in range(32)]
                entries.append((b"__keys__", pickle.dumps(numbers)))
                entries.append((b"__len__", pickle.dumps(len(numbers))))
                write_lmdb(path, entries)
                samples = self.index(path, "lmdb/fields")
                self.assertEqual([sample["key"].encode()
                                  for sample in samples], sorted(records))
                if protocol > 2:
                    for sample in samples:
                        record = records[sample["key"].encode()]
                        self.assertEqual(payloads(path, sample),
                                         record["image"].tobytes())
                copy = self.top / f"copy{protocol}"
                shardine("convert", self.out, copy, "--format", "lmdb/fields")
                shard, = copy.glob("*.lmdb")
                self.check_documents(shard, records)

    def test_arrays_of_many_kinds(self) -> None:
        draw = numpy.random.default_rng(3)
        block = draw.integers(-1000, 1000, (4, 5, 6))
        records = {b"a": {
            "fortran": numpy.asfortranarray(block.astype("<i4")),
            "big": block.astype(">f8"),
            "both": numpy.asfortranarray(block.astype(">u2")),
            "complex": (block + 1j).astype(">c16"),
            "half": block.astype("<f2"),
            "flags": block > 0,
            "empty": numpy.zeros((0, 3), "<f4"),
            "number": numpy.array(7, "<i8"),
            "names": numpy.array(["tench", "\u00e9"], "<U5"),
            "bytes": numpy.array([b"ab", b"c"], "|S3"),
        }}
        little = {b"a": {name: array.astype(array.dtype.newbyteorder("<"))
                         for name, array in records[b"a"].items()}}
        for protocol in (2, 4, 5):
            with self.subTest(protocol=protocol):
                path = self.top / f"kinds{protocol}.lmdb"
                out = self.top / f"out{protocol}"
                write_lmdb(path, [(b"a", pickle.dumps(records[b"a"],
                                                      protocol=protocol))])
                shardine("index", path, out)
                copy = self.top / f"copy{protocol}"
                shardine("convert", out, copy, "--format", "lmdb/fields")
                shard, = copy.glob("*.lmdb")
                self.check_documents(shard, little)

    def refused(self, value: bytes, *words: str) -> None:
        path = self.top / "refused.lmdb"
        if path.exists():
            path.unlink()
        write_lmdb(path, [(b"0", value)])
        done = run("index", path, self.out)
        message = done.stderr.decode()
        self.assertEqual(done.returncode, 1, message)
        for word in words:
            self.assertIn(word, message)

    def test_what_is_refused(self) -> None:
        self.refused(b"\x92\xc4\x03abc\xc7\x00\x01", "extension type of msgpack")
        self.refused(b"not a value", "pickle, pyarrow.serialize and msgpack")
        self.refused(pickle.dumps(numpy.array([{}, None], object)),
                     "\"O8\"")
        self.refused(pickle.dumps((pathlib.PurePosixPath("x"), 1)),
                     "pathlib.PurePosixPath")
        self.refused(b"cos\nsystem\n(S'true'\ntR.", "os.system")
        self.refused(b"\x80\x02cos\nsystem\nX\x04\0\0\0true\x85R.",
                     "os.system")
        path = self.top / "named.lmdb"
        env = lmdb.open(str(path), subdir=False, map_size=2**24, max_dbs=2)
        env.open_db(b"images")
        env.close()
        message = run("index", path, self.out).stderr.decode()
        self.assertIn("named databases (\"images\")", message)


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve())
    PHOTOS = sys.argv.pop(1)
    with tempfile.TemporaryDirectory() as generated:
        CAFFE = load_caffe(sys.argv.pop(1), pathlib.Path(generated))
        unittest.main()
