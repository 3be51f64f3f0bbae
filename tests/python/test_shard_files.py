"""Shard files by patterns, and several of one name."""

import pathlib
import shutil
import subprocess

import pytest
from command_line import files_of
from conftest import SHARDINE

import shardine


@pytest.fixture
def folders(packed: pathlib.Path, tmp_path: pathlib.Path,
            monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """Folders of two sources, which both number their shards from 0."""
    for name in ("a", "b", "deep/a"):
        shardine.convert(packed, tmp_path / "made", format="webdataset", shards=2,
                         reshuffle=len(name))
        (tmp_path / name).mkdir(parents=True)
        for number, shard in enumerate(sorted((tmp_path / "made").glob("*.tar"))):
            shutil.copy(shard, tmp_path / name / f"{number:03}.tar")
        shutil.rmtree(tmp_path / "made")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.filterwarnings("ignore")
def test_shards_of_one_name_are_one_dataset(folders: pathlib.Path) -> None:
    """field report C12."""
    shards = [folders / name / "000.tar" for name in ("a", "b", "deep/a")]
    shardine.index(shards, "out")
    names = {path.name for path in (folders / "out" / ".shardine").iterdir()}
    assert {name.removesuffix(".sdx") for name in names} == {
        "deep%2Fa%2F000.tar", f"{folders.name}%2Fa%2F000.tar", "b%2F000.tar"}
    assert shardine.verify("out").sound
    assert len(shardine.Dataset("out")) == sum(len(shardine.Dataset(s)) for s in shards)
    shardine.reindex("out", entry_points="none")
    shardine.reindex("out")
    assert shardine.verify("out", level="deep").sound
    with pytest.raises(shardine.InvalidArgumentError, match="is given twice"):
        shardine.index(["a/000.tar", "b/../a/000.tar"], "twice")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("pattern", [
    "{a,b}/*.tar", "[ab]/*.tar", "{a,b}/{000..001}.tar", ["a/*.tar", "b/00{0,1}.tar"]])
def test_patterns_are_the_files_that_fit(
    folders: pathlib.Path, pattern: str | list[str]
) -> None:
    shards = [f"{folder}/{number:03}.tar" for folder in "ab" for number in range(2)]
    shardine.index(shards, "listed")
    shardine.index(pattern, "out")
    assert files_of(folders / "out") == files_of(folders / "listed")
    words = [pattern] if isinstance(pattern, str) else pattern
    for verb in ("index", "convert"):
        subprocess.run([SHARDINE, verb, *words, verb], check=True, capture_output=True)
    assert files_of(folders / "index") == files_of(folders / "listed")
    done = shardine.convert({"train": pattern}, "named", format="tfrecord")
    assert done.samples == 48


def test_a_pattern_that_fits_nothing_is_named(folders: pathlib.Path) -> None:
    with pytest.raises(shardine.NotFoundError, match=r"a/\*\.rec"):
        shardine.index("a/*.rec", "out")
    with pytest.raises(ValueError, match="^files: .*more than a million"):
        shardine.index("a/{0..9999999}.rec", "out")
    assert not (folders / "out").exists()
