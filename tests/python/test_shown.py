"""Representations of objects: a line, or some HTML, never the bytes."""

import base64
import dataclasses
import io
import pathlib
import re
import traceback
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from PIL import Image

import shardine
from shardine.outcome import KINDS


def images_of(page: str) -> list[Any]:
    found = re.findall('base64,([^"]+)"', page)
    return [Image.open(io.BytesIO(base64.b64decode(each))) for each in found]


def html_of(batch: Any) -> str:
    """Stubs have no name for this method."""
    return str(batch._repr_html_())


def load(packed: pathlib.Path, **options: Any) -> shardine.Loader:
    given: dict[str, Any] = {"batch_size": 5, "order": "sequential", **options}
    if not given.get("raw"):
        given.setdefault("transform", shardine.Resize((16, 24)))
    return shardine.Loader(packed, **given)


@pytest.mark.parametrize("layout", ["channels_last", "nhwc", "nchw"])
@pytest.mark.parametrize("dtype", ["uint8", "float32", "float16"])
def test_a_batch_is_a_line_and_a_grid_of_its_images(
    packed: pathlib.Path, layout: Any, dtype: Any
) -> None:
    std = (1.0, 1.0, 1.0) if dtype == "uint8" else (50.0, 50.0, 50.0)
    with load(packed, layout=layout, dtype=dtype, std=std) as loader:
        batch = next(iter(loader))
    sides = "5 x 16 x 24 x 3" if layout == "nhwc" else "5 x 3 x 16 x 24"
    line = f"<shardine.Batch: 5 samples of epoch 0, images {sides} {dtype}, labels 5 int64>"
    assert repr(batch) == line
    page = html_of(batch)
    assert line.replace("<", "&lt;").replace(">", "&gt;") in page
    shown = images_of(page)
    assert [image.size for image in shown] == [(24, 16)] * 5
    if dtype == "uint8":
        pixels = batch.images if layout == "nhwc" else batch.images.transpose(0, 2, 3, 1)
        assert all(map(numpy.array_equal, shown, pixels))


def test_a_batch_of_stored_images_shows_those_that_are_images(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    with load(packed, batch_size=20, raw=True) as loader:
        batch = next(iter(loader))
    assert repr(batch) == (
        "<shardine.Batch: 20 samples of epoch 0, labels 20 int64, image list of 20>"
    )
    page = html_of(batch)
    assert 0 < len(images_of(page)) <= 12
    assert max(max(image.size) for image in images_of(page)) <= 128
    with shardine.Writer(tmp_path / "out", format="webdataset") as writer:
        for n in range(3):
            writer.write({"points": numpy.zeros((n + 1, 2), "f4")})
    with shardine.Loader(
        tmp_path / "out", batch_size=3, fields=["points"], ragged="offsets"
    ) as points:
        batch = next(iter(points))
    assert "points ragged 12 float32" in repr(batch)
    assert images_of(html_of(batch)) == []


def test_a_dataset_shows_its_first_images_and_no_markup_of_names(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    dataset = shardine.Dataset(packed)
    page = dataset._repr_html_()
    assert len(images_of(page)) == 12
    assert "24 samples" in page
    with shardine.Writer(tmp_path / "<b>", format="webdataset") as writer:
        writer.write({"image": dataset[0].image}, key='"><script>')
        writer.write({"points": numpy.zeros(3)})
    page = shardine.Dataset(tmp_path / "<b>")._repr_html_()
    assert len(images_of(page)) == 1
    assert "<script>" not in page and "<b>" not in page


def test_a_long_list_of_shards_is_shown_by_its_first(packed: pathlib.Path) -> None:
    shards = sorted(packed.glob("*.rec"))
    dataset = shardine.Dataset(shards)
    shown = f"{str(shards[0])!r} and {len(shards) - 1} more"
    assert repr(dataset) == (
        f"<shardine.Dataset {shown}: split 'train', 'original', 24 samples>"
    )


def test_loaders_stats_and_writers_are_one_line(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    dataset = shardine.Dataset(packed)
    with load(packed) as loader:
        list(loader)
        stats = loader.stats()
        lines = [repr(loader), repr(stats), *map(repr, stats.stages)]
    phase = shardine.Phase(0, dataset, shardine.Resize(8), 4)
    with shardine.PhasedLoader([phase]) as phased:
        lines.append(repr(phased))
        assert "PhasedLoader: phase 0 of 1" in lines[-1]
    with shardine.Writer(tmp_path / "out") as writer:
        lines.append(repr(writer))
        writer.write({"image": dataset[0].image})
    lines += [repr(writer), repr(writer.result)]
    for line in lines:
        assert "\n" not in line and " at 0x" not in line and len(line) < 400, line
        assert line.startswith(("<shardine.", "Written(")), line


def test_no_result_of_a_verb_shows_a_long_list() -> None:
    """Each either shows chosen members, or has no tuple that can be long."""
    for kind in KINDS.values():
        shown = kind._shown  # type: ignore[attr-defined]
        names = [each.name for each in dataclasses.fields(kind)]
        assert set(shown) <= set(names), kind
        if len(names) > 7:
            assert 0 < len(shown) <= 7, kind


def of_the_traceback(made: Callable[[], object], kind: type) -> list[str]:
    """Lines of those that were about to be made when that failed."""
    with pytest.raises((TypeError, ValueError, shardine.ShardineError)) as failure:
        made()
    held = [frame.f_locals.get("self") for frame, _ in traceback.walk_tb(failure.tb)]
    return [repr(each) for each in held if isinstance(each, kind)]


def test_what_could_not_be_made_still_shows_itself_in_a_traceback(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    def refuse(each: Any) -> Any:
        return shardine.Loader(packed, batch_size=4, transform=each)

    # mypy knows that most of these cannot be.
    anything: Any = shardine
    refused: list[tuple[Callable[[], object], type]] = [
        (lambda: shardine.Dataset(tmp_path / "none"), shardine.Dataset),
        (lambda: anything.Dataset(3), shardine.Dataset),
        (lambda: refuse("no transform"), shardine.Loader),
        (lambda: shardine.TrainLoader(tmp_path, batch_size=4), anything.TrainLoader),
        (lambda: anything.ImageRecordIter("none.rec", (3, 8, 8), 4), anything.ImageRecordIter),
        (lambda: shardine.Mix([]), shardine.Mix),
        (lambda: shardine.Repeated(-1), shardine.Repeated),
        (lambda: anything.Weighted("no"), shardine.Weighted),
        (lambda: shardine.Writer(tmp_path, part=1), shardine.Writer),
        (lambda: anything.Writer(tmp_path, check="no"), shardine.Writer),
        (lambda: shardine.Writer(tmp_path / "new", format="no"), shardine.Writer),
        (lambda: shardine.PhasedLoader([]), shardine.PhasedLoader),
    ]
    for made, kind in refused:
        lines = of_the_traceback(made, kind)
        assert lines, kind
        assert all(line.startswith(f"<shardine.{kind.__name__}") for line in lines)
    # pytest's and rich's tracebacks with locals, and Python's own.
    try:
        shardine.Dataset(tmp_path / "none")
    except shardine.ShardineError as error:
        told = traceback.TracebackException.from_exception(error, capture_locals=True)
        assert "<shardine.Dataset: was not made>" in "".join(told.format())


HOSTILE = '"><script>alert(1)</script>\u202e\n' + "x" * (1 << 16)


def test_results_are_small_tables_without_markup_of_names(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    tree = tmp_path / '<img src="x">'
    (tree / "<b>").mkdir(parents=True)
    Image.new("RGB", (8, 8)).save(tree / "<b>" / "a.png")
    (tree / "<b>" / "<i>.jpg").write_bytes(b"no image")
    out = tmp_path / "out"
    shardine.pack(tree, out, on_bad="skip")
    results = [
        shardine.scan(tree),
        shardine.verify(out),
        shardine.info(out),
        shardine.info(packed),
        shardine.audit(out),
        shardine.card(out),
    ]
    for result in results:
        page = result._repr_html_()
        assert f"<b>shardine.{type(result).__name__}</b>" in page
        assert "<img" not in page and "<i>" not in page
        assert len(page) < 20_000
    assert "&lt;b&gt;" in results[2]._repr_html_()


def test_a_hostile_name_of_a_result_is_text(packed: pathlib.Path) -> None:
    info = shardine.info(packed)
    classes = tuple(dataclasses.replace(each, name=HOSTILE) for each in info.classes)
    page = dataclasses.replace(
        info, format=HOSTILE, classes=classes, text_fields=(HOSTILE,) * 50
    )._repr_html_()
    assert "<script" not in page and "\u202e" not in page and "\n" not in page
    assert "&lt;script&gt;" in page and "text_fields: 50, the first 10" in page
    assert len(page) < 30_000


def test_a_selection_and_stats_show_themselves_in_a_notebook(packed: pathlib.Path) -> None:
    page = shardine.Dataset(packed)[3:5]._repr_html_()
    assert len(images_of(page)) == 2 and "2 samples of" in page
    with load(packed) as loader:
        list(loader)
        page = html_of(loader.stats())
    assert "<th>stage</th>" in page and "bottleneck" in page
