"""Runs one case of the command line suite against a built binary.

A case is a folder: `cmd` (a bash script) and its output: `stdout`, `stderr` and `code`,
each left out when empty or 0. The script starts in an empty directory of its own with
the binary on PATH and fixture.sh read. Text that differs between two good runs (the
directory, times, rates, free space, the version, the sizes of plan files, which hold
absolute paths) is replaced by a word before comparing.

Usage: run_case.py BIN_DIR CASE_DIR...      fails if anything differs
       run_case.py --record BIN_DIR CASE_DIR...      writes the output
"""

import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator

Outcome = dict[str, bytes]

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT_S = 120

NORMAL = [
    (rb"in \d+\.\d\d s", b"in T s"),
    (rb"\d+ img/s", b"R img/s"),
    (rb"\d+\.\d MB/s", b"R MB/s"),
    (rb"(disk needed .*, free )[^:\n]*", rb"\1F"),
    (rb'("(?:seconds|samples_per_second|bytes_per_second|disk_free|estimated_seconds'
     rb'|plan_bytes)":)[-+.e\d]+', rb"\1N"),
    (rb"(?m)^(  plan: .*, )\d[.\d]* (?:bytes|[kMG]B)$", rb"\1N bytes"),
    (rb"(plan digest |\"plan_digest\":\")[0-9a-f]{32}", rb"\1P"),
    (rb'(shardine |"tool_version":")\d+\.\d+\.\d+', rb"\1VERSION"),
]


def normal(text: bytes, directory: pathlib.Path) -> bytes:
    text = text.replace(os.fsencode(directory), b"TMP")
    for pattern, word in NORMAL:
        text = re.sub(pattern, word, text)
    return text


def run(case: pathlib.Path, bin_dir: str) -> Outcome:
    """{stdout, stderr, code} of the case, normalised."""
    with tempfile.TemporaryDirectory(prefix="shardine-cli-") as directory:
        directory = os.path.realpath(directory)
        work = pathlib.Path(directory, "work")
        work.mkdir()
        # TMPDIR is not HOME is not the work directory: strays would show.
        env = {"PATH": f"{bin_dir}:{os.environ['PATH']}", "LC_ALL": "C",
               "TMPDIR": directory, "HOME": directory,
               "PHOTOS": str(HERE.parent.parent / "testdata" / "photos")}
        # Sanitizers report through stderr; leaks are not for these tests.
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
            if name in os.environ:
                env[name] = os.environ[name]
        script = f". '{HERE}/fixture.sh'\n" + (case / "cmd").read_text()
        done = subprocess.run(
            ["bash", "-c", script], cwd=work, env=env, timeout=TIMEOUT_S,
            stdin=subprocess.DEVNULL, capture_output=True, check=False)
        return {"stdout": normal(done.stdout, work),
                "stderr": normal(done.stderr, work),
                "code": b"%d\n" % done.returncode}


def expected(case: pathlib.Path) -> Outcome:
    def read(name: str, default: bytes) -> bytes:
        path = case / name
        return path.read_bytes() if path.exists() else default
    return {"stdout": read("stdout", b""), "stderr": read("stderr", b""),
            "code": read("code", b"0\n")}


def record(case: pathlib.Path, result: Outcome) -> None:
    for name, text in result.items():
        path = case / name
        if text == (b"0\n" if name == "code" else b""):
            path.unlink(missing_ok=True)
        else:
            path.write_bytes(text)


def differences(want: Outcome, got: Outcome) -> Iterator[str]:
    for name in want:
        def lines(text: bytes) -> list[str]:
            return text.decode(errors="backslashreplace").splitlines()
        yield from difflib.unified_diff(
            lines(want[name]), lines(got[name]), f"expected {name}",
            f"actual {name}", lineterm="")
        if want[name] != got[name] and lines(want[name]) == lines(got[name]):
            yield f"{name}: line ends differ"


def main(arguments: list[str]) -> int:
    recording = arguments[:1] == ["--record"]
    bin_dir, *cases = arguments[1:] if recording else arguments
    failed = 0
    for case in map(pathlib.Path, cases):
        result = run(case, os.path.abspath(bin_dir))
        if recording:
            record(case, result)
            continue
        for line in (found := list(differences(expected(case), result))):
            print(line)
        failed += bool(found)
        print(f"{case.name}: {'differs' if found else 'as expected'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
