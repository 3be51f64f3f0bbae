"""Buckets that are not there, and names that look like typing errors."""

import pathlib
from collections.abc import Iterator

import pytest

import s3_servers
from s3_objects import there, using
from shardine_program import output, run

pytest_plugins = ["own_cache", "places"]
PHOTOS = pathlib.Path(__file__).parents[2] / "testdata" / "photos"
GONE = "s3://no-such-bucket/x"
READING = [["info", GONE], ["ls", GONE], ["verify", GONE], ["cat", GONE, "k"],
           ["extract", GONE, "OUT"], ["convert", GONE, "OUT"],
           ["merge", GONE, "SET", "OUT"], ["scan", GONE], ["list", GONE],
           ["pack", GONE, "OUT"], ["resize", GONE, "OUT", "--short-side=64"],
           ["diff", GONE, "SET"], ["bench", GONE], ["reindex", GONE],
           ["plan", "pack", GONE, "OUT", "--to=PLAN"]]
WRITING = [["pack", PHOTOS, GONE], ["convert", "SET", GONE], ["extract", "SET", GONE],
           ["merge", "SET", "SET", GONE, "--prefix={n}/"]]


@pytest.fixture(scope="module")
def moto(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service that makes no bucket when a client writes to it."""
    with s3_servers.moto(tmp_path_factory.mktemp("moto") / "own") as address:
        yield address


@pytest.mark.parametrize("command", READING + WRITING, ids=lambda words: str(words[0]))
def test_a_bucket_that_is_not_there_is_one_error(
    root: pathlib.Path, moto: str, tmp_path: pathlib.Path, command: list[str]
) -> None:
    """Field report D4, and its neighbours: one line names the bucket, no matter how
    many objects the command would read."""
    places = {"SET": str(root / "set"), "OUT": str(tmp_path / "out"),
              "--to=PLAN": f"--to={tmp_path / 'plan'}"}
    with using(moto):
        done = run(*[places.get(str(word), word) for word in command])
    assert done.returncode in (1, 6), done.stderr
    errors = [line for line in done.stderr.splitlines() if line.startswith("shardine: ")]
    assert len(errors) == 1, done.stderr
    assert "s3://no-such-bucket/x" in errors[0]
    assert "bucket" in errors[0].lower()
    assert not (tmp_path / "out").exists() or command[0] in ("pack", "convert", "merge")
    assert not (tmp_path / "out" / "shardine.json").exists()
    assert not (tmp_path / "plan").exists()


@pytest.mark.parametrize("name", ["/x", "a//x", "a/./x"])
def test_a_name_with_an_empty_part_is_a_name_of_its_own(
    root: pathlib.Path, weed: str, name: str
) -> None:
    """A name may be refused; the objects of another name are never taken for it."""
    with using(weed):
        packed = run("pack", PHOTOS, f"s3://data/{name}")
        plain = name.replace("//", "/").replace("/./", "/").lstrip("/")
        if packed.returncode != 0:
            assert f"s3://data/{name}" in packed.stderr
            assert there(weed, plain) == {}
            return
        assert "sound" in output("verify", f"s3://data/{name}")
        assert "24 samples" in output("info", f"s3://data/{name}")
        if there(weed, f"{name}/") == {}:
            # Written in one way, and read so.
            assert "24 samples" in output("info", f"s3://data/{plain}")
        else:
            assert run("info", f"s3://data/{plain}").returncode != 0
