"""Shared by the benchmarks: a tree of many files, commands run and measured."""
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from typing import Any

Run = tuple[float, float, float, bytes]

HERE = os.path.dirname(os.path.abspath(__file__))


def emit(**figures: object) -> None:
    print(json.dumps(figures), flush=True)


def run(argv: list[str], **kwargs: Any) -> Run:
    """Runs a command; (wall seconds, CPU seconds, peak MiB, stdout)."""
    begin = time.perf_counter()
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, **kwargs)
    assert process.stdout
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"failed with {process.returncode}: {' '.join(argv[:6])} ...")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out


def copy_tree(tree: str, work: str, copies: int) -> str:
    """Each class folder `copies` times, as files of their own."""
    target = os.path.join(work, f"tree-{copies}")
    if os.path.exists(target + ".done"):
        return target
    shutil.rmtree(target, ignore_errors=True)
    for name in sorted(os.listdir(tree)):
        os.makedirs(os.path.join(target, name))
        for file in sorted(os.listdir(os.path.join(tree, name))):
            for copy in range(copies):
                shutil.copyfile(os.path.join(tree, name, file),
                                os.path.join(target, name, f"{copy:02d}_{file}"))
    open(target + ".done", "w").close()
    return target


def list_files(tree: str) -> list[str]:
    return [os.path.join(folder, name)
            for folder, _, names in sorted(os.walk(tree)) for name in sorted(names)]


def dataset_digest(folder: str) -> str:
    """Digest of all names and bytes, but for the manifest, which names its sources."""
    found = hashlib.sha256()
    for path in list_files(folder):
        if os.path.basename(path) != "shardine.json":
            with open(path, "rb") as file:
                found.update(f"{os.path.relpath(path, folder)}\0".encode() +
                             hashlib.sha256(file.read()).digest())
    return found.hexdigest()


def warm(files: Iterable[str]) -> None:
    """Reads the files into the page cache."""
    for file in files:
        with open(file, "rb") as f:
            while f.read(1 << 22):
                pass


def drain() -> None:
    """Files of an earlier step must not be paid for by the next."""
    os.sync()


def package_env() -> dict[str, str]:
    """This environment, where Python finds the package as it was built."""
    return {**os.environ,
            "PYTHONPATH": os.path.join(os.path.dirname(os.environ["SHARDINE_BIN"]), "python")}


def venv_python(name: str) -> str:
    """The interpreter of the virtual environment of tests/interop."""
    answer = subprocess.run(["bash", os.path.join(HERE, "../interop/venv.sh"), name],
                            stdout=subprocess.PIPE, check=True, text=True).stdout.split()[-1]
    return os.path.join(answer, "bin", "python") if os.path.isdir(answer) else answer
