"""Two processes that write one file without a lock: each ends well, and the file is
whole (concurrency review 11)."""

import subprocess
import unittest

import programs
from programs import BIN, done, environment

ROUNDS = 8


def both(*commands: list[str]) -> list[int]:
    running = [subprocess.Popen([f"{BIN}/shardine", *command], env=environment(),
                                stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)
               for command in commands]
    return [process.wait(timeout=120) for process in running]


class TwoWriters(programs.Case):
    def test_plans_of_one_name(self) -> None:
        command = ["plan", "pack", "photos", "out", "--to=plan"]
        for round_ in range(ROUNDS):
            self.assertEqual(both(command, command, command), [0, 0, 0], round_)
            done("run-task", "plan", "0")
            done("finalize", "plan")

    def test_lists_of_one_name(self) -> None:
        command = ["list", "photos", "--lst", "list.lst"]
        done(*command)
        with open("list.lst", "rb") as file:
            wanted = file.read()
        for round_ in range(ROUNDS):
            self.assertEqual(both(command, command, command), [0, 0, 0], round_)
            with open("list.lst", "rb") as file:
                self.assertEqual(file.read(), wanted, round_)


if __name__ == "__main__":
    unittest.main()
