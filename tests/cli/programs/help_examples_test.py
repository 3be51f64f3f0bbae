"""The examples of each verb's help work as written, and so do topics and man pages."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest
from collections.abc import Iterator

import programs
from programs import done, run


def verbs() -> list[str]:
    text = done("--help").stdout.decode()
    names = re.findall(r"^  ([a-z-]+(?: [a-z]+)?)  +\S", text, re.M)
    return [name for name in names if name not in ("help", "version")]


def examples(verb: str) -> list[str]:
    text = done("help", *verb.split()).stdout.decode()
    return re.findall(r"^  (shardine .*)$", text.split("\nExamples:\n")[1], re.M)


def make_list(name: str, line: str) -> None:
    pathlib.Path(name).write_text(line, encoding="ascii")


def make_place() -> None:
    """The inputs that the examples name."""
    shutil.copytree(programs.PHOTOS, "photos")
    os.mkdir("more")
    shutil.copytree("photos/terriers", "more/terriers")
    done("pack", "photos", "out", "--shards", "2")
    done("pack", "more", "more-packed")
    shutil.copytree("out", "copy")
    done("convert", "out", "made-tars", "--format", "webdataset")
    os.mkdir("shards")
    for number, name in enumerate(("train-0", "val")):
        shutil.copy(f"made-tars/train-0000{number}-of-00002.tar", f"shards/{name}.tar")
    shutil.rmtree("made-tars")
    os.mkdir("kept")
    make_list("labels.lst", "0\t1\thounds/whippet.JPEG\n")
    make_list("boxes.json", json.dumps({
        "images": [{"id": 1, "file_name": "cairn.JPEG"}],
        "categories": [{"id": 1, "name": "dog"}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]}]}))
    done("pack", "photos", "boxes", "--format", "tfrecord", "--annotations", "coco:boxes.json")


# The state before: outputs of pack itself are new.
BEFORE = {
    "pack": ["rm -r out"],
    "run-task": ["shardine plan pack photos made --shards 2 --to plan"],
    "status": ["shardine plan pack photos made --shards 2 --to plan",
               "shardine run-task plan 0"],
    "finalize": ["shardine plan pack photos made --shards 2 --to done-plan",
                 "shardine run-task done-plan 0 --of 1"],
    "run": ["shardine plan pack photos made --shards 2 --to plan"],
    "relabel": ["shardine ls out | head -n 1 | cut -f 1,3,4 >labels.lst"],
}
# Differences and findings are the purpose of these.
OTHER_CODES = {"audit": {0, 8}}


class HelpExamples(programs.Case):
    @classmethod
    def prepare(cls) -> None:
        make_place()

    def places(self) -> Iterator[tuple[str, str]]:
        """Each verb in a folder of its own with all inputs."""
        for number, verb in enumerate(verbs()):
            if verb in ("run", "view") and "SHARDINE_PYTHON" not in os.environ:
                continue
            place = f"place-{number}"
            os.mkdir(place)
            for name in os.listdir("."):
                if not name.startswith("place-"):
                    subprocess.run(["cp", "-r", name, place], check=True)
            yield verb, place
            shutil.rmtree(place)

    def test_each_verb_has_two_examples_that_work(self) -> None:
        for verb, place in self.places():
            home = str(pathlib.Path(place).resolve())
            for line in BEFORE.get(verb, []):
                self.run_line(line, home)
            lines = examples(verb)
            self.assertEqual(len(lines), 2, verb)
            for line in lines:
                if line.startswith("shardine view") and "--terminal" not in line:
                    continue  # it serves a page until it is interrupted
                with self.subTest(line=line):
                    self.assertTrue(line.startswith(f"shardine {verb} ") or
                                    line == f"shardine {verb}")
                    self.assertLess(len(line), 78)
                    ended = self.run_line(line, home)
                    self.assertIn(ended.returncode, OTHER_CODES.get(verb, {0}),
                                  ended.stderr)

    @staticmethod
    def run_line(line: str, home: str) -> subprocess.CompletedProcess[bytes]:
        kept = {name: os.environ[name] for name in ("SHARDINE_PYTHON",)
                if name in os.environ}
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", line], cwd=home, capture_output=True,
            check=False, timeout=120, env=programs.environment(HOME=home, **kept))

    def test_help_of_a_verb_is_what_the_option_prints(self) -> None:
        for verb in verbs():
            self.assertEqual(done("help", *verb.split()).stdout,
                             done(*verb.split(), "--help").stdout)

    def test_no_line_of_a_help_is_wider_than_a_terminal(self) -> None:
        commands = [["help", *verb.split()] for verb in verbs()]
        commands += [["help", topic] for topic in ("exit-codes", "lists", "environment")]
        commands += [["formats"], ["formats", "lmdb"], ["formats", "webdataset"]]
        for command in commands:
            lines = done(*command).stdout.decode().splitlines()
            self.assertLessEqual(max(map(len, lines)), 79, command)

    def test_the_environment_topic_has_each_variable_that_is_read(self) -> None:
        said = done("help", "environment").stdout.decode()
        read = set()
        for room in ("lib", "tools/cli", "tools/shardine"):
            for source in (programs.ROOT / room).rglob("*.cc"):
                text = source.read_text(encoding="utf-8")
                read |= {*re.findall(r'\bOf\("([A-Z][A-Z_0-9]+)"\)', text)}
        self.assertGreater(len(read), 10)
        # Terminals and the machine have theirs; users do not set these for the program.
        missing = {name for name in read if name not in said} - {"TERM", "PATH"}
        self.assertEqual(missing, set())

    def test_an_unknown_topic_is_refused_by_name(self) -> None:
        ended = run("help", "exit-code")
        self.assertEqual(ended.returncode, 2)
        self.assertIn(b'unknown topic "exit-code" (did you mean exit-codes?)', ended.stderr)

    def test_man_pages_have_the_options_and_no_warning(self) -> None:
        main = done("help", "man").stdout.decode()
        for verb in verbs():
            page = done("help", "man", *verb.split()).stdout
            self.assertIn(f"shardine-{verb.replace(' ', '-')}(1)", main.replace("\\-", "-"))
            shown = self.format(page)
            # A name at the beginning of each line of the options.
            for option in re.findall(r"^  (?:-\w, )?(--[a-z-]+)",
                                     done("help", *verb.split()).stdout.decode(), re.M):
                self.assertIn(option, shown, verb)
            self.assertIn(examples(verb)[0].split("'")[0], shown)
        self.format(main.encode())

    def format(self, page: bytes) -> str:
        """The page as a terminal shows it, in a line of any width."""
        if shutil.which("groff") is None:
            self.skipTest("groff is not here")
        ended = subprocess.run(
            ["groff", "-man", "-Tutf8", "-ww", "-P-c", "-rLL=200n"], input=page,
            capture_output=True, check=True, env={**os.environ, "LC_ALL": "C"})
        self.assertEqual(ended.stderr, b"")
        return re.sub(r".\x08", "", ended.stdout.decode())


if __name__ == "__main__":
    unittest.main()
