"""A tree of images whose class names mean something to YAML, JSON, Markdown and HTML,
and what its dataset is to give back."""

import hashlib
import json
import os
import pathlib
import subprocess

NAMES = [
    b'"quotes": and \'more\'', b"- dash", b"---", b"new\nline\n---\n", b"back\\slash",
    "rtl \u202e gpj.exe".encode(), b"<script>alert(1)<", b"yes", b"null", b"#hash", b"0",
    b"a: b", b"*star & !bang % @at `tick`", b"{{braces}} | pipe", "caf\u00e9 \u2028 \ufeff".encode(),
    "\U0001f408 cat".encode(), b"tab\tbell\x07\x7f", "nel \u0085".encode(), b"\xff byte",
]


def public(name: bytes) -> str:
    """A class name as a card has it."""
    try:
        return name.decode()
    except UnicodeDecodeError:
        return name.decode("latin-1").replace("\xff", "\\xFF")


def class_names() -> "list[str]":
    """Of a card, by label: classes are in the order of Python's strings."""
    return [public(each) for each in sorted(NAMES, key=os.fsdecode)]


class Tree:
    def __init__(self, binary: str, photos: pathlib.Path, folder: pathlib.Path) -> None:
        self.binary = binary
        self.folder = folder
        self.path = folder / "tree"
        # By the digest of each image, its class.
        self.images: "dict[str, str]" = {}
        files = sorted(each for each in photos.rglob("*") if each.suffix == ".jpg")
        for number, name in enumerate(NAMES):
            where = os.path.join(os.fsencode(self.path), name)
            os.makedirs(where)
            for copy in range(4):
                data = files[copy % len(files)].read_bytes()
                data += b"\xff\xd9" + b"%d %d" % (number, copy)
                with open(os.path.join(where, b"%d.jpg" % copy), "wb") as file:
                    file.write(data)
                self.images[hashlib.sha256(data).hexdigest()] = public(name)

    def run(self, *arguments: object) -> bytes:
        return subprocess.run([self.binary, *map(str, arguments)], check=True,
                              capture_output=True).stdout

    def labels_of(self, out: pathlib.Path, split: str) -> "dict[int, int]":
        """The labels of a split's samples by their ids."""
        lines = self.run("ls", out, "--json", "--split", split).splitlines()
        return {each["id"]: each["labels"][0] for each in map(json.loads, lines)}

    def pack(self, name: str, *options: str) -> pathlib.Path:
        """Packs the tree, and writes a card of the dataset."""
        out = self.folder / name
        self.run("pack", self.path, out, "--split", "train=0.5,val=0.5", "--stratify",
                 "--on-bad", "keep", *options)
        self.run("card", out, "--license", "cc-by-4.0")
        return out


def flip(path: pathlib.Path, offset: int) -> None:
    data = bytearray(path.read_bytes())
    data[offset] ^= 1
    path.write_bytes(data)


def sums_agree(folder: pathlib.Path) -> bool:
    said = subprocess.run(["sha256sum", "--quiet", "-c", "manifest-sha256.txt"],
                          cwd=folder, capture_output=True)
    return said.returncode == 0
