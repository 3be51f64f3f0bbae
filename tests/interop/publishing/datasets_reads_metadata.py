"""Hugging Face's imagefolder and a pack read the same metadata files.

Usage: datasets_reads_metadata.py BINARY PHOTOS [unittest options]
"""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from typing import Any

HOME = tempfile.TemporaryDirectory()
os.environ.update(HF_HOME=HOME.name, HF_HUB_OFFLINE="1")

import datasets  # noqa: E402

BINARY, PHOTOS = sys.argv[1], pathlib.Path(sys.argv[2])


class TheyReadMetadata(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.tree = pathlib.Path(shutil.copytree(PHOTOS, self.folder / "photos"))
        self.keys = sorted(path.relative_to(self.tree).as_posix()
                           for path in self.tree.glob("*/*") if path.is_file())
        datasets.disable_progress_bars()

    def theirs(self) -> "dict[str, dict[str, Any]]":
        """By the digest of each image, its columns."""
        rows = datasets.load_dataset("imagefolder", data_dir=str(self.tree), split="train",
                                     cache_dir=HOME.name)
        images = [name for name, feature in rows.features.items()
                  if isinstance(feature, datasets.Image)]
        for name in images:
            rows = rows.cast_column(name, datasets.Image(decode=False))
        found = {}
        for row in rows:
            for name in images:
                data = row[name]["bytes"] or pathlib.Path(row[name]["path"]).read_bytes()
                row[name] = hashlib.sha256(data).hexdigest()
            found[row.pop("image")] = row
        return found

    def ours(self) -> "dict[str, dict[str, Any]]":
        """The same from the members of the shards of a pack."""
        out = self.folder / "out"
        subprocess.run([BINARY, "pack", self.tree, out, "--format", "webdataset"],
                       check=True, capture_output=True)
        samples: dict[str, dict[str, bytes]] = {}
        for shard in out.glob("*.tar"):
            with tarfile.open(shard) as members:
                for member in members:
                    stem, _, name = member.name.partition(".")
                    file = members.extractfile(member)
                    assert file is not None
                    samples.setdefault(stem, {})[name] = file.read()
        found = {}
        for sample in samples.values():
            image = sample.get("jpg") or sample["png"]
            found[hashlib.sha256(image).hexdigest()] = {
                "caption": sample["caption"].decode(),
                "n": int.from_bytes(sample["n.npy"][-8:], "little")}
        return found

    def test_the_same_images_have_rows(self) -> None:
        rows = [{"file_name": key, "caption": f"größe {n}", "n": n}
                for n, key in enumerate(self.keys)]
        (self.tree / "metadata.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in rows))
        self.assertEqual(self.theirs(), self.ours())

    def test_an_export_is_an_image_folder(self) -> None:
        rows = [{"file_name": key, "caption": f"größe {n}", "n": n}
                for n, key in enumerate(self.keys)]
        (self.tree / "metadata.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in rows))
        given = self.theirs()
        made, hub = self.folder / "set", self.folder / "hub"
        subprocess.run([BINARY, "pack", self.tree, made, "--format", "webdataset"],
                       check=True, capture_output=True)
        subprocess.run([BINARY, "export", "hf", made, hub], check=True, capture_output=True)
        self.tree = hub
        found = self.theirs()
        classes = {row.pop("label") for row in found.values()}
        self.assertEqual(found, given)
        self.assertEqual(classes, {key.split("/")[0] for key in self.keys})

    def test_class_folders_are_labels_without_metadata(self) -> None:
        rows = datasets.load_dataset("imagefolder", data_dir=str(self.tree), split="train",
                                     cache_dir=HOME.name)
        listed = subprocess.run([BINARY, "list", self.tree], check=True,
                                capture_output=True, text=True).stdout
        labels = [int(line.split("\t")[1]) for line in listed.splitlines()]
        self.assertEqual(sorted(rows["label"]), sorted(labels))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
