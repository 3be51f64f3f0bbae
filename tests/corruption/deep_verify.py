"""Damages some of many photos in all the ways of photo_damage.py, packs them
unseen, and compares the findings of `verify --level deep` with photo_damage.tsv.

The table: damage; finds (always; never: nobody can tell by decoding; chance:
depends on the photo); verdict for the photos of testdata; remark.
Other photos: SHARDINE_PHOTOS=FOLDER; the table's second column then counts.
Usage: deep_verify.py [--record] SHARDINE PHOTOS TABLE
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator

import photo_damage

COPIES = 4  # of the photos of testdata, all sound


def photos_in(folder: pathlib.Path) -> tuple[list[bytes], list[bytes]]:
    """Sound JPEGs of one scan, and sound PNGs."""
    jpegs, pngs = [], []
    for path in sorted(folder.rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        if data.startswith(b"\x89PNG"):
            pngs.append(data)
        elif data.startswith(b"\xff\xd8\xff") and data.count(b"\xff\xda") == 1:
            jpegs.append(data)
    return jpegs, pngs


def make_tree(tree: pathlib.Path, photos: pathlib.Path,
              sound: int) -> list[str]:
    jpegs, pngs = photos_in(photos)
    (tree / "damaged").mkdir(parents=True)
    names = []
    for sources, damages in ((jpegs, photo_damage.JPEG), (pngs, photo_damage.PNG)):
        for number, (name, damage) in enumerate(damages.items()):
            if not sources:
                continue
            data = sources[number * 7 % len(sources)]
            other = sources[(number * 7 + 1) % len(sources)]
            (tree / "damaged" / f"{name}.jpg").write_bytes(damage(data, other))
            names.append(name)
    for copy in range(sound):
        (tree / f"sound{copy}").symlink_to(photos)
    return names


def find(program: str, tree: pathlib.Path, out: pathlib.Path) -> dict[str, str]:
    """{damage: reason} that deep verification finds; exits if it names another."""
    pack = subprocess.run([program, "pack", tree, out, "--check", "none", "--on-bad",
                           "keep"], capture_output=True, text=True, check=False)
    if pack.returncode != 0:
        sys.exit(pack.stderr)
    full = subprocess.run([program, "verify", out], capture_output=True, check=False)
    if full.returncode != 0:
        sys.exit("verify finds what was only damaged before packing")
    deep = subprocess.run([program, "verify", out, "--level", "deep", "--json"],
                          capture_output=True, text=True, check=False)
    found = {}
    for finding in json.loads(deep.stdout)["findings"]:
        folder, name = os.path.split(finding["key"])
        if folder != "damaged":
            sys.exit(f"finds fault with a sound photo: {finding}")
        if "record" not in finding:
            sys.exit(f"names no record: {finding}")
        found[name.removesuffix(".jpg")] = finding["message"].split(":")[0]
    if deep.returncode != (4 if found else 0):
        sys.exit(f"exit code {deep.returncode}")
    return found


def read_table(path: pathlib.Path) -> dict[str, list[str]]:
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    return {row[0]: row[1:] for row in (line.split("\t") for line in lines)}


def faults(names: list[str], found: dict[str, str], table: dict[str, list[str]],
           own: bool) -> Iterator[str]:
    for name in names:
        finds, verdict, _ = table[name]
        is_found = found.get(name, "unseen")
        if own and is_found != verdict:
            yield f"{name}: {is_found}, not {verdict}"
        if finds == "always" and name not in found or finds == "never" and name in found:
            yield f"{name}: {is_found}, though found {finds}"


def main(record: bool, program: str, photos: str,
         table_path: pathlib.Path) -> None:
    foreign = os.environ.get("SHARDINE_PHOTOS")
    with tempfile.TemporaryDirectory(prefix="shardine-deep-") as work:
        tree = pathlib.Path(work, "tree")
        names = make_tree(tree, pathlib.Path(foreign or photos).resolve(),
                          1 if foreign else COPIES)
        total = sum(len(files) for _, _, files in os.walk(tree, followlinks=True))
        found = find(program, tree, pathlib.Path(work, "out"))
    table = read_table(table_path)
    if record:
        rows = [[name, *table.get(name, ["?", "", ""])] for name in names]
        text = "damage\tfinds\tverdict\tremark\n" + "".join(
            "\t".join([row[0], row[1], found.get(row[0], "unseen"), row[3]]) + "\n"
            for row in rows)
        table_path.write_text(text, encoding="utf-8")
        return
    wrong = list(faults(names, found, table, not foreign))
    for line in wrong:
        print(line)
    print(f"{total} photos, {len(names)} damaged, {len(found)} found, unseen: "
          f"{' '.join(sorted(set(names) - set(found)))}")
    sys.exit(1 if wrong or len(names) < 30 else 0)


if __name__ == "__main__":
    words = sys.argv[1:]
    recording = words[:1] == ["--record"]
    if len(words) - recording != 3:
        sys.exit(__doc__.strip().splitlines()[-1])
    words = words[recording:]
    main(recording, words[0], words[1], pathlib.Path(words[2]))
