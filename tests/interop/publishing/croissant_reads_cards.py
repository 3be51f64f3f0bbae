"""mlcroissant validates croissant.json, gives the samples of WebDataset, and refuses
shards that have changed.

Usage: croissant_reads_cards.py BINARY PHOTOS [unittest options]
"""

import json
import logging
import os
import pathlib
import sys
import tempfile
import unittest

HOME = tempfile.TemporaryDirectory()
os.environ.update(HOME=HOME.name)

import mlcroissant  # noqa: E402

import hostile_tree  # noqa: E402

BINARY, PHOTOS = sys.argv[1], pathlib.Path(sys.argv[2])
# Members that a card cannot know.
KNOWN = ("citeAs", "datePublished", "version", "url")


class TheyReadCards(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = hostile_tree.Tree(BINARY, PHOTOS, pathlib.Path(folder.name))
        logging.disable(logging.WARNING)

    def open(self, out: pathlib.Path) -> mlcroissant.Dataset:
        dataset = mlcroissant.Dataset(out / "croissant.json")
        issues = dataset.metadata.ctx.issues
        self.assertFalse(issues.errors)
        for warning in issues.warnings:
            self.assertTrue(any(each in warning for each in KNOWN), warning)
        return dataset

    def test_samples_of_webdataset_have_their_labels(self) -> None:
        for number, options in enumerate(([], ["--shard-size", "64K"])):
            out = self.tree.pack(f"out{number}", "--format", "webdataset", *options)
            dataset = self.open(out)
            names = {each["classes/label"]: each["classes/name"].decode()
                     if isinstance(each["classes/name"], bytes) else each["classes/name"]
                     for each in dataset.records("classes")}
            self.assertEqual([names[label] for label in sorted(names)],
                             hostile_tree.class_names())
            for split in ("train", "val"):
                labels = {}
                for record in dataset.records(split):
                    self.assertGreater(record[f"{split}/image"].size[0], 0)
                    labels[int(record[f"{split}/key"])] = record[f"{split}/label"]
                self.assertEqual(labels, self.tree.labels_of(out, split))

    def test_a_changed_shard_is_refused(self) -> None:
        out = self.tree.pack("out", "--format", "webdataset")
        self.assertTrue(hostile_tree.sums_agree(out))
        hostile_tree.flip(next(out.glob("val-*.tar")), 2000)
        self.assertFalse(hostile_tree.sums_agree(out))
        with self.assertRaises(Exception) as failure:
            list(self.open(out).records("val"))
        causes = repr(failure.exception) + repr(failure.exception.__cause__)
        self.assertIn("not identical with", causes)
        self.assertGreater(len(list(self.open(out).records("train"))), 0)

    def test_cards_of_all_formats_are_valid(self) -> None:
        for layout in ("recordio", "tfrecord", "lmdb", "hdf5"):
            out = self.tree.pack(layout, "--format", layout)
            dataset = self.open(out)
            self.assertEqual(len(list(dataset.records("classes"))), len(hostile_tree.NAMES))
            text = json.loads((out / "croissant.json").read_text("utf-8"))
            self.assertTrue(all(len(each["sha256"]) == 64 for each in text["distribution"]))
            self.assertTrue(hostile_tree.sums_agree(out))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
