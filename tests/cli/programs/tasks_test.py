"""Tasks as processes: killed anywhere, several at once, each more than once. Their
output equals pack's, or it is not finalized."""

import json
import os
import random
import shutil
import signal
import subprocess
import time
import unittest

import programs
from programs import BIN, done, environment, run

FORMATS = ["recordio", "tfrecord", "lmdb", "hdf5", "webdataset"]
OPTIONS = ["--shards=4", "--variants=original,sz/160", "--on-bad=quarantine",
           "--no-shuffle"]
# tools/nightly.sh tasks sets SHARDINE_SWEEP=whole.
IS_WHOLE = os.environ.get("SHARDINE_SWEEP") == "whole"
# Kills and seeds of each format.
KILLS = 300 if IS_WHOLE else 12 if programs.is_sanitized() else 24
SEEDS = 100 if IS_WHOLE else 5


def tree(folder: str) -> dict[str, bytes]:
    """All files below it."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


def start(*arguments: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [f"{BIN}/shardine", *arguments], stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment())


def status(plan: str) -> "dict[str, object]":
    found: dict[str, object] = json.loads(
        done("status", plan, "--json").stdout)
    return found


class Tasks(programs.Case):
    @classmethod
    def prepare(cls) -> None:
        super().prepare()
        for name in ("hounds", "terriers"):
            with open(f"photos/{name}/bad.jpg", "w") as file:
                file.write("<html>")

    def plan(self, name: str, format_name: str) -> str:
        done("plan", "pack", "photos", name, f"--format={format_name}",
             *OPTIONS, "--task-size=1", f"--to={name}.plan")
        return f"{name}.plan"

    def packed(self, format_name: str) -> "dict[str, bytes]":
        name = f"packed-{format_name}"
        if not os.path.exists(name):
            packed = run("pack", "photos", name, f"--format={format_name}",
                         *OPTIONS)
            self.assertEqual(packed.returncode, 3, packed.stderr)
        return tree(name)

    def test_killed_anywhere_and_done_again_they_make_one_dataset(self) -> None:
        draws = random.Random(1)
        for format_name in FORMATS:
            kills = 0
            number = 0
            while kills < KILLS:
                name = f"{format_name}-{number}"
                number += 1
                plan = self.plan(name, format_name)
                # Two hosts, each with all tasks in its own order, of which the
                # one or the other is killed and begins again.
                for _ in range(6):
                    hosts = [start("run-task", plan,
                                   ",".join(map(str, draws.sample(range(4), 4))))
                             for _ in range(2)]
                    time.sleep(draws.expovariate(1 / 0.05))
                    hosts[0].send_signal(signal.SIGKILL)
                    if draws.random() < 0.5:
                        hosts[1].send_signal(signal.SIGKILL)
                    for host in hosts:
                        words = host.communicate()[1]
                        self.assertIn(host.returncode,
                                      (3, -signal.SIGKILL), words)
                        kills += host.returncode == -signal.SIGKILL
                missing = done("status", plan, "--missing").stdout.decode()
                early = run("finalize", plan)
                if missing:
                    self.assertEqual(early.returncode, 1, early.stderr)
                    self.assertEqual(early.stdout.decode(), missing)
                    self.assertFalse(os.path.exists(f"{name}/shardine.json"))
                    again = run("run-task", plan, missing.strip())
                    self.assertIn(again.returncode, (0, 3), again.stderr)
                    early = run("finalize", plan)
                self.assertEqual(early.returncode, 3, early.stderr)
                self.assertEqual(tree(name), self.packed(format_name))

    def test_any_choice_order_repetition_and_concurrency_make_one_dataset(
        self,
    ) -> None:
        for seed in range(SEEDS):
            draws = random.Random(seed)
            format_name = FORMATS[seed % len(FORMATS)]
            name = f"any-{seed}"
            plan = self.plan(name, format_name)
            # One to seven processes at once, each with tasks of its own choice,
            # a few killed; with them two that have all tasks.
            some = [start("run-task", plan,
                          ",".join(map(str, draws.sample(
                              range(4), draws.randint(1, 4)))))
                    for _ in range(draws.randint(1, 7))]
            time.sleep(draws.expovariate(1 / 0.05))
            for process in some:
                if draws.random() < 0.3:
                    process.send_signal(signal.SIGKILL)
            twice = [start("run-task", plan, ",".join(
                map(str, draws.sample(range(4), 4)))) for _ in range(2)]
            for process in some + twice:
                words = process.communicate()[1]
                may_be = (0, 3, -signal.SIGKILL) if process in some else (3,)
                self.assertIn(process.returncode, may_be, (seed, words))
            ended = run("finalize", plan)
            self.assertEqual(ended.returncode, 3, (seed, ended.stderr))
            self.assertEqual(tree(name), self.packed(format_name), seed)

    def test_conversions_and_resizes_are_killed_anywhere_too(self) -> None:
        draws = random.Random(2)
        done("pack", "photos", "source", "--shards=4", "--on-bad=keep")
        works = {
            "convert": ["--format=webdataset", "--reshuffle=1"],
            "resize": ["--short-side=16,24", "--on-bad=skip"],
        }
        for verb, options in works.items():
            shards = ["--to=shards"] if verb == "resize" else []
            run(verb, "source", f"by-{verb}", *options, *shards)
            kills = 0
            number = 0
            while kills < KILLS:
                name = f"{verb}-{number}"
                number += 1
                plan = f"{name}.plan"
                done("plan", verb, "source", name, *options, "--task-size=1",
                     f"--to={plan}")
                for _ in range(6):
                    hosts = [start("run-task", plan, tasks)
                             for tasks in ("0-3", "3,1,2,0")]
                    time.sleep(draws.expovariate(1 / 0.03))
                    hosts[0].send_signal(signal.SIGKILL)
                    for host in hosts:
                        words = host.communicate()[1]
                        self.assertIn(host.returncode,
                                      (0, 3, -signal.SIGKILL), words)
                        kills += host.returncode == -signal.SIGKILL
                run("run-task", plan, "0-3")
                final = run("finalize", plan)
                self.assertIn(final.returncode, (0, 3), final.stderr)
                self.assertEqual(tree(name), tree(f"by-{verb}"))

    def test_a_task_that_is_done_is_left_as_it_is(self) -> None:
        plan = self.plan("again", "recordio")
        run("run-task", plan, "0-3")
        before = {name: os.stat(f"again/{name}").st_mtime_ns
                  for name in tree("again")}
        again = run("run-task", plan, "0-3")
        self.assertEqual(again.stdout, b"tasks 0-3 were done before\n")
        self.assertEqual(before, {name: os.stat(f"again/{name}").st_mtime_ns
                                  for name in tree("again")})

    def test_clocks_of_hosts_do_not_matter(self) -> None:
        plan = self.plan("clocks", "recordio")
        run("run-task", plan, "0-1")
        for name in tree("clocks"):
            years = 1 if "00000" in name else 4_000_000_000
            os.utime(f"clocks/{name}", (years, years))
        for name, seconds in (("past", 1), ("future", 4_000_000_000)):
            path = f"clocks/.pack/task-2.{name}.running"
            with open(path, "w") as file:
                json.dump({"task": 2, "host": name, "process": 1, "seconds": 9.5,
                           "samples": 1, "samples_total": 2}, file)
            os.utime(path, (seconds, seconds))
        found = status(plan)
        self.assertEqual(found["missing"], "2-3")
        running = found["running"]
        assert isinstance(running, list)
        self.assertEqual([each["host"] for each in running],
                         ["future", "past"])
        self.assertEqual(running[0]["silent_seconds"], 0)
        self.assertGreater(running[1]["silent_seconds"], 1e9)
        run("run-task", plan, "2-3")
        self.assertEqual(run("finalize", plan).returncode, 3)
        self.assertEqual(tree("clocks"), self.packed("recordio"))

    @unittest.skipUnless(shutil.which("faketime"), "NOT RUN: no faketime here")
    @unittest.skipIf(programs.is_sanitized(), "NOT RUN: by a sanitizer, which "
                     "has to be the first library of a process")
    def test_hosts_years_apart_make_one_dataset(self) -> None:
        def at(years: str, *arguments: str) -> "subprocess.Popen[bytes]":
            return subprocess.Popen(
                ["faketime", "-f", years, f"{BIN}/shardine", *arguments],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env=environment(NO_FAKE_STAT="1"))  # the files' clock is one

        plan = self.plan("years", "recordio")
        for tasks in ("0-2", "1-3"):  # twice in part, each time by both
            hosts = [at(years, "run-task", plan, tasks)
                     for years in ("-20y", "+20y")]
            for host in hosts:
                words = host.communicate()[1]
                self.assertIn(host.returncode, (0, 3), words)
            for years in ("-20y", "+0y", "+20y"):
                found = json.loads(at(years, "status", plan, "--json")
                                   .communicate()[0])
                self.assertEqual(found["missing"], "3" if tasks == "0-2" else "")
        host = at("-20y", "finalize", plan)
        words = host.communicate()[1]
        self.assertEqual(host.returncode, 3, words)
        self.assertEqual(tree("years"), self.packed("recordio"))

    def test_a_task_at_work_is_seen_and_a_stopped_one_can_go_on(self) -> None:
        plan = self.plan("seen", "recordio")
        with start("run-task", plan, "0-3") as host:
            for _ in range(1000):
                found = status(plan)
                if found["running"] or host.poll() is not None:
                    break
                time.sleep(0.01)
            host.send_signal(signal.SIGINT)
            host.communicate()
        self.assertIn(host.returncode, (3, 130))
        self.assertIn(run("run-task", plan, "0-3").returncode, (0, 3))
        self.assertEqual(status(plan)["done"], 4)
        self.assertEqual(run("finalize", plan).returncode, 3)
        self.assertEqual(tree("seen"), self.packed("recordio"))


if __name__ == "__main__":
    unittest.main()
