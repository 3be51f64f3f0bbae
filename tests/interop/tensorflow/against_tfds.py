"""TensorFlow Datasets reads shardine's shards, by the metadata beside them.

Runs under the Python that has tensorflow and tensorflow_datasets.
Usage: against_tfds.py BINARY PHOTOS [unittest options]
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from typing import Any

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
import tensorflow_datasets as tfds  # noqa: E402

BINARY = ""
PHOTOS = pathlib.Path()
FORMAT = "tfrecord/tfds:metadata=tfds"


def shardine(*arguments: object) -> None:
    done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True)
    if done.returncode != 0:
        raise AssertionError(f"shardine {arguments}: exit {done.returncode}\n"
                             + done.stderr.decode(errors="replace"))


class TheyReadOurs(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name) / "out"
        self.classes = sorted(path.name for path in PHOTOS.iterdir())

    def check(self, builder: Any, splits: dict[str, int]) -> None:
        self.assertEqual(
            {name: info.num_examples
             for name, info in builder.info.splits.items()}, splits)
        label = builder.info.features["label"]
        self.assertEqual(label.names, self.classes)
        seen = []
        for split in splits:
            for example in builder.as_dataset(split=split):
                key = example["file_name"].numpy().decode()
                seen.append(key)
                self.assertEqual(label.int2str(int(example["label"])),
                                 key.split("/")[0])
                image = tf.io.decode_image((PHOTOS / key).read_bytes(), 3)
                np.testing.assert_array_equal(example["image"], image)
        self.assertEqual(sorted(seen), sorted(
            path.relative_to(PHOTOS).as_posix() for path in PHOTOS.glob("*/*")))

    def test_splits_and_shards_with_names_and_pixels(self) -> None:
        shardine("pack", PHOTOS, self.out, "--format", FORMAT, "--shards", 2,
                 "--split", "train=0.75,val=0.25")
        self.check(tfds.builder_from_directory(self.out),
                   {"train": 18, "val": 6})

    def test_shards_without_a_suffix_after_a_conversion(self) -> None:
        plain = self.out.with_name("plain")
        shardine("pack", PHOTOS, plain, "--format", "webdataset", "--shards", 3)
        shardine("convert", plain, self.out, "--format", FORMAT, "--no-suffix")
        builder = tfds.builder_from_directory(self.out)
        self.check(builder, {"train": 24})
        # Keras's input: pairs, as the supervised keys say.
        images, labels = next(iter(builder.as_dataset(
            split="train[:2]", as_supervised=True)))
        self.assertEqual((images.dtype, labels.dtype), (tf.uint8, tf.int64))

    def test_images_without_labels(self) -> None:
        shardine("pack", PHOTOS / self.classes[0], self.out, "--format", FORMAT,
                 "--unlabelled")
        builder = tfds.builder_from_directory(self.out)
        self.assertEqual(sorted(builder.info.features), ["file_name", "image"])
        self.assertEqual(len(list(builder.as_dataset(split="train"))), 6)


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve())
    PHOTOS = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
