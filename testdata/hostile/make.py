"""Makes the hostile set: files that a scan of somebody's photo folder may meet.

verdicts.tsv says what shardine makes of each. The same bytes every time; the
photos that some files are cut from lie in ../photos, and what no short script
can write lies in this folder.
Usage: make.py FOLDER
"""

import pathlib
import sys

import bomb_files
import jpeg_files
import kind_files
import metadata_files
import other_files
import png_files

HERE = pathlib.Path(__file__).resolve().parent


class Files:
    """Files below a folder, by their names."""

    def __init__(self, folder):
        self.folder = folder

    def __getitem__(self, name):
        return (self.folder / name).read_bytes()


def all_files():
    photos, own = Files(HERE.parent / "photos"), Files(HERE)
    files = {}
    for family in (other_files, jpeg_files, metadata_files, bomb_files, png_files,
                   kind_files):
        for name, data in family.files(photos, own).items():
            if name in files:
                sys.exit(f"make.py: two files are named {name}")
            files[name] = data
    return files


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    files = all_files()
    for old in folder.iterdir():
        if old.name not in files:
            old.unlink()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    print(f"{len(files)} files, {sum(map(len, files.values()))} bytes")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip().splitlines()[-1])
    main(pathlib.Path(sys.argv[1]))
