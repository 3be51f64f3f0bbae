"""The verbs from Python make the program's output, and tell it as values."""

import os
import pathlib
import random
import shutil
import typing
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from command_line import described_options, drawn, files_of, json_of, run
from conftest import PHOTOS, damage

import shardine
import shardine.server_options
import shardine.verb_options
from shardine import outcome

PACK: dict[str, list[Any]] = {
    "format": ["tfrecord", "lmdb/datum", "webdataset", "recordio/mxnet"],
    "shards": [1, 3, 24],
    "seed": [0, 7, 2**64 - 1],
    "shuffle": [False],
    "suffix": [False],
    "label_offset": [1, -2],
    "min_per_class": [6],
    "split": [{"train": 0.75, "val": 0.25}, "train=0.5,test=0.5"],
    "hold_out": [2],
    "check": ["none", "decode"],
    "on_bad": ["skip", "keep"],
    "entry_points": ["none", "auto"],
    "space_check": [False],
    "jobs": [1, 2, 7],
}
SIZES: dict[str, list[Any]] = {
    "quality": [50, 95],
    "subsampling": ["444"],
    "optimize": [True],
    "filter": ["box", "lanczos"],
    "center_crop": [True],
    "color": ["gray", "color"],
    "upscale": [False],
    "exif": ["apply"],
    "keep_icc": [True],
}
CONVERT: dict[str, list[Any]] = {
    "format": ["tfrecord", "lmdb", "webdataset", "hdf5/fuel"],
    "shard_size": ["64K", 100_000],
    "reshuffle": [0, 3],
    "where": ["label < 2", "width > 100 and label != 0"],
    "limit": [1, 5],
    "split": ["train", ["train"], "train=0.6,val=0.4"],
    "entry_points": ["none"],
    "suffix": [False],
    "jobs": [1, 3],
}


@pytest.mark.parametrize("seed", range(12))
def test_pack_makes_the_bytes_that_the_program_makes(
    seed: int, tmp_path: pathlib.Path
) -> None:
    draw = random.Random(seed)
    options = drawn(draw, PACK, 6)
    if "hold_out" in options:
        options.pop("split", None)
    if draw.random() < 0.4:
        options["variants"] = draw.choice([["original", "sz/32"], "sz/24,sz/48"])
        options.update(drawn(draw, SIZES, 4))
    run("pack", PHOTOS, tmp_path / "program", **options)
    plan = shardine.plan_pack(PHOTOS, tmp_path / "package", **options)
    done = shardine.pack(PHOTOS, tmp_path / "package", **options)
    assert files_of(tmp_path / "package") == files_of(tmp_path / "program"), options
    assert sum(split.samples for split in plan.splits) == done.samples


@pytest.mark.parametrize("seed", range(10))
def test_convert_makes_the_bytes_that_the_program_makes(
    seed: int, packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    options = drawn(random.Random(seed), CONVERT, 5)
    run("convert", packed, tmp_path / "program", **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # values that only the sidecar index keeps
        shardine.convert(packed, tmp_path / "package", **options)
    assert files_of(tmp_path / "package") == files_of(tmp_path / "program"), options


def test_named_sources_are_splits_as_of_the_program(tmp_path: pathlib.Path) -> None:
    small = shutil.copytree(PHOTOS, tmp_path / "small")
    shutil.rmtree(small / "things")
    run("pack", f"train={PHOTOS}", f"val={small}", tmp_path / "program")
    sources: dict[str, str | pathlib.Path] = {"train": PHOTOS, "val": str(small)}
    done = shardine.pack(sources, os.fsencode(tmp_path / "package"))
    assert files_of(tmp_path / "package") == files_of(tmp_path / "program")
    found = shardine.verify(tmp_path / "package", against=sources)
    assert found.sound and found.samples == done.samples


def test_index_makes_the_bytes_that_the_program_makes(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    shards = [
        shutil.copy(shard, tmp_path / f"{number}.rec")
        for number, shard in enumerate(sorted(packed.glob("*.rec")))
    ]
    named = [f"val={shards[0]}", *(f"train={shard}" for shard in shards[1:])]
    run("index", *named, tmp_path / "program")
    given = {"val": shards[0], "train": shards[1:]}
    shardine.index(given, tmp_path / "package")
    assert files_of(tmp_path / "package") == files_of(tmp_path / "program")


def is_said(result: dict[str, Any], said: dict[str, Any]) -> bool:
    """Whether the program says the same, but for how long it took."""
    clocks = {"seconds", "samples_per_second", "bytes_per_second", "dry_run"}
    return all(result[name] == said[name] for name in said if name not in clocks)


def test_results_as_dicts_are_what_the_program_says_in_json(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    assert shardine.info(packed).to_dict() == json_of("info", packed)
    counted = shardine.info(packed, counts=True)
    assert counted.to_dict() == json_of("info", packed, counts=True)
    assert [sum(each.class_counts) for each in counted.splits] == [24]
    assert [each.name for each in counted.splits[0].fields] == ["image"]
    assert is_said(shardine.verify(packed).to_dict(), json_of("verify", packed))
    plan = shardine.plan_pack(PHOTOS, tmp_path / "out", variants="original,sz/8")
    said = json_of(
        "pack", PHOTOS, tmp_path / "out", "--dry-run", variants="original,sz/8"
    )
    said.pop("disk_free")
    assert said.pop("estimated_seconds") > 0
    assert plan.estimate_images == 24
    for each in said["ignored"]:
        each.setdefault("action", "")
    assert is_said(plan.to_dict(), said)
    shardine.pack(PHOTOS, tmp_path / "out")
    again = shardine.pack(PHOTOS, tmp_path / "out")
    said = json_of("pack", PHOTOS, tmp_path / "out")
    said.pop("not_compared")
    assert again.nothing_to_do and is_said(again.to_dict(), said)


def test_ls_lists_what_the_program_lists(packed: pathlib.Path) -> None:
    listed = list(shardine.ls(packed))
    dataset = shardine.Dataset(packed)
    assert [each.id for each in listed] == [each.id for each in dataset]
    for each in listed:
        content = (packed / each.shard).read_bytes()
        image = b"".join(content[at : at + size] for at, size in each.extents)
        assert image == (PHOTOS / each.key).read_bytes()
        assert len(image) == each.bytes


def test_ls_goes_through_more_samples_than_it_holds_at_a_time(tmp_path: pathlib.Path) -> None:
    source = tmp_path / "source"
    for number in range(5000):
        folder = source / str(number % 5)
        folder.mkdir(parents=True, exist_ok=True)
        os.link(_small_image(tmp_path), folder / f"{number}.jpg")
    shardine.pack(source, tmp_path / "out", shuffle=False)
    rows = shardine.ls(tmp_path / "out")
    first = next(rows)
    assert (first.id, first.key) == (0, "0/0.jpg")
    assert [each.id for each in rows] == list(range(1, 5000))
    with pytest.raises(StopIteration):
        next(rows)
    del rows
    left = shardine.ls(tmp_path / "out")
    next(left)  # and is left to itself, with a thread that waits


def _small_image(folder: pathlib.Path) -> pathlib.Path:
    image = folder / "small.jpg"
    if not image.exists():
        image.write_bytes((PHOTOS / "hounds" / "made_gray.jpg").read_bytes())
    return image


def test_ls_of_a_forked_process_says_so(packed: pathlib.Path) -> None:
    rows = shardine.ls(packed)
    child = os.fork()
    if child == 0:
        try:
            next(rows)
        except RuntimeError:
            del rows
            os._exit(0)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert len(list(rows)) == 24


def test_damage_is_a_finding_with_its_place(own_copy: pathlib.Path) -> None:
    sample = shardine.Dataset(own_copy)[3]
    shard = damage(own_copy, sample.image)
    found = shardine.verify(own_copy)
    assert not found.sound
    said = json_of("verify", own_copy)["findings"]
    assert [each.message for each in found.findings] == [s["message"] for s in said]
    mine = [each for each in found.findings if each.key is not None]
    assert mine[0].key == sample.key
    assert mine[0].code == "corrupt" and mine[0].path == str(shard)
    assert len(found.findings) == 1 and repr(found).endswith(", 1 finding)")


def test_what_a_result_warns_of_is_a_warning(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    with pytest.warns(UserWarning) as caught:
        done = shardine.convert(packed, tmp_path / "out", format="lmdb/datum")
    assert [str(each.message) for each in caught] == list(done.warnings)
    assert caught[0].filename == __file__


def test_repr_is_short_and_says_what_is_to_be_looked_at(
    tmp_path: pathlib.Path,
) -> None:
    source = shutil.copytree(PHOTOS, tmp_path / "photos")
    for name in ("a.jpg", "b.jpg"):
        (source / "hounds" / name).write_bytes(b"\xff\xd8")
    done = shardine.pack(source, tmp_path / "out", on_bad="skip")
    shown = f"output={str(tmp_path / 'out')!r}, format='recordio/mxnet'"
    assert repr(done) == f"PackResult({shown}, samples=24, shards=1, 2 rejected)"
    with pytest.warns(UserWarning):
        done = shardine.convert(tmp_path / "out", tmp_path / "lmdb", format="lmdb/datum")
    assert repr(done).endswith(", samples=24, shards=1, 1 warning)")


def results() -> Iterator[Any]:
    yield from outcome.KINDS.values()


@pytest.mark.parametrize("result", list(results()))
def test_results_are_frozen_and_documented(result: Any) -> None:
    assert result.__doc__ and result.__dataclass_params__.frozen


NAMES = {
    "pack": "PackOptions",
    "convert": "ConvertOptions",
    "verify": "VerifyOptions",
    "index": "IndexOptions",
    "merge": "MergeOptions",
    "relabel": "RelabelOptions",
    "reindex": "ReindexOptions",
    "resize": "ResizeOptions",
    "diff": "DiffOptions",
    "audit": "AuditOptions",
    "report": "ReportOptions",
    "card": "CardOptions",
    "scan": "ScanOptions",
    "extract": "ExtractOptions",
    "doctor": "DoctorOptions",
}
# Options that stand in the signature, or are of Python or of an exit code alone.
BESIDE = {"progress", "limit", "out", "to", "native", "replace", "fail_on"}


@pytest.mark.parametrize("verb", NAMES)
def test_every_option_of_the_program_has_its_name_and_words(verb: str) -> None:
    kind = getattr(shardine.verb_options, NAMES[verb])
    hints = typing.get_type_hints(kind)
    described = described_options(verb)
    if verb == "pack":
        described.pop("dry_run")  # it is plan_pack()
    for name in ("json", "help", "quiet", "version", "progress_json"):
        described.pop(name, None)
    # Said once for all verbs here, and by the environment.
    servers = set(typing.get_type_hints(shardine.server_options.RemoteOptions))
    assert servers - {"cache", "cache_size"} <= set(described)
    for name in (*servers, "remote_requests", "remote_patience"):
        described.pop(name, None)
    names = {name.removeprefix("no_") for name in described}
    extra = BESIDE if verb != "convert" else {"progress"}
    assert names - extra == set(hints) - extra
    for name, meta in described.items():
        if name in extra:
            continue
        words = _words(hints[name.removeprefix("no_")])
        if words:
            assert list(words) == meta.split("|"), name
        else:
            assert "|" not in meta or meta.startswith("none|"), name


def _words(hint: Any) -> tuple[str, ...]:
    """The words of a Literal, or of one that may be None, too."""
    if typing.get_origin(hint) is typing.Literal:
        return typing.get_args(hint)
    for part in typing.get_args(hint):
        if typing.get_origin(part) is typing.Literal:
            return typing.get_args(part)
    return ()


def test_the_native_side_reads_every_option_that_has_a_type(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    """Else one that is in the types alone would be passed over, or refused."""

    class Odd:
        def __repr__(self) -> str:
            return "<odd>"

    out = tmp_path / "o"
    operands: dict[str, tuple[Any, ...]] = {
        "pack": (PHOTOS, out),
        "convert": (packed, out),
        "verify": (packed,),
        "index": ([packed], out),
        "merge": ([packed, packed], out),
        "relabel": (packed, out, "list"),
        "reindex": (packed,),
        "resize": (PHOTOS, out),
        "diff": (packed, packed),
        "audit": (packed,),
        "report": (packed, out),
        "card": (packed, out),
        "scan": (PHOTOS,),
        "extract": (packed, out),
        "doctor": (packed,),
    }
    for verb, kind in NAMES.items():
        for option in getattr(shardine.verb_options, kind).__annotations__:
            options: dict[str, Any] = {option: Odd()}
            with pytest.raises(TypeError) as caught:
                getattr(shardine, verb)(*operands[verb], **options)
            assert option in str(caught.value) and "<odd>" in str(caught.value)
    assert not out.exists()
