"""Runs each row of the tables that python/README.md has for users of MXNet: the call
there, and the call here.

README: that page. IM2REC: our program. PHOTOS: the folder of the test photos.
Runs under the Python that has mxnet.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from typing import Any

import numpy
from record_files import PHOTOS, RecordFile, drawn_images, png_of

# Which this MXNet still uses.
numpy.bool = bool  # type: ignore[misc, assignment]
import mxnet  # noqa: E402

import shardine  # noqa: E402

PAGE = pathlib.Path(os.environ["README"]).read_text()
THEIR_IM2REC = pathlib.Path(mxnet.__file__).parent / "tools" / "im2rec.py"
SHAPE = (3, 32, 32)
# MXNet draws these parameters otherwise, or in another order.
DRAWN = ("rand_", "random_", "max_rotate", "rotate_list", "shear", "brightness",
         "pca_noise", "max_random", "max_aspect_ratio", "max_crop", "shuffle",
         "num_parts")


def rows_under(heading: str) -> list[tuple[str, str]]:
    """The two cells of code in each row of the table with that first column."""
    table = PAGE[PAGE.index(f"| {heading} |"):].split("\n\n")[0]
    rows = []
    for line in table.splitlines()[2:]:
        cells = re.fullmatch(r"\| `(.*)` \| `(.*)` \|", line)
        assert cells, line
        rows.append((cells[1], cells[2]))
    return rows


class Tables(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        large = [each for each in drawn_images(20) if min(each.shape[:2]) > 30]
        encoded = [png_of(image) for image in large[:11]]
        self.file = RecordFile(self.folder, encoded)
        self.names: dict[str, Any] = {
            "mx": mxnet, "shardine": shardine, "rec": self.file.rec, "shape": SHAPE,
            "cut": shardine.ImageRecordCrop(32)}

    def files_of(self, command: str, program: list[str], listed: bool) -> Any:
        """The files that a run of im2rec leaves."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "photos").symlink_to(PHOTOS)
            if listed:
                subprocess.run([*program, "--list", "--recursive", "data", "photos"],
                               cwd=folder, check=True, capture_output=True)
            subprocess.run([*program, *command.split()[1:]], cwd=folder, check=True,
                           capture_output=True)
            return {each.name: each.read_bytes() for each in sorted(folder.iterdir())
                    if each.is_file()}

    def same_command(self, old: str, new: str) -> None:
        listed = "--list" not in old
        theirs = self.files_of(old, [sys.executable, str(THEIR_IM2REC)], listed)
        ours = self.files_of(new, [os.environ["IM2REC"]], listed)
        self.assertEqual(set(ours), set(theirs))
        for name in theirs:
            if "--resize" not in old:  # its OpenCV encodes otherwise
                self.assertEqual(ours[name], theirs[name], name)
            self.assertGreater(len(ours[name]), 0)

    def test_each_call(self) -> None:
        theirs: dict[str, Any] = dict(self.names)
        ours: dict[str, Any] = dict(self.names)
        rows = rows_under("with MXNet")
        self.assertGreaterEqual(len(rows), 10)
        for old, new in rows:
            with self.subTest(old=old):
                if old.startswith("im2rec"):
                    self.same_command(old, new)
                    continue
                was, now = eval(old, theirs), eval(new, ours)
                if old.startswith("mx."):
                    theirs["batches"], ours["batches"] = was, now
                    theirs["batch"], ours["batch"] = was.next(), now.next()
                    was = theirs["batch"].data[0].asnumpy()
                    now = ours["batch"].data[0]
                    self.assertEqual(was.dtype, now.dtype)
                numpy.testing.assert_array_equal(was, now)

    def loader_of(self, new: str) -> Any:
        options: dict[str, Any] = {
            "order": "sequential", "last_batch": "pad", "rank": 0, "world": 1,
            "transform": self.names["cut"], **eval(f"dict({new})", self.names)}
        return shardine.Loader(
            shardine.Dataset([self.file.rec]), batch_size=4, layout="nchw",
            dtype="float32", label_dtype="float32", **options)

    def test_each_argument(self) -> None:
        rows = rows_under("ImageRecordIter")
        self.assertGreaterEqual(len(rows), 24)
        for old, new in rows:
            with self.subTest(old=old):
                given: dict[str, Any] = eval(f"dict({old})")
                common: dict[str, Any] = {"path_imgrec": self.file.rec, "batch_size": 4,
                                          "data_shape": SHAPE, **given}
                ours = list(shardine.ImageRecordIter(**common))
                batches = list(self.loader_of(new))
                theirs = mxnet.io.ImageRecordIter(verbose=False, **common)
                drawn = any(name in old for name in DRAWN)
                for our, batch in zip(ours, batches, strict=True):
                    numpy.testing.assert_array_equal(our.data[0], batch.images)
                    numpy.testing.assert_array_equal(our.label[0], batch.labels)
                    self.assertEqual(our.pad, batch.padding)
                    self.like_theirs(our, theirs.next(), drawn)

    def like_theirs(self, our: Any, their: Any, drawn: bool) -> None:
        expected, made = their.data[0].asnumpy(), our.data[0]
        self.assertEqual(made.dtype, expected.dtype)
        if not drawn:
            # Samples that round_batch=False leaves are of an earlier batch there.
            numpy.testing.assert_array_equal(made, expected[:len(made)])


if __name__ == "__main__":
    unittest.main()
