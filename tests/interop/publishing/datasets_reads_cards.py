"""Hugging Face's datasets reads the folder of a card with the names of its classes.

Usage: datasets_reads_cards.py BINARY PHOTOS [unittest options]
"""

import hashlib
import os
import pathlib
import sys
import tempfile
import unittest
from typing import Any

HOME = tempfile.TemporaryDirectory()
os.environ.update(HF_HOME=HOME.name, HF_HUB_OFFLINE="1")

import datasets  # noqa: E402
import yaml  # noqa: E402
from datasets.info import DatasetInfosDict  # noqa: E402
from huggingface_hub import DatasetCard  # noqa: E402

import hostile_tree  # noqa: E402

BINARY, PHOTOS = sys.argv[1], pathlib.Path(sys.argv[2])


class TheyReadCards(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = hostile_tree.Tree(BINARY, PHOTOS, pathlib.Path(folder.name))
        self.names = hostile_tree.class_names()
        datasets.disable_progress_bars()

    def classes_of(self, rows: Any) -> "dict[str, str]":
        """By the digest of each image, the name of its class."""
        names = rows.features["cls"]
        return {
            hashlib.sha256(row["jpg"]["bytes"]).hexdigest(): names.int2str(row["cls"])
            for row in rows.cast_column("jpg", datasets.Image(decode=False))
        }

    def test_a_folder_of_webdataset_by_its_name_alone(self) -> None:
        for number, options in enumerate(([], ["--shard-size", "64K"])):
            out = self.tree.pack(f"out{number}", "--format", "webdataset", *options)
            loaded = datasets.load_dataset(
                str(out), cache_dir=HOME.name, verification_mode="all_checks")
            self.assertEqual(set(loaded), {"train", "val"})
            self.assertEqual(loaded["train"].features["cls"].names, self.names)
            found = self.classes_of(loaded["train"]) | self.classes_of(loaded["val"])
            self.assertEqual(found, self.tree.images)
            streamed = datasets.load_dataset(str(out), split="val", streaming=True)
            self.assertEqual(next(iter(streamed))["jpg"].mode, "RGB")

    def test_each_kind_of_image_is_a_column(self) -> None:
        out = self.tree.folder / "kinds"
        self.tree.run("pack", PHOTOS, out, "--format", "webdataset")
        self.tree.run("card", out)
        rows = datasets.load_dataset(str(out), cache_dir=HOME.name, split="train")
        self.assertEqual(set(rows.features), {"jpg", "png", "cls", "__key__"})
        for row in rows:
            self.assertEqual(1, sum(row[each] is not None for each in ("jpg", "png")))

    def test_cards_of_all_formats_have_heads_that_are_read(self) -> None:
        for layout in ("recordio", "tfrecord", "lmdb", "hdf5"):
            out = self.tree.pack(layout, "--format", layout)
            text = (out / "README.md").read_text("utf-8")
            head = yaml.safe_load(text.split("---\n")[1])
            self.assertEqual(head["license"], "cc-by-4.0")
            self.assertEqual(head["task_categories"], ["image-classification"])
            data = DatasetCard.load(out / "README.md").data
            info = DatasetInfosDict.from_dataset_card_data(data)["default"]
            self.assertEqual(info.features["label"].names, self.names)
            self.assertEqual(
                sum(each.num_examples for each in info.splits.values()),
                len(self.tree.images))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
