"""A verification as processes: killed anywhere, several at once, each task more than
once. The report equals one process's, and the dataset is not touched."""

import json
import os
import random
import signal
import subprocess
import time
import unittest

import programs
from programs import BIN, done, environment, run

FORMATS = ["recordio", "tfrecord", "lmdb", "hdf5", "webdataset"]
KILLS = 6 if programs.is_sanitized() else 60  # of each format


def start(*arguments: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [f"{BIN}/shardine", *arguments], stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment())


def report(said: bytes) -> "dict[str, object]":
    found: dict[str, object] = json.loads(said)
    del found["seconds"]
    return found


def damage(folder: str) -> None:
    """Damages two shards and one companion; each copy of it is another file."""
    shards = sorted(name for name in os.listdir(folder)
                    if name.startswith("train-") and not name.endswith(".idx"))
    for path, at in ((f"{folder}/{shards[0]}", 0.5),
                     (f"{folder}/sz/160/{shards[2]}", 0.9),
                     (f"{folder}/.shardine/{shards[1]}.sdx", 0.7)):
        with open(path, "r+b") as file:
            file.seek(int(os.path.getsize(path) * at))
            byte = file.read(1)[0]
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte ^ 1]))


class VerifyTasks(programs.Case):
    def dataset(self, format_name: str) -> str:
        if not os.path.exists(format_name):
            done("pack", "photos", format_name, f"--format={format_name}",
                 "--shards=4", "--variants=original,sz/160")
            damage(format_name)
        return os.path.abspath(format_name)

    def plan(self, name: str, dataset: str) -> str:
        done("plan", "verify", dataset, "--level=deep", "--task-size=1",
             f"--to={name}.plan")
        return f"{name}.plan"

    def test_killed_anywhere_it_gives_the_report_of_one_process(self) -> None:
        draws = random.Random(1)
        for format_name in FORMATS:
            dataset = self.dataset(format_name)
            alone = run("verify", dataset, "--level=deep", "--json")
            self.assertEqual(alone.returncode, 4, alone.stderr)
            times = {name: os.stat(f"{dataset}/{name}").st_mtime_ns
                     for name in os.listdir(dataset)}
            kills = 0
            number = 0
            while kills < KILLS:
                plan = self.plan(f"{format_name}-{number}", dataset)
                number += 1
                for _ in range(6):
                    hosts = [start("run-task", plan,
                                   ",".join(map(str, draws.sample(range(8), 8))))
                             for _ in range(2)]
                    time.sleep(draws.expovariate(1 / 0.02))
                    hosts[0].send_signal(signal.SIGKILL)
                    if draws.random() < 0.5:
                        hosts[1].send_signal(signal.SIGKILL)
                    for host in hosts:
                        words = host.communicate()[1]
                        self.assertIn(host.returncode,
                                      (0, -signal.SIGKILL), words)
                        kills += host.returncode == -signal.SIGKILL
                missing = done("status", plan, "--missing").stdout.decode()
                end = run("finalize", plan, "--json")
                if missing:
                    self.assertEqual(end.returncode, 1, end.stderr)
                    self.assertEqual(json.loads(end.stdout)["missing"],
                                     missing.strip())
                    done("run-task", plan, missing.strip())
                    end = run("finalize", plan, "--json")
                self.assertEqual(end.returncode, 4, end.stderr)
                self.assertEqual(report(end.stdout), report(alone.stdout))
                self.assertEqual(sorted(os.listdir(f"{plan}.notes")),
                                 [".pack"] + [f"shard-{i}.verified"
                                              for i in range(8)])
                self.assertEqual(os.listdir(f"{plan}.notes/.pack"), [])
            self.assertEqual(times, {
                name: os.stat(f"{dataset}/{name}").st_mtime_ns
                for name in os.listdir(dataset)})

    def test_a_dataset_that_nobody_may_write_to_is_verified(self) -> None:
        dataset = self.dataset("recordio")
        for place, _, _ in os.walk(dataset):
            os.chmod(place, 0o555)
        try:
            plan = self.plan("readonly", dataset)
            done("run-task", plan, "0-7")
            end = run("finalize", plan)
        finally:
            for place, _, _ in os.walk(dataset):
                os.chmod(place, 0o755)
        self.assertEqual(end.returncode, 4, end.stderr)

    def test_a_finished_task_reads_no_shard_again(self) -> None:
        done("pack", "photos", "again", "--shards=4")
        done("plan", "verify", "again", "--task-size=1", "--to=again.plan")
        done("run-task", "again.plan", "0-3")
        # The new bytes have the same size and time: only a read finds the damage.
        shard = "again/train-00001-of-00004.rec"
        before = os.stat(shard)
        with open(shard, "r+b") as file:
            file.write(b"\0" * before.st_size)
        os.utime(shard, ns=(before.st_atime_ns, before.st_mtime_ns))
        again = done("run-task", "again.plan", "0-3")
        self.assertEqual(again.stdout, b"tasks 0-3 were done before\n")
        done("finalize", "again.plan")
        self.assertEqual(run("finalize", "again.plan", "--prove=100").returncode, 4)
        os.remove("again.plan.notes/shard-1.verified")
        done("run-task", "again.plan", "1")
        self.assertEqual(run("finalize", "again.plan").returncode, 4)


if __name__ == "__main__":
    unittest.main()
