"""Checks the contents of a wheel: its size, its tags, the files that must be there, the
shared libraries that it brings and expects, and that it does not say where it was
built.

Proves first that it sees each of these.
Usage: wheel_contents.py WHEEL FOLDER_OF_THE_BUILD...
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

from linked_libraries import OF_TIFF, OURS

MAX_BYTES = 30 * 1000 * 1000
TAGS = re.compile(r"-(cp310-cp310|cp311-cp311|cp312-abi3)-manylinux_2_\d+_\w+\.whl$")
NEEDED = {
    "_shardine_programs.py", "shardine/__init__.py", "shardine/__main__.py",
    "shardine/_core.pyi", "shardine/py.typed", "shardine/SKILL.md", "shardine/bin/shardine",
    "shardine/bin/im2rec", "shardine/bin/folder2lmdb",
    "shardine/libexec/shardine/shardine-hdf5-scan",
}
# Wheels of releases have their own library for addresses.
RELEASE = "-manylinux_2_28_"
NEEDED_OF_RELEASES = {"shardine/libexec/shardine/libshardine-tls.so"}
# Files in the folder of data, whose name has the version.
NEEDED_DATA = {
    "share/man/man1/shardine.1", "share/man/man1/shardine-pack.1",
    "share/man/man1/shardine-plan-pack.1",
    "share/bash-completion/completions/shardine",
    "share/fish/vendor_completions.d/shardine.fish",
}
# Every system of the platform tag has these libraries, so ours may need them.
SYSTEM = {"ld-linux-x86-64", "ld-linux-aarch64", "libc", "libdl", "libgcc_s", "libm",
          "libpthread", "libstdc++", "libz"}


def library(file: str) -> str:
    """libzstd of libzstd-1a2b3c4d.so.1.5.4 and of libzstd.so.1."""
    return re.sub(r"(-[0-9a-f]{8})?\.so\b.*", "", file)


def faults_of_names(wheel: str, size: int, names: list[str]) -> list[str]:
    faults = []
    if not TAGS.search(wheel):
        faults.append("it has other tags than are made here")
    if size > MAX_BYTES:
        faults.append(f"{size} bytes, at most {MAX_BYTES}")
    needed = NEEDED | NEEDED_OF_RELEASES if RELEASE in wheel else NEEDED
    faults += [f"{name} is missing" for name in sorted(needed - {*names})]
    data = {name.split(".data/data/")[1] for name in names if ".data/data/" in name}
    faults += [f"{name} is missing" for name in sorted(NEEDED_DATA - data)]
    module = r"shardine/_core\.abi3\.so" if "-abi3-" in wheel else r"shardine/_core\.cp\S+\.so"
    if not any(re.fullmatch(module, name) for name in names):
        faults.append("the extension module of its tag is missing")
    # A licence of each library that it brings, and of HDF5 and szip in the programs.
    licenses = [name for name in names if name.startswith("shardine/licenses/")]
    if len(licenses) < len(OURS) + 1:
        faults.append(f"it has the licences of {len(licenses)} libraries")
    for name in names:
        if name.startswith("shardine.libs/") and library(name[14:]) not in OURS | OF_TIFF:
            faults.append(f"{name} is a library that nothing of ours is linked for")
    return faults


def faults_of_links(name: str, listing: str, names: list[str]) -> list[str]:
    """Libraries that a file of the wheel needs and neither the wheel nor the system
    has."""
    brought = {name.split("/")[1] for name in names if name.startswith("shardine.libs/")}
    needed = re.findall(r"\(NEEDED\)\s+Shared library: \[([^]]+)\]", listing)
    return [f"{name} needs {file}" for file in needed
            if file not in brought and library(file) not in SYSTEM]


def faults_of_bytes(name: str, content: bytes, folders: list[str]) -> list[str]:
    """The folder /ab is not in /abc, nor in x/ab/c: short paths are found by chance."""
    return [f"{name} says that it was built in {folder}" for folder in folders
            if re.search(rb"(?<![\w./-])" + re.escape(folder.encode()) + rb"(?![\w.-])",
                         content)]


def prove_itself() -> None:
    good = ["shardine/_core.abi3.so", *NEEDED,
            *(f"shardine-1.data/data/{name}" for name in NEEDED_DATA),
            *(f"shardine/licenses/{name}" for name in [*OURS, "libhdf5"])]
    wheel = "shardine-1-cp312-abi3-manylinux_2_36_x86_64.whl"
    listing = " 0x1 (NEEDED)  Shared library: [libcurl.so.4]\n"
    proofs = [
        not faults_of_names(wheel, 1, good),
        faults_of_names("shardine-1-cp312-abi3-linux_x86_64.whl", 1, good),
        faults_of_names(wheel, MAX_BYTES + 1, good),
        faults_of_names("shardine-1-cp311-cp311-manylinux_2_36_x86_64.whl", 1, good),
        faults_of_names(wheel, 1, good[1:]),
        faults_of_names(wheel, 1, good[:-1]),
        faults_of_names(wheel, 1, [name for name in good if "man1" not in name]),
        faults_of_names(wheel, 1, [*good, "shardine.libs/libcurl-1a2b3c4d.so.4"]),
        faults_of_names(wheel.replace("2_36", "2_28"), 1, good),
        not faults_of_names(wheel.replace("2_36", "2_28"), 1,
                            [*good, *NEEDED_OF_RELEASES]),
        faults_of_links("a", listing, good),
        not faults_of_links("a", listing, ["shardine.libs/libcurl.so.4"]),
        faults_of_bytes("a", b"\0/home/me/y", ["/home/me"]),
        faults_of_bytes("a", b"-I=/home/me\0", ["/home/me"]),
        not faults_of_bytes("a", b"x/home/me/y /home/mexico/y", ["/home/me"]),
    ]
    if not all(proofs):
        raise SystemExit(f"wheel_contents.py does not see what it must: {proofs}")


def faults_of(wheel: pathlib.Path, folders: list[str]) -> list[str]:
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as folder:
        names = [name for name in archive.namelist() if not name.endswith("/")]
        faults = faults_of_names(wheel.name, wheel.stat().st_size, names)
        for name in names:
            content = archive.read(name)
            if not name.startswith("shardine/licenses/"):  # the words of others
                faults += faults_of_bytes(name, content, folders)
            if not content.startswith(b"\x7fELF"):
                continue
            file = pathlib.Path(folder) / "file"
            file.write_bytes(content)
            listing = subprocess.run(["readelf", "-d", file], stdout=subprocess.PIPE,
                                     text=True, check=True).stdout
            faults += faults_of_links(name, listing, names)
    return faults


def main(wheel: str, folders: list[str]) -> int:
    prove_itself()
    faults = faults_of(pathlib.Path(wheel), folders)
    for fault in faults:
        print(f"{wheel}: {fault}")
    print(f"{pathlib.Path(wheel).name}: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
