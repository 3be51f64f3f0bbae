"""folder2lmdb by its command line: files, streams and exit codes."""

import pathlib
import shutil
import unittest

import programs
from programs import done, run


class Folder2Lmdb(programs.Case):
    """Each test has trees of its own: data/val and data/train."""

    def setUp(self) -> None:
        shutil.rmtree("data", ignore_errors=True)
        for split in ("val", "train"):
            shutil.copytree("photos", f"data/{split}")
        self.data = pathlib.Path("data")

    def program(self, *words: str, code: int = 0, says: str = "") -> str:
        """Standard error of a run that ends so."""
        finished = run(*words, program="folder2lmdb")
        said = finished.stderr.decode()
        self.assertEqual(finished.returncode, code, said)
        self.assertIn(says, said)
        return said

    def names(self) -> list[str]:
        return sorted(path.name for path in self.data.iterdir())

    def test_usage_errors_write_nothing(self) -> None:
        for words, says in (((), "-f FOLDER is needed"),
                            (("-f", "data", "val"), "unknown word \"val\""),
                            (("-f", "data", "-s", "../data"), "SPLIT"),
                            (("-f", "data", "-s", "."), "SPLIT"),
                            (("-f", "data", "--values", "json"), "json"),
                            (("-f", "data", "-p", "x"), "procs"),
                            (("-f", "data", "--frobnicate"), "frobnicate")):
            said = self.program(*words, code=2, says=says)
            self.assertTrue(said.endswith("; see folder2lmdb --help\n"), said)
        self.program("-f", "nowhere", code=5, says="nowhere/val")
        self.assertEqual(self.names(), ["train", "val"])
        self.assertIn("--keep-bad", done("--help", program="folder2lmdb")
                      .stdout.decode())

    def test_out_has_no_effect_and_says_so(self) -> None:
        self.program("-f", "data", "--out", "elsewhere",
                     says="note: --out: no effect")
        self.assertEqual(self.names(), ["train", "val", "val.lmdb"])
        self.assertFalse(pathlib.Path("elsewhere").exists())

    def test_threads_change_no_byte_and_a_second_run_replaces(self) -> None:
        self.program("-f", "data", "-p", "1")
        first = (self.data / "val.lmdb").read_bytes()
        self.program("-f", "data", "-p", "7", "-s", "train")
        self.assertEqual((self.data / "train.lmdb").read_bytes(), first)
        (self.data / "val.lmdb").write_bytes(b"older")
        self.program("-f", "data")
        self.assertEqual((self.data / "val.lmdb").read_bytes(), first)

    def test_damage_ends_it_unless_it_is_to_be_kept(self) -> None:
        bad = next((self.data / "val").glob("*/*"))
        bad.write_bytes(bad.read_bytes()[:3] + bytes(40))
        said = self.program("-f", "data", code=1, says=bad.name)
        self.assertIn("; --keep-bad packs it as it is\n", said)
        self.assertNotIn("val.lmdb", self.names())
        self.program("-f", "data", "--keep-bad")
        self.assertEqual(self.names(), ["train", "val", "val.lmdb"])
        stored = (self.data / "val.lmdb").read_bytes()
        self.assertIn(bad.read_bytes(), stored)

    def test_what_is_no_image_is_said(self) -> None:
        folder = next((self.data / "val").iterdir())
        (folder / "notes.txt").write_text("no image")
        self.program("-f", "data", "-q", says="note: not packed: 1: ")

    def test_a_run_that_was_killed_after_the_move_is_cleared_away(self) -> None:
        work = self.data / ".val.lmdb.shardine"
        done("pack", "data/val", str(work), "--format",
             "lmdb/folder2lmdb:keys=%d,values=arrow", "--shards", "1",
             "--no-shuffle", "--entry-points", "none")
        shutil.move(work / "train-00000-of-00001.lmdb", self.data / "val.lmdb")
        self.program("-f", "data")
        self.assertEqual(self.names(), ["train", "val", "val.lmdb"])

    def test_a_run_that_was_killed_before_the_move_is_gone_on_with(self) -> None:
        work = self.data / ".val.lmdb.shardine"
        done("pack", "data/val", str(work), "--format",
             "lmdb/folder2lmdb:keys=%d,values=arrow", "--shards", "1",
             "--no-shuffle", "--entry-points", "none")
        shard = work / "train-00000-of-00001.lmdb"
        inode = shard.stat().st_ino
        self.program("-f", "data")
        self.assertEqual((self.data / "val.lmdb").stat().st_ino, inode)
        self.assertEqual(self.names(), ["train", "val", "val.lmdb"])


if __name__ == "__main__":
    unittest.main()
