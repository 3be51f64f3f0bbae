"""Programs with LMDBs of their own: shardine reads their files, and they read
shardine's, through their own documented loops: BasicSR, PyTorch-LMDB and others with
__classes__, StyleGAN2 in PyTorch, and the descendants of CRNN's create_dataset.py for
images of texts.

Runs under the Python that has pyarrow 10 and Pillow, with PYTHONPATH at shardine's
package.
Usage: their_programs.py BINARY PHOTOS [unittest options]
"""

import io
import json
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import tempfile
import unittest

import lmdb
import numpy
import pyarrow
from PIL import Image

from photo_tree import photo_tree

import shardine

Entries = dict[bytes, bytes]

BINARY = pathlib.Path()
PHOTOS = pathlib.Path()


def command(*arguments: object) -> str:
    """Standard output of a run that must succeed."""
    done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True)
    if done.returncode != 0:
        raise AssertionError(f"shardine {arguments}: exit {done.returncode}\n"
                             + done.stderr.decode(errors="replace"))
    return done.stdout.decode()


def write_lmdb(path: pathlib.Path, entries: Entries) -> None:
    env = lmdb.open(str(path), subdir=path.suffix == "", map_size=2**28)
    with env.begin(write=True) as txn:
        for key, value in entries.items():
            txn.put(key, value)
    env.close()


def read_lmdb(path: pathlib.Path) -> Entries:
    env = lmdb.open(str(path), subdir=path.is_dir(), readonly=True, lock=False)
    with env.begin() as txn:
        entries = {bytes(key): bytes(value) for key, value in txn.cursor()}
    env.close()
    return entries


class Case(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name).resolve()
        self.classes, self.images = photo_tree(PHOTOS)

    def pack(self, layout: str) -> pathlib.Path:
        """The only shard of the photos, in order."""
        out = self.top / f"out{len(list(self.top.iterdir()))}"
        command("pack", PHOTOS, out, "--format", layout, "--no-shuffle",
                "--shards", 1)
        command("verify", out, "--level", "full")
        shard, = out.glob("*.lmdb")
        return shard

    def there_and_back(self, dataset: pathlib.Path, layout: str) -> pathlib.Path:
        """The shard of that layout, by way of another format; the digests are
        those of `dataset`."""
        tar, back = self.top / "tar", self.top / "back"
        command("convert", dataset, tar, "--format", "webdataset")
        command("convert", tar, back, "--format", layout)
        command("diff", dataset, back)
        command("verify", back, "--level", "full")
        shard, = back.glob("*.lmdb")
        return shard


class BasicSr(Case):
    def make_lmdb_from_imgs(self) -> pathlib.Path:
        """Writes as basicsr/utils/lmdb_util.py does: PNGs of compression level 1 under
        the paths of the images, and a text beside them."""
        path = self.top / "DIV2K_sub.lmdb"
        path.mkdir()
        entries, lines = {}, []
        for i, (image, _) in enumerate(self.images):
            picture = Image.open(io.BytesIO(image)).convert(
                "L" if i % 4 == 3 else "RGB")
            png = io.BytesIO()
            picture.save(png, "PNG", compress_level=1)
            key = f"{i // 5:03d}/{i:08d}_s001"
            entries[key.encode("ascii")] = png.getvalue()
            channels = len(picture.getbands())
            lines.append(f"{key}.png ({picture.height},{picture.width},"
                         f"{channels}) 1\n")
        env = lmdb.open(str(path), map_size=2**28)
        with env.begin(write=True) as txn:
            for name, value in entries.items():
                txn.put(name, value)
        env.close()
        (path / "meta_info.txt").write_text("".join(lines))
        return path

    def read(self, path: pathlib.Path) -> Entries:
        """PairedImageDataset's paired_paths_from_lmdb and FileClient."""
        with open(path / "meta_info.txt") as lines:
            keys = [line.split(".")[0] for line in lines]
        env = lmdb.open(str(path), readonly=True, lock=False, readahead=False)
        with env.begin(write=False) as txn:
            found = {key.encode(): bytes(txn.get(key.encode("ascii")))
                     for key in keys}
        env.close()
        return found

    def test_its_folder_is_read_and_written(self) -> None:
        path = self.make_lmdb_from_imgs()
        entries = self.read(path)
        index = self.top / "index"
        command("index", path, index)
        command("verify", index, "--level", "full")
        for source in (index, path):
            dataset = shardine.Dataset(str(source))
            self.assertEqual({sample.key_bytes: bytes(sample.image)
                              for sample in dataset}, entries)
        # Keys and images say the same as the text does of names and sizes.
        said = [line.split(" ")[:2] for line in
                (path / "meta_info.txt").read_text().splitlines()]
        found = []
        for sample in shardine.Dataset(str(index)):
            picture = Image.open(io.BytesIO(bytes(sample.image)))
            found.append([f"{sample.key}.png",
                          f"({picture.height},{picture.width},"
                          f"{len(picture.getbands())})"])
        self.assertEqual(found, said)
        loader = shardine.Loader(index, batch_size=4, order="sequential",
                                 last_batch="short",
                                 transform=shardine.CenterCrop(32, resize=40))
        self.assertEqual(sum(len(batch.images) for batch in loader),
                         len(entries))
        files = self.top / "files"
        command("extract", index, files)
        self.assertEqual(
            sorted(file.read_bytes() for file in files.rglob("*")
                   if file.is_file()), sorted(entries.values()))
        shard = self.there_and_back(index, "lmdb/images:keys=key,dir=yes")
        shutil.copy(path / "meta_info.txt", shard)
        self.assertEqual(self.read(shard), entries)


class PytorchLmdb(Case):
    """rmccorm4's folder2lmdb.py: a DataLoader's batches of one."""

    def write(self) -> tuple[pathlib.Path, Entries]:
        path = self.top / "theirs.lmdb"
        keys = [f"{i}".encode("ascii") for i in range(len(self.images))]
        entries = {key: pickle.dumps(([image], numpy.array([label])))
                   for key, (image, label) in zip(keys, self.images)}
        names = [f"{name}".encode("ascii") for name in self.classes]
        entries[b"__keys__"] = pickle.dumps(keys)
        entries[b"__len__"] = pickle.dumps(len(keys))
        entries[b"__classes__"] = pickle.dumps(names)
        entries[b"__num_classes__"] = pickle.dumps(len(names))
        write_lmdb(path, entries)
        return path, entries

    def check(self, path: pathlib.Path) -> None:
        """Its ImageFolderLMDB, without torch."""
        env = lmdb.open(str(path), subdir=os.path.isdir(path), readonly=True,
                        lock=False, readahead=False, meminit=False)
        with env.begin(write=False) as txn:
            length = pickle.loads(txn.get(b"__len__"))
            keys = pickle.loads(txn.get(b"__keys__"))
            classes = pickle.loads(txn.get(b"__classes__"))
            count = pickle.loads(txn.get(b"__num_classes__"))
        self.assertEqual([name.decode() for name in classes], self.classes)
        self.assertEqual(count, len(self.classes))
        self.assertEqual(length, len(self.images))
        for i, (image, label) in enumerate(self.images):
            with env.begin(buffers=True) as txn:
                unpacked = pickle.loads(txn.get(keys[i]))
            buffer = io.BytesIO(unpacked[0][0])
            self.assertEqual(Image.open(buffer).size,
                             Image.open(io.BytesIO(image)).size)
            self.assertEqual(buffer.getvalue(), image)
            self.assertEqual(unpacked[1].dtype, numpy.int64)
            self.assertEqual(unpacked[1].tolist(), [label])
        env.close()

    def test_both_directions(self) -> None:
        path, entries = self.write()
        index = self.top / "index"
        command("index", path, index)
        manifest = json.loads((index / "shardine.json").read_text())
        self.assertEqual([entry["name"] for entry in manifest["classes"]],
                         self.classes)
        packed = self.pack("lmdb/pytorch-lmdb")
        back = self.there_and_back(index, "lmdb/pytorch-lmdb")
        for shard in (packed, back):
            self.check(shard)
            self.assertEqual(read_lmdb(shard).keys(), entries.keys())
        self.assertEqual(back.read_bytes(), packed.read_bytes())

    def test_a_list_of_classes_beside_pairs(self) -> None:
        """dataset.classes, as other forks of folder2lmdb.py keep it."""
        for values, dumps in (("pickle", pickle.dumps), ("arrow", lambda value:
                              pyarrow.serialize(value).to_buffer().to_pybytes())):
            with self.subTest(values):
                shard = self.pack(f"lmdb/folder2lmdb:classes=list,"
                                  f"values={values}")
                entries = read_lmdb(shard)
                self.assertEqual(entries.pop(b"__classes__"),
                                 bytes(dumps(self.classes)))
                plain = self.pack(f"lmdb/folder2lmdb:values={values}")
                self.assertEqual(read_lmdb(plain), entries)
                index = self.top / f"index-{values}"
                command("index", shard, index)
                manifest = json.loads((index / "shardine.json").read_text())
                self.assertEqual([entry["name"] for entry in
                                  manifest["classes"]], self.classes)


class StyleGan2(Case):
    """rosinality's prepare_data.py and MultiResolutionDataset."""

    def check(self, path: pathlib.Path, resolution: int) -> None:
        env = lmdb.open(str(path), max_readers=32, readonly=True, lock=False,
                        readahead=False, meminit=False)
        with env.begin(write=False) as txn:
            length = int(txn.get("length".encode("utf-8")).decode("utf-8"))
        self.assertEqual(length, len(self.images))
        for index in range(length):
            with env.begin(write=False) as txn:
                key = f"{resolution}-{str(index).zfill(5)}".encode("utf-8")
                found = txn.get(key)
            self.assertEqual(found, self.images[index][0])
        env.close()

    def test_both_directions(self) -> None:
        path = self.top / "theirs"
        write_lmdb(path, {
            **{f"128-{str(i).zfill(5)}".encode(): image
               for i, (image, _) in enumerate(self.images)},
            b"length": str(len(self.images)).encode("utf-8")})
        self.check(path, 128)
        index = self.top / "index"
        command("index", path, index)
        shard = self.there_and_back(
            index, "lmdb/stylegan2:resolution=128,dir=yes")
        self.check(shard, 128)
        self.assertEqual(read_lmdb(shard), read_lmdb(path))
        self.check(self.pack("lmdb/stylegan2:dir=yes"), 256)


class ImagesOfTexts(Case):
    """create_lmdb_dataset.py of deep-text-recognition-benchmark, and its
    LmdbDataset."""

    def read(self, path: pathlib.Path) -> list[tuple[bytes, str]]:
        env = lmdb.open(str(path), max_readers=32, readonly=True, lock=False,
                        readahead=False, meminit=False)
        found = []
        with env.begin(write=False) as txn:
            count = int(txn.get("num-samples".encode()))
            for index in range(1, count + 1):
                label = txn.get("label-%09d".encode() % index).decode("utf-8")
                image = txn.get("image-%09d".encode() % index)
                Image.open(io.BytesIO(image)).convert("RGB")
                found.append((image, label))
        env.close()
        return found

    def test_both_directions(self) -> None:
        path = self.top / "theirs"
        texts = [f"Wört {i}" * (i % 3) for i in range(len(self.images))]
        cache = {b"num-samples": str(len(texts)).encode()}
        for i, ((image, _), text) in enumerate(zip(self.images, texts), 1):
            cache["image-%09d".encode() % i] = image
            cache["label-%09d".encode() % i] = text.encode()
        write_lmdb(path, cache)
        index = self.top / "index"
        command("index", path, index)
        shard = self.there_and_back(index, "lmdb/ocr:dir=yes")
        self.assertEqual(self.read(shard), self.read(path))
        self.assertEqual(read_lmdb(shard), read_lmdb(path))
        dataset = shardine.Dataset(str(shard.parent))
        self.assertEqual([sample.fields["label"] for sample in dataset],
                         texts)

    def test_other_fields_are_left_out_or_refused(self) -> None:
        source = self.top / "boxes.lmdb"
        write_lmdb(source, {b"a": pickle.dumps(
            {"image": self.images[0][0], "label": b"word",
             "box": numpy.zeros(4)})})
        index, out = self.top / "index", self.top / "out"
        command("index", source, index)
        done = subprocess.run(
            [BINARY, "convert", index, out, "--format", "lmdb/ocr"],
            capture_output=True)
        self.assertIn(b'holds no field "box"', done.stderr)
        command("convert", index, out, "--format", "lmdb/ocr:dir=yes",
                "--fields", "label")
        shard, = out.glob("*.lmdb")
        self.assertEqual(self.read(shard), [(self.images[0][0], "word")])


if __name__ == "__main__":
    BINARY = pathlib.Path(sys.argv.pop(1)).resolve()
    PHOTOS = pathlib.Path(sys.argv.pop(1)).resolve()
    # pyarrow's, that serialize is deprecated.
    unittest.main(warnings="ignore")
