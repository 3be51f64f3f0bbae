"""Lets the loaders that people train with read the files shardine writes for them:
Efficient-PyTorch's ImageFolderLMDB, tensorpack, LSUN's, Caffe's.

Runs under the Python that has pyarrow 10 and tensorpack.
Usage: against_loaders.py BINARIES PHOTOS [unittest options]
"""

import hashlib
import io
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest
from typing import Any

import lmdb
import msgpack
import msgpack_numpy
import numpy
import pyarrow
from PIL import Image

from image_folder_lmdb import ImageFolderLMDB
from photo_tree import photo_tree

Sample = dict[str, Any]  # as `ls --json` has it

BINARIES = pathlib.Path()
PHOTOS = pathlib.Path()


def run(program: str, *arguments: object) -> str:
    """Standard output of a run that must succeed."""
    done = subprocess.run([BINARIES / program, *map(str, arguments)],
                          capture_output=True)
    if done.returncode != 0:
        raise AssertionError(f"{program} {arguments}: exit {done.returncode}\n"
                             + done.stderr.decode(errors="replace"))
    return done.stdout.decode()


def arrow(value: object) -> bytes:
    return bytes(pyarrow.serialize(value).to_buffer().to_pybytes())


class Case(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name).resolve()
        self.classes, self.images = photo_tree(PHOTOS)

    def pack(self, layout: str, shards: int = 1) -> list[pathlib.Path]:
        """The shards of the photos, in order."""
        out = self.top / f"out{len(list(self.top.iterdir()))}"
        run("shardine", "pack", PHOTOS, out, "--format", layout, "--no-shuffle",
            "--shards", shards)
        run("shardine", "verify", out)
        found = sorted(out.glob("*.lmdb"))
        self.assertEqual(len(found), shards)
        return found

    def entries(self, path: pathlib.Path) -> dict[bytes, bytes]:
        env = lmdb.open(str(path), subdir=path.is_dir(), readonly=True,
                        lock=False)
        with env.begin() as txn:
            entries = {bytes(key): bytes(value) for key, value in txn.cursor()}
        env.close()
        return entries


class EfficientPytorch(Case):
    def check(self, path: pathlib.Path, images: list[tuple[bytes, int]],
              key: str) -> None:
        reader = ImageFolderLMDB(str(path))
        self.assertEqual(len(reader), len(images))
        for i, (image, label) in enumerate(images):
            picture, read_label = reader[i]
            self.assertIs(type(read_label), int)
            self.assertEqual(read_label, label)
            self.assertEqual(picture.tobytes(), Image.open(
                io.BytesIO(image)).convert("RGB").tobytes())
        reader.env.close()
        keys = [(key % i).encode() for i in range(len(images))]
        wanted = {name: arrow(pair) for name, pair in zip(keys, images)}
        wanted[b"__keys__"] = arrow(keys)
        wanted[b"__len__"] = arrow(len(keys))
        self.assertEqual(self.entries(path), wanted)

    def test_pack_in_one_file_and_in_folders(self) -> None:
        for layout, key in (("values=arrow", "%08d"),
                            ("keys=%d,values=arrow,dir=yes", "%d")):
            with self.subTest(layout=layout):
                shards = self.pack("lmdb/folder2lmdb:" + layout, 2)
                at = 0
                for shard in shards:
                    self.assertEqual(shard.is_dir(), "dir" in layout)
                    count = len(self.entries(shard)) - 2
                    self.check(shard, self.images[at:at + count], key)
                    at += count
                self.assertEqual(at, len(self.images))

    def test_the_program_in_its_place(self) -> None:
        folder = self.top / "data"
        (folder / "val").parent.mkdir()
        (folder / "val").symlink_to(PHOTOS)
        said = run("folder2lmdb", "-f", folder, "-p", 2)
        self.assertEqual(said, f"{folder}/val.lmdb: {len(self.images)} records, "
                         f"{len(self.classes)} classes\n")
        self.assertEqual(sorted(path.name for path in folder.iterdir()),
                         ["val", "val.lmdb"])
        self.check(folder / "val.lmdb", self.images, "%d")
        # Where there is a folder, the database lies in it.
        (folder / "train").symlink_to(PHOTOS)
        (folder / "train.lmdb").mkdir()
        run("folder2lmdb", "--folder", folder, "--split", "train", "-q")
        self.check(folder / "train.lmdb", self.images, "%d")
        self.assertEqual([path.name for path in
                          (folder / "train.lmdb").iterdir()], ["data.mdb"])

    def test_the_program_for_forks(self) -> None:
        (self.top / "val").symlink_to(PHOTOS)
        run("folder2lmdb", "-f", self.top, "--values", "pickle")
        entries = self.entries(self.top / "val.lmdb")
        self.assertEqual(pickle.loads(entries[b"__len__"]), len(self.images))
        self.assertEqual([pickle.loads(entries[key]) for key in
                          pickle.loads(entries[b"__keys__"])], self.images)

    def test_arrow_through_another_format_and_back(self) -> None:
        shard, = self.pack("lmdb/folder2lmdb:values=arrow")
        tar, back = self.top / "tar", self.top / "back"
        run("shardine", "convert", shard.parent, tar, "--format", "webdataset")
        run("shardine", "convert", tar, back, "--format",
            "lmdb/folder2lmdb:values=arrow")
        self.assertEqual((back / shard.name).read_bytes(), shard.read_bytes())
        run("shardine", "diff", shard.parent, back)


# Run with TENSORPACK_SERIALIZE set, which tensorpack looks at when imported.
TENSORPACK = """
import sys
from tensorpack.dataflow import LMDBSerializer
shuffled = LMDBSerializer.load(sys.argv[1], shuffle=True)
flow = LMDBSerializer.load(sys.argv[1], shuffle=False)
shuffled.reset_state()
flow.reset_state()
points = list(flow)
assert len(flow) == len(points), (len(flow), len(points))
read = sorted((image.tobytes(), label) for image, label in shuffled)
assert read == sorted((image.tobytes(), label) for image, label in points)
with open(sys.argv[2], "w") as out:  # it logs to standard output
    for image, label in points:
        assert image.dtype == "uint8" and image.ndim == 1, image
        print(image.tobytes().hex(), label, file=out)
"""


class Tensorpack(Case):
    def read(self, path: pathlib.Path, serializer: str) -> list[tuple[bytes, int]]:
        read = self.top / "read"
        done = subprocess.run(
            [sys.executable, "-c", TENSORPACK, path, read], capture_output=True,
            text=True, env={**os.environ, "TENSORPACK_SERIALIZE": serializer})
        self.assertEqual(done.returncode, 0, done.stderr)
        pairs = (line.split() for line in read.read_text().splitlines())
        return [(bytes.fromhex(image), int(label)) for image, label in pairs]

    def test_pickles_and_msgpack(self) -> None:
        for values in ("pickle", "msgpack"):
            with self.subTest(values=values):
                shard, = self.pack(f"lmdb/tensorpack:values={values}")
                self.assertEqual(self.read(shard, values), self.images)

    def test_msgpack_is_that_of_its_packages(self) -> None:
        shard, = self.pack("lmdb/tensorpack:values=msgpack,dir=yes")
        keys = [b"%08d" % i for i in range(len(self.images))]
        wanted = {key: msgpack.dumps(
            [numpy.frombuffer(image, numpy.uint8), label],
            default=msgpack_numpy.encode, use_bin_type=True)
            for key, (image, label) in zip(keys, self.images)}
        wanted[b"__keys__"] = msgpack.dumps(keys, use_bin_type=True)
        self.assertEqual(self.entries(shard), wanted)


class LsunClass:
    """torchvision's datasets.LSUNClass, without torch."""

    def __init__(self, root: str) -> None:
        self.env = lmdb.open(root, max_readers=1, readonly=True, lock=False,
                             readahead=False, meminit=False)
        with self.env.begin(write=False) as txn:
            self.length = txn.stat()["entries"]
            self.keys = [bytes(key) for key in
                         txn.cursor().iternext(keys=True, values=False)]

    def __getitem__(self, index: int) -> Image.Image:
        with self.env.begin(write=False) as txn:
            imgbuf = txn.get(self.keys[index])
        buf = io.BytesIO()
        buf.write(imgbuf)
        buf.seek(0)
        return Image.open(buf).convert("RGB")


class Folders(Case):
    def test_lsun_opens_the_folder(self) -> None:
        names = sorted(path.relative_to(PHOTOS).as_posix().encode()
                       for path in PHOTOS.glob("*/*"))
        for keys in ("%08d_key", "key"):
            with self.subTest(keys=keys):
                shard, = self.pack(f"lmdb/images:dir=yes,keys={keys}")
                reader = LsunClass(str(shard))
                self.assertEqual(reader.length, len(self.images))
                numbered = keys != "key"
                self.assertEqual(reader.keys, [
                    b"%08d_" % i + name if numbered else name
                    for i, name in enumerate(names)])
                for i, (image, _) in enumerate(self.images):
                    self.assertEqual(reader[i].tobytes(), Image.open(
                        io.BytesIO(image)).convert("RGB").tobytes())
                reader.env.close()

    def test_lsun_through_another_format_keeps_its_keys(self) -> None:
        """LSUN's databases have keys of 40 digits in no order of the images."""
        lsun, index = self.top / "cat_train_lmdb", self.top / "index"
        env = lmdb.open(str(lsun), map_size=2**28)
        entries = {hashlib.sha1(image).hexdigest().encode(): image
                   for image, _ in self.images}
        with env.begin(write=True) as txn:
            for key, image in entries.items():
                txn.put(key, image)
        env.close()
        run("shardine", "index", lsun, index)
        tar, back = self.top / "tar", self.top / "back"
        run("shardine", "convert", index, tar, "--format", "webdataset")
        run("shardine", "convert", tar, back, "--format",
            "lmdb/images:keys=key,dir=yes")
        shard, = back.glob("*.lmdb")
        self.assertEqual(self.entries(shard), entries)
        reader = LsunClass(str(shard))
        self.assertEqual(reader.length, len(entries))
        reader.env.close()

    def test_caffe_opens_the_folder(self) -> None:
        """mdb_env_open without MDB_NOSUBDIR, with locks, as Caffe does."""
        shard, = self.pack("lmdb/datum:dir=yes")
        env = lmdb.open(str(shard), readonly=True)
        with env.begin() as txn:
            self.assertEqual(txn.stat()["entries"], len(self.images))
        env.close()
        # The lock that this left belongs to no shard.
        self.assertTrue((shard / "lock.mdb").exists())
        run("shardine", "verify", "--level", "full", shard.parent)

    def test_shards_are_indexed_and_converted_where_they_lie(self) -> None:
        shards = self.pack("lmdb/fields:dir=yes", 2)
        index = self.top / "index"
        run("shardine", "index", *shards, index)
        run("shardine", "diff", shards[0].parent, index)
        files = json.loads((index / "shardine.json").read_text())
        self.assertIn("/data.mdb", json.dumps(files))
        copy = self.top / "copy"
        run("shardine", "convert", shards[0].parent, copy)
        self.assertEqual(sorted(path.name for path in copy.glob("*.lmdb/*")),
                         ["data.mdb"] * 2)
        for shard in shards:
            self.assertEqual((copy / shard.name / "data.mdb").read_bytes(),
                             (shard / "data.mdb").read_bytes())


if __name__ == "__main__":
    BINARIES = pathlib.Path(sys.argv.pop(1)).resolve()
    PHOTOS = pathlib.Path(sys.argv.pop(1)).resolve()
    # pyarrow's, that serialize is deprecated.
    unittest.main(warnings="ignore")
