"""Output of the programs to a terminal, a pipe, and one that is too narrow."""

import fcntl
import os
import pty
import re
import shutil
import struct
import termios
import time
import unittest

import programs
from programs import VERBS, run

BENCH = ["bench", "sound", "--crop", "16", "--seconds", "1"]


def set_columns(terminal: int, columns: int) -> None:
    fcntl.ioctl(terminal, termios.TIOCSWINSZ,
                struct.pack("HHHH", 24, columns, 0, 0))


class Terminal:
    """A program with a terminal of so many columns, and its output."""

    def __init__(self, arguments: list[str], columns: int, **env: str) -> None:
        self.text = b""
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            set_columns(2, columns)
            os.execve(f"{programs.BIN}/shardine", ["shardine", *arguments],
                      programs.environment(**env))

    def read(self, seconds: float = 60.0) -> bytes:
        """The output until it ends, or for so long."""
        end = time.monotonic() + seconds
        try:
            while time.monotonic() < end:
                if not (chunk := os.read(self.terminal, 4096)):
                    break
                self.text += chunk
        except OSError:
            pass
        return self.text

    def wait(self) -> int:
        self.read()
        os.close(self.terminal)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def lines_of(text: bytes) -> list[str]:
    """The lines that were written over each other."""
    return [line.decode() for line in
            re.findall(rb"\r([^\r\n]*?)\x1b\[K", text)]


class Terminals(programs.Case):
    @classmethod
    def prepare(cls) -> None:
        super().prepare()
        programs.done("pack", "photos", "sound", "--entry-points", "none")

    def test_no_line_wraps_however_narrow_the_terminal_is(self) -> None:
        # The last column stays free: a cursor behind it is in the next line.
        started = {columns: Terminal(BENCH, columns)
                   for columns in (20, 24, 40, 60, 80, 200)}
        for columns, terminal in started.items():
            with self.subTest(columns=columns):
                self.assertEqual(terminal.wait(), 0)
                lines = lines_of(terminal.text)
                self.assertLess(max(map(len, lines)), columns)
                self.assertEqual(lines[-1], "")  # wiped before the results
                counts = [line for line in lines if re.search(r": \d|^\d", line)]
                # Each of the two passes has a count, however seldom it gets its turn.
                self.assertGreater(len(counts), 1, lines)
                if columns >= 80:
                    self.assertTrue(all("img/s" in line for line in counts))

    def test_a_window_that_changes_is_asked_again(self) -> None:
        terminal = Terminal(BENCH, 120)
        terminal.read(1.0)
        set_columns(terminal.terminal, 24)
        before = len(lines_of(terminal.text)) + 2  # one may be on its way
        self.assertEqual(terminal.wait(), 0)
        lines = lines_of(terminal.text)
        self.assertTrue(any(len(line) > 24 for line in lines[:before]))
        self.assertGreater(len(lines), before + 3)
        for line in lines[before:]:
            self.assertLess(len(line), 24)

    def test_a_long_name_is_cut_and_not_wrapped(self) -> None:
        name = "photos-" + "x" * 90 + "\u5c71" * 20
        shutil.copytree("photos", name)
        for columns in (20, 40, 80):
            terminal = Terminal(["scan", name], columns)
            self.assertEqual(terminal.wait(), 0)
            first = lines_of(terminal.text)[0]
            self.assertTrue(first.startswith("scanning photo"), first)
            self.assertTrue(first.endswith("..."), first)
            self.assertLess(len(first), columns)

    def test_a_dumb_terminal_gets_plain_lines(self) -> None:
        terminal = Terminal(BENCH, 80, TERM="dumb")
        self.assertEqual(terminal.wait(), 0)
        self.assertNotIn(b"\x1b", terminal.text)
        self.assertTrue(
            terminal.text.startswith(b"measuring records as stored ...\r\n"))

    def test_no_terminal_gets_plain_lines(self) -> None:
        finished = programs.done(*BENCH)
        self.assertNotRegex(finished.stderr, rb"[\r\x1b]")
        self.assertEqual(finished.stderr.count(b"measuring"), 3)
        for shown in (finished, programs.done("formats"),
                      programs.done("formats", "lmdb/folder2lmdb")):
            self.assertLessEqual(max(map(len, shown.stdout.splitlines())), 80)

    def test_the_colors_of_nobody(self) -> None:
        """NO_COLOR has nothing to do."""
        terminal = Terminal(["info", "sound"], 80)
        self.assertEqual(terminal.wait(), 0)
        self.assertNotIn(b"\x1b", terminal.text)

    def test_a_listing_on_a_terminal_is_shown_and_not_obeyed(self) -> None:
        os.makedirs("strange/all")
        shutil.copy(programs.PHOTOS / "hounds" / "made_gray.jpg",
                    "strange/all/a\x1b[2J\u202eb.jpg")
        terminal = Terminal(["list", "strange"], 200)
        self.assertEqual(terminal.wait(), 0)
        shown = rb"0	0	all/a\x1B[2J\xE2\x80\xAEb.jpg"
        self.assertIn(shown, terminal.text)
        # A file of it holds the path as it is.
        self.assertIn("all/a\x1b[2J\u202eb.jpg".encode(),
                      programs.done("list", "strange").stdout)


class Quiet(programs.Case):
    def test_every_verb_can_be_quiet_and_says_its_version(self) -> None:
        programs.done("pack", "photos", "sound")
        shutil.copytree("sound", "copy")
        with open("labels.lst", "w", encoding="ascii") as file:
            file.write("0\t1\thounds/made_gray.jpg\n")
        shard = "sound/train-00000-of-00001.rec"
        commands = (
            "pack photos new", "resize photos sizes --short-side 16",
            "verify sound", f"index {shard} indexed", "reindex sound",
            "convert sound tars --format webdataset",
            "split sound cut --split a=0.5,b=0.5", "shuffle sound shuffled",
            "merge sound copy both --prefix {name}/",
            "relabel sound labelled labels.lst", "diff sound sound", "audit sound",
            "report sound --out page.html", "card sound --out published",
            "bench sound --seconds 0 --crop 16", "info sound", "ls sound",
            "cat sound hounds/made_gray.jpg", "extract sound tree",
            "export hf sound hub", "list photos --lst a.lst", "scan photos",
            "formats")
        self.assertEqual([c.split()[0] for c in commands], VERBS)
        version = programs.done("version").stdout
        self.assertEqual(programs.done("-V").stdout, version)
        for command in commands:
            verb, *rest = command.split()
            with self.subTest(verb=verb):
                finished = programs.done(verb, "-q", *rest)
                self.assertEqual(finished.stderr, b"")
                self.assertNotEqual(finished.stdout, b"")
                failed = run(verb, "--quiet", "nowhere", "nowhere")
                self.assertIn(b"shardine: ", failed.stderr)
            self.assertEqual(programs.done(verb, "-V").stdout, version)
        self.assertRegex(programs.done("-V", program="im2rec").stdout,
                         rb"^im2rec of shardine \d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    unittest.main()
