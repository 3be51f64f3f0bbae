"""The recipe for tf.data, under the Python that has TensorFlow."""

import os
import pathlib
import tempfile
import unittest
from typing import Any

import recipe_blocks
from watched_runs import MEAN, STD, checksums, pack_photos, plain_run


class TfData(unittest.TestCase):
    def test_each_iteration_is_the_next_epoch(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        here = os.getcwd()
        self.addCleanup(os.chdir, here)
        photos = pack_photos(pathlib.Path(folder.name))
        os.chdir(photos)
        steps = []

        def step(images: Any, labels: Any) -> None:
            self.assertEqual(labels.shape, images.shape[:1])
            steps.append(checksums((images.numpy().astype("f4") - MEAN) / STD))

        names = recipe_blocks.run_block("tf.data", {"step": step})
        self.assertEqual(steps, plain_run(photos))
        self.assertEqual(len(names["batches"]), len(names["train"]))


if __name__ == "__main__":
    unittest.main()
