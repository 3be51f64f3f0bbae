#!/usr/bin/env python3
"""engines.py [ENGINE...] [--copies 500] [--repeats 3] [--tests]

The cost of doing the tasks of a plan on engines, on this machine, with two workers
each, as medians of the rounds:

  seconds   until the engine is there, and from distribute() to the finished dataset
  cpu       of all tasks, over CPU of `shardine pack -j 2` of the same just before
            and just after: at most 1.05 is asked
  payload   bytes of a task and of how it ended, pickled, the longest message among
            them: at most 1,000 are asked
  wire      bytes that a task more sends over the network of ray, dask and spark, with
            all their own messages (as root, in a network namespace)

The dataset is compared with pack's, byte for byte, before a figure counts. --tests:
also runs the suite of tests/engines on each, on Ray and Spark, too.
"""
import argparse
import importlib
import importlib.metadata
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

from corpus import emit, package_env, run, venv_python

TESTS = pathlib.Path(__file__).parents[1] / "engines"
PHOTOS = TESTS.parents[1] / "testdata" / "photos"
TASKS = 8
ENGINES = {"local": "python", "mpi": "python", "slurm": "python", "dask": "dask",
           "ray": "ray", "spark": "spark"}
PACKAGES = {"dask": "distributed", "ray": "ray", "spark": "pyspark"}
PROGRAMS = {"mpi": ["mpirun", "--version"], "slurm": ["sbatch", "--version"]}
# CPU seconds of the task alone, a line for each.
TIMED = r"""#!/bin/bash
TIMEFORMAT='%3U %3S'
[ "$1" = run-task ] || exec {real} "$@"
{{ time {real} "$@" 2>&3; }} 3>&2 2>>{times}
"""


def version_of(engine: str) -> str:
    if engine in PACKAGES:
        return importlib.metadata.version(PACKAGES[engine])
    if engine in PROGRAMS:
        said = subprocess.run(PROGRAMS[engine], capture_output=True, text=True).stdout
        return said.split("\n")[0].split()[-1]
    return "-"


def files_of(folder: pathlib.Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes()
            for file in folder.rglob("*") if file.is_file()}


def bytes_of_a_task(job: Any) -> int:
    import pickle

    from shardine.engines.task import Ended, run_task

    there, back = (run_task, job, TASKS), Ended(TASKS, 1, "x" * 500)
    return len(pickle.dumps(there)) + len(pickle.dumps(back))


def bytes_sent() -> int:
    lines = pathlib.Path("/proc/self/net/dev").read_text().splitlines()
    [counts] = [line.partition(":")[2].split() for line in lines if "lo:" in line]
    return int(counts[8])


def wire_bytes(engine: str, options: dict[str, Any]) -> int | None:
    """A task more, of a program that does nothing."""
    if engine not in PACKAGES or not os.environ.get("ALONE"):
        return None
    adapter = importlib.import_module(f"shardine.engines.{engine}")
    from shardine.engines.task import Job

    sent = []
    for tasks in (50, 100, 500):  # the first for messages that come once
        before = bytes_sent()
        for ended in adapter.run(Job("/a/plan", "/bin/true", 1), range(tasks), **options):
            assert ended.is_done
        sent.append(bytes_sent() - before)
    return round((sent[2] - sent[1]) / 400)


def alone() -> list[str]:
    """The words that run a command with a network of its own, where that can be."""
    words = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    can = shutil.which("ip") and subprocess.run([*words, "true"]).returncode == 0
    return ["env", "ALONE=1", *words] if can else []


def measure(engine: str, folder: pathlib.Path) -> dict[str, Any]:
    """Runs in the engine's environment, on the plan that is in the folder."""
    sys.path[:0] = [str(TESTS), str(TESTS.parent / "support")]
    from engine_harnesses import started

    from shardine import distribute
    from shardine.engines.task import Job

    real = os.environ["SHARDINE"]
    out, plan, times = folder / f"out-{engine}", folder / f"{engine}.plan", folder / "times"
    run([real, "plan", "pack", str(folder / "tree"), str(out), f"--shards={TASKS}",
         "--task-size=1", "--to", str(plan)], stderr=subprocess.DEVNULL)
    timed = folder / "timed"
    timed.write_text(TIMED.format(real=real, times=times))
    timed.chmod(0o755)
    times.unlink(missing_ok=True)
    own = folder / f"engine-{engine}"
    own.mkdir()
    begin = time.perf_counter()
    with started(engine, own) as harness:
        start = time.perf_counter() - begin
        begin = time.perf_counter()
        done = distribute(plan, harness.engine, program=str(timed), **harness.options)
        wall = time.perf_counter() - begin
        version = version_of(engine)  # Slurm's programs want its configuration
        wire = wire_bytes(engine, harness.options)
    assert done.tasks == done.run == TASKS
    if files_of(out) != files_of(folder / "whole"):
        sys.exit(f"{engine}: other files than pack's")
    cpu = sum(map(float, times.read_text().split()))
    shutil.rmtree(out)
    shutil.rmtree(own, ignore_errors=True)
    payload = bytes_of_a_task(Job(str(plan), str(timed), 1))
    return {"version": version, "start_s": start, "tasks_s": wall, "cpu_s": cpu,
            "payload": payload, "wire": wire}


def pack_seconds(shardine: str, folder: pathlib.Path) -> float:
    """Its CPU."""
    shutil.rmtree(folder / "whole", ignore_errors=True)
    return run([shardine, "pack", str(folder / "tree"), str(folder / "whole"),
                f"--shards={TASKS}", "-j2"], stderr=subprocess.DEVNULL)[1]


def measure_rounds(engine: str, folder: pathlib.Path, shardine: str, repeats: int) -> None:
    environment = {**package_env(), "SHARDINE": shardine}
    words = [*(alone() if engine in PACKAGES else []), venv_python(ENGINES[engine]), "-B",
             __file__, engine, "--measure", str(folder)]
    rounds = []
    for _ in range(repeats):
        before = pack_seconds(shardine, folder)
        said = run(words, env=environment)[3]
        row = json.loads(said.decode().split("\n")[-2])
        row["ratio"] = 2 * row["cpu_s"] / (before + pack_seconds(shardine, folder))
        rounds.append(row)

    def median(name: str) -> float:
        return float(statistics.median(row[name] for row in rounds))

    emit(engine=engine, version=rounds[0]["version"], start_s=round(median("start_s"), 1),
         tasks_s=round(median("tasks_s"), 1), cpu_s=round(median("cpu_s"), 2),
         cpu=round(median("ratio"), 3), payload=rounds[0]["payload"], wire=rounds[-1]["wire"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("engine", nargs="*")
    parser.add_argument("--copies", type=int, default=500)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--tests", action="store_true")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        print(json.dumps(measure(args.engine[0], pathlib.Path(args.measure))))
        return
    shardine = os.path.join(os.environ["SHARDINE_BIN"], "shardine")
    engines = args.engine or list(ENGINES)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for photo in PHOTOS.glob("*/*"):
            (folder / "tree" / photo.parent.name).mkdir(parents=True, exist_ok=True)
            for copy in range(args.copies):
                shutil.copy(photo, folder / "tree" / photo.parent.name / f"{copy}{photo.name}")
        for engine in engines:
            measure_rounds(engine, folder, shardine, args.repeats)
    environment = {**package_env(), "SHARDINE": shardine}
    for engine in engines if args.tests else []:
        words = [venv_python(ENGINES[engine]), "-B", "-m", "pytest", "-q", "-rs", "-p",
                 "no:cacheprovider", str(TESTS)]
        subprocess.run(words, env={**environment, "ENGINE": engine}, check=True)


if __name__ == "__main__":
    main()
