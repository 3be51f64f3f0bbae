"""Errors give advice in Python's words, and the advice works."""

import errno
import pathlib
import re
import resource
import shutil
import sys
import tarfile
import warnings

import pytest
from conftest import PHOTOS

import shardine
from shardine.advice import BY_ERRNO, BY_MESSAGE, advice

PROGRAM = pathlib.Path(__file__).parents[2] / "tools" / "cli" / "advice.cc"


def test_the_program_advises_about_the_same_messages() -> None:
    table = PROGRAM.read_text().split("kCommandHelp[] = {")[1].split("};")[0]
    assert re.findall(r'^    \{"([^"]+)",', table, re.MULTILINE) == list(BY_MESSAGE)


def test_advice_is_about_names_that_are_there() -> None:
    for text in [*BY_MESSAGE.values(), *BY_ERRNO.values()]:
        assert "--" not in text
        for name in re.findall(r"shardine\.(\w+)\(", text):
            assert callable(getattr(shardine, name))


def test_nothing_is_advised_about_the_rest() -> None:
    assert advice("a", None, 0) is None
    assert advice("a", "out/.shardine/a.rec.sdx", errno.ENOENT) is not None
    assert advice("a", "out/a.rec", errno.ENOENT) is None


@pytest.fixture
def flat(tmp_path: pathlib.Path) -> pathlib.Path:
    return pathlib.Path(shutil.copytree(PHOTOS / "hounds", tmp_path / "flat"))


def test_folders_without_classes(flat: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with pytest.raises(shardine.ShardineError, match="; val_labels=FILE gives labels"):
        shardine.pack(flat, tmp_path / "out")
    names = sorted(each.name for each in flat.iterdir())
    (tmp_path / "val.txt").write_text("".join(f"{name} 3\n" for name in names))
    done = shardine.pack(flat, tmp_path / "a", val_labels=tmp_path / "val.txt")
    assert done.samples == len(names)
    assert shardine.pack(flat, tmp_path / "b", unlabelled=True).samples == len(names)


def test_images_between_the_class_folders(tmp_path: pathlib.Path) -> None:
    tree = pathlib.Path(shutil.copytree(PHOTOS, tmp_path / "tree"))
    shutil.copy(next((PHOTOS / "hounds").iterdir()), tree / "loose.jpg")
    try:
        samples = shardine.pack(tree, tmp_path / "out").samples
    except shardine.ShardineError as error:
        assert "; unlabelled=True takes them without" in str(error)
        samples = shardine.pack(tree, tmp_path / "out", unlabelled=True).samples
        assert samples == 25
    assert samples in (24, 25)


def test_a_list_of_files_elsewhere(tmp_path: pathlib.Path) -> None:
    tree = pathlib.Path(shutil.copytree(PHOTOS, tmp_path / "set" / "photos"))
    lists = tmp_path / "set" / "lists"
    lists.mkdir()
    (lists / "a.lst").write_text("0\t1\t../photos/hounds/made_gray.jpg\n")
    with pytest.raises(shardine.ShardineError, match="list_root= says where"):
        shardine.pack(lists, tmp_path / "out", list=lists / "a.lst")
    done = shardine.pack(
        tree.parent, tmp_path / "out", list=lists / "a.lst", list_root=lists)
    assert done.samples == 1


def test_classes_without_images(tmp_path: pathlib.Path) -> None:
    tree = pathlib.Path(shutil.copytree(PHOTOS, tmp_path / "tree"))
    (tree / "empty").mkdir()
    with pytest.raises(shardine.ShardineError, match='; empty_classes="keep" numbers'):
        shardine.pack(tree, tmp_path / "out")
    assert shardine.pack(tree, tmp_path / "a", empty_classes="keep").classes == 5
    assert shardine.pack(tree, tmp_path / "b", empty_classes="drop").classes == 4


def test_a_shard_in_place_of_a_dataset(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    shard = shutil.copy(next(packed.glob("*.rec")), tmp_path / "a.rec")
    with pytest.raises(shardine.NotFoundError, match=r"; shardine.index\(\) makes"):
        shardine.diff(shard, packed)
    made = shardine.index(shard, tmp_path / "out")
    assert shardine.diff(tmp_path / "out", packed).to_dict()
    assert made.samples > 0


def test_an_index_of_another_file(packed: pathlib.Path, tmp_path: pathlib.Path) -> None:
    shard = shutil.copy(next(packed.glob("*.rec")), tmp_path / "a.rec")
    (tmp_path / "a.idx").write_text("0\t0\n")
    with pytest.raises(shardine.ExistsError, match="; replace=True writes"):
        shardine.reindex(shard, native=True)
    assert shardine.reindex(shard, native=True, replace=True)[0].written


def test_tar_files_of_tar_files(tmp_path: pathlib.Path) -> None:
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    inner.mkdir()
    with tarfile.open(inner / "n01.tar", "w") as tar:
        for image in (PHOTOS / "hounds").iterdir():
            tar.add(image, image.name)
    with tarfile.open(tmp_path / "outer.tar", "w") as tar:
        tar.add(inner / "n01.tar", "n01.tar")
    with pytest.raises(shardine.ShardineError, match="; unpacked in a new folder"):
        shardine.index(tmp_path / "outer.tar", tmp_path / "out")
    outer.mkdir()
    with tarfile.open(tmp_path / "outer.tar") as tar:
        tar.extractall(outer)
    (outer / "n01").mkdir()
    with tarfile.open(outer / "n01.tar") as tar:
        tar.extractall(outer / "n01")
    (outer / "n01.tar").unlink()
    assert shardine.pack(outer, tmp_path / "out").samples == 6


def test_files_that_grow_too_large(tmp_path: pathlib.Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
    try:
        with pytest.raises(shardine.StorageError, match="give a smaller shard_size"):
            shardine.pack(PHOTOS, tmp_path / "out")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            done = shardine.pack(PHOTOS, tmp_path / "small", shard_size=100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert done.samples == 24 and shardine.verify(tmp_path / "small").sound


def test_sidecars_that_were_not_copied(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for file in packed.glob("[!.]*"):  # as `cp DIR/*` does
        if file.is_file():
            shutil.copy(file, other)
    with pytest.raises(shardine.NotFoundError, match="; copy the folder .shardine"):
        shardine.Dataset(other)[0]
    shutil.copytree(packed / ".shardine", other / ".shardine")
    assert len(list(shardine.Dataset(other))) == 24


def test_as_torch_without_torch_says_what_it_needs(
    packed: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)  # whether it is there or not
    for samples in (shardine.Dataset(packed), shardine.Dataset(packed)[0:3]):
        with pytest.raises(ImportError, match="^as_torch: needs PyTorch: "):
            samples.as_torch()
    with pytest.raises(ImportError, match='^arrays="torch": '):
        shardine.Loader(packed, batch_size=2, raw=True, arrays="torch")


@pytest.mark.parametrize("labels", [[[1], [2], [3, 4]], [[1, 2], [5]], [[1], [], [2]]])
def test_labels_of_several_numbers(
    tmp_path: pathlib.Path, labels: list[list[int]]
) -> None:
    """field report C6."""
    out, image = tmp_path / "out", next((PHOTOS / "hounds").iterdir())
    with shardine.Writer(out, format="tfrecord") as writer:
        for number, each in enumerate(labels):
            sample = {"image": image, **({"label": each} if each else {})}
            writer.write(sample, key=str(number))
    dataset, options = shardine.Dataset(out), {"batch_size": len(labels), "raw": True}
    match = r'labels, the first sample .*; Dataset.select\(where="labels = 1"\) takes'
    with pytest.raises(shardine.UnsupportedError, match=match):
        list(shardine.Loader(dataset, **options))  # type: ignore[arg-type]
    for count in {len(each) for each in labels}:
        chosen = dataset.select(where=f"labels = {count}")
        loader = shardine.Loader(chosen, last_batch="short", **options)  # type: ignore[arg-type]
        assert sum(len(batch) for batch in loader) == len(chosen) > 0
