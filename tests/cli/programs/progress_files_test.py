"""Messages to programs and logs while work goes on, and when it has ended."""

import json
import os
import pathlib
import re
import subprocess
import time
import unittest

import programs
from programs import done, run


class ProgressFiles(programs.Case):
    @classmethod
    def prepare(cls) -> None:
        super().prepare()
        done("pack", "photos", "out")

    def test_a_quiet_command_appends_objects_of_its_progress(self) -> None:
        for number in (1, 2):
            ended = done("verify", "out", "-q", "--progress-json", "progress.json")
            self.assertEqual(ended.stderr, b"")
            with open("progress.json", encoding="ascii") as file:
                said = [json.loads(line) for line in file]
            self.assertEqual(len(said), number)
        self.assertEqual((said[-1]["samples"], said[-1]["ended"]), (6, True))
        self.assertGreaterEqual(said[-1]["percent"], 99)
        self.assertLess(abs(said[-1]["time"] - time.time()), 600)

    def test_a_progress_file_that_cannot_be_opened_is_an_error(self) -> None:
        ended = run("pack", "photos", "none", "--progress-json", "no/such.json")
        self.assertEqual(ended.returncode, 5)
        self.assertIn(b"no/such.json", ended.stderr)
        self.assertFalse(os.path.exists("none"))

    def test_a_file_with_other_contents_is_left_alone(self) -> None:
        before = pathlib.Path("out/shardine.json").read_bytes()
        ended = run("verify", "out", "--progress-json", "out/shardine.json")
        self.assertEqual(ended.returncode, 2)
        self.assertIn(b"out/shardine.json: is a file of something else", ended.stderr)
        self.assertEqual(pathlib.Path("out/shardine.json").read_bytes(), before)

    def test_a_line_of_a_log_has_the_time_of_day(self) -> None:
        # Longer than the ten seconds between lines.
        ended = done("bench", "out", "--crop", "16", "--seconds", "11")
        self.assertRegex(ended.stderr.decode(), r"(?m)^\d\d:\d\d:\d\d .*img/s")

    def test_a_watched_status_ends_with_the_last_task(self) -> None:
        done("plan", "pack", "photos", "made", "--shards", "1", "--to", "plan")
        with subprocess.Popen([f"{programs.BIN}/shardine", "status", "plan", "--watch"],
                              stdout=subprocess.PIPE, env=programs.environment()) as watch:
            assert watch.stdout is not None
            first = watch.stdout.readline()
            done("run-task", "plan", "0", "--of", "1")
            rest = watch.stdout.read()
            self.assertEqual(watch.wait(30), 0)
        self.assertTrue(first.startswith(b"0 of 1 task done"), first)
        self.assertTrue(re.search(rb"^1 of 1 task done", rest, re.M), rest)


class Advice(programs.Case):
    @classmethod
    def prepare(cls) -> None:
        super().prepare()
        done("pack", "photos", "out")

    def test_typing_errors_are_looked_for_where_one_is_possible(self) -> None:
        hint = b"look for a typing error"
        self.assertIn(hint, run("info", "uot").stderr)
        self.assertIn(hint, run("list", "photos", "--lst", "no/such.lst").stderr)
        os.rename("out/train-00000-of-00001.rec", "gone.rec")
        for command in (["bench", "out", "--seconds", "0"], ["extract", "out", "files"]):
            said = run(*command).stderr
            self.assertIn(b"train-00000-of-00001.rec", said)
            self.assertNotIn(hint, said)
        os.rename("gone.rec", "out/train-00000-of-00001.rec")

    def test_a_dataset_that_is_resized_into_files_is_told_of_shards(self) -> None:
        ended = run("resize", "out", "small", "--short-side", "16")
        self.assertEqual(ended.returncode, 2)
        self.assertIn(b"it is a dataset, which --to shards resizes", ended.stderr)

    def test_a_file_is_written_over_only_where_that_is_asked_for(self) -> None:
        image = ["cat", "out", "hounds/made_gray.jpg"]
        done(*image, "-o", "saved.jpg")
        refused = run(*image, "-o", "saved.jpg")
        self.assertEqual(refused.returncode, 1)
        self.assertIn(b"--overwrite replaces it", refused.stderr)
        done(*image, "--output", "saved.jpg", "--overwrite")
        with open("saved.jpg", "rb") as file:
            self.assertEqual(file.read(), done(*image).stdout)
        self.assertEqual(run(*image, "--overwrite").returncode, 2)


if __name__ == "__main__":
    unittest.main()
