"""One table gives each class of failure its code for the caller of each verb."""

import os
import shutil
import signal
import stat
import struct
import subprocess
import time
import unittest
from collections.abc import Iterable
from typing import Any

import programs
import seal_manifest
from programs import BAD_OPERANDS, VERBS, run

DONE, FAILED, USAGE, REJECTED, DAMAGED, LOCAL_IO, CHANGED, INTERRUPTED = (
    0, 1, 2, 3, 4, 5, 7, 130)

SHARD = "train-00000-of-00001.rec"

# {D}: a dataset, or a stand-in for one; {O}: where the result goes; {S}: a folder of
# photos, {F}: shard files.
COMMANDS = {
    "pack": "pack {S} {O}",
    "resize": "resize {S} {O} --short-side 16",
    "verify": "verify {D}",
    "index": "index {F} {O}",
    "reindex": "reindex {D}",
    "convert": "convert {D} {O} --format webdataset",
    "split": "split {D} {O} --split a=0.5,b=0.5",
    "shuffle": "shuffle {D} {O}",
    "merge": "merge {D} copy {O} --prefix {{name}}/",
    "relabel": "relabel {D} {O} labels.lst",
    "diff": "diff {D} sound",
    "audit": "audit {D}",
    "report": "report {D} --out page.html",
    "card": "card {D} --out {O}",
    "bench": "bench {D} --seconds 0 --crop 16",
    "info": "info {D}",
    "ls": "ls {D}",
    "cat": "cat {D} hounds/made_gray.jpg",
    "extract": "extract {D} {O}",
    "export": "export hf {D} {O}",
    "list": "list {S}",
    "scan": "scan {S}",
    "formats": "formats",
}
OF_DATASETS = [verb for verb in VERBS if "{D}" in COMMANDS[verb]]
OF_FILES = [verb for verb in VERBS if "{" in COMMANDS[verb]]
WITH_OUTPUT = [verb for verb in VERBS if "{O}" in COMMANDS[verb]]
# These open no shard, so a shard's contents are nothing to them.
OF_MANIFESTS = ("info", "ls", "diff", "audit", "relabel", "reindex")


def command(verb: str, **places: str) -> list[str]:
    words = {"S": "photos", "D": "sound", "F": "sound/" + SHARD,
             "O": "new", **places}
    return COMMANDS[verb].format(**words).split()


def read_only_place() -> str:
    """A folder without write permission: root may write wherever a disk lets it."""
    if os.geteuid() == 0:
        return "/sys/shardine-test"
    os.makedirs("closed", exist_ok=True)
    os.chmod("closed", 0o555)
    return "closed/out"


class ExitCodes(programs.Case):
    @classmethod
    def prepare(cls) -> None:
        super().prepare()
        programs.done("pack", "photos", "sound", "--entry-points", "none")
        shutil.copytree("sound", "copy")
        shutil.copytree("sound", "damaged")
        with open("damaged/shardine.json", "ab") as file:
            file.write(b" ")
        shutil.copytree("sound", "flipped")
        for offset in range(100, 60000, 500):
            programs.flip("flipped/" + SHARD, offset)
        shutil.copytree("sound", "newer")
        seal_manifest.main("newer/shardine.json", '"schema": ',
                           '"schema": 100')
        shutil.copytree("sound", "strange")
        seal_manifest.main("strange/shardine.json", '"recordio/mxnet"',
                           '"recordio/other"')
        shutil.copytree("photos", "bad")
        with open("bad/hounds/made_gray.jpg", "r+b") as file:
            file.truncate(2000)
        with open("labels.lst", "w", encoding="ascii") as file:
            file.write("0\t1\thounds/made_gray.jpg\n")
        os.mkdir("empty")
        for name in ("empty.rec", "empty.tfrecord", "empty.lst"):
            with open(name, "w", encoding="ascii"):
                pass
        with open("malformed.lst", "w", encoding="ascii") as file:
            file.write("no tabs in this line\n")
        with open("unknown", "w", encoding="ascii") as file:
            file.write("no shard of any format " * 100)

    def tearDown(self) -> None:
        shutil.rmtree("new", ignore_errors=True)

    def check(self, code: int, arguments: Iterable[str],
              **options: Any) -> bytes:
        finished = run(*arguments, **options)
        said = finished.stderr or b""
        with self.subTest(arguments=" ".join(arguments)):
            self.assertEqual(finished.returncode, code, said)
        shutil.rmtree("new", ignore_errors=True)
        return said

    def test_success_is_0(self) -> None:
        for verb in VERBS:
            self.check(DONE, command(verb))

    def test_what_is_not_there_is_5(self) -> None:
        for verb in OF_FILES:
            said = self.check(LOCAL_IO, command(
                verb, S="nowhere", D="nowhere", F="nowhere"))
            self.assertIn(b"nowhere: ", said)
            self.assertIn(b"no such file or folder", said)

    def test_bad_usage_is_2(self) -> None:
        for verb in VERBS:
            self.check(USAGE, [verb, *BAD_OPERANDS[verb]])
            self.check(USAGE, [*command(verb), "--frobnicate"])
            self.check(USAGE, [verb, ""])
            self.check(USAGE, [*command(verb), "--json", "--json"])
        self.check(USAGE, ["frobnicate"])
        self.check(USAGE, [])

    def test_a_damaged_manifest_is_4(self) -> None:
        for verb in OF_DATASETS:
            self.check(DAMAGED, command(verb, D="damaged"))

    def test_damaged_records_are_4(self) -> None:
        for verb in OF_DATASETS:
            if verb not in OF_MANIFESTS:
                self.check(DAMAGED, command(verb, D="flipped"))
        programs.done("convert", "sound", "crc", "--format", "tfrecord")
        shard = "crc/train-00000-of-00001.tfrecord"
        programs.flip(shard, 20000)
        self.check(DAMAGED, command("index", F=shard))

    def test_what_is_newer_or_unknown_is_1(self) -> None:
        for verb in OF_DATASETS:
            self.check(FAILED, command(verb, D="newer"))
            if verb not in ("info", "ls", "bench", "cat", "extract", "export", "diff",
                            "audit", "report", "card"):
                said = self.check(FAILED, command(verb, D="strange"))
                self.assertIn(b"strange/shardine.json", said)
        self.check(FAILED, command("index", F="unknown"))
        self.check(FAILED, ["verify", "unknown"])

    def test_what_is_no_dataset_is_1(self) -> None:
        for verb in OF_DATASETS:
            if verb != "audit":  # of folders of images, too
                said = self.check(FAILED, command(verb, D="photos"))
                self.assertIn(b"not a dataset", said)
            if verb != "verify":
                shard = "sound/" + SHARD
                said = self.check(FAILED, command(verb, D=shard))
                self.assertIn(b"is one file of the dataset sound", said)

    def test_a_manifest_stands_for_its_dataset(self) -> None:
        for verb in OF_DATASETS:
            self.check(DONE, command(verb, D="sound/shardine.json"))

    def test_bad_inputs_are_1_where_they_stop_the_work(self) -> None:
        for verb in ("pack", "resize"):
            self.check(FAILED, command(verb, S="bad"))

    def test_bad_inputs_left_out_are_3(self) -> None:
        for verb in ("pack", "resize"):
            self.check(REJECTED, [*command(verb, S="bad"), "--on-bad", "skip"])
        self.check(REJECTED, command("scan", S="bad"))

    def test_a_list_that_does_not_parse_is_1(self) -> None:
        listed = {verb: [*command(verb), "--list", "malformed.lst"]
                  for verb in ("pack", "resize", "list", "index")}
        listed["verify"] = ["verify", "sound", "--against", "photos",
                            "--list", "malformed.lst"]
        listed["relabel"] = ["relabel", "sound", "new", "malformed.lst"]
        listed["plan"] = ["plan", "pack", "photos", "new", "--to", "new.plan",
                          "--list", "malformed.lst"]
        listed["convert"] = [*command("convert"), "--label-map",
                             "malformed.lst"]
        for arguments in listed.values():
            said = self.check(FAILED, arguments)
            self.assertIn(b"malformed.lst: byte 0: line 1: ", said)

    def test_what_has_no_samples_is_2_where_samples_are_wanted(self) -> None:
        for arguments in (
                command("pack", S="empty"), command("list", S="empty"),
                command("scan", S="empty"), command("resize", S="empty"),
                command("convert", D="empty.rec"),
                command("convert", D="empty.tfrecord"),
                command("bench", D="empty.rec")):
            said = self.check(USAGE, arguments)
            self.assertTrue(b"no samples" in said or b"no images" in said,
                            said)
        said = self.check(USAGE, [*command("pack"), "--list", "empty.lst"])
        self.assertIn(b"empty.lst: no samples", said)

    def test_what_has_no_samples_is_said_where_it_is_looked_at(self) -> None:
        for shard in ("empty.rec", "empty.tfrecord"):
            finished = run("index", shard, "new")
            self.assertEqual(finished.returncode, DONE)
            self.assertIn(b"warning: there are no samples", finished.stdout)
            shutil.rmtree("new")
            self.check(DONE, ["verify", shard])

    def test_images_of_no_bytes_are_counted(self) -> None:
        """InsightFace's files have such records, of identities."""
        header = struct.pack("<IfQQ", 2, 0.0, 0, 0)
        payload = header + struct.pack("<ff", 1, 4)
        with open("faces.rec", "wb") as file:
            file.write(struct.pack("<II", 0xCED7230A, len(payload)) + payload)
        finished = run("index", "faces.rec", "new")
        self.assertEqual(finished.returncode, DONE)
        self.assertIn(b"1 of 1 images have no bytes", finished.stdout)

    def test_im2rec_says_that_a_flat_folder_is_one_class(self) -> None:
        finished = run("flat", "photos/hounds", "--list", "--recursive",
                       program="im2rec")
        self.assertEqual(finished.returncode, DONE)
        self.assertIn(b"each has the label 0", finished.stderr)
        finished = run("deep", "photos", "--list", "--recursive",
                       program="im2rec")
        self.assertNotIn(b"label 0", finished.stderr)

    def test_a_place_that_cannot_be_written_is_5(self) -> None:
        place = read_only_place()
        for verb in WITH_OUTPUT:
            said = self.check(LOCAL_IO, command(verb, O=place))
            self.assertIn(os.path.dirname(place).encode(), said)
        self.check(LOCAL_IO, [*command("list"), "--lst", place])

    def test_a_full_disk_behind_standard_output_is_5(self) -> None:
        with open("/dev/full", "wb") as full:
            for verb in VERBS:
                said = self.check(LOCAL_IO, command(verb), stdout=full)
                self.assertIn(b"no space left on the disk", said)
                self.check(LOCAL_IO, [verb, "--help"], stdout=full)
            self.check(LOCAL_IO, ["--help"], program="im2rec", stdout=full)

    def test_a_list_takes_the_place_of_no_pipe_or_folder(self) -> None:
        os.mkfifo("pipe")
        for place in ("pipe", "photos"):
            said = self.check(USAGE, [*command("list"), "--lst", place])
            self.assertIn(b"is there and is not a regular file", said)
        self.assertTrue(stat.S_ISFIFO(os.stat("pipe").st_mode))
        with open("sound/shardine.json", "rb") as file:
            before = file.read()
        for words in ([*command("list"), "--lst"], ["audit", "sound", "--clean"]):
            said = self.check(USAGE, [*words, "sound/shardine.json"])
            self.assertIn(b"is there and is no list", said)
        with open("sound/shardine.json", "rb") as file:
            self.assertEqual(file.read(), before)

    def test_another_plan_is_7(self) -> None:
        self.check(CHANGED, ["pack", "photos", "sound", "--seed", "1"])
        self.check(CHANGED, ["convert", "sound", "sound", "--reshuffle", "1"])

    def test_differences_are_4(self) -> None:
        programs.done("relabel", "sound", "relabelled", "labels.lst")
        self.check(DAMAGED, ["diff", "sound", "relabelled"])
        self.check(DAMAGED, ["verify", "sound", "--against", "bad"])

    def test_an_interrupt_is_130(self) -> None:
        """Stuck in the first line, since the output is not read, so that no verb is too
        quick."""
        started = []
        for number, verb in enumerate(VERBS):
            if verb in ("info", "ls", "cat", "extract", "export", "formats"):
                continue  # they say nothing until they are done
            reader, writer = os.pipe()
            os.set_blocking(writer, False)
            try:
                while True:
                    os.write(writer, b"x" * 4096)
            except BlockingIOError:
                os.set_blocking(writer, True)
            process = subprocess.Popen(
                [f"{programs.BIN}/shardine", *command(verb, O=f"cut{number}")],
                stdout=subprocess.DEVNULL, stderr=writer,
                env=programs.environment())
            started.append((verb, process, reader, writer))
        for verb, process, reader, writer in started:
            wait_until_stuck(process.pid)
            process.send_signal(signal.SIGINT)
        for verb, process, reader, writer in started:
            with self.subTest(verb=verb):
                # Killed by the signal is 130 to a shell.
                code = process.wait()
                self.assertIn(code, (INTERRUPTED, -signal.SIGINT))
            os.close(reader)
            os.close(writer)

    def test_im2rec_has_the_same_codes(self) -> None:
        def check(code: int, *arguments: str) -> None:
            self.check(code, arguments, program="im2rec")
        check(DONE, "photo", "photos", "--list", "--recursive")
        check(DONE, "photo", "photos", "--pass-through")
        check(USAGE)
        check(USAGE, "photo", "photos", "--frobnicate")
        os.remove("photos/hounds/made_gray.jpg")
        check(FAILED, "photo", "photos", "--pass-through")  # a wrong list
        shutil.copy("bad/hounds/made_gray.jpg", "photos/hounds")
        check(FAILED, "photo", "photos", "--resize", "16")
        shutil.copy(programs.PHOTOS / "hounds/made_gray.jpg", "photos/hounds")


def wait_until_stuck(pid: int) -> None:
    """Asleep each time that it is looked at for a while."""
    looks = 0
    while looks < 15:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            asleep = file.read().rsplit(")", 1)[1].split()[0] == "S"
        looks = looks + 1 if asleep else 0
        time.sleep(0.02)


class Hdf5Program(programs.Case):
    """A separate program reads HDF5 files: where that is missing or broken, no error
    blames the files."""

    @classmethod
    def prepare(cls) -> None:
        super().prepare()
        programs.done("pack", "photos", "arrays", "--format", "hdf5")

    def check(self, env: dict[str, str]) -> None:
        shard = "arrays/train-00000-of-00001.h5"
        for arguments in (["verify", "arrays"], ["verify", shard],
                          ["index", shard, "new"]):
            finished = run(*arguments, env=env)
            said = finished.stdout + finished.stderr
            with self.subTest(arguments=arguments):
                self.assertEqual(finished.returncode, FAILED, said)
                self.assertIn(b"shardine-hdf5-scan", said)
                self.assertIn(b"SHARDINE_LIBEXEC_DIR", said)

    def test_a_broken_program_is_named_and_is_no_damage(self) -> None:
        for number, script in enumerate(("exit 127", "kill -SEGV $$")):
            folder = f"{os.getcwd()}/libexec{number}"
            os.makedirs(folder)
            program = f"{folder}/shardine-hdf5-scan"
            with open(program, "w", encoding="ascii") as file:
                file.write(f"#!/bin/sh\n{script}\n")
            os.chmod(program, 0o755)
            self.check({"SHARDINE_LIBEXEC_DIR": folder})

    def test_a_program_in_a_folder_above_is_not_taken(self) -> None:
        if os.path.exists("/usr/local/libexec/shardine/shardine-hdf5-scan"):
            self.skipTest("it is installed")
        os.makedirs("above/libexec/shardine")
        os.makedirs("above/tool/deep")
        program = "above/libexec/shardine/shardine-hdf5-scan"
        with open(program, "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\ntouch {os.getcwd()}/taken\n")
        os.chmod(program, 0o755)
        before = programs.BIN
        for folder in ("above/tool", "above/tool/deep"):
            shutil.copy(f"{before}/shardine", f"{folder}/shardine")
            programs.BIN = os.path.abspath(folder)
            try:
                self.check({})
            finally:
                programs.BIN = before
        self.assertFalse(os.path.exists("taken"))

    def test_an_installation_may_be_moved(self) -> None:
        for folder in ("moved/bin", "moved/libexec/shardine"):
            os.makedirs(folder)
        shutil.copy(f"{programs.BIN}/shardine", "moved/bin/shardine")
        shutil.copy(f"{programs.BIN}/../libexec/shardine/shardine-hdf5-scan",
                    "moved/libexec/shardine")
        before, programs.BIN = programs.BIN, f"{os.getcwd()}/moved/bin"
        try:
            programs.done("verify", "arrays")
        finally:
            programs.BIN = before


if __name__ == "__main__":
    unittest.main()
