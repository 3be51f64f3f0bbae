"""Runs the real im2rec and checks files, streams and exit codes.

Usage: im2rec_cli.py BINARY [unittest options]
"""

import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterator

import recordio_model as model

BINARY = ""
PHOTOS = pathlib.Path(__file__).resolve().parents[3] / "testdata" / "photos"


def run(*words: object, cwd: pathlib.Path | None = None,
        limit: int | None = None) -> tuple[int, str, str]:
    """(exit code, stdout, stderr); `limit` is the largest file it may write."""
    def set_limit() -> None:
        if limit is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run([BINARY, *map(str, words)], capture_output=True,
                          cwd=cwd, preexec_fn=set_limit, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class Case(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.top = pathlib.Path(self.folder.name).resolve()
        self.images = self.top / "images"
        self.out = self.top / "out"
        self.images.mkdir()
        self.out.mkdir()
        self.list = self.out / "a.lst"

    def put(self, name: str, contents: bytes) -> None:
        path = self.images / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents)

    def read(self, name: str | bytes | pathlib.Path) -> bytes:
        return (self.images / os.fsdecode(name)).read_bytes()

    def put_samples(self, count: int) -> None:
        """Files of all lengths modulo 4, some full of the magic word."""
        draw = random.Random(5)
        for i in range(count):
            size = draw.randrange(0, 300)
            contents = draw.randbytes(size)
            if i % 3 == 0:
                cuts = [draw.randrange(0, size + 1) for _ in range(4)]
                for at in cuts:
                    contents = contents[:at] + model.MAGIC + contents[at:]
            self.put(f"n{i % 4:02}/image {i}.jpg", contents)

    def lines(self, count: int, labels: int,
              separator: str = "\t") -> Iterator[str]:
        draw = random.Random(6)
        for i in range(count):
            numbers = [str(draw.choice([i % 4, 0.5, 1e-3, 16777217]))
                       for _ in range(labels)]
            yield separator.join([str(7 * i + 1), *numbers,
                                  f"n{i % 4:02}/image {i}.jpg"])

    def names(self) -> list[str]:
        return sorted(path.name for path in self.out.iterdir())

    def assert_fails(self, outcome: tuple[int, str, str], code: int,
                     message: str) -> None:
        self.assertEqual(outcome[0], code, outcome)
        self.assertEqual(outcome[1], "")
        self.assertTrue(outcome[2].startswith("im2rec: "), outcome)
        self.assertEqual(outcome[2].count("\n"), 1, outcome)
        self.assertIn(message, outcome[2])


class CppStyle(Case):
    def pack(self, *keys: str, root: str | None = None) -> tuple[int, str, str]:
        return run(self.list, root or f"{self.images}/", self.out / "a.rec",
                   "unchanged=1", *keys)

    def test_writes_the_records_of_im2rec_cc(self) -> None:
        self.put_samples(40)
        for width, packed, separator, end in [
                (1, 0, "\t", "\n"), (1, 0, " ", "\r\n"), (3, 0, "\t", "\r"),
                (3, 1, "\t ", "\n"), (2, 1, " ", " \t\n\n")]:
            with self.subTest(width=width, packed=packed, end=end):
                lines = list(self.lines(40, width, separator))
                self.list.write_bytes(b"".join(
                    (line + end).encode() for line in lines))
                code, out, _ = self.pack(f"label_width={width}",
                                         f"pack_label={packed}")
                rec, _ = model.pack(
                    [model.cpp_entry(line.encode(), width, packed == 1)
                     for line in lines], self.read)
                self.assertEqual(code, 0)
                self.assertEqual(
                    out, f"{self.out}/a.rec: 40 records, {len(rec)} bytes\n")
                self.assertEqual((self.out / "a.rec").read_bytes(), rec)
                self.assertEqual(self.names(), ["a.lst", "a.rec"])

    def test_parts_are_cut_as_dmlc_cuts_and_hold_the_whole_list(self) -> None:
        self.put_samples(30)
        text = "\n".join(self.lines(30, 1)).encode()
        self.list.write_bytes(text)
        self.assertEqual(self.pack()[0], 0)
        whole = (self.out / "a.rec").read_bytes()
        for nsplit in (1, 2, 3, 7, 64):
            union = b""
            for part in range(nsplit):
                code, _, _ = self.pack(f"nsplit={nsplit}", f"part={part}")
                self.assertEqual(code, 0)
                name = "a.rec" if nsplit == 1 else f"a.rec.part{part:03}"
                found = (self.out / name).read_bytes()
                expected, _ = model.pack(
                    [model.cpp_entry(line, 1, False)
                     for line in model.list_part(text, nsplit, part)],
                    self.read)
                self.assertEqual(found, expected, (nsplit, part))
                union += found
            self.assertEqual(union, whole)

    def test_root_and_path_are_only_put_together(self) -> None:
        self.put("pre-a b.jpg", b"x")
        self.list.write_text("1 2   a b.jpg  \n")
        code, _, _ = self.pack(root=f"{self.images}/pre-")
        self.assertEqual(code, 0)
        rec, _ = model.pack([(1, 2, [], "pre-a b.jpg")], self.read)
        self.assertEqual((self.out / "a.rec").read_bytes(), rec)

    def test_paths_of_any_bytes_are_opened(self) -> None:
        name = b"caf\xc3\xa9 \xff'\".jpg"
        (self.images / os.fsdecode(name)).write_bytes(b"x")
        self.list.write_bytes(b"1 2 " + name + b"\n")
        self.assertEqual(self.pack()[0], 0)

    def test_usage_is_an_error(self) -> None:
        self.list.write_text("0 0 a\n")
        triple = (self.list, f"{self.images}/", self.out / "a.rec")
        for words, message in [
                ((), "--help"), (triple[:1], "--help"),
                ((*triple, "unchanged=1", "nosuch=1"), "nosuch"),
                ((*triple, "unchanged=1", "resize"), "key=value"),
                ((*triple, "unchanged=1", "quality=high"), "quality"),
                ((*triple, "resize=70000"), "resize"),
                ((*triple, "inter_method=7"), "inter_method"),
                ((*triple, "encoding=.gif"), "encoding"),
                ((self.top / "none.lst", *triple[1:], "unchanged=1"),
                 "no such file")]:
            self.assert_fails(run(*words), 2, message)
            self.assertEqual(self.names(), ["a.lst"])

    def recode(self, *keys: str) -> list[bytes]:
        """The images packed, of which each is decoded and encoded again."""
        code, _, err = run(self.list, f"{self.images}/", self.out / "a.rec",
                           *keys)
        self.assertEqual((code, err), (0, ""))
        return model.images((self.out / "a.rec").read_bytes())

    def put_photos(self) -> None:
        self.put("a.jpg", (PHOTOS / "hounds/redbone.JPEG").read_bytes())
        self.put("b.jpg", (PHOTOS / "hounds/made_gray.jpg").read_bytes())
        self.list.write_text("3 0 a.jpg\n9 1 b.jpg\n")

    def test_every_key_of_pixels_changes_the_image(self) -> None:
        self.put_photos()
        plain = self.recode()
        for image in plain:
            self.assertEqual(image[:3], b"\xff\xd8\xff")
        seen = {plain[0]}
        for keys in (["quality=50"], ["color=0"], ["encoding=.png"],
                     ["resize=40"], ["resize=40", "center_crop=1"],
                     ["color=0", "pixels=opencv"],
                     *(["resize=41", f"inter_method={m}", f"pixels={rule}"]
                       for m in range(5) for rule in ("pillow", "opencv"))):
            image = self.recode(*keys)[0]
            self.assertNotIn(image, seen, keys)
            seen.add(image)
        self.assertEqual(self.recode("color=-1"), self.recode("color=-1"))
        self.assertEqual(self.recode("encoding=.png")[0][:4], b"\x89PNG")
        self.assertEqual(self.recode("resize=40", "inter_method=9"),
                         self.recode("resize=40", "inter_method=3"))
        self.assertEqual(self.recode("resize=40", "inter_method=10"),
                         self.recode("resize=40", "inter_method=10"))

    def test_what_changes_nothing_without_a_resize_is_said(self) -> None:
        self.put_photos()
        code, _, err = run(self.list, f"{self.images}/", self.out / "a.rec",
                           "center_crop=1", "inter_method=2", "quality=80")
        self.assertEqual(code, 0)
        self.assertEqual(err, "im2rec: note: center_crop, inter_method: no "
                         "effect without resize\n")

    def test_a_damaged_image_publishes_nothing(self) -> None:
        self.put_photos()
        whole = (PHOTOS / "hounds/redbone.JPEG").read_bytes()
        self.put("b.jpg", whole[:len(whole) // 2])
        self.assert_fails(
            run(self.list, f"{self.images}/", self.out / "a.rec", "resize=40"),
            1, f"{self.images}/b.jpg")
        self.assertEqual(self.names(), ["a.lst"])

    def test_a_bad_line_is_told_with_line_and_byte(self) -> None:
        self.put("a", b"x")
        self.list.write_bytes(b"0 0 a\r\n1 0 a\r\nbad line here\r\n2 0 a\r\n")
        self.assert_fails(self.pack(), 1, f"{self.list}: byte 14: line 3: ")
        self.assertEqual(self.names(), ["a.lst"])

    def test_a_missing_image_publishes_nothing(self) -> None:
        self.put("a", b"x")
        self.list.write_text("0 0 a\n1 0 gone.jpg\n2 0 a\n")
        (self.out / "a.rec").write_bytes(b"older")
        self.assert_fails(self.pack(), 1,
                          f"line 2: {self.images}/gone.jpg: open: no such")
        self.assertEqual((self.out / "a.rec").read_bytes(), b"older")
        self.assertEqual(self.names(), ["a.lst", "a.rec"])

    def test_a_fifo_or_folder_in_place_of_an_image_never_hangs(self) -> None:
        os.mkfifo(self.images / "fifo")
        (self.images / "folder").mkdir()
        for name in ("fifo", "folder"):
            self.list.write_text(f"0 0 {name}\n")
            self.assert_fails(self.pack(), 1, f"line 1: {self.images}/{name}")

    def test_a_full_disk_ends_with_5_and_leaves_nothing(self) -> None:
        self.put("a", b"x" * 100000)
        self.list.write_text("0 0 a\n1 0 a\n")
        self.assert_fails(
            run(self.list, f"{self.images}/", self.out / "a.rec",
                "unchanged=1", limit=150000), 5, "larger than is allowed")
        self.assertEqual(self.names(), ["a.lst"])


class PythonStyle(Case):
    def pack(self, *options: object) -> tuple[int, str, str]:
        return run(self.out / "a", self.images, "--pass-through", *options)

    def make_list(self, *options: object,
                  prefix: str = "a") -> tuple[int, str, str]:
        return run(self.out / prefix, self.images, "--list", *options)

    def test_writes_the_records_and_index_of_im2rec_py(self) -> None:
        self.put_samples(40)
        for labels, options in [(1, []), (1, ["--pack-label"]), (3, []),
                                (3, ["--pack-label"])]:
            lines = list(self.lines(40, labels))
            self.list.write_text("\n".join(lines) + "\n")
            rec, idx = model.pack(
                [model.python_entry(line.encode(), bool(options))
                 for line in lines], self.read)
            for threads in (1, 2, 7):
                with self.subTest(labels=labels, options=options,
                                  threads=threads):
                    code, out, _ = self.pack("--num-thread", threads,
                                             *options)
                    self.assertEqual(code, 0)
                    self.assertEqual(out, f"{self.out}/a.rec: 40 records, "
                                          f"{len(rec)} bytes\n")
                    self.assertEqual((self.out / "a.rec").read_bytes(), rec)
                    self.assertEqual((self.out / "a.idx").read_bytes(), idx)
                    self.assertEqual(self.names(),
                                     ["a.idx", "a.lst", "a.rec"])

    def test_an_absolute_path_leaves_the_root_out(self) -> None:
        outside = self.top / "outside.jpg"
        outside.write_bytes(b"xyz")
        self.list.write_text(f"5\t1\t{outside}\n")
        self.assertEqual(self.pack()[0], 0)
        rec, _ = model.pack([(5, 1, [], outside)], self.read)
        self.assertEqual((self.out / "a.rec").read_bytes(), rec)

    def test_relative_arguments_work(self) -> None:
        self.put("x.jpg", b"x")
        code, _, err = run("a", "../images", "--list", cwd=self.out)
        self.assertEqual((code, err), (0, ""))
        code, _, err = run("./a", "../images/", "--pass-through",
                           cwd=self.out)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(self.names(), ["a.idx", "a.lst", "a.rec"])

    def test_lists_are_shuffled_as_python3_does(self) -> None:
        for count in (1, 2, 3, 31, 32, 33, 200):
            for i in range(count):
                self.put(f"{i:03}.jpg", b"")
            self.assertEqual(self.make_list()[0], 0)
            order = list(range(count))
            random.seed(100)
            random.shuffle(order)
            self.assertEqual(
                self.list.read_text(),
                "".join(f"{i}\t0.000000\t{i:03}.jpg\n" for i in order))

    def test_a_list_is_packed_into_what_it_names(self) -> None:
        self.put_samples(25)
        code, out, _ = self.make_list("--recursive", "--chunks", "2")
        self.assertEqual(code, 0)
        self.assertEqual(out, "n00 0\nn01 1\nn02 2\nn03 3\n")
        self.assertEqual(self.pack("--num-thread", "3")[0], 0)
        for stem in ("a_0", "a_1"):
            lines = (self.out / f"{stem}.lst").read_bytes().splitlines()
            rec, idx = model.pack(
                [model.python_entry(line, False) for line in lines], self.read)
            self.assertEqual((self.out / f"{stem}.rec").read_bytes(), rec)
            self.assertEqual((self.out / f"{stem}.idx").read_bytes(), idx)

    def test_a_loop_of_links_ends_and_is_told(self) -> None:
        self.put("a/x.jpg", b"x")
        (self.images / "a" / "up").symlink_to("..")
        code, _, err = self.make_list("--recursive")
        self.assertEqual(code, 0)
        self.assertEqual(self.list.read_text(), "0\t0.000000\ta/x.jpg\n")
        self.assertIn("a/up links to a directory above it", err)

    def test_a_name_with_a_tab_or_line_break_is_refused(self) -> None:
        for name in ("a\tb.jpg", "a\nb.jpg"):
            self.put(name, b"x")
            self.assert_fails(self.make_list(), 1, "rename the file")
            self.assertEqual(self.names(), [])
            (self.images / name).unlink()

    def test_usage_is_an_error(self) -> None:
        self.put("x.jpg", b"x")
        self.list.write_text("0\t0\tx.jpg\n")
        pair = (self.out / "a", self.images)
        for words, message in [
                ((*pair, "--pass-through", "--nosuch"), "--nosuch"),
                ((*pair, "--list", "--chunks", "0"), "--chunks"),
                ((*pair, "--list", "--train-ratio", "2"), "--train-ratio"),
                ((*pair, "--pass-through", "extra"), "positional"),
                ((*pair, "--resize", "-1"), "--resize"),
                ((*pair, "--color", "2"), "--color"),
                ((self.out / "b", self.images, "--pass-through"), ".lst"),
                ((self.out / "b", self.top / "none", "--list"),
                 "no such file")]:
            self.assert_fails(run(*words), 2, message)
            self.assertEqual(self.names(), ["a.lst"])

    def test_one_bad_image_publishes_nothing_of_its_list(self) -> None:
        self.put("x.jpg", b"x")
        self.list.write_text("0\t0\tx.jpg\n1\t0\tgone.jpg\n")
        for threads in (1, 4):
            self.assert_fails(self.pack("--num-thread", threads), 1,
                              f"{self.list}: byte 10: line 2: ")
            self.assertEqual(self.names(), ["a.lst"])

    def test_bad_images_are_left_out_if_that_is_asked_for(self) -> None:
        photo = min((path for path in PHOTOS.rglob("*.jp*g")),
                    key=lambda path: path.stat().st_size)
        good = photo.read_bytes()
        for i in (0, 3):
            self.put(f"{i}.jpg", good)
        self.put("1.jpg", good[:len(good) // 2])
        self.list.write_text("".join(f"{i}\t0\t{i}.jpg\n" for i in range(4)))
        code, out, err = run(self.out / "a", self.images, "--on-bad", "skip")
        self.assertEqual(code, 3, err)
        self.assertIn("a.rec: 2 records, ", out)
        self.assertIn("2 of its lines are left out", err)
        report = [json.loads(line) for line in
                  (self.out / "a.rec.rejected.jsonl").read_text().splitlines()]
        self.assertEqual([(line["id"], line["key"], line["line"],
                           line["action"]) for line in report],
                         [(1, "1.jpg", 2, "skip"), (2, "2.jpg", 3, "skip")])
        self.assertEqual(report[1]["reason"], "missing")
        self.assertNotIn(" ", report[0]["reason"])
        kept = [line.split("\t")[0] for line in
                (self.out / "a.idx").read_text().splitlines()]
        self.assertEqual(kept, ["0", "3"])
        # im2rec.cc's style has the same, under the name of its output.
        code, _, _ = run(self.list, f"{self.images}/", self.out / "b.rec",
                         "on_bad=skip")
        self.assertEqual(code, 3)
        self.assertEqual((self.out / "a.rec").read_bytes(),
                         (self.out / "b.rec").read_bytes())
        self.assertEqual((self.out / "a.rec.rejected.jsonl").read_bytes(),
                         (self.out / "b.rec.rejected.jsonl").read_bytes())
        self.assert_fails(run(self.out / "a", self.images, "--on-bad", "keep"),
                          2, "is neither fail nor skip")

    def test_a_killed_run_goes_on_to_the_same_bytes(self) -> None:
        self.put_samples(40)
        lines = list(self.lines(40, 1)) * 250
        self.list.write_text("\n".join(lines))
        self.assertEqual(self.pack()[0], 0)
        expected = {name: (self.out / name).read_bytes()
                    for name in self.names()}
        size = len(expected["a.rec"])

        # Python lets its children go on after this signal; here it is to kill
        # them, at the byte of the limit.
        def die_beyond() -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        for limit in (size // 4, size // 2, size - 1):
            for name in ("a.rec", "a.idx"):
                (self.out / name).unlink()
            killed = subprocess.run(
                [BINARY, self.out / "a", self.images, "--pass-through"],
                preexec_fn=die_beyond, timeout=60, capture_output=True)
            self.assertEqual(killed.returncode, -signal.SIGXFSZ)
            self.assertNotIn("a.rec", self.names())
            self.assertIn(".a.rec.journal", self.names())
            code, out, err = self.pack()
            self.assertEqual(code, 0, err)
            self.assertIn("a.rec: 10000 records", out)
            self.assertIn("goes on after the first", err)
            self.assertEqual({name: (self.out / name).read_bytes()
                              for name in self.names()}, expected)

    def test_an_empty_tree_is_an_error(self) -> None:
        self.assert_fails(self.make_list("--recursive"), 1, "no images")
        self.assertEqual(self.names(), [])


class Help(Case):
    def test_help_goes_to_stdout(self) -> None:
        for word in ("--help", "-h"):
            code, out, err = run(word)
            self.assertEqual((code, err), (0, ""))
            self.assertIn("usage: im2rec", out)


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
