"""Every command of the pages for users works as written."""

import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
import unittest
from collections.abc import Iterator

import programs

PAGES = ("README.md", "tools/README.md")
# Codes that a command may end with besides 0: differences, bad images.
OTHER_CODES = {"diff": {4}, "scan": {3}, "audit": {8}}
# These build and install the project itself.
OF_THE_BUILD = ("tools/", "cmake ", "ctest ")
# Commands of servers and engines, which tests/remote and tests/engines have.
ELSEWHERE = re.compile(r"s3://|^shardine run |^shardine view |--index-from-env")
MAKES = re.compile(r"(?:shardine (?:pack|index|convert|merge|relabel|resize) "
                   r"|shardine (?:extract|export) )(.*)")


def commands() -> Iterator[str]:
    text = "".join((programs.ROOT / page).read_text(encoding="utf-8")
                   for page in PAGES)
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.S | re.M):
        for line in block.replace("\\\n", " ").splitlines():
            line = re.sub(r"\s+#.*", "", line).strip()
            is_here = not line.startswith(OF_THE_BUILD) and not ELSEWHERE.search(line)
            if line and is_here:
                yield line


def output_of(command: str) -> str | None:
    """The folder that it makes, if it makes one: its last operand, but for
    relabel, whose list comes after it."""
    found = MAKES.match(command)
    if not found:
        return None
    words = []
    options = iter(shlex.split(found[1]))
    for word in options:
        if word in ("--dry-run", "--replace", "--strict", "--no-shuffle", "--stratify"):
            continue
        if word.startswith("--"):
            next(options)
        else:
            words.append(word)
    return words[1] if "relabel" in command else words[-1]


def make_tree(folder: str) -> None:
    programs.make_photos(folder)
    os.makedirs(f"{folder}/n01440764")
    for name in ("a.jpg", "b.jpg", "c.jpg", "x.JPEG"):  # a tenth is one photo
        shutil.copy(programs.PHOTOS / "terriers" / "cairn.JPEG",
                    f"{folder}/n01440764/{name}")


class Readme(programs.Case):
    @classmethod
    def prepare(cls) -> None:
        make_tree("photos")
        make_tree("imagenet")
        make_tree("trees/photos/train")
        make_tree("trees/photos/val")
        make_tree("trees/imagenet/train")
        shutil.copytree("photos/terriers", "trees/val")
        for number in range(12):
            os.makedirs(f"scans/{number // 6}", exist_ok=True)
            shutil.copy("photos/terriers/cairn.JPEG",
                        f"scans/{number // 6}/p{number % 6}-{number}.jpg")
        cls.make_foreign_files()
        cls.make_side_files()
        cls.make_annotations()

    @classmethod
    def make_foreign_files(cls) -> None:
        """Files that other programs have made, by the pages."""
        programs.done("pack", "photos", "made", "--shards", "2")
        os.makedirs("train.lmdb")
        for number in (0, 1):
            name = f"made/train-0000{number}-of-00002"
            shutil.copy(name + ".rec", f"old-{number}.rec")
        shutil.copy("old-0.rec", "foreign.rec")
        programs.done("convert", "made", "tarred", "--format", "webdataset")
        for number in (0, 1):
            with open(f"tarred/train-0000{number}-of-00002.tar", "rb") as tar:
                with gzip.open(f"set-{number}.tar.gz", "wb") as packed:
                    packed.write(tar.read())
            shutil.copy(f"tarred/train-0000{number}-of-00002.tar",
                        f"t-{number}.tar")
        shutil.copy("t-0.tar", "v.tar")
        programs.done("pack", "valid=photos", "fuel", "--format", "hdf5/fuel",
                      "--shards", "1")
        shutil.copy("fuel/valid-00000-of-00001.h5", "ilsvrc.hdf5")
        programs.done("convert", "made", "db", "--format", "lmdb",
                      "--shards", "1")
        shutil.copy("db/train-00000-of-00001.lmdb", "train.lmdb/data.mdb")
        for name in ("a.lmdb", "b.lmdb"):
            shutil.copy("train.lmdb/data.mdb", name)
        subprocess.run("cp photos/terriers/cairn.JPEG 0.jpg && echo text "
                       ">0.txt && tar cf texts.tar 0.jpg 0.txt",
                       shell=True, check=True)
        cls.make_named_fields()
        programs.done("resize", "photos", "cropped", "--to", "shards",
                      "--short-side", "160", "--center-crop")
        os.rename("cropped/sz/160", "sz160")
        for name in ("made", "tarred", "fuel", "db", "cropped"):
            shutil.rmtree(name)

    @classmethod
    def make_named_fields(cls) -> None:
        """Shards whose images and labels have names of their own."""
        os.makedirs("parts")
        for name in ("cairn.JPEG", "p.photo"):
            shutil.copy(programs.PHOTOS / "terriers" / "cairn.JPEG", f"parts/{name}")
        os.rename("parts/p.photo", "parts/cairn.photo")
        for name in ("make", "file"):
            with open(f"parts/cairn.{name}", "w", encoding="ascii") as file:
                file.write("text")
        programs.done("pack", "parts", "named", "--format", "tfrecord", "--unlabelled",
                      "--fields", "photo=.photo,make=.make,file=.file")
        os.rename("named/train-00000-of-00001.tfrecord", "cars.tfrecord")
        subprocess.run("cp photos/terriers/cairn.JPEG 0.input.jpg && echo 7 "
                       ">0.output.cls && tar cf pairs.tar 0.input.jpg 0.output.cls",
                       shell=True, check=True)
        shutil.rmtree("named")

    @classmethod
    def make_annotations(cls) -> None:
        """Photos with a box each, as COCO, Pascal VOC and YOLO have them."""
        photo = programs.PHOTOS / "terriers" / "cairn.JPEG"
        for folder in ("train2017", "val2017", "VOC2012/JPEGImages",
                       "data/images/train", "data/images/val"):
            os.makedirs(folder)
            shutil.copy(photo, f"{folder}/1.jpg")
        coco: dict[str, list[dict[str, object]]] = {
            "images": [{"id": 1, "file_name": "1.jpg"}],
            "categories": [{"id": 18, "name": "dog"}],
            "annotations": [{"id": 1, "image_id": 1, "category_id": 18,
                             "bbox": [1, 2, 30, 40]}]}
        for split in ("train", "val"):
            with open(f"instances_{split}2017.json", "w", encoding="ascii") as file:
                json.dump(coco, file)
        del coco["categories"]
        coco["annotations"] = [{"id": 2, "image_id": 1, "caption": "a dog"}]
        with open("captions_val2017.json", "w", encoding="ascii") as file:
            json.dump(coco, file)
        os.makedirs("VOC2012/Annotations")
        with open("VOC2012/Annotations/1.xml", "w", encoding="ascii") as file:
            file.write("<annotation><filename>1.jpg</filename><object><name>dog</name>"
                       "<bndbox><xmin>1</xmin><ymin>2</ymin><xmax>30</xmax>"
                       "<ymax>40</ymax></bndbox></object></annotation>")
        with open("data/data.yaml", "w", encoding="ascii") as file:
            file.write("path: .\ntrain: images/train\nval: images/val\nnames: [dog]\n")
        for split in ("train", "val"):
            os.makedirs(f"data/labels/{split}")
            with open(f"data/labels/{split}/1.txt", "w", encoding="ascii") as file:
                file.write("0 0.5 0.5 0.2 0.2\n")

    @classmethod
    def make_side_files(cls) -> None:
        with open("corrections.lst", "w", encoding="ascii") as file:
            file.write("0\t1\thounds/Irish_wolfhound.JPEG\n")
        with open("val.txt", "w", encoding="ascii") as file:
            for name in sorted(os.listdir("trees/val")):
                file.write(f"{name} 1\n")
        with open("names.txt", "w", encoding="ascii") as file:
            file.write("hound\ncat\nterrier\n")
        with open("pets.txt", "w", encoding="ascii") as file:
            file.write("n01440764 0 cat\n* -\n")
        with open("words.txt", "w", encoding="ascii") as file:
            for name in ("hounds", "n01440764", "terriers"):
                file.write(f"{name}\tsome {name}\n")
        with open("boxes.csv", "w", encoding="ascii") as file:
            file.write("cairn.JPEG,0.1,0.1,0.9,0.9\n")
        with open("unwanted.txt", "w", encoding="ascii") as file:
            file.write("terriers/cairn.JPEG\nn01440764/a.jpg\n0/p0-0.jpg\ncairn.JPEG\n")
        programs.done("pack", "photos", "imagenet.set")
        shutil.copytree("imagenet.set", "places")
        os.rename("imagenet.set", "imagenet.packed")

    def run_line(self, line: str) -> subprocess.CompletedProcess[bytes]:
        home = os.getcwd()
        if "~/photos/train" in line or line.startswith("folder2lmdb"):
            home += "/trees"
        if "=~/train" in line:
            home += "/trees/photos"
        # Where it goes is empty, as where its reader tries it.
        output = output_of(line)
        if output:
            shutil.rmtree(output.replace("~", home), ignore_errors=True)
        # Two datasets of these names, and a folder of photos at home.
        line = line.replace("merge imagenet ", "merge imagenet.packed ")
        return subprocess.run(
            ["bash", "-c", "set -o pipefail\n" + line], check=False,
            capture_output=True, timeout=120, stdin=subprocess.DEVNULL,
            env=programs.environment(HOME=home))

    def test_every_command_works_as_written(self) -> None:
        lines = list(commands())
        self.assertGreater(len(lines), 30)
        for line in lines:
            if re.search(r"\bout\b", line) and not os.path.isdir("out"):
                programs.done("pack", "photos", "out", "--variants",
                              "original,sz/160")
            finished = self.run_line(line)
            verb = line.split()[1]
            with self.subTest(command=line):
                self.assertIn(finished.returncode,
                              {0} | OTHER_CODES.get(verb, set()),
                              finished.stderr)


if __name__ == "__main__":
    unittest.main()
