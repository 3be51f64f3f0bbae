"""The viewer: what it shows, and to whom."""

import http.client
import io
import os
import pathlib
import re
import signal
import subprocess
import sys
import urllib.parse
import urllib.request
from collections.abc import Iterator
from typing import Any

import numpy
import PIL.Image
import pytest

import shardine
from conftest import PHOTOS
from shardine.viewer import Viewer
from shardine.viewer.drawing import blocks, drawn


class Visitor:
    """Asks a viewer for pages, by default as a browser that was given its address."""

    def __init__(self, viewer: Viewer) -> None:
        self.viewer = viewer
        self.base = urllib.parse.urlsplit(viewer.url).path

    def get(
        self, page: str = "", path: str | None = None, method: str = "GET", **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.viewer.port, timeout=30)
        connection.putrequest(
            method, self.base + page if path is None else path, skip_host=True
        )
        for name, value in {"Host": f"127.0.0.1:{self.viewer.port}", **headers}.items():
            if value:
                connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, content

    def text(self, page: str = "") -> str:
        status, _, content = self.get(page)
        assert status == 200, content
        return content.decode()

    def image(self, **query: Any) -> PIL.Image.Image:
        status, headers, content = self.get("image?" + urllib.parse.urlencode(query))
        assert (status, headers["content-type"]) == (200, "image/jpeg"), content
        return PIL.Image.open(io.BytesIO(content))


@pytest.fixture
def visitor(packed: pathlib.Path) -> Iterator[Visitor]:
    with Viewer([packed]) as viewer:
        yield Visitor(viewer)


def test_a_viewer_shows_samples_by_class_and_key(
    visitor: Visitor, packed: pathlib.Path
) -> None:
    page = visitor.text()
    assert "24 samples, page 1 of 1" in page
    assert page.count("<figure>") == 24
    of_class = len(shardine.Dataset(packed).select("snakes_and_spiders"))
    assert f"{of_class} samples" in visitor.text("?split=train&label=1")
    one = visitor.text("?split=train&key=whippet")
    assert "1 sample," in one and "hounds/whippet" in one
    position = re.search(r'href="sample\?split=train&amp;position=(\d+)"', one)
    assert position is not None
    sample = visitor.text(f"sample?split=train&position={position[1]}")
    assert "hounds/whippet" in sample and "(hounds)" in sample
    image = visitor.image(split="train", position=position[1], side=100)
    assert max(image.size) == 100
    assert "0 samples" in visitor.text("?split=train&finding=leakage")


def test_a_viewer_answers_its_own_address_alone(visitor: Visitor) -> None:
    port = visitor.viewer.port
    for host in ("", "example.org", f"example.org:{port}", "127.0.0.1", "127.0.0.1:1"):
        assert visitor.get(Host=host)[0] == 403, host
    assert visitor.get(Host=f"localhost:{port}")[0] == 200
    for path in ("/", "/x/", visitor.base[:-2] + "/", "/" + visitor.base, "//[", "*"):
        status, _, content = visitor.get(path=path)
        assert status == 403 or path == "/" + visitor.base, path
        assert visitor.base.strip("/").encode() not in content
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        assert visitor.get(method=method)[0] == 501
    status, headers, _ = visitor.get()
    assert status == 200
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "script-src" not in headers["content-security-policy"]
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"
    assert visitor.viewer._server.server_address[0] == "127.0.0.1"
    with Viewer([shardine.Dataset(visitor.viewer.browsed[0].path).path]) as other:  # type: ignore[list-item]
        assert other.url.rsplit("/", 2)[1] != visitor.viewer.url.rsplit("/", 2)[1]


@pytest.mark.parametrize(
    "page",
    [
        "nothing", "../shardine.json", "sample", "sample?split=train", "image",
        "sample?split=train&position=24", "sample?split=train&position=-1",
        "sample?split=train&position=" + "9" * 30, "sample?split=no&position=0",
        "sample?split=train&position=1e3", "image?split=train&position=x",
        "image?split=train&position=0&dataset=1", "?split=no", "?label=x", "?finding=x",
        "?page=-1", "?" + "a=b&" * 50,
    ],
)  # fmt: skip
def test_a_viewer_refuses_pages_that_are_not_there(visitor: Visitor, page: str) -> None:
    status, headers, _ = visitor.get(page)
    assert status == 404
    assert headers["content-type"].startswith("text/plain")


def write(
    folder: pathlib.Path, samples: dict[str, dict[str, Any]], **options: Any
) -> pathlib.Path:
    with shardine.Writer(folder, **options) as writer:
        for key, sample in samples.items():
            writer.write(sample, key=key)
    return folder


def photo(color: tuple[int, int, int] = (9, 9, 9), size: tuple[int, int] = (40, 30)) -> bytes:
    to = io.BytesIO()
    PIL.Image.new("RGB", size, color).save(to, "png")
    return to.getvalue()


def test_near_copies_and_odd_images_are_chosen(tmp_path: pathlib.Path) -> None:
    whippet = PHOTOS / "hounds" / "whippet.JPEG"
    again = io.BytesIO()
    PIL.Image.open(whippet).convert("RGB").save(again, "jpeg", quality=30)
    folder = write(
        tmp_path / "out",
        {
            "whippet": {"image": whippet.read_bytes()},
            "again": {"image": again.getvalue()},
            "black": {"image": photo()},
        },
    )
    with Viewer([folder]) as viewer:
        visitor = Visitor(viewer)
        near = visitor.text("?finding=near")
        assert "2 samples" in near and "whippet" in near and "again" in near
        dark = visitor.text("?finding=dark")
        assert "1 sample," in dark and "black" in dark
        assert "0 samples" in visitor.text("?finding=light")
        assert visitor.get("?finding=bright")[0] == 404


def test_a_class_is_chosen_by_number_or_name(visitor: Visitor) -> None:
    assert visitor.text("?label=hounds").count("<figure>") == 6
    assert visitor.text("?label=0").count("<figure>") == 6
    assert visitor.get("?label=cats")[0] == 404
    assert visitor.get("?label=%E0%A5%A7")[0] == 404  # a digit of another script


HOSTILE = "<script>alert(1)</script>\"'&\x1b[2J\u202e.png"


def test_keys_classes_and_fields_are_text_in_pages(tmp_path: pathlib.Path) -> None:
    folder = write(
        tmp_path / "out",
        {HOSTILE: {"image": photo(), "label": 0, "note": HOSTILE}},
        format="tfrecord",
        classes=[HOSTILE],
    )
    with Viewer([folder]) as viewer:
        visitor = Visitor(viewer)
        for page in ("", "sample?split=train&position=0"):
            text = visitor.text(page)
            assert "<script" not in text and "\x1b" not in text and "\u202e" not in text
            assert "&lt;script&gt;" in text


def test_boxes_masks_and_points_are_drawn(tmp_path: pathlib.Path) -> None:
    mask = numpy.zeros((30, 40), numpy.uint8)
    mask[:15] = 1
    folder = write(
        tmp_path / "out",
        {
            "a": {
                "image": photo(),
                "mask": mask,
                "bbox": numpy.array([[20.0, 18.0, 30.0, 28.0]]),
                "bbox_label": numpy.array([1]),
            },
            "b": {
                "image": photo((200, 0, 0)),
                "mask": mask,
                "bbox": numpy.array([[float("nan"), -1e300, 1e300, float("inf")]]),
                "bbox_label": numpy.array([-5]),
            },
        },
        format="hdf5",
    )
    dataset = shardine.Dataset(folder)
    first = dataset.sample(dataset.position("a"))
    image, problems = drawn(first, 40)
    assert problems == []
    pixels = numpy.asarray(image)
    assert tuple(pixels[5, 5]) != (9, 9, 9)  # below the mask
    assert tuple(pixels[25, 5]) == (9, 9, 9)
    assert tuple(pixels[18, 25]) == (60, 180, 75)  # the edge of the box
    plain, _ = drawn(first, 40, with_shapes=False)
    assert (numpy.asarray(plain) == 9).all()
    with Viewer([folder]) as viewer:
        visitor = Visitor(viewer)
        assert "20.0, 18.0, 30.0, 28.0" in visitor.text("sample?split=train&position=0")
        for position in (0, 1):
            assert visitor.image(split="train", position=position).size == (40, 30)


@pytest.mark.parametrize(
    "fields",
    [
        {"rle": numpy.array([1, -1]), "rle_rows": numpy.array([[0, 2, 30, 40]])},
        {"rle": numpy.array([1 << 62]), "rle_rows": numpy.array([[0, 1, 30, 40]])},
        {"rle": numpy.array([1200]), "rle_rows": numpy.array([[0, 1, 1 << 40, 1 << 40]])},
        {"bbox": numpy.zeros((3, 3))},
        {"polygon": numpy.zeros(5), "polygon_rows": numpy.array([[0, 1 << 60]])},
        {"keypoints": numpy.zeros((2, 2))},
        {"mask": b"no image"},
    ],
)
def test_fields_that_cannot_be_drawn_are_said(fields: dict[str, Any]) -> None:
    sample = shardine.Sample(0, "a", (), {"image": photo(), **fields})
    image, problems = drawn(sample, 40)
    assert image.size == (40, 30)
    assert len(problems) == 1 and "cannot be drawn" in problems[0]


def test_runs_of_masks_are_drawn_column_by_column() -> None:
    fields = {
        "image": photo(),
        "rle": numpy.array([600, 300, 300]),
        "rle_rows": numpy.array([[0, 3, 30, 40]]),
    }
    image, problems = drawn(shardine.Sample(0, "a", (), fields), 40)
    assert problems == []
    marked = numpy.asarray(image)[:, :, 0] != 9
    assert marked[:, 20:30].all() and marked.sum() == 300


def test_two_datasets_are_shown_side_by_side(tmp_path: pathlib.Path) -> None:
    ours = write(tmp_path / "a", {k: {"image": photo()} for k in ("x", "y")})
    other = write(tmp_path / "b", {"y": {"image": photo((200, 0, 0))}})
    with Viewer([ours, other]) as viewer:
        visitor = Visitor(viewer)
        page = visitor.text()
        assert page.count("dataset=1") == 1 and page.count("no such key there") == 1
        position = shardine.Dataset(ours).position("y")
        both = visitor.text(f"sample?split=train&position={position}")
        assert both.count("<section>") == 2
        red = visitor.image(dataset=1, split="train", position=0).convert("RGB")
        assert red.getpixel((5, 5))[0] > 150  # type: ignore[index]
    with pytest.raises(ValueError, match="one or two"):
        Viewer([ours, other, ours])


def test_findings_and_keys_that_are_not_utf_8_are_shown(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "out"
    with shardine.Writer(folder) as writer:
        writer.write({"image": photo()}, key=b"a\xff")
        writer.write({"image": photo()}, key="b", split="val")
        writer.write({"image": photo((1, 2, 3))}, key="c")
    with Viewer([folder]) as viewer:
        visitor = Visitor(viewer)
        leaking = visitor.text("?split=train&finding=leakage")
        assert "1 sample," in leaking and r"a\udcff" in leaking
        assert "1 sample," in visitor.text("?split=val&finding=leakage")
        assert "0 samples" in visitor.text("?split=train&finding=duplicate")
        assert "1 sample," in visitor.text("?split=train&key=a%ff")
        position = shardine.Dataset(folder, split="train").position("a\udcff")
        assert r"a\udcff" in visitor.text(f"sample?split=train&position={position}")


def test_a_damaged_image_is_said_and_the_rest_is_shown(tmp_path: pathlib.Path) -> None:
    folder = write(
        tmp_path / "out",
        {"bad": {"image": photo()[:40]}, "good": {"image": photo()}},
        check="none",
    )
    with Viewer([folder]) as viewer:
        visitor = Visitor(viewer)
        assert visitor.text().count("<figure>") == 2
        assert visitor.get("image?split=train&position=0")[0] == 404
        assert "Pillow" in visitor.text("sample?split=train&position=0")
        assert visitor.image(split="train", position=1).size == (40, 30)


def test_an_image_is_drawn_in_half_blocks() -> None:
    image = PIL.Image.new("RGB", (4, 3), (1, 2, 3))
    text = blocks(image, 80, 24)
    assert text.count("\N{UPPER HALF BLOCK}") == 8 and text.count("\n") == 2
    assert "\x1b[38;2;1;2;3m" in text
    wide = blocks(PIL.Image.new("RGB", (1000, 10)), 20, 5)
    assert max(line.count("\N{UPPER HALF BLOCK}") for line in wide.splitlines()) == 20


def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-B", "-m", "shardine.viewer", *arguments],
        capture_output=True,
        timeout=60,
    )


def test_the_program_draws_a_sample_in_the_terminal(packed: pathlib.Path) -> None:
    key = shardine.Dataset(packed).key(0)
    finished = run("0", key, str(packed))
    assert finished.returncode == 0, finished.stderr
    assert "\N{UPPER HALF BLOCK}".encode() in finished.stdout and key.encode() in finished.stdout
    missing = run("0", "no\x1b", str(packed))
    assert missing.returncode == 1 and b"\x1b" not in missing.stderr
    assert b"has no sample" in missing.stderr
    nowhere = run("0", "", str(packed / "nowhere"))
    assert nowhere.returncode != 0 and b"shardine: " in nowhere.stderr


def test_the_verb_serves_a_page_until_it_is_interrupted(packed: pathlib.Path) -> None:
    program = os.environ["SHARDINE"]
    own = {**os.environ, "SHARDINE_PYTHON": sys.executable}
    with subprocess.Popen(
        [program, "view", str(packed)], stdout=subprocess.PIPE, text=True, env=own
    ) as viewing:
        assert viewing.stdout is not None
        url = viewing.stdout.readline().strip()
        with urllib.request.urlopen(url, timeout=30) as page:
            assert b"24 samples" in page.read()
        viewing.send_signal(signal.SIGINT)
        assert viewing.wait(30) == 0
    refused = subprocess.run(
        [program, "view", str(packed), str(packed), "--terminal", "x"],
        capture_output=True,
        env=own,
    )
    assert refused.returncode == 2 and b"--terminal draws one sample" in refused.stderr
