"""Packs the hostile set under every policy for bad images.

The counts of the manifest, the lines of rejected.jsonl, the files in quarantine and the
findings of deep verification must equal the table, file by file.
Usage: hostile_pack.py SHARDINE HOSTILE_FOLDER VERDICTS_TSV
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

Done = subprocess.CompletedProcess[str]
Verdicts = dict[str, dict[str, str]]

LEVELS = ("header", "decode")  # columns of the table


def read_table(path: pathlib.Path) -> Verdicts:
    """{file: {level: reason or "good"}}"""
    head, *rows = [line.split("\t") for line in
                   path.read_text(encoding="utf-8").splitlines()]
    return {row[0]: {level: row[head.index(level)] for level in LEVELS} for row in rows}


def equal(found: object, expected: object, what: str) -> None:
    if found != expected:
        sys.exit(f"{what}:\n  found    {found}\n  expected {expected}")


class Packs:
    def __init__(self, program: str, tree: pathlib.Path, verdicts: Verdicts,
                 work: pathlib.Path) -> None:
        self.program, self.tree, self.work = program, tree, work
        self.verdicts = {f"files/{name}": by_level for name, by_level in verdicts.items()}

    def run(self,
            *words: str | pathlib.Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.program, *words], capture_output=True, text=True,
                              check=False, timeout=300)

    def pack(self, level: str, policy: str) -> tuple[pathlib.Path, Done]:
        out = self.work / f"{level}-{policy}"
        done = self.run("pack", self.tree, out, "--check", level, "--on-bad", policy,
                        "--no-shuffle", "--shard-size", "4M")
        return out, done

    def bad(self, level: str) -> dict[str, str]:
        return {key: by_level[level] for key, by_level in self.verdicts.items()
                if by_level[level] != "good"}

    def check_fail(self, level: str) -> None:
        out, done = self.pack(level, "fail")
        first = min(self.bad(level))
        equal(done.returncode, 1, f"exit code, {level}")
        last = done.stderr.splitlines()[-1]
        if first not in last or self.bad(level)[first] not in last:
            sys.exit(f"{level}: does not name {first}: {last}")
        left = sorted(os.listdir(out)) if out.exists() else []
        if "shardine.json" in left:
            sys.exit(f"{level}: a manifest in spite of failure")

    def check_policy(self, level: str, policy: str) -> None:
        out, done = self.pack(level, policy)
        what = f"{level}, {policy}"
        equal(done.returncode, 0 if policy == "keep" else 3, f"{what}: {done.stderr}")
        bad = self.bad(level)
        manifest = json.loads((out / "shardine.json").read_text())
        counts = {(entry["reason"], entry["action"]): entry["count"]
                  for entry in manifest["rejected"]}
        expected = collections.Counter((reason, policy) for reason in bad.values())
        equal(counts, dict(expected), f"counts, {what}")
        lines = [json.loads(line) for line in
                 (out / "rejected.jsonl").read_text().splitlines()]
        equal({line["key"]: (line["reason"], line["action"]) for line in lines},
              {key: (reason, policy) for key, reason in bad.items()}, f"list, {what}")
        kept = len(self.verdicts) - (0 if policy == "keep" else len(bad))
        equal(sum(split["samples"] for split in manifest["splits"]), kept,
              f"samples, {what}")
        if policy == "quarantine":
            self.check_quarantine(out, bad)
        if policy == "keep":
            self.check_deep(out, level)

    def check_quarantine(self, out: pathlib.Path, bad: dict[str, str]) -> None:
        folder = out / "quarantine" / "train"
        found = {path.relative_to(folder).as_posix(): path.read_bytes()
                 for path in folder.rglob("*") if path.is_file()}
        equal(sorted(found), sorted(bad), "quarantined files")
        for key, data in found.items():
            if (self.tree / key).read_bytes() != data:
                sys.exit(f"quarantine changed {key}")

    def check_deep(self, out: pathlib.Path, level: str) -> None:
        """Bad images that were packed unknowingly are found; those kept on purpose are
        not."""
        done = self.run("verify", out, "--level", "deep", "--json")
        result = json.loads(done.stdout)
        found = {finding["key"]: finding["message"].split(":")[0]
                 for finding in result["findings"]}
        known = self.bad(level)
        equal(found, {key: reason for key, reason in self.bad("decode").items()
                      if key not in known}, f"findings, {level}")
        equal(done.returncode, 4 if found else 0, f"verify, {level}")


def main(program: str, folder: pathlib.Path, table: pathlib.Path) -> None:
    verdicts = read_table(table)
    equal(sorted(os.listdir(folder)), sorted(verdicts), "files")
    with tempfile.TemporaryDirectory(prefix="shardine-hostile-") as work:
        tree = pathlib.Path(work, "tree")
        tree.mkdir()
        (tree / "files").symlink_to(folder)
        packs = Packs(program, tree, verdicts, pathlib.Path(work))
        for level in LEVELS:
            packs.check_fail(level)
            for policy in ("skip", "quarantine", "keep"):
                packs.check_policy(level, policy)
    print(f"{len(verdicts)} files, {len(packs.bad('decode'))} bad")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__.strip().splitlines()[-1])
    main(sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
