"""The scripts of `shardine completion` complete the same words in each shell."""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import time
import unittest

import programs
from programs import done

# The words after the program's name, and all words that complete the last one.
LINES = {
    "me": ["merge"],
    "help ver": ["verify", "version"],
    "help exit": ["exit-codes"],
    "plan ": ["convert", "pack", "resize", "verify"],
    "plan pack --shar": ["--shard-size", "--shards"],
    "pack --check ": ["decode", "header", "none"],
    "extract --names c": ["class/id"],
    "completion ": ["bash", "fish", "zsh"],
}

BASH = """
source ./complete.bash
COMP_WORDS=(%s) COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
_shardine
printf '%%s\\n' "${COMPREPLY[@]}"
"""


def path_of(shell: str) -> str:
    found = shutil.which(shell)
    assert found, f"{shell} is not installed; tools/install_deps.sh --check does it"
    return found


def words_of(shell: list[str], script: str) -> list[str]:
    said = subprocess.run([*shell, script], capture_output=True, text=True,
                          check=True).stdout
    return sorted(line.split("\t")[0] for line in said.splitlines() if line)


class Zsh:
    """An interactive zsh in a terminal; it completes nothing without one."""

    def __init__(self, shell: str) -> None:
        pid, self.terminal = pty.fork()
        if pid == 0:
            os.environ.update(TERM="dumb", PS1="ready> ", LISTMAX="0")
            os.execv(shell, [shell, "-f", "-i"])

    def close(self) -> None:
        os.close(self.terminal)

    def ask(self, typed: str, expected: str, seconds: float = 60) -> str:
        os.write(self.terminal, typed.encode())
        end, said = time.monotonic() + seconds, ""
        while time.monotonic() < end and not re.search(expected, said):
            if select.select([self.terminal], [], [], 0.1)[0]:
                said += os.read(self.terminal, 65536).decode(errors="replace")
        return said


class Completion(programs.Case):
    @classmethod
    def prepare(cls) -> None:
        super().prepare()
        for shell in ("bash", "zsh", "fish"):
            script = done("completion", shell).stdout
            pathlib.Path(f"complete.{shell}").write_bytes(script)

    def test_bash(self) -> None:
        shell = path_of("bash")
        for line, words in LINES.items():
            typed = " ".join(f"'{word}'" for word in f"shardine {line}".split(" "))
            self.assertEqual(words_of([shell, "-c"], BASH % typed), words, line)

    def test_fish(self) -> None:
        shell = path_of("fish")
        for line, words in LINES.items():
            script = f"source complete.fish; complete -C 'shardine {line}'"
            self.assertEqual(words_of([shell, "-c"], script), words, line)

    def test_zsh(self) -> None:
        zsh = Zsh(path_of("zsh"))
        self.addCleanup(zsh.close)
        zsh.ask("source complete.zsh; echo sour''ced\n", "sourced\r")
        for line, words in LINES.items():
            every = "".join(rf"(?=[\s\S]*{re.escape(word)}\b)" for word in words)
            # The second key lists the words; the third empties the line.
            said = zsh.ask(f"shardine {line}\t\t", every)
            self.assertRegex(said, every, line)
            zsh.ask("\x15echo emp''tied\n", r"emptied\r")


if __name__ == "__main__":
    unittest.main()
