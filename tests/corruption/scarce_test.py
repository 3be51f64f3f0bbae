#!/usr/bin/env python3
"""scarce_test.py SHARDINE IM2REC PHOTOS: every verb where the system has too
little: memory (RLIMIT_AS), threads (RLIMIT_NPROC), room on the disk (a small
tmpfs), rights (a folder of somebody else) or a strict umask.

No run ends by a signal. A failure says why, and exits as the table of codes says.
Nothing half-written is under a final name, and the same command ends with the same
bytes where nothing is scarce. A test that this machine does not let run is named on
standard output, as SKIPPED.
"""
import os
import pathlib
import resource
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence

Word = str | pathlib.Path
Words = list[Word]
Makes = str | pathlib.Path | None
Limit = Callable[[], object] | None

NOBODY = 65534
MIB = 1 << 20
# Bytes of address space: from less than a program needs to plenty.
ADDRESSES = [40 * MIB, 90 * MIB, 140 * MIB, 250 * MIB, 500 * MIB]
PROCESSES = [1, 2, 3, 6]


def verbs(world: pathlib.Path) -> list[tuple[str, Words, Makes]]:
    """(name, words, output): OUT stands for the output, and is new; or is a copy of a
    dataset that they change."""
    tree, data = world / "tree", world / "data"
    key = min(path for path in tree.rglob("*.jpg")).relative_to(tree)
    return [
        ("pack", ["pack", tree, "OUT", "--shards", "3"], "out"),
        ("pack sizes", ["pack", tree, "OUT", "--variants", "original,sz/32"], "out"),
        ("pack lmdb", ["pack", tree, "OUT", "--format", "lmdb"], "out"),
        ("convert", ["convert", data, "OUT", "--format", "webdataset"], "out"),
        ("merge", ["merge", "--prefix={name}/", data, world / "same", "OUT"], "out"),
        ("resize", ["resize", tree, "OUT", "--short-side", "24,32"], "out"),
        ("resize shards", ["resize", data, "OUT", "--to", "shards",
                           "--short-side", "32"], "out"),
        ("extract", ["extract", data, "OUT"], "out"),
        ("index", ["index", world / "foreign" / "some.rec", "OUT"], "out"),
        ("list", ["list", tree, "--lst", "OUT"], "out"),
        ("relabel", ["relabel", data, "OUT", world / "labels.lst",
                     "--by=id"], "out"),
        ("reindex", ["reindex", "OUT"], world / "bare"),
        ("scan", ["scan", tree], None),
        ("verify", ["verify", data, "--level", "deep"], None),
        ("info", ["info", data], None),
        ("ls", ["ls", data], None),
        ("diff", ["diff", data, data], None),
        ("cat", ["cat", data, key], None),
        ("bench", ["bench", data, "--seconds", "0", "--crop", "32"], None),
    ]


def contents(path: pathlib.Path) -> dict[str, bytes]:
    if path.is_file():
        return {"": path.read_bytes()}
    return {str(file.relative_to(path)): file.read_bytes()
            for file in sorted(path.rglob("*")) if file.is_file()}


def is_final(name: str) -> bool:
    return not any(part.startswith(".") for part in pathlib.PurePath(name).parts)


class Scarce:
    def __init__(self, programs: tuple[str, str], photos: str,
                 world: pathlib.Path) -> None:
        self.world = world
        # Where anybody may run them.
        self.program = shutil.copy(programs[0], world / "shardine")
        self.im2rec = shutil.copy(programs[1], world / "im2rec")
        os.chmod(world, 0o777)
        shutil.copytree(photos, world / "tree")
        self.good("pack", world / "tree", world / "data")
        shutil.copytree(world / "data", world / "same")
        (world / "foreign").mkdir()
        (shard,) = (world / "data").glob("*.rec")
        shutil.copy(shard, world / "foreign" / "some.rec")
        self.good("pack", world / "tree", world / "bare", "--entry-points", "none")
        (world / "labels.lst").write_text("0\t1\tany\n2\t0\tany\n")
        self.verbs = verbs(world)
        # The folder is as deep as the mounted disk, since indexes hold relative paths.
        self.shelf = world / "shelf"
        self.shelf.mkdir()
        self.shelf.chmod(0o777)
        self.whole: dict[str, dict[str, bytes]] = {}
        for name, words, makes in self.verbs:
            out = self.shelf / "whole"
            self.prepare(makes, out)
            self.good(*self.words(words, out))
            self.whole[name] = contents(out) if makes else {}
            self.remove(out)
        self.runs = self.failures = 0

    @staticmethod
    def words(words: Words, out: pathlib.Path) -> Words:
        return [out if word == "OUT" else word for word in words]

    @staticmethod
    def prepare(makes: Makes, out: pathlib.Path) -> None:
        if isinstance(makes, pathlib.Path):
            shutil.copytree(makes, out)
            subprocess.run(["chmod", "-R", "a+rwX", out], check=True)

    @staticmethod
    def is_copied(path: pathlib.Path, out: pathlib.Path,
                  source: pathlib.Path) -> bool:
        old = source / path.relative_to(out)
        return old.is_dir() or old.is_file() and old.read_bytes() == path.read_bytes()

    @staticmethod
    def remove(out: pathlib.Path) -> None:
        if out.is_dir():
            shutil.rmtree(out)
        else:
            out.unlink(missing_ok=True)

    def good(self, *words: Word, codes: Sequence[int] = (0,)) -> None:
        done = subprocess.run([self.program, *words], capture_output=True, check=False)
        if done.returncode not in codes:
            sys.exit(f"{words}: {done.returncode}: {done.stderr.decode()}")

    def run(self, words: Words, limit: Limit, what: str) -> tuple[int, str]:
        """Runs under the limit: never ends by a signal, and a failure has a word."""
        done = subprocess.run([self.program, *words], capture_output=True,
                              preexec_fn=limit, check=False, timeout=60)
        self.runs += 1
        error = done.stderr.decode(errors="replace")
        last = error.rstrip().splitlines()[-1] if error.strip() else ""
        # 127: the loader of the system has no room for the program.
        if done.returncode < 0 or done.returncode > 7 and done.returncode != 127:
            sys.exit(f"{what}: ended with {done.returncode}: {error}")
        if done.returncode in (1, 5) and not last.startswith("shardine: "):
            sys.exit(f"{what}: {done.returncode} without a word: {error}")
        self.failures += done.returncode != 0
        return done.returncode, last

    def check_rest(self, name: str, words: Words, makes: Makes,
                   out: pathlib.Path, what: str) -> None:
        whole = self.whole[name]
        before = contents(makes) if isinstance(makes, pathlib.Path) else {}
        if out.exists():
            for file, found in contents(out).items():
                if is_final(file) and found not in (whole.get(file), before.get(file)):
                    sys.exit(f"{what}: half-written: {file}")
            if contents(out) == whole:
                return
        if name == "extract":
            self.remove(out)  # it goes over nothing that is there
        self.good(*self.words(words, out))
        if contents(out) != whole:
            left = sorted(set(contents(out)) ^ set(whole))
            sys.exit(f"{what}: another result afterwards: {left}")

    def under(self, title: str, limit: Limit, codes: Sequence[int],
              threads: str = "7") -> None:
        """Each verb under the limit; the codes that its end may have."""
        for name, words, makes in self.verbs:
            out = self.shelf / "out"
            these = self.words(words, out)
            self.prepare(makes, out)
            if name not in ("info", "ls", "diff", "cat", "extract", "list"):
                these = [*these, "-j", threads]
            code, last = self.run(these, limit, f"{title}: {name}")
            if code not in codes:
                sys.exit(f"{title}: {name}: {code}: {last}")
            if makes:
                self.check_rest(name, words, makes, out, f"{title}: {name}")
                self.remove(out)

    def under_memory(self) -> None:
        for size in ADDRESSES:
            self.under(f"{size // MIB} MiB of addresses",
                       lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)),
                       codes=(0, 1, 5, 127))

    def under_threads(self) -> None:
        if os.geteuid() != 0:
            print("SKIPPED: too few threads (needs root, to be somebody else)")
            return
        for count in PROCESSES:
            def limit() -> None:
                resource.setrlimit(resource.RLIMIT_NPROC, (count, count))
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            self.under(f"{count} threads", limit, codes=(0, 1))

    def under_full_disk(self) -> None:
        disk = self.world / "disk"
        disk.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k,mode=777", "tmpfs", disk],
            capture_output=True, check=False)
        if mounted.returncode != 0:
            print("SKIPPED: a full disk (this user may not mount one)")
            return
        try:
            for name, words, makes in self.verbs:
                if not makes:
                    continue
                out = disk / "out"
                if isinstance(makes, pathlib.Path):
                    subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
                    self.prepare(makes, out)
                    self.fill(disk)
                code, last = self.run(self.words(words, out), None, f"full disk: {name}")
                small = sum(map(len, self.whole[name].values())) < 40 * 1024
                if code != 5 and not (small and code == 0):
                    sys.exit(f"full disk: {name}: {code}: {last}")
                if code == 5 and not any(word in last for word in ("o space left", "too small")):
                    sys.exit(f"full disk: {name}: does not say so: {last}")
                (disk / "full").unlink(missing_ok=True)
                subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
                self.check_rest(name, words, makes, out, f"full disk: {name}")
                self.remove(out)
                subprocess.run(["mount", "-o", "remount,size=64k", disk], check=True)
        finally:
            subprocess.run(["umount", disk], check=True)

    @staticmethod
    def fill(disk: pathlib.Path) -> None:
        with open(disk / "full", "wb", buffering=0) as file:
            try:
                while file.write(bytes(MIB)):
                    pass
            except OSError:
                pass

    def under_no_rights(self) -> None:
        if os.geteuid() != 0:
            print("SKIPPED: a folder of somebody else (needs root)")
            return
        locked = self.world / "locked"
        locked.mkdir(mode=0o755)

        def nobody() -> None:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        for name, words, makes in self.verbs:
            out = locked / "out"
            if isinstance(makes, pathlib.Path):
                shutil.copytree(makes, out)
                before = contents(out)
            code, last = self.run(self.words(words, out), nobody, f"no rights: {name}")
            if (code, "ermission denied" in last) != ((5, True) if makes else (0, False)):
                sys.exit(f"no rights: {name}: {code}: {last}")
            if isinstance(makes, pathlib.Path):
                if contents(out) != before:
                    sys.exit(f"no rights: {name}: changed something")
                self.remove(out)
            if list(locked.iterdir()):
                sys.exit(f"no rights: {name}: made something")

    def under_umask(self) -> None:
        for name, words, makes in self.verbs:
            out = self.shelf / "out"
            self.prepare(makes, out)
            code, last = self.run(self.words(words, out), lambda: os.umask(0o077),
                                  f"umask 077: {name}")
            if code != 0:
                sys.exit(f"umask 077: {name}: {code}: {last}")
            if not makes:
                continue
            for path in [out, *(out.rglob("*") if out.is_dir() else [])]:
                if isinstance(makes, pathlib.Path) and self.is_copied(path, out, makes):
                    continue
                if stat.S_IMODE(path.stat().st_mode) & 0o077:
                    sys.exit(f"umask 077: {name}: {path} is open to others")
            self.check_rest(name, words, makes, out, f"umask 077: {name}")
            self.remove(out)

    def im2rec_too(self) -> None:
        """The one program beside: the same with little memory and few threads."""
        subprocess.run([self.im2rec, self.world / "all", self.world / "tree",
                        "--list", "--recursive"], check=True, capture_output=True)
        for size in ADDRESSES:
            done = subprocess.run(
                [self.im2rec, self.world / "all", self.world / "tree",
                 "--num-thread", "7", "--resize", "32"], capture_output=True,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)),
                check=False, timeout=60)
            self.runs += 1
            if done.returncode not in (0, 1, 5, 127):
                sys.exit(f"im2rec, {size}: {done.returncode}: {done.stderr.decode()}")


def main(shardine: str, im2rec: str, photos: str) -> None:
    with tempfile.TemporaryDirectory(prefix="shardine-scarce-") as folder:
        scarce = Scarce((shardine, im2rec), photos, pathlib.Path(folder))
        scarce.under_umask()
        for limit in (scarce.under_no_rights, scarce.under_full_disk,
                      scarce.under_threads, scarce.under_memory):
            runs, failures = scarce.runs, scarce.failures
            limit()
            # A limit that nothing notices would prove nothing.
            if scarce.runs > runs and scarce.failures < failures + 8:
                sys.exit(f"{limit.__name__}: only {scarce.failures - failures} of "
                         f"{scarce.runs - runs} runs lacked anything")
        scarce.im2rec_too()
        print(f"{scarce.runs} runs, {scarce.failures} of which could not be done: sound")


if __name__ == "__main__":
    main(*sys.argv[1:])
