"""The cache of servers' answers: companions as a whole, and nothing twice."""

import os
import pathlib
import subprocess
from collections import Counter
from collections.abc import Iterator

import pytest

import shardine
from web_servers import asked_since, nginx

pytest_plugins = ["own_cache"]
SHARDINE = os.environ["SHARDINE"]
PHOTOS = pathlib.Path(__file__).parents[2] / "testdata" / "photos"


@pytest.fixture
def root(tmp_path: pathlib.Path) -> pathlib.Path:
    subprocess.run([SHARDINE, "pack", PHOTOS, tmp_path / "root" / "set", "--shard-size=256K"],
                   check=True, capture_output=True)
    return tmp_path / "root"


@pytest.fixture
def address(root: pathlib.Path, tmp_path: pathlib.Path) -> Iterator[str]:
    with nginx(root, tmp_path / "server") as address:
        yield f"{address}/set"


def requests(tmp_path: pathlib.Path) -> Counter[str]:
    """How many there were of each file, since this was asked last."""
    return Counter(path.rsplit("/", 1)[-1]
                   for _, path in asked_since(tmp_path / "server" / "access.log"))


def shards(root: pathlib.Path) -> list[str]:
    return sorted(path.name for path in (root / "set").glob("*.rec"))


def test_a_companion_takes_one_request(
    root: pathlib.Path, address: str, tmp_path: pathlib.Path
) -> None:
    names = shards(root)
    assert len(names) > 1
    local = [sample.image for sample in shardine.Dataset(root / "set")]
    dataset = shardine.Dataset(address, cache="off")
    assert [sample.image for sample in dataset] == local
    for _ in range(2):
        seen = requests(tmp_path)
        assert {seen[f"{name}.sdx"] for name in names} == {1}, seen
        loader = shardine.Loader(shardine.Dataset(address, cache="off"), batch_size=8,
                                 transform=shardine.RandomResizedCrop(32))
        assert len(list(loader)) == len(local) // 8
    seen = requests(tmp_path)
    assert {seen[f"{name}.sde"] for name in names} == {1}, seen


@pytest.mark.parametrize("change", ["flip", "cut", "another"])
def test_a_companion_that_lies_is_an_error_that_names_it(
    root: pathlib.Path, address: str, change: str
) -> None:
    wanted = [sample.image for sample in shardine.Dataset(root / "set")]
    folder = root / "set" / ".shardine"
    first, second = (folder / f"{name}.sdx" for name in shards(root)[:2])
    good = first.read_bytes()
    first.write_bytes({"flip": good[:-9] + bytes([good[-9] ^ 1]) + good[-8:],
                       "cut": good[:-1], "another": second.read_bytes()}[change])
    dataset = shardine.Dataset(address, cache="off")
    with pytest.raises(shardine.CorruptError, match="manifest says") as error:
        dataset[0]
    assert f"{address}/.shardine/{first.name}" in str(error.value)
    # Samples of other shards are read, and these when the file is right again.
    assert dataset[-1].image == wanted[-1]
    first.write_bytes(good)
    assert [sample.image for sample in dataset] == wanted


def test_entry_points_that_lie_change_no_pixel(root: pathlib.Path, address: str) -> None:
    def pixels(path: str) -> list[bytes]:
        return [batch.images.tobytes() for batch in shardine.Loader(
            shardine.Dataset(path, cache="off"), batch_size=8, transform=shardine.RandomResizedCrop(32))]

    wanted = pixels(str(root / "set"))
    for name in shards(root):
        file = root / "set" / ".shardine" / f"{name}.sde"
        file.write_bytes(bytes(file.stat().st_size))
    assert pixels(address) == wanted


def test_verbs_that_read_samples_ask_for_each_sidecar_once(
    root: pathlib.Path, address: str, tmp_path: pathlib.Path, own_cache: pathlib.Path
) -> None:
    key = shardine.Dataset(root / "set").key(3)
    for _ in range(2):
        for verb in (["ls", address], ["cat", address, key],
                     ["extract", address, tmp_path / "files"],
                     ["convert", address, tmp_path / "other", "--format=lmdb"]):
            subprocess.run([SHARDINE, *verb], check=True, capture_output=True)
    seen = requests(tmp_path)
    assert {seen[f"{name}.sdx"] for name in shards(root)} == {1}, seen
    # A look for damage is one at the server.
    subprocess.run([SHARDINE, "verify", address], check=True, capture_output=True)
    assert all(requests(tmp_path)[f"{name}.sdx"] for name in shards(root)[:1])
    assert (own_cache / "shardine" / "datasets").is_dir()
