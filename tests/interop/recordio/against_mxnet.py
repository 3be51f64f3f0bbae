"""Lets MXNet read shardine's shards, and shardine im2rec.py's.

Runs under the Python that has mxnet.
Usage: against_mxnet.py BINARY PHOTOS [unittest options]
"""

import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from typing import Any

import mxnet
from mxnet import recordio

Sample = dict[str, Any]  # as `ls --json` has it

BINARY = ""
PHOTOS = ""
MAGIC = bytes.fromhex("0a23d7ce")


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


def with_comment(jpeg: bytes, comment: bytes) -> bytes:
    """The same picture with a comment segment behind its SOI marker."""
    length = len(comment) + 2
    return jpeg[:2] + b"\xff\xfe" + length.to_bytes(2, "big") + comment + \
        jpeg[2:]


def make_tree(root: pathlib.Path) -> None:
    """The photos, and a class of JPEGs that the magic word cuts into parts, at
    every alignment."""
    shutil.copytree(PHOTOS, root)
    escaped = root / "escaped"
    escaped.mkdir()
    jpeg = min(root.rglob("made_gray.jpg")).read_bytes()
    for shift in range(8):
        comment = b"x" * shift + MAGIC * (1 + shift // 2) + b"y" + MAGIC
        (escaped / f"{shift}.jpg").write_bytes(with_comment(jpeg, comment))


def labels_of(header: Any) -> list[float]:
    """All labels of an IRHeader as recordio.unpack returns it."""
    return [float(value) for value in header.label] if header.flag > 0 \
        else [float(header.label)]


class Case(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name).resolve()
        self.tree = self.top / "tree"
        make_tree(self.tree)


class MxnetReadsOurs(Case):
    def setUp(self) -> None:
        super().setUp()
        self.out = self.top / "out"
        shardine("pack", self.tree, self.out, "--shards", 3, "--json")
        self.samples = listed(self.out)
        self.shards = sorted({sample["shard"] for sample in self.samples})
        self.classes = sorted(path.name for path in self.tree.iterdir())
        files = [path for path in self.tree.rglob("*") if path.is_file()]
        self.assertEqual(len(self.samples), len(files))
        self.assertEqual(len(self.shards), 3)

    def check(self, sample: Sample, record: bytes) -> None:
        header, image = recordio.unpack(record)
        self.assertEqual(image, (self.tree / sample["key"]).read_bytes())
        self.assertEqual(header.id, sample["id"])
        self.assertEqual(header.id2, 0)
        self.assertEqual(header.flag, 0)
        self.assertEqual(self.classes[int(header.label)],
                         sample["key"].split("/")[0])

    def of(self, shard: str) -> list[Sample]:
        return [s for s in self.samples if s["shard"] == shard]

    def test_by_key(self) -> None:
        for shard in self.shards:
            path = self.out / shard
            reader = recordio.MXIndexedRecordIO(
                str(path.with_suffix(".idx")), str(path), "r")
            samples = {sample["id"]: sample for sample in self.of(shard)}
            self.assertEqual(reader.keys, list(samples))
            # Backwards: each by its own offset.
            for key in reversed(reader.keys):
                self.check(samples[key], reader.read_idx(key))

    def test_in_order(self) -> None:
        for shard in self.shards:
            reader = recordio.MXRecordIO(str(self.out / shard), "r")
            for sample in self.of(shard):
                self.check(sample, reader.read())
            self.assertIsNone(reader.read())

    def test_by_image_record_iter(self) -> None:
        for shard in self.shards:
            path = self.out / shard
            batches = mxnet.io.ImageRecordIter(
                path_imgrec=str(path), path_imgidx=str(path.with_suffix(".idx")),
                data_shape=(3, 32, 32), resize=32, batch_size=1,
                round_batch=False, preprocess_threads=1)
            labels = [int(batch.label[0].asscalar()) for batch in batches]
            self.assertEqual(labels, [s["label"] for s in self.of(shard)])


class ManyShards(Case):
    """The argument of ImageRecordIter for a set of several files."""

    def setUp(self) -> None:
        super().setUp()
        self.out = self.top / "out"
        shardine("pack", self.tree, self.out, "--shards", 3, "--format",
                 "recordio:metadata=joined-index")
        shardine("verify", self.out)
        self.files = ";".join(map(str, sorted(self.out.glob("*.rec"))))
        self.labels = [sample["label"] for sample in listed(self.out)]

    def read(self, files: str, **options: Any) -> list[int]:
        batches = mxnet.io.ImageRecordIter(
            path_imgrec=files, data_shape=(3, 32, 32), resize=32, batch_size=1,
            round_batch=False, preprocess_threads=1, **options)
        return [int(batch.label[0].asscalar()) for batch in batches]

    def test_a_list_of_them_in_order(self) -> None:
        self.assertEqual(self.read(self.files), self.labels)

    def test_a_pattern_for_the_last_part_of_the_path(self) -> None:
        found = self.read(str(self.out / r".*\.rec"))
        self.assertEqual(sorted(found), sorted(self.labels))

    def test_a_list_and_the_joined_index_for_a_whole_shuffle(self) -> None:
        index = str(self.out / ".shardine" / "train.idx")
        self.assertEqual(self.read(self.files, path_imgidx=index), self.labels)
        mixed = self.read(self.files, path_imgidx=index, shuffle=True, seed=3)
        self.assertNotEqual(mixed, self.labels)
        self.assertEqual(sorted(mixed), sorted(self.labels))

    def test_a_folder_is_refused_for_the_files_beside_them(self) -> None:
        # It reads every file of a folder; FORMAT.md names the right argument.
        with self.assertRaisesRegex(mxnet.base.MXNetError, "do not align"):
            self.read(f"{self.out}/")


class WeReadIm2rec(Case):
    def setUp(self) -> None:
        super().setUp()
        self.packed = self.top / "packed"
        self.packed.mkdir()

    def im2rec(self, *arguments: str) -> None:
        spec = importlib.util.find_spec("mxnet")
        assert spec and spec.submodule_search_locations
        package = spec.submodule_search_locations
        original = pathlib.Path(package[0]) / "tools" / "im2rec.py"
        subprocess.run([sys.executable, "-W", "ignore", original,
                        self.packed / "set", self.tree, *arguments],
                       check=True, capture_output=True)

    def make_list(self) -> tuple[pathlib.Path, list[list[str]]]:
        self.im2rec("--list", "--recursive")
        path = self.packed / "set.lst"
        rows = [line.split("\t") for line in path.read_text().splitlines()]
        return path, rows

    def check(self, rec: pathlib.Path, out: pathlib.Path,
              keys: dict[int, str] | None) -> None:
        """Indexes `rec`, then compares every sample with MXNet's reading of
        the record. `keys`: id -> key, or None where there is no list."""
        shardine("index", rec, out)
        shardine("verify", out)
        reader = recordio.MXRecordIO(str(rec), "r")
        contents = rec.read_bytes()
        samples = listed(out)
        self.assertGreater(len(samples), 30)
        for number, sample in enumerate(samples):
            header, image = recordio.unpack(reader.read())
            self.assertEqual(sample["record"], number)
            self.assertEqual(sample["id"], header.id)
            self.assertEqual([float(x) for x in sample["labels"]],
                             labels_of(header))
            self.assertEqual(b"".join(contents[at:at + size] for at, size
                                      in sample["extents"]), image)
            self.assertEqual(sample["bytes"], len(image))
            if keys is not None:
                self.assertEqual(sample["key"], keys[header.id])
                self.assertEqual((self.tree / sample["key"]).read_bytes(),
                                 image)
        self.assertIsNone(reader.read())

    def test_with_its_list_and_index(self) -> None:
        _, rows = self.make_list()
        self.im2rec("--pass-through")
        self.check(self.packed / "set.rec", self.top / "out",
                   {int(row[0]): row[-1] for row in rows})

    def test_two_processes(self) -> None:
        _, rows = self.make_list()
        self.im2rec("--pass-through", "--num-thread", "2")
        self.check(self.packed / "set.rec", self.top / "out",
                   {int(row[0]): row[-1] for row in rows})

    def test_the_bare_record_file(self) -> None:
        self.make_list()
        self.im2rec("--pass-through")
        bare = self.top / "bare.rec"
        shutil.copy(self.packed / "set.rec", bare)
        self.check(bare, self.top / "out", None)

    def test_packed_labels(self) -> None:
        path, rows = self.make_list()
        path.write_text("".join(
            "\t".join([row[0], row[1], "0.25", f"-{number}", row[-1]]) + "\n"
            for number, row in enumerate(rows)))
        self.im2rec("--pass-through", "--pack-label")
        self.check(self.packed / "set.rec", self.top / "out",
                   {int(row[0]): row[-1] for row in rows})

    def test_damage_is_found(self) -> None:
        self.make_list()
        self.im2rec("--pass-through")
        rec = self.packed / "set.rec"
        out = self.top / "out"
        shardine("index", rec, out)
        contents = bytearray(rec.read_bytes())
        contents[len(contents) // 2] ^= 1
        rec.write_bytes(contents)
        done = subprocess.run([BINARY, "verify", out], capture_output=True)
        self.assertEqual(done.returncode, 4, done.stderr)


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve())
    PHOTOS = sys.argv.pop(1)
    unittest.main()
