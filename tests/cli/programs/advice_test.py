"""A message that gives advice is right: the advised command is run here."""

import json
import os
import re
import shutil
import subprocess
import sys
import unittest
from typing import Any

import programs
from programs import BAD_OPERANDS, VERBS, done, run


def text_of(finished: subprocess.CompletedProcess[bytes]) -> str:
    return (finished.stdout + finished.stderr).decode()


class Advice(programs.Case):
    @classmethod
    def prepare(cls) -> None:
        super().prepare()
        done("pack", "photos", "out")

    def fails(self, *arguments: str, code: int, says: str,
              **options: Any) -> None:
        finished = run(*arguments, **options)
        self.assertEqual(finished.returncode, code, text_of(finished))
        self.assertIn(says, text_of(finished))

    def test_every_verb_has_the_help_that_usage_errors_name(self) -> None:
        for verb in VERBS:
            for arguments in ((verb, *BAD_OPERANDS[verb]),
                              (verb, "--frobnicate")):
                said = run(*arguments).stderr.decode()
                self.assertTrue(said.endswith(f"; see shardine {verb} --help\n"),
                                said)
            self.assertIn(b"usage: ", done(verb, "--help").stdout)
            self.assertEqual(done("help", verb).stdout,
                             done(verb, "--help").stdout)
        self.assertIn("see shardine --help",
                      run("frobnicate").stderr.decode())
        for words in (["--help"], ["help"], ["help", "help"],
                      ["help", "version"], ["-h"]):
            self.assertIn(b"Exit codes", done(*words).stdout)

    def test_a_mistyped_word_is_answered_with_one_that_works(self) -> None:
        for arguments, word in (
                (["pakc", "photos", "new"], "pack"),
                (["lst", "out"], "ls"),
                (["--hlep"], "--help"),
                (["verify", "--levle", "full", "out"], "--level"),
                (["verify", "out", "--level", "ful"], "full"),
                (["resize", "photos", "new", "--short-side", "16", "--filter",
                  "bilnear"], "bilinear"),
                (["pack", "photos", "new", "--format", "tfrecrod"], "tfrecord"),
                (["convert", "out", "new", "--format", "hdf5/fule"],
                 "hdf5/fuel"),
                (["index", "out/train-00000-of-00001.rec", "new", "--format",
                  "recordoi"], "recordio")):
            finished = run(*arguments)
            self.assertEqual(finished.returncode, 2, arguments)
            said = finished.stderr.decode()
            self.assertIn(f"(did you mean {word}?)", said)
            wrong = next(i for i, a in enumerate(arguments)
                         if a not in ("photos", "new", "out", "--format",
                                      "--level", "--filter", "index",
                                      "resize", "convert", "pack", "verify")
                         and not a.endswith(".rec") and a not in (
                             "--short-side", "16"))
            arguments[wrong] = word
            shutil.rmtree("new", ignore_errors=True)
            self.assertEqual(run(*arguments).returncode, 0, arguments)
            shutil.rmtree("new", ignore_errors=True)
        self.assertNotIn("did you mean", run("frobnicate").stderr.decode())

    def test_bad_images_can_be_left_out(self) -> None:
        shutil.copytree("photos", "some-bad")
        with open("some-bad/hounds/made_gray.jpg", "r+b") as file:
            file.truncate(2000)
        for verb, *more in (("pack",), ("resize", "--short-side", "16")):
            self.fails(verb, "some-bad", "good", *more, code=1,
                       says="--on-bad skip, quarantine or keep goes on")
            for policy, code in (("skip", 3), ("quarantine", 3), ("keep", 0)):
                shutil.rmtree("good", ignore_errors=True)
                finished = run(verb, "some-bad", "good", *more, "--on-bad",
                               policy)
                self.assertEqual(finished.returncode, code, text_of(finished))
            shutil.rmtree("good", ignore_errors=True)

    def test_entry_points_and_sizes_of_what_is_packed(self) -> None:
        self.fails("pack", "photos", "out", "--entry-points", "none", code=7,
                   says="shardine reindex OUT adds entry points")
        done("reindex", "out", "--entry-points", "none")
        done("reindex", "out")
        self.fails("pack", "photos", "out", "--variants", "original,sz/16",
                   code=7,
                   says="shardine resize OUT SIZES --to shards --short-side S")
        done("resize", "out", "sizes", "--to", "shards", "--short-side", "16")

    def test_a_copy_without_its_companions(self) -> None:
        os.makedirs("copy")
        for name in os.listdir("out"):  # as cp out/* copy
            if not name.startswith("."):
                shutil.copy(f"out/{name}", "copy")
        advice = "copy the folder .shardine as well: DIR/* leaves it out"
        for verb in (["ls"], ["cat"], ["bench", "--seconds", "0"],
                     ["extract"]):
            operands = {"cat": ["hounds/made_gray.jpg"],
                        "extract": ["tree"]}.get(verb[0], [])
            self.fails(*verb, "copy", *operands, code=5, says=advice)
        self.fails("verify", "copy", code=4, says=advice)
        shutil.copytree("out/.shardine", "copy/.shardine")
        done("verify", "copy")

    def test_entry_points_that_are_damaged(self) -> None:
        done("pack", "photos", "points")
        programs.flip("points/" + next(
            os.path.relpath(f"{path}/{name}", "points")
            for path, _, names in os.walk("points") for name in names
            if name.endswith(".sde")), 200)
        self.fails("verify", "points", code=4, says=(
            "shardine reindex --entry-points none takes the entry points away, "
            "and shardine reindex finds them again"))
        done("reindex", "points", "--entry-points", "none")
        done("reindex", "points")
        done("verify", "points")

    def test_arrays_of_images_of_one_size(self) -> None:
        advice = ("shardine resize IN SIZES --short-side S --center-crop "
                  "--to shards")
        self.fails("convert", "out", "arrays", "--format", "hdf5/array",
                   code=1, says=advice + " makes images of one size")
        words = advice.replace("IN", "out").replace("SIZES", "squares")
        done(*words.replace(" S ", " 32 ").split()[1:])
        done("convert", "squares/sz/32", "arrays", "--format", "hdf5/array")

    def test_converting_in_order_or_leaving_out_what_does_not_fit(self) -> None:
        self.fails("convert", "out", "strict", "--format", "recordio",
                   "--strict", code=1, says="without --strict")
        done("convert", "out", "strict", "--format", "recordio")

    def test_shards_of_a_pack_that_nobody_finishes(self) -> None:
        shutil.copytree("out", "bare")
        os.remove("bare/shardine.json")
        self.fails("info", "bare", code=1,
                   says="; else shardine index SHARD... OUT makes a dataset")
        done("index", "bare/train-00000-of-00001.rec", "whole")
        done("info", "whole")

    def test_a_manifest_that_does_not_fit_its_sidecars(self) -> None:
        shutil.copytree("out", "sealed")
        digest = json.loads(done("info", "sealed", "--json").stdout)[
            "content_digest"]
        subprocess.run(
            [sys.executable, str(programs.CLI_TESTS / "seal_manifest.py"),
             "sealed/shardine.json", digest, "0" * 32], check=True)
        self.fails("convert", "sealed", "new", "--format", "tfrecord", code=4,
                   says="; shardine verify says more")
        self.assertIn(b"digest", run("verify", "sealed").stdout)

    def test_a_merge_of_equal_keys(self) -> None:
        shutil.copytree("out", "second")
        self.fails("merge", "out", "second", "both", code=2,
                   says="--prefix '{n}/' does so")
        done("merge", "out", "second", "both", "--prefix", "{n}/")

    def test_fields_that_a_format_does_not_hold(self) -> None:
        for number in ("0", "1"):
            with open(f"{number}.txt", "w") as text:
                text.write(number)
            shutil.copy("photos/hounds/made_gray.jpg", f"{number}.jpg")
        subprocess.run(["tar", "cf", "texts.tar", "0.jpg", "0.txt", "1.jpg",
                        "1.txt"], check=True)
        self.fails("convert", "texts.tar", "rec", "--format", "recordio",
                   code=1, says="--fields none leaves all fields out")
        done("convert", "texts.tar", "rec", "--format", "recordio",
             "--fields", "none")

    def test_a_tar_of_tars(self) -> None:
        subprocess.run("tar cf in.tar photos && mv in.tar n01.tar && "
                       "tar cf tars.tar n01.tar", shell=True, check=True)
        self.fails("index", "tars.tar", "tars", code=1,
                   says="tar -xf FILE in a new folder unpacks it")
        subprocess.run("mkdir new && cd new && tar -xf ../tars.tar",
                       shell=True, check=True)
        done("index", "new/n01.tar", "tars")

    def test_a_key_of_several_splits(self) -> None:
        done("pack", "train=photos", "val=photos", "splits")
        self.fails("cat", "splits", "hounds/made_gray.jpg", code=2,
                   says="name one of them: train, val")
        done("cat", "splits", "hounds/made_gray.jpg", "--split", "val")

    def test_shard_files_become_a_dataset(self) -> None:
        shutil.copy("out/train-00000-of-00001.rec", "bare.rec")
        self.fails("info", "bare.rec", code=1,
                   says="; shardine index makes a dataset of shard files")
        done("index", "bare.rec", "indexed")
        done("info", "indexed")

    @unittest.skipIf(programs.is_sanitized(),
                     "sanitizers cannot look at memory without open files")
    def test_the_same_command_goes_on_when_there_is_room(self) -> None:
        """A limit of ulimit stands for a full disk."""
        def limited(limit: str,
                    *arguments: str) -> subprocess.CompletedProcess[bytes]:
            return subprocess.run(
                ["bash", "-c", f"ulimit {limit}; exec shardine \"$@\"", "-",
                 *arguments], check=False, capture_output=True,
                env=programs.environment())
        finished = limited("-n 5", "pack", "photos", "room")
        self.assertEqual(finished.returncode, 5, text_of(finished))
        self.assertIn("as many files open as it may; allow more with ulimit "
                      "-n and run the same command again", text_of(finished))
        self.assertEqual(limited("-n 64", "pack", "photos", "room").returncode,
                         0)

    def test_no_message_of_the_library_speaks_of_the_command_line(self) -> None:
        """C++ and Python have none: the programs add the words to type."""
        flag = re.compile(r'"[^"]*(?:--[a-z]|'
                          rf'\bshardine (?:{"|".join(VERBS)})\b)')
        for folder in ("lib", "formats"):
            for path, _, names in os.walk(programs.ROOT / folder):
                for name in names:
                    if not name.endswith((".cc", ".h")):
                        continue
                    with open(f"{path}/{name}", encoding="utf-8") as file:
                        for line in file:
                            code = line.split("//")[0]
                            self.assertNotRegex(code, flag, name)


if __name__ == "__main__":
    unittest.main()
