"""timm's own WebDataset reader finds splits, shards and numbers in _info.json.

Runs under the Python that has timm. timm's other modules want a torch that is
newer than Debian's; the reader is imported without them.
Usage: timm_reads_ours.py BINARY PHOTOS [unittest options]
"""

import importlib
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
from typing import Any

BINARY = ""
PHOTOS = pathlib.Path()
FORMAT = "webdataset:metadata=timm"


def reader_class() -> Any:
    spec = importlib.util.find_spec("timm")
    assert spec and spec.submodule_search_locations
    root = pathlib.Path(spec.submodule_search_locations[0])
    for name in ("timm", "timm.data", "timm.data.readers"):
        package = types.ModuleType(name)
        package.__path__ = [str(root.joinpath(*name.split(".")[1:]))]
        sys.modules[name] = package
    return importlib.import_module("timm.data.readers.reader_wds").ReaderWds


READER = reader_class()


def shardine(*arguments: object) -> None:
    done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True)
    if done.returncode != 0:
        raise AssertionError(f"shardine {arguments}: exit {done.returncode}\n"
                             + done.stderr.decode(errors="replace"))


class TheyReadOurs(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)

    def labels(self, folder: pathlib.Path, split: str,
               is_training: bool) -> list[int]:
        reader = READER(str(folder), split=split, is_training=is_training,
                        batch_size=1)
        samples = list(reader)
        self.assertEqual(len(samples), reader.num_samples)
        self.assertTrue(all(image.mode == "RGB" for image, _ in samples))
        return sorted(label for _, label in samples)

    def test_splits_by_their_names_alone(self) -> None:
        out = self.top / "out"
        shardine("pack", f"train={PHOTOS}", f"validation={PHOTOS}", out,
                 "--format", FORMAT, "--shards", 3)
        expected = sorted(4 * [0, 1, 2, 3] + 2 * [0, 1, 2, 3])
        for split, training in (("train", True), ("validation", False)):
            self.assertEqual(self.labels(out, split, training), expected)
        # After merge the numbers are those of the new shards, without asking.
        merged = self.top / "merged"
        twin = self.top / "twin"
        shutil.copytree(out, twin)
        shardine("merge", out, twin, merged, "--prefix", "{n}/")
        self.assertEqual(self.labels(merged, "validation", False),
                         sorted(2 * expected))

    def test_foreign_shards_keep_their_keys_beside_it(self) -> None:
        shardine("pack", PHOTOS, self.top / "out", "--format", "webdataset",
                 "--shards", 2)
        foreign = self.top / "foreign"
        foreign.mkdir()
        for shard in sorted((self.top / "out").glob("*.tar")):
            subprocess.run(["tar", "-xf", shard, "-C", foreign], check=True)
        for json in foreign.glob("*.json"):
            json.unlink()
        names = sorted(path.name for path in foreign.iterdir())
        subprocess.run(["tar", "-cf", self.top / "x.tar", "-C", foreign,
                        *names], check=True)
        shardine("index", self.top / "x.tar", self.top / "index")
        shardine("convert", self.top / "index", self.top / "back", "--format",
                 FORMAT)
        shard, = (self.top / "back").glob("*.tar")
        found = subprocess.run(["tar", "-tf", shard], check=True,
                               capture_output=True, text=True).stdout.split()
        self.assertEqual(sorted(n for n in found if "json" not in n), names)
        self.assertEqual(len(self.labels(self.top / "back", "train", False)),
                         24)


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve())
    PHOTOS = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
