"""Reads datasets whose side files lie through the CLI and the Python package.

Each ends with one of the exit codes that are promised, or an exception with a
type of the package; by no signal, without 2 GiB of memory, in seconds.
Usage: forged_side_files.py SHARDINE FORGER SANITIZED [PYTHON_FOLDER]
"""

import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator

MOST_MEMORY = 2 << 30
MOST_SECONDS = 60  # that a hang is told from a machine with much to do
CODES = {0, 1, 2, 3, 4, 5, 7}
SAID = ("Sanitizer", "runtime error:", "std::", "terminate called",
        "internal error")

READ = """
import sys
import shardine
folder = sys.argv[1]
for options in ({"crop": 16}, {"fields": ["image"]}):
    try:
        data = shardine.Dataset(folder)
        size = options.pop("crop", None)
        transform = shardine.RandomResizedCrop(size) if size else None
        for batch in shardine.Loader(data, batch_size=2, transform=transform,
                                     threads=1, **options):
            len(batch)
        for i in range(min(len(data), 8)):
            data[i]
    except shardine.ShardineError as error:
        print(type(error).__name__, error)
"""


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def run(words: list[str | pathlib.Path], sanitized: bool,
        codes: set[int]) -> str:
    """The fault in how it ended; empty: none."""
    done = subprocess.run(words, capture_output=True, check=False,
                          timeout=MOST_SECONDS,
                          preexec_fn=None if sanitized else limit)
    said = (done.stdout + done.stderr).decode(errors="replace")
    if done.returncode in codes and not any(word in said for word in SAID):
        return ""
    return f"{' '.join(map(str, words))}: exit code {done.returncode}\n{said[-2000:]}"


def commands(program: str, folder: pathlib.Path,
             work: pathlib.Path) -> Iterator[list[str | pathlib.Path]]:
    out = folder / "out"
    runs: list[list[str | pathlib.Path]] = [
        ["info", out], ["ls", out], ["cat", out, "k0"], ["verify", out],
        ["extract", out, work / "tree"],
        ["convert", out, work / "a", "--format", "hdf5/array:chunk=1"],
        ["convert", out, work / "b", "--format", "hdf5/caffe"],
        ["convert", out, work / "c", "--format", "tfrecord"],
        ["reindex", out]]
    for words in runs:
        yield [program, *words]


def main() -> None:
    program, forger, sanitizers, *python = sys.argv[1:]
    sanitized = sanitizers not in ("", "OFF", "0")
    problems = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) / "forged"
        subprocess.run([forger, folder], check=True)
        forged = sorted(folder.iterdir())
        if len(forged) < 60:
            sys.exit(f"only {len(forged)} datasets were forged")
        for number, one in enumerate(forged):
            work = pathlib.Path(temporary) / "work"
            work.mkdir()
            if python:
                problems.append(run([sys.executable, "-B", "-c", READ, one / "out"],
                                    sanitized, {0}))
            # The named ones by all verbs, of the numbers each by some.
            every = 1 if "-" not in one.name or one.name.startswith("sound") else 3
            for i, words in enumerate(commands(program, one, work)):
                if (i + number) % every == 0:
                    problems.append(run(words, sanitized, CODES))
            shutil.rmtree(work)
    problems = [problem for problem in problems if problem]
    if problems:
        sys.exit("\n".join(problems[:5] + [f"{len(problems)} in all"]))


if __name__ == "__main__":
    main()
