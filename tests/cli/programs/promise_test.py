"""Outputs that exist already, whole, hurt or the user's own, and commands that meet
them, finished, cut off or out of room: afterwards no file is gone or changed that the
command did not make in this unfinished plan."""

import itertools
import os
import random
import resource
import shutil
import signal
import subprocess
import time
import unittest
from collections.abc import Callable, Iterator

import programs
from programs import BIN, done, environment, flip, run

# tools/nightly.sh losses sets SHARDINE_SWEEP=whole.
IS_WHOLE = os.environ.get("SHARDINE_SWEEP") == "whole"
# The interpreter that has the package; without one no Writer is tried.
PYTHON = os.environ.get("SHARDINE_PYTHON", "")
OPTIONS = ["--shards=3", "--variants=original,sz/160", "-j1"]
PACK = ["pack", "photos", "out", *OPTIONS]
Files = dict[str, bytes]

# Names that the program gives, of which the user has files of the same name.
NAMES = ["rejected.jsonl", "quarantine/train/hounds/a.jpg", ".shardine/mine",
         "sz/160/rejected.jsonl", "sz/mine", "train-00099-of-00100.rec",
         ".pack/mine", ".resize/mine", "readme.txt", "hounds/mine.jpg"]


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def tree(folder: str) -> Files:
    return {os.path.relpath(path, folder): read(path)
            for place, _, names in os.walk(folder)
            for path in (os.path.join(place, name) for name in names)}


def write(path: str, contents: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(contents)


WRITING = """
import pathlib, sys, shardine
part = {"part": int(sys.argv[2]), "parts": 2} if len(sys.argv) > 2 else {}
print("begun", flush=True)
with shardine.Writer(sys.argv[1], shard_size="100K", threads=1, **part) as writer:
    for number, photo in enumerate(sorted(pathlib.Path("photos").rglob("*.jp*g"))):
        writer.write({"image": photo.read_bytes(), "label": number % 3},
                     key=f"{part.get('part', 0)}/{photo.name}")
"""
JOINING = """
import sys, shardine
print("begun", flush=True)
shardine.join(sys.argv[1])
"""


def shards() -> list[str]:
    return sorted(f"out/{name}" for name in os.listdir("out")
                  if name.endswith(".rec"))


# The output's state before a command.

def variant_removed() -> None:
    shutil.rmtree("out/sz")


def shard_lost() -> None:
    os.remove(shards()[1])


def shard_emptied() -> None:
    write(shards()[1], b"")


def sidecar_lost() -> None:
    os.remove("out/.shardine/" + os.path.basename(shards()[0]) + ".sdx")


def companion_lost() -> None:
    for name in os.listdir("out/.shardine"):
        if name.endswith(".sde"):
            os.remove(f"out/.shardine/{name}")


def manifest_lost() -> None:
    os.remove("out/shardine.json")


def variant_manifest_lost() -> None:
    os.remove("out/sz/160/shardine.json")


def users_files() -> None:
    for name in NAMES:
        write(f"out/{name}", b"mine")


def edited() -> None:
    flip(shards()[0], -3)


def longer() -> None:
    write(shards()[2], read(shards()[2]) + b"more")


def unfinished() -> None:
    """The state that a kill before a shard of the size gets its name leaves."""
    variant_removed()
    cut_off(PACK, "full", 20)


def begun() -> None:
    """The same without a manifest, beside files of the user's."""
    shutil.rmtree("out")
    cut_off(PACK, "full", 40)
    for name in ("rejected.jsonl", "readme.txt"):
        write(f"out/{name}", b"mine")


def writer_killed() -> None:
    """A killed writer's files beside files of the user's."""
    shutil.rmtree("out")
    cut_off(["python", WRITING, "out"], "kill", 30)
    for name in ("rejected.jsonl", "readme.txt"):
        write(f"out/{name}", b"mine")


def parts_written() -> None:
    shutil.rmtree("out")
    for part in "01":
        code = cut_off(["python", WRITING, "out", part], "none", 0)
        assert code == 0, code
    write("out/readme.txt", b"mine")


def part_missing() -> None:
    parts_written()
    shutil.rmtree("out/.parts/00001-of-00002")


STATES: list[Callable[[], None]] = [
    lambda: None, variant_removed, unfinished, begun, shard_lost, shard_emptied,
    sidecar_lost, companion_lost, manifest_lost, variant_manifest_lost,
    users_files, edited, longer]
if PYTHON:
    STATES += [writer_killed, parts_written, part_missing]
STATE_NAMES = ["complete", *(state.__name__ for state in STATES[1:])]


# Commands that meet it.

# Each is given the output, and makes the input of the command.

def nothing(_: str) -> None:
    pass


def fewer(_: str) -> None:
    os.remove("photos/hounds/made_gray.jpg")


def rotten(_: str) -> None:
    flip("photos/terriers/cairn.JPEG", 3000)


def plan(output: str) -> None:
    cut_off(["plan", *PACK, "--to=plan"], "none", 0, output)


def plan_of_fewer(output: str) -> None:
    fewer(output)
    plan(output)


# Commands that make datasets, wherever the output is; then those that write files.
COMMANDS: dict[str, tuple[Callable[[str], None], list[str]]] = {
    "same": (nothing, PACK),
    "other options": (nothing, [*PACK, "--seed=3"]),
    "fewer samples": (fewer, PACK),
    "rotten sources": (rotten, PACK),
    "rotten sources skipped": (rotten, [*PACK, "--on-bad=skip"]),
    "plan": (fewer, ["plan", *PACK, "--to=plan"]),
    "run-task": (plan, ["run-task", "plan", "0", "--of=1"]),
    "run-task of fewer": (plan_of_fewer, ["run-task", "plan", "0", "--of=1"]),
    "finalize": (plan, ["finalize", "plan"]),
    "convert": (nothing, ["convert", "other", "out"]),
    "merge": (nothing, ["merge", "other", "out", "--prefix={n}"]),
    "replace": (nothing, [*PACK, "--seed=3", "--replace"]),
    "replace by itself": (nothing, ["convert", "out", "out", "--reshuffle=3",
                                    "--replace"]),
    "resize": (nothing, ["resize", "photos", "out", "--short-side=160"]),
    "resize to shards": (nothing, ["resize", "photos", "out",
                                   "--short-side=160", "--to=shards"]),
    "index": (nothing, ["index", "SHARDS", "out"]),
    "reindex": (nothing, ["reindex", "out"]),
    "extract": (nothing, ["extract", "other", "out"]),
    "export": (nothing, ["export", "hf", "other", "out"]),
    "cache clear": (nothing, ["cache", "clear"]),
}
if PYTHON:
    COMMANDS |= {
        "Writer": (nothing, ["python", WRITING, "out"]),
        "part of a Writer": (nothing, ["python", WRITING, "out", "1"]),
        "join": (nothing, ["python", JOINING, "out"]),
    }
FAULTS = ["none", "kill", "interrupt", "full"]
SOUND = ("same", "replace", "replace by itself", "Writer", "join")


def limit(kilobytes: int) -> Callable[[], None]:
    def apply() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        size = kilobytes << 10
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return apply


def words_of(command: list[str], output: str) -> list[str]:
    """The command line, with `output` in the place of "out"."""
    if "SHARDS" in command:
        at = command.index("SHARDS")
        command = [*command[:at], *shards(), *command[at + 1:]]
    words = [output + word.removeprefix("out")
             if word == "out" or word.startswith("out/") else word
             for word in command]
    if words[0] == "python":
        return [PYTHON, "-B", "-c", *words[1:]]
    return [f"{BIN}/shardine", *words]


def cut_off(command: list[str], fault: str, point: int,
            output: str = "out") -> int:
    """Runs a command that a fault meets at some point, of 0 to 100."""
    process = subprocess.Popen(
        words_of(command, output), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env=environment(XDG_CACHE_HOME=os.path.abspath("cache")),
        preexec_fn=limit(point * 2) if fault == "full" else None)
    assert process.stdout is not None
    if command[0] == "python":
        process.stdout.read(1)  # Python itself takes longer than the work.
    if fault in ("kill", "interrupt"):
        time.sleep(point / 1000)
        process.send_signal(
            signal.SIGKILL if fault == "kill" else signal.SIGINT)
    process.communicate(timeout=120)
    return process.returncode


def is_work(name: str) -> bool:
    """Whether the name is one of files that a run keeps while it works."""
    parts = name.split("/")
    return (not {".pack", ".resize"}.isdisjoint(parts) and parts[-1] != "mine"
            or parts[-1].endswith(".tmp"))


def promised(state: str, command: str, before: Files) -> Files:
    """The files that have to be there afterwards as they were."""
    kept = {name: contents for name, contents in before.items()
            if not is_work(name)}
    if state in ("unfinished", "begun"):
        # A command may take back the part of its own unfinished work that it is to make
        # again. A manifest stands for all that it names.
        mine = {"sz/160/"} if state == "unfinished" else {"train-", ".shardine/",
                                                          "sz/160/"}
        kept = {name: contents for name, contents in kept.items()
                if not any(name.startswith(start) for start in mine)
                or contents == b"mine"}
    if (command.startswith("replace") and "shardine.json" in before
            or state == "writer_killed" and command == "Writer"):
        # The user's own files stay.
        kept = {name: contents for name, contents in kept.items()
                if contents == b"mine"}
    if command == "join":
        kept = {name: contents for name, contents in kept.items()
                if not name.startswith(".parts/")}
    if state == "shard_emptied":
        kept = {name: contents for name, contents in kept.items() if contents}
    if command == "reindex":
        # This command rewrites indexes and manifests.
        kept = {name: contents for name, contents in kept.items()
                if not name.endswith((".sdx", ".sde", ".idx", "shardine.json"))}
    return kept


class Promise(programs.Case):
    @classmethod
    def prepare(cls) -> None:
        programs.make_photos("sources")
        shutil.copytree("sources", "photos")
        done(*PACK)
        os.rename("out", "whole")
        done("pack", "photos", "other", "--seed=9")

    # Where the commands find the output. Each check has one of its own.
    output = "out"

    def publish(self) -> None:
        """Puts the state of the local folder there."""

    def files(self) -> Files:
        return tree("out")

    def check(self, state: int, command: str, fault: str, point: int) -> None:
        for folder in ("out", "photos", "cache"):
            shutil.rmtree(folder, ignore_errors=True)
        if os.path.exists("plan"):
            os.remove("plan")
        shutil.copytree("sources", "photos")
        shutil.copytree("whole", "out")
        STATES[state]()
        self.publish()
        prepare, arguments = COMMANDS[command]
        prepare(self.output)
        before = self.files()
        codes = [cut_off(arguments, fault, point, self.output)]
        if fault != "none":
            codes.append(cut_off(arguments, "none", 0, self.output))
        after = self.files()
        name = STATE_NAMES[state]
        for path, contents in promised(name, command, before).items():
            self.assertIn(path, after, (name, command, fault, point, codes))
            self.assertEqual(after[path] == contents, True,
                             (path, name, command, fault, point, codes))
        # An output that is said to be done, or to need no work, is whole.
        is_joined = command != "join" or name.startswith("part")
        if (codes[-1] == 0 and command in SOUND and is_joined
                and name != "edited"):
            self.assertEqual(run("verify", self.output).returncode, 0,
                             (name, command, fault, point))

    def test_no_command_loses_what_it_did_not_make(self) -> None:
        for choice in choices():
            with self.subTest(choice=choice):
                self.check(*choice)


def choices() -> Iterator[tuple[int, str, str, int]]:
    """Pairs of states and commands with the faults in turns; or all."""
    draws = random.Random(1)
    pairs = list(itertools.product(range(len(STATES)), COMMANDS))
    for number, (state, command) in enumerate(pairs):
        if not IS_WHOLE:
            fault = FAULTS[(number + state) % len(FAULTS)]
            yield state, command, fault, draws.randrange(5, 60)
            continue
        for fault in FAULTS:
            points = [0] if fault == "none" else range(2, 100, 12)
            for point in points:
                yield state, command, fault, point


if __name__ == "__main__":
    unittest.main()
