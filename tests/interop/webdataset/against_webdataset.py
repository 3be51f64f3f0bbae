"""Lets the webdataset package, Python's tarfile and GNU tar read shardine's shards, and
shardine theirs.

Runs under the Python that has webdataset.
Usage: against_webdataset.py BINARY PHOTOS [unittest options]
"""

import gzip
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from collections.abc import Iterator
from typing import Any

import numpy
import webdataset

Sample = dict[str, Any]  # as `ls --json` has it

BINARY = ""
PHOTOS = ""


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


def read_package(shard: pathlib.Path) -> list[dict[str, Any]]:
    """All samples as the package groups and decodes them (no images)."""
    return list(webdataset.WebDataset(str(shard), shardshuffle=False).decode())


class Case(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name).resolve()
        self.photos = pathlib.Path(PHOTOS).resolve()
        self.classes = sorted(path.name for path in self.photos.iterdir())


class TheyReadOurs(Case):
    def setUp(self) -> None:
        super().setUp()
        self.out = self.top / "out"
        shardine("pack", self.photos, self.out, "--format", "webdataset",
                 "--shards", 3)
        self.samples = listed(self.out)
        self.shards = sorted({sample["shard"] for sample in self.samples})
        self.assertEqual(len(self.samples), 24)
        self.assertEqual(len(self.shards), 3)

    def of(self, shard: str) -> list[Sample]:
        return [s for s in self.samples if s["shard"] == shard]

    def test_the_package_decodes_every_sample(self) -> None:
        for shard in self.shards:
            found = read_package(self.out / shard)
            self.assertEqual(len(found), len(self.of(shard)))
            for ours, theirs in zip(self.of(shard), found):
                contents = (self.photos / ours["key"]).read_bytes()
                suffix = "png" if contents[1:4] == b"PNG" else "jpg"
                label = self.classes.index(ours["key"].split("/")[0])
                self.assertEqual(theirs["__key__"], f"{ours['id']:08d}")
                self.assertEqual(theirs[suffix], contents)
                self.assertEqual(theirs["cls"], label)
                self.assertEqual(theirs["json"], {
                    "shardine": 1, "key": ours["key"], "labels": [label]})
                self.assertEqual(
                    {key for key in theirs if not key.startswith("__")},
                    {suffix, "cls", "json"})

    def test_tarfile_and_gnu_tar_list_every_file(self) -> None:
        for shard in self.shards:
            path = self.out / shard
            with tarfile.open(path) as archive:
                members = archive.getmembers()
            names = subprocess.run(["tar", "-tf", path], check=True,
                                   capture_output=True)
            self.assertEqual(names.stderr, b"")
            self.assertEqual(names.stdout.decode().split(),
                             [member.name for member in members])
            self.assertEqual(len(members), 3 * len(self.of(shard)))
            for member in members:
                self.assertTrue(member.isreg())
                self.assertEqual((member.mtime, member.uid, member.mode),
                                 (0, 0, 0o644))

    def test_the_index_points_at_the_files(self) -> None:
        for shard in self.shards:
            path = self.out / shard
            contents = path.read_bytes()
            index = self.out / ".shardine" / f"{path.stem}.idx"
            head, *lines = index.read_text().splitlines()
            self.assertEqual(head, f"v1.2 {len(lines)}")
            with tarfile.open(path) as archive:
                members = {m.name: m for m in archive.getmembers()}
                for line in lines:
                    words = line.split()
                    for i in range(0, len(words), 4):
                        extension, offset, size, name = words[i:i + 4]
                        member = members.pop(name)
                        self.assertEqual(int(offset), member.offset_data)
                        self.assertEqual(int(size), member.size)
                        self.assertEqual(name.split(".", 1)[1], extension)
                        at = int(offset)
                        extracted = archive.extractfile(member)
                        assert extracted
                        self.assertEqual(contents[at:at + member.size],
                                         extracted.read())
            self.assertEqual(members, {})


LONG = "long-" * 30
POINTS = numpy.linspace(0, 1, 61 * 61 * 2).reshape(61, 61, 2)
FIELDS = [
    {"__key__": f"doc{i}", "jpg": b"\xff\xd8\xff" + bytes([i]),
     "points.npy": POINTS * i, "Mask.npy": POINTS[:2 + i].astype("uint8"),
     "half.npy": POINTS[0].astype("<f2"),
     "big.npy": numpy.arange(i, dtype=">i8"),
     "f.npy": numpy.asfortranarray(POINTS[0].astype("<f4")),
     LONG + ".npy": numpy.array(i == 1),
     "txt": f"text {i}", "json": {"i": i}, "cls": i - 1}
    for i in range(3)]


class ConvertedFields(Case):
    def test_come_back_as_the_package_wrote_them(self) -> None:
        first = self.top / "first.tar"
        with webdataset.TarWriter(str(first)) as writer:
            for sample in FIELDS:
                writer.write(sample)
        shardine("index", first, self.top / "in")
        shardine("convert", self.top / "in", self.top / "out", "--format",
                 "webdataset")
        shards = sorted((self.top / "out").glob("*.tar"))
        self.assertEqual(len(shards), 1)
        found = read_package(shards[0])
        self.assertEqual(len(found), len(FIELDS))
        for sample, theirs in zip(FIELDS, found):
            self.assertEqual(theirs["jpg"], sample["jpg"])
            self.assertEqual(theirs["cls"], sample["cls"])
            self.assertEqual(theirs["__key__"], sample["__key__"])
            self.assertEqual(theirs["txt"], sample["txt"])
            self.assertEqual(theirs["json"], sample["json"])
            self.assertEqual(theirs["shardine.json"]["labels"],
                             [sample["cls"]])
            self.assertEqual({key.lower() for key in sample},
                             set(theirs) - {"__url__", "__local_path__",
                                            "shardine.json"})
            for name, array in sample.items():
                if not name.endswith(".npy"):
                    continue
                # The package itself lower-cases the names that it groups.
                back = theirs[name.lower()]
                self.assertEqual(back.shape, array.shape)
                self.assertEqual(back.dtype,
                                 array.dtype.newbyteorder("<"))
                numpy.testing.assert_array_equal(back, array)


class CaptionedImages(Case):
    """Pairs of image and text as OpenCLIP's loader asks for them, with the
    metadata that img2dataset puts beside."""

    def setUp(self) -> None:
        super().setUp()
        files = sorted(p for p in self.photos.rglob("*") if p.is_file())
        self.written = [
            {"__key__": f"{number:05d}000",
             "jpg" if path.suffix.lower() != ".png" else "png":
                 path.read_bytes(),
             "txt": f"a photo of {path.parent.name}",
             "json": {"uid": number, "caption": path.parent.name}}
            for number, path in enumerate(files)]
        self.made = self.top / "00000.tar"
        with webdataset.TarWriter(str(self.made)) as writer:
            for sample in self.written:
                writer.write(sample)
        shardine("index", self.made, self.top / "in")

    def pairs(self, folder: pathlib.Path) -> list[tuple[Any, ...]]:
        shards = [str(path) for path in sorted(folder.glob("*.tar"))]
        dataset = webdataset.DataPipeline(
            webdataset.SimpleShardList(shards),
            webdataset.tarfile_to_samples(),
            webdataset.select(lambda sample: "txt" in sample and (
                "png" in sample or "jpg" in sample or "jpeg" in sample
                or "webp" in sample)),
            webdataset.rename(image="jpg;png;jpeg;webp", text="txt"),
            webdataset.to_tuple("__key__", "image", "text", "json"))
        return list(dataset)

    def test_are_the_same_pairs_after_a_conversion(self) -> None:
        before = self.pairs(self.top)
        self.assertEqual(len(before), len(self.written))
        out = self.top / "out"
        shardine("convert", self.top / "in", out, "--format", "webdataset")
        self.assertEqual(self.pairs(out), before)
        shardine("verify", out)
        # Through another format, and back by the names of then.
        shardine("convert", self.top / "in", self.top / "mid", "--format",
                 "tfrecord")
        shardine("convert", self.top / "mid", self.top / "back", "--format",
                 "webdataset:keys=original")
        self.assertEqual(self.pairs(self.top / "back"), before)

    def test_are_named_by_ids_when_that_is_asked(self) -> None:
        out = self.top / "out"
        shardine("convert", self.top / "in", out, "--format",
                 "webdataset:keys=id")
        for number, (key, *_) in enumerate(self.pairs(out)):
            self.assertEqual(key, f"{self.written[number]['__key__']}")


class WeReadTheirs(Case):
    def setUp(self) -> None:
        super().setUp()
        self.files = sorted(
            path for path in self.photos.rglob("*") if path.is_file())

    def photo_samples(self) -> Iterator[dict[str, Any]]:
        for number, path in enumerate(self.files):
            suffix = path.suffix[1:].lower()
            yield {"__key__": f"{path.parent.name}/{number:04d}",
                   suffix: path.read_bytes(),
                   "cls": self.classes.index(path.parent.name)}

    def check(self, shards: list[pathlib.Path], streamed: bool = True) -> None:
        """Indexes `shards`, which hold the photos in order."""
        out = self.top / "out"
        shutil.rmtree(out, ignore_errors=True)
        shardine("index", *shards, out)
        shardine("verify", out)
        samples = listed(out)
        self.assertEqual(len(samples), len(self.files))
        for number, (sample, path) in enumerate(zip(samples, self.files)):
            folder = path.parent.name
            suffix = path.suffix[1:].lower()
            self.assertEqual(sample["key"], f"{folder}/{number:04d}.{suffix}")
            self.assertEqual(sample["label"], self.classes.index(folder))
            self.assertEqual(sample["bytes"], path.stat().st_size)
            if streamed:
                image = shardine("cat", out, sample["key"])
                self.assertEqual(image, path.read_bytes())
        copy = self.top / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shardine("convert", out, copy, "--format", "webdataset")
        for sample, path in zip(listed(copy), self.files):
            self.assertEqual(shardine("cat", copy, sample["key"]),
                             path.read_bytes())

    def test_shard_writer(self) -> None:
        pattern = str(self.top / "set-%02d.tar")
        with webdataset.ShardWriter(pattern, maxcount=10, verbose=0) as writer:
            for sample in self.photo_samples():
                writer.write(sample)
        self.check(sorted(self.top.glob("set-*.tar")))

    def test_tar_writer_compressed(self) -> None:
        path = self.top / "set.tar.gz"
        with webdataset.TarWriter(str(path)) as writer:
            for sample in self.photo_samples():
                writer.write(sample)
        self.assertEqual(gzip.decompress(path.read_bytes())[257:262], b"ustar")
        self.check([path], streamed=False)

    def test_zstd(self) -> None:
        path = self.top / "set.tar"
        with webdataset.TarWriter(str(path)) as writer:
            for sample in self.photo_samples():
                writer.write(sample)
        subprocess.run(["zstd", "-q", "--rm", path], check=True)
        self.check([self.top / "set.tar.zst"], streamed=False)

    def test_tarfile_in_all_its_formats(self) -> None:
        for form in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT,
                     tarfile.PAX_FORMAT):
            path = self.top / f"set{form}.tar"
            with tarfile.open(path, "w", format=form) as archive:
                for sample in self.photo_samples():
                    for name, value in sample.items():
                        if name == "__key__":
                            continue
                        data = value if isinstance(value, bytes) \
                            else str(value).encode()
                        info = tarfile.TarInfo(f"{sample['__key__']}.{name}")
                        info.size = len(data)
                        if form != tarfile.USTAR_FORMAT:
                            info.uid = 2 ** 33  # base-256, or a pax record
                        archive.addfile(info, io.BytesIO(data))
            self.check([path])

    def write_tree(self) -> pathlib.Path:
        tree = self.top / "tree"
        for sample in self.photo_samples():
            for name, value in sample.items():
                if name != "__key__":
                    file = tree / f"{sample['__key__']}.{name}"
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_bytes(value if isinstance(value, bytes)
                                     else str(value).encode())
        return tree

    def test_gnu_tar_in_all_its_formats(self) -> None:
        tree = self.write_tree()
        for form in ("v7", "oldgnu", "gnu", "ustar", "posix"):
            path = self.top / f"{form}.tar"
            subprocess.run(
                ["tar", "--sort=name", f"--format={form}", "-cf", path,
                 "-C", tree, *sorted(self.classes)], check=True)
            self.check([path])

    def test_links_are_refused_by_name(self) -> None:
        tree = self.write_tree()
        first = min(tree.rglob("*.cls"))
        (first.parent / "0000.txt").symlink_to(first.name)
        path = self.top / "linked.tar"
        subprocess.run(["tar", "-cf", path, "-C", tree, "."], check=True)
        done = run("index", path, self.top / "out")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(b"a symbolic link", done.stderr)
        self.assertIn(b"0000.txt", done.stderr)

    def test_damage_is_found(self) -> None:
        path = self.top / "set.tar"
        with webdataset.TarWriter(str(path)) as writer:
            for sample in self.photo_samples():
                writer.write(sample)
        out = self.top / "out"
        shardine("index", path, out)
        contents = bytearray(path.read_bytes())
        contents[len(contents) // 2] ^= 1
        path.write_bytes(contents)
        self.assertEqual(run("verify", out).returncode, 4)


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve())
    PHOTOS = sys.argv.pop(1)
    unittest.main()
