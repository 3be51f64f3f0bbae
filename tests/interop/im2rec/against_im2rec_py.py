"""Gives im2rec and MXNet's im2rec.py the same arguments and compares files.

Runs under the Python that has mxnet. Usage: against_im2rec_py.py BINARY
[unittest options]
"""

import importlib.util
import itertools
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
from collections.abc import Sequence
from typing import Any

import cv2
import mxnet
import numpy
from numpy.typing import NDArray

BINARY = ""
PHOTOS = pathlib.Path(__file__).resolve().parents[3] / "testdata" / "photos"
MAGIC = bytes.fromhex("0a23d7ce")


def original_path() -> pathlib.Path:
    """tools/im2rec.py of the installed package, without importing it."""
    spec = importlib.util.find_spec("mxnet")
    assert spec and spec.submodule_search_locations
    package = spec.submodule_search_locations[0]
    return pathlib.Path(package) / "tools" / "im2rec.py"


def load_original() -> types.ModuleType:
    spec = importlib.util.spec_from_file_location("im2rec_py", original_path())
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Case(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name).resolve()
        self.images = self.top / "images"
        self.ours = self.top / "ours"
        self.theirs = self.top / "theirs"
        for path in (self.images, self.ours, self.theirs):
            path.mkdir()

    def put(self, name: str, contents: bytes = b"x") -> None:
        path = self.images / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents)

    def put_tree(self) -> None:
        """Folders of all kinds; contents of all lengths, with magic words."""
        draw = random.Random(3)
        folders = ["", "b", "a", "a-b", "a/deep/er", "a/deep", "Z",
                   "caf\u00e9 cr\u00e8me", "with space", "\u65e5\u672c"]
        for number, folder in enumerate(folders):
            for i in range(draw.randrange(1, 9)):
                contents = draw.randbytes(draw.randrange(0, 2000))
                for _ in range(i % 3):
                    at = draw.randrange(0, len(contents) // 4 + 1) * 4
                    contents = contents[:at] + MAGIC + contents[at:]
                suffix = draw.choice([".jpg", ".JPEG", ".png", ".Jpg", ".gif"])
                name = f"{i * 37 % 11} {number}{suffix}"
                self.put(os.path.join(folder, name), contents)
        self.put("a/notes.txt")
        self.put("a/.jpg")
        self.put("a/..png")
        self.put("a/.hidden.jpg")
        self.put("a/no suffix jpg")
        (self.images / "only folders" / "x.jpg").mkdir(parents=True)
        (self.images / "link").symlink_to("a/deep")
        (self.images / "a" / "link.jpg").symlink_to("../b")
        (self.images / "b" / "gone.jpg").symlink_to("nowhere")

    def put_photos(self) -> bytes:
        photos = sorted(path for path in PHOTOS.rglob("*")
                        if path.suffix.lower() in (".jpg", ".jpeg", ".png"))
        lines = []
        for number, path in enumerate(photos):
            self.put(path.name, path.read_bytes())
            lines.append(f"{2**40 + number}\t{number % 7}\t0.25\t{path.name}")
        self.assertGreater(len(lines), 20)
        jpeg = (PHOTOS / "hounds" / "redbone.JPEG").read_bytes()
        for orientation in range(1, 9):
            self.put(f"turned{orientation}.jpg", turned(jpeg, orientation))
            lines.append(f"{orientation}\t0\t1\tturned{orientation}.jpg")
        return ("\n".join(lines) + "\n").encode()

    def run_ours(self, *words: object) -> str:
        done = subprocess.run([BINARY, *map(str, words)], timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def run_theirs(self, *words: object) -> str:
        done = subprocess.run(
            [sys.executable, str(original_path()), *map(str, words)],
            timeout=120, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def files(self, folder: pathlib.Path) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    def assert_same_files(self, suffixes: list[str]) -> None:
        ours, theirs = self.files(self.ours), self.files(self.theirs)
        self.assertEqual(sorted(ours), sorted(theirs))
        for name in ours:
            self.assertTrue(ours[name] == theirs[name], f"{name} differs")
        self.assertEqual({pathlib.Path(name).suffix for name in ours},
                         set(suffixes))


class Lists(Case):
    """make_list() of the original, in this process: it needs no images."""

    original: types.ModuleType

    @classmethod
    def setUpClass(cls) -> None:
        cls.original = load_original()

    def list_theirs(self, *options: str) -> None:
        arguments = sys.argv
        sys.argv = ["im2rec.py", str(self.theirs / "p"), str(self.images),
                    "--list", *options]
        try:
            with open(os.devnull, "w", encoding="utf-8") as nowhere:
                stdout, sys.stdout = sys.stdout, nowhere
                try:
                    self.original.make_list(self.original.parse_args())
                finally:
                    sys.stdout = stdout
        finally:
            sys.argv = arguments

    def check(self, *options: str) -> None:
        with self.subTest(options=options):
            for folder in (self.ours, self.theirs):
                shutil.rmtree(folder)
                folder.mkdir()
            self.list_theirs(*options)
            self.run_ours(self.ours / "p", self.images, "--list", *options)
            self.assert_same_files([".lst"])

    def test_options_of_a_tree(self) -> None:
        self.put_tree()
        for recursive, shuffle in itertools.product(
                ([], ["--recursive"]), ([], ["--no-shuffle"])):
            self.check(*recursive, *shuffle)
        self.check("--recursive", "--exts", ".gif", ".png")
        self.check("--recursive", "--exts", ".gif")
        self.check("--rec", "--no-sh", "--chunks=3")

    def test_chunks_and_ratios(self) -> None:
        for i in range(53):
            self.put(f"{i % 5}/{i}.jpg")
        for chunks in ("1", "3", "53", "60"):
            self.check("--recursive", "--chunks", chunks)
        for chunks in ("1", "4"):
            for train, test in [("0.9", "0"), ("0.7", "0.2"), ("0.5", "0.5"),
                                ("0.8", "0.2"), ("0.95", "0.05"), ("0", "1"),
                                ("0.333", "0.333"), ("0", "0"), ("1", "0.5"),
                                ("1e-3", "0.29"), ("0.1", "0.7")]:
                self.check("--recursive", "--chunks", chunks, "--train-ratio",
                           train, "--test-ratio", test)

    def test_many_sizes(self) -> None:
        for count in range(1, 131):
            self.put(f"{count}.jpg")
            if count < 20 or count % 16 < 2 or count == 127:
                self.check()

    def test_labels_are_printed_alike(self) -> None:
        self.put_tree()
        words = [self.images, "--list", "--recursive"]
        # Backslashes and control bytes apart, which this tree lacks.
        self.assertEqual(self.run_ours(self.ours / "p", *words),
                         self.run_theirs(self.theirs / "p", *words))


class Records(Case):
    def check(self, lists: dict[str, bytes], *options: str, prefix: str = "p",
              ours: Sequence[str] = ()) -> None:
        for folder in (self.ours, self.theirs):
            for name, text in lists.items():
                (folder / name).write_bytes(text)
        self.run_theirs(self.theirs / prefix, self.images, "--pass-through",
                        *options)
        self.run_ours(self.ours / prefix, self.images, "--pass-through",
                      *(ours or options))
        self.assert_same_files([".lst", ".rec", ".idx"])

    def listed(self) -> bytes:
        """A list of the tree by our own --list."""
        self.run_ours(self.top / "made", self.images, "--list", "--recursive")
        return (self.top / "made.lst").read_bytes()

    def test_one_thread(self) -> None:
        self.put_tree()
        self.check({"p.lst": self.listed()})

    def test_several_threads(self) -> None:
        self.put_tree()
        self.check({"p.lst": self.listed()}, "--num-thread", "3")

    def test_several_threads_of_ours_beside_one_of_theirs(self) -> None:
        self.put_tree()
        self.check({"p.lst": self.listed()}, "--num-thread", "1",
                   ours=["--num-thread", "7"])

    def labels_list(self) -> bytes:
        draw = random.Random(4)
        values = ["0", "1", "-1", "0.1", "16777217", "1e-3", "3.4028234e38",
                  "1.00000005960464477540", "1e-46", "1e-40", "1e-400", ".5",
                  "7.", "+2", "inf", "123456789.123", "-0.0"]
        lines = []
        for i in range(60):
            self.put(f"{i}.bin", draw.randbytes(i))
            labels = draw.choices(values, k=i % 4 + 1)
            identity = [i, 2**32 + i, 2**63 + i, 2**64 - 1 - i][i % 4]
            lines.append("\t".join([str(identity), *labels, f"{i}.bin"]))
        return "\n".join(lines).encode()

    def test_first_of_several_labels(self) -> None:
        self.check({"p.lst": self.labels_list()})

    def test_all_of_several_labels(self) -> None:
        self.check({"p.lst": self.labels_list() + b"\n"}, "--pack-label")

    def test_every_list_of_a_prefix(self) -> None:
        self.put("a b.jpg", b"12345")
        line = b" 5\t1 \t a b.jpg \r\n"
        absolute = f"6\t0\t{self.images}/a b.jpg\n".encode()
        self.check({"p.lst": line, "p_1.lst": absolute * 3, "p2.x.lst": b"",
                    "p.y.lst": line + absolute}, "--num-thread", "2")

    def test_a_file_several_times_in_one_list_and_in_others(self) -> None:
        self.put_tree()
        lines = self.listed().decode().splitlines()
        draw = random.Random(6)
        lists = {}
        for name in ("p_train.lst", "p_val.lst"):
            drawn = [line.split("\t") for line in draw.choices(lines, k=200)]
            lists[name] = "".join(
                f"{i}\t{draw.randrange(9)}\t{path}\n"
                for i, (_, _, path) in enumerate(drawn)).encode()
            self.assertLess(len({path for _, _, path in drawn}), 150)
        self.check(lists, "--num-thread", "3")

    def test_a_folder_as_prefix(self) -> None:
        self.put("a.jpg")
        self.check({"p.lst": b"1\t0\ta.jpg\n", "q.lst": b"2\t0\ta.jpg\n"},
                   prefix="")


def unpacked(rec: pathlib.Path) -> list[tuple[Any, bytes]]:
    """(header, image bytes) of each record, by MXNet's own reader."""
    reader = mxnet.recordio.MXRecordIO(str(rec), "r")
    records = []
    while (record := reader.read()) is not None:
        records.append(mxnet.recordio.unpack(record))
    return records


def pixels(image: bytes) -> NDArray[Any]:
    decoded: NDArray[Any] = cv2.imdecode(
        numpy.frombuffer(image, numpy.uint8), cv2.IMREAD_UNCHANGED)
    return decoded.astype(int)


def turned(jpeg: bytes, orientation: int) -> bytes:
    """The JPEG with an EXIF orientation."""
    tiff = (b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0"
            + bytes([orientation, 0, 0, 0]) + b"\0\0\0\0")
    exif = b"Exif\0\0" + tiff
    size = (len(exif) + 2).to_bytes(2, "big")
    return jpeg[:2] + b"\xff\xe1" + size + exif + jpeg[2:]


class Pixels(Case):
    """Pixels against the originals' pixels. Sizes, ids and labels are the same;
    where OpenCV's arithmetic is another, pixels differ by as much as
    tools/im2rec/README.md says."""

    def check(self, text: bytes, *options: str, same_bytes: bool = False,
              mean: float = 0.0) -> None:
        for folder in (self.ours, self.theirs):
            (folder / "p.lst").write_bytes(text)
        self.run_theirs(self.theirs / "p", self.images, *options)
        self.run_ours(self.ours / "p", self.images, *options)
        ours = unpacked(self.ours / "p.rec")
        theirs = unpacked(self.theirs / "p.rec")
        self.assertEqual(len(ours), len(theirs))
        differences = []
        for (header, image), (their_header, their_image) in zip(ours, theirs):
            self.assertEqual((header.flag, header.id, header.id2),
                             (their_header.flag, their_header.id,
                              their_header.id2))
            self.assertEqual(numpy.array(header.label).tolist(),
                             numpy.array(their_header.label).tolist())
            if same_bytes:
                self.assertEqual(image, their_image, header)
                continue
            ours_pixels, their_pixels = pixels(image), pixels(their_image)
            self.assertEqual(ours_pixels.shape, their_pixels.shape)
            differences.append(numpy.abs(ours_pixels - their_pixels).mean())
        if not same_bytes:
            self.assertLessEqual(numpy.mean(differences), mean)
        keys = [[line.split()[0] for line in
                 (folder / "p.idx").read_text().splitlines()]
                for folder in (self.ours, self.theirs)]
        self.assertEqual(*keys)

    def test_bytes_are_the_same_without_a_resize(self) -> None:
        text = self.put_photos()
        for options in ([], ["--quality", "50"], ["--center-crop"],
                        ["--color", "-1"], ["--pack-label"],
                        ["--num-thread", "3", "--quality", "80"]):
            with self.subTest(options=options):
                self.check(text, *options, same_bytes=True)

    def test_pixels_are_the_same_in_png(self) -> None:
        text = self.put_photos()
        self.check(text, "--encoding", ".png", "--quality", "3", mean=0)

    def test_gray_differs_by_rounding(self) -> None:
        self.check(self.put_photos(), "--color", "0", "--encoding", ".png",
                   "--quality", "1", mean=0.1)

    def test_resized_images_have_the_same_size(self) -> None:
        text = self.put_photos()
        for options, mean in (
                (["--resize", "64"], 7.0), (["--resize", "700"], 0.6),
                (["--resize", "64", "--center-crop"], 7.0),
                (["--resize", "64", "--color", "0"], 7.0),
                (["--resize", "65", "--encoding", ".png", "--num-thread", "2",
                  "--quality", "1"], 7.0)):
            with self.subTest(options=options):
                self.check(text, *options, mean=mean)


class InterMethods(Case):
    """inter_method of im2rec.cc beside OpenCV's interpolation of that
    number: mean and largest difference over the photos, as in the README."""

    # Largest mean differences at 64, 160 and 700 pixels, by inter_method.
    BOUNDS = {0: (14, 8, 2.5), 1: (5.5, 1.8, 0.2), 2: (6, 2.2, 0.6),
              3: (1.2, 2.2, 1.4), 4: (6.2, 2.3, 0.4)}
    METHODS = {0: cv2.INTER_NEAREST, 1: cv2.INTER_LINEAR, 2: cv2.INTER_CUBIC,
               3: cv2.INTER_AREA, 4: cv2.INTER_LANCZOS4}

    def test_each_method(self) -> None:
        photos = sorted(path for path in PHOTOS.rglob("*")
                        if path.suffix.lower() in (".jpg", ".jpeg", ".png"))
        text = "".join(f"{i}\t0\t{path.relative_to(PHOTOS)}\n"
                       for i, path in enumerate(photos))
        (self.ours / "p.lst").write_text(text)
        # Intel's library, which has a bicubic of its own, is left out.
        cv2.ipp.setUseIPP(False)
        for method in self.METHODS:
            found = self.compare(photos, method, 160, "opencv")
            self.assertEqual(found, (0, 0), method)
        for method, bounds in self.BOUNDS.items():
            for size, bound in zip((64, 160, 700), bounds):
                mean, largest = self.compare(photos, method, size)
                print(f"inter_method {method}, {size} pixels: "
                      f"mean {mean:.2f}, largest {largest}")
                self.assertLessEqual(mean, bound, (method, size))

    def compare(self, photos: list[pathlib.Path], method: int, size: int,
                rule: str = "pillow") -> tuple[float, int]:
        self.run_ours(self.ours / "p.lst", f"{PHOTOS}/", self.ours / "p.rec",
                      f"resize={size}", f"inter_method={method}",
                      "encoding=.png", "quality=1", f"pixels={rule}")
        means, largest = [], 0
        for (_, image), path in zip(unpacked(self.ours / "p.rec"), photos):
            source = cv2.imread(str(path), cv2.IMREAD_COLOR)
            rows, columns = source.shape[:2]
            wanted = ((size, rows * size // columns) if rows > columns
                      else (columns * size // rows, size))
            theirs = cv2.resize(source, wanted,
                                interpolation=self.METHODS[method])
            found = numpy.abs(pixels(image) - theirs.astype(int))
            means.append(found.mean())
            largest = max(largest, int(found.max()))
        return numpy.mean(means), largest


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
