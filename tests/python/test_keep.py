"""Datasets that are loaded while they are packed."""

import pathlib
import shutil
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

import shardine
from conftest import PHOTOS, in_a_fork, pack

LOADING: dict[str, Any] = {
    "batch_size": 2,
    "order": "blocks",
    "block": 3,
    "window": 2,
    "seed": 3,
    "transform": shardine.RandomResizedCrop(32),
}
PACKING: dict[str, Any] = {"shard_size": "128K", "seed": 5, "format": "webdataset"}
Epoch = list[tuple[list[int], list[int], bytes]]


def packed_here(tmp_path: pathlib.Path) -> pathlib.Path:
    shardine.pack(PHOTOS, tmp_path / "packed", **PACKING)
    return tmp_path / "packed"


def epoch(loader: shardine.Loader) -> Epoch:
    return [
        (batch.ids.tolist(), batch.labels.tolist(), batch.images.tobytes())
        for batch in loader
    ]


def files(folder: pathlib.Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_epochs_and_bytes_are_those_of_pack(tmp_path: pathlib.Path) -> None:
    packed = packed_here(tmp_path)
    keep = shardine.Keep(tmp_path / "out", **PACKING)
    loader = shardine.Loader(PHOTOS, keep=keep, **LOADING)
    reference = shardine.Loader(packed, **LOADING)
    for _ in range(3):
        assert epoch(loader) == epoch(reference)
        assert files(tmp_path / "out") == files(packed)
    assert shardine.verify(tmp_path / "out", level="deep").sound
    assert loader.dataset.classes == reference.dataset.classes
    assert shardine.Loader(PHOTOS, keep=keep, **LOADING).dataset.path == str(
        tmp_path / "out"
    )


def test_a_path_keeps_with_the_options_of_pack_by_default(tmp_path: pathlib.Path) -> None:
    loader = shardine.Loader(PHOTOS, keep=tmp_path / "out", batch_size=4, raw=True, seed=1)
    assert sum(len(batch) for batch in loader) == 24
    pack(PHOTOS, tmp_path / "packed")
    assert files(tmp_path / "out") == files(tmp_path / "packed")


def test_ranks_share_the_work(tmp_path: pathlib.Path) -> None:
    packed = packed_here(tmp_path)
    ranks: dict[str, Any] = {"world": 3, "nodes": 3, "last_batch": "short"}
    loaders = [
        shardine.Loader(PHOTOS, keep=shardine.Keep(tmp_path / "out", **PACKING),
                        rank=rank, **LOADING, **ranks)
        for rank in range(3)
    ]  # fmt: skip
    for rank, loader in enumerate(loaders):
        assert epoch(loader) == epoch(shardine.Loader(packed, rank=rank, **LOADING, **ranks))
    assert files(tmp_path / "out") == files(packed)


PROGRAM = """
import json, sys
import shardine
source, out, state, steps = sys.argv[1:]
keep = shardine.Keep(out, shard_size="128K", seed=5, format="webdataset")
loader = shardine.Loader(source, keep=keep, batch_size=2, order="blocks", block=3,
                         window=2, seed=3, transform=shardine.RandomResizedCrop(32))
for step, batch in zip(range(int(steps)), loader):
    print(json.dumps([batch.ids.tolist(), loader.state_dict()]), flush=True)
print("done", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("number", range(6))
def test_a_killed_start_goes_on(tmp_path: pathlib.Path, number: int) -> None:
    import json

    packed = packed_here(tmp_path)
    expected = [ids for ids, _, _ in epoch(shardine.Loader(packed, **LOADING))]
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, PHOTOS, tmp_path / "out", "", str(2 * number)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            if line == "done\n":
                break
            lines.append(json.loads(line))
        time.sleep(0.03 * number)
        process.send_signal(signal.SIGKILL)
    keep = shardine.Keep(tmp_path / "out", **PACKING)
    loader = shardine.Loader(PHOTOS, keep=keep, **LOADING)
    if lines:
        loader.load_state_dict(lines[-1][1])
    rest = [ids for ids, _, _ in epoch(loader)]
    assert [ids for ids, _ in lines] + rest == expected
    assert files(tmp_path / "out") == files(packed)


def test_a_loader_that_is_closed_leaves_the_rest_to_the_next(tmp_path: pathlib.Path) -> None:
    packed = packed_here(tmp_path)
    for _ in range(3):
        keep = shardine.Keep(tmp_path / "out", **PACKING)
        with shardine.Loader(PHOTOS, keep=keep, **LOADING) as loader:
            next(iter(loader))
    with shardine.Loader(PHOTOS, keep=keep, **LOADING) as loader:
        epoch(loader)
    assert files(tmp_path / "out") == files(packed)


def test_a_bad_image_ends_the_epoch_and_names_itself(tmp_path: pathlib.Path) -> None:
    tree = pathlib.Path(shutil.copytree(PHOTOS, tmp_path / "tree"))
    some = sorted(tree.rglob("*.JPEG"))[5]
    some.write_bytes(b"no image")
    loader = shardine.Loader(tree, keep=tmp_path / "out", batch_size=2, raw=True, seed=1)
    with pytest.raises(shardine.CorruptError) as caught:
        epoch_of = list(loader)
        assert not epoch_of
    assert caught.value.key == str(some.relative_to(tree))
    assert not (tmp_path / "out" / "shardine.json").exists()


def test_samples_that_changed_since_a_kill_are_refused(tmp_path: pathlib.Path) -> None:
    tree = pathlib.Path(shutil.copytree(PHOTOS, tmp_path / "tree"))
    with shardine.Loader(tree, keep=shardine.Keep(tmp_path / "out", **PACKING), rank=0,
                         world=2, batch_size=2, raw=True) as loader:  # fmt: skip
        next(iter(loader))
    some = sorted(tree.rglob("*.JPEG"))[0]
    shutil.copy(some, some.with_name("another.JPEG"))
    keep = shardine.Keep(tmp_path / "out", **PACKING)
    with pytest.raises(shardine.ChangedError, match="other samples"):
        shardine.Loader(tree, keep=keep, batch_size=2, raw=True)
    shardine.pack(tree, tmp_path / "out", **PACKING)
    assert len(shardine.Loader(tree, keep=keep, batch_size=2, raw=True).dataset) == 25


def test_ranks_that_are_not_there_are_warned_of(tmp_path: pathlib.Path) -> None:
    keep = shardine.Keep(tmp_path / "out", patience=0.5, **PACKING)
    loader = shardine.Loader(PHOTOS, keep=keep, rank=0, world=2, **LOADING)
    with pytest.warns(RuntimeWarning, match="other ranks have finished no shard"):
        epoch(loader)
    other = shardine.Loader(PHOTOS, keep=keep, rank=1, world=2, **LOADING)
    epoch(other)
    assert shardine.info(tmp_path / "out").samples == 24


def test_wrong_arguments_are_refused(tmp_path: pathlib.Path, packed: pathlib.Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(TypeError, match="keep: the samples come from"):
        shardine.Loader(shardine.Dataset(packed), keep=out, batch_size=2, raw=True)
    with pytest.raises(TypeError, match="unknown option shard_sise"):
        shardine.Keep(out, shard_sise="1M")  # type: ignore[call-arg]
    for options in (
        {"on_bad": "skip"}, {"replace": True}, {"variants": ["sz/16"]}, {"recode": "png"}
    ):
        keep = shardine.Keep(out, **options)
        with pytest.raises(ValueError):
            shardine.Loader(PHOTOS, keep=keep, batch_size=2, raw=True)
    with pytest.raises(ValueError, match="patience"):
        shardine.Keep(out, patience=-1)
    with pytest.raises(ValueError, match='no split "val"'):
        shardine.Loader(PHOTOS, keep=shardine.Keep(out, load_split="val"), batch_size=2,
                        raw=True)  # fmt: skip
    assert not out.exists()


def test_fields_of_shards_that_are_not_packed_are_those_of_the_dataset(
    tmp_path: pathlib.Path,
) -> None:
    tree = pathlib.Path(shutil.copytree(PHOTOS, tmp_path / "tree"))
    rows = ["file_name,score,places"]
    for number, photo in enumerate(sorted(tree.rglob("*.JPEG"))):
        photo.with_suffix(".txt").write_text(f"the {number}th, e\u0301")
        rows.append(f"{photo.relative_to(tree)},{number / 4},{number}")
    for other in [*tree.rglob("*.png"), *tree.rglob("*.jpg")]:
        other.unlink()
    (tree / "metadata.csv").write_text("\n".join(rows) + "\n")
    packing: dict[str, Any] = {**PACKING, "fields": {"caption": ".txt"}}
    shardine.pack(tree, tmp_path / "packed", **packing)
    loading: dict[str, Any] = {"batch_size": 1, "rank": 0, "world": 2, "seed": 1,
                               "raw": True, "fields": ["caption", "score", "places"]}
    keep = shardine.Keep(tmp_path / "out", patience=0.2, **packing)
    loader = shardine.Loader(tree, keep=keep, **loading)
    reference = shardine.Loader(tmp_path / "packed", **loading)

    def fields(of: shardine.Loader) -> list[Any]:
        return [
            (bytes(batch.fields["image"][0]), batch.fields["caption"][0],
             batch.fields["score"].tolist(), batch.fields["places"].tolist())
            for batch in of
        ]  # fmt: skip

    with pytest.warns(RuntimeWarning, match="other ranks"):
        kept = fields(loader)
    assert kept == fields(reference)
    assert loader.dataset.text_fields == reference.dataset.text_fields
    assert loader.dataset.keys == reference.dataset.keys
    assert loader.dataset.labels == reference.dataset.labels


def test_splits_are_packed_and_one_is_loaded(tmp_path: pathlib.Path) -> None:
    keep = shardine.Keep(tmp_path / "out", split={"train": 0.75, "val": 0.25},
                         load_split="val", seed=5)  # fmt: skip
    loader = shardine.Loader(PHOTOS, keep=keep, batch_size=1, raw=True, seed=1)
    assert sum(len(batch) for batch in loader) == 6
    assert shardine.Dataset(tmp_path / "out", split="train").splits == ["train", "val"]


def test_a_child_of_a_fork_leaves_the_packing_alone(tmp_path: pathlib.Path) -> None:
    loader = shardine.Loader(PHOTOS, keep=shardine.Keep(tmp_path / "out", **PACKING),
                             **LOADING)  # fmt: skip
    next(iter(loader))
    in_a_fork(loader.dataset.stop)
    epoch(loader)
    assert shardine.info(tmp_path / "out").samples == 24
