"""The recipe and the table for tf.data, under the Python that has TensorFlow."""

import os
import pathlib
import tempfile
import unittest
from typing import Any

import recipe_blocks
import rows_of_tables
from watched_runs import MEAN, STD, checksums, pack_photos, plain_run


class TfData(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        here = os.getcwd()
        self.addCleanup(os.chdir, here)
        self.photos = pack_photos(pathlib.Path(folder.name))
        os.chdir(self.photos)

    def test_each_iteration_is_the_next_epoch(self) -> None:
        steps = []

        def step(images: Any, labels: Any) -> None:
            self.assertEqual(labels.shape, images.shape[:1])
            steps.append(checksums((images.numpy().astype("f4") - MEAN) / STD))

        names = recipe_blocks.run_block("tf.data", {"step": step})
        self.assertEqual(steps, plain_run(self.photos))
        self.assertEqual(len(names["batches"]), len(names["train"]))

    def test_their_calls_and_ours_give_the_same(self) -> None:
        names = recipe_blocks.run_block("TFRecord and tf.data", {})
        rows = rows_of_tables.rows_under("TFRecord and tf.data")
        self.assertEqual(len(rows), 3)
        for row in rows:
            rows_of_tables.compare(row, names)


if __name__ == "__main__":
    unittest.main()
