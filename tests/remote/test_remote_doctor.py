"""doctor() of a dataset on a server: facts of the server, and limits of an epoch."""

import json
import os
import pathlib
import shutil
import subprocess
from typing import Any

import pytest

import shardine
from shardine_program import run
from web_servers import asked_since, faulty, nginx

pytest_plugins = ["own_cache"]
SHARDINE = os.environ["SHARDINE"]
PHOTOS = pathlib.Path(__file__).parents[2] / "testdata" / "photos"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    root = tmp_path_factory.mktemp("root")
    subprocess.run([SHARDINE, "pack", PHOTOS, root / "set", "--shard-size=256K"],
                   check=True, capture_output=True)
    return root


def epoch_of(address: str, *options: str) -> dict[str, Any]:
    done = run("doctor", address, "--json", *options)
    assert done.returncode == 0, done.stderr
    epoch: dict[str, Any] = json.loads(done.stdout)["epoch"]
    return epoch


def row_of(epoch: dict[str, Any], reading: str) -> dict[str, Any]:
    rows = [each for each in epoch["rows"] if each["reading"] == reading
            and each["variant"] == "original"]
    assert len(rows) == 1
    row: dict[str, Any] = rows[0]
    return row


def test_the_latency_of_a_server_limits_few_requests(root: pathlib.Path) -> None:
    with faulty(root, "none", "--delay-ms=100") as address:
        epoch = epoch_of(f"{address}/set", "--remote-requests=4")
    assert epoch["server"]["requests"] == 4
    assert 0.1 <= epoch["server"]["latency"] < 1
    cold = row_of(epoch, "remote cold")
    assert cold["limit"] == "network latency" and not cold["estimated"]
    assert cold["images_per_second"] == pytest.approx(4 / epoch["server"]["latency"])
    assert epoch["rows"][epoch["now"]] == cold
    blocks = row_of(epoch, "remote cold, blocks")
    assert blocks["images_per_second"] > cold["images_per_second"]
    assert epoch["change"] == "blocks" and epoch["storage"] is None


def test_the_text_says_what_limits_and_what_to_change(root: pathlib.Path) -> None:
    with faulty(root, "none", "--delay-ms=100") as address:
        done = run("doctor", f"{address}/set", "--remote-requests=2")
    assert done.returncode == 0, done.stderr
    assert "limited by network latency (remote cold)\n" in done.stdout
    assert 'change: Loader(order="blocks"): ' in done.stdout


def test_a_folder_of_images_in_a_bucket_is_asked_for_its_files(
    tmp_path: pathlib.Path,
) -> None:
    shutil.copytree(PHOTOS, tmp_path / "bucket" / "photos")
    with faulty(tmp_path, "none", "--delay-ms=100") as address:
        epoch = epoch_of("s3://bucket/photos", f"--endpoint-url={address}",
                         "--no-sign-request", "--remote-requests=4")
    assert (epoch["samples"], epoch["split"]) == (24, "")
    assert epoch["server"]["latency"] >= 0.1
    cold = row_of(epoch, "remote cold")
    assert cold["limit"] == "network latency" and not cold["estimated"]
    assert row_of(epoch, "remote cold, blocks")["estimated"]
    assert epoch["change"] == "pack" and epoch["images"][0]["decoded_packed"] > 0


def test_a_cache_is_measured_where_samples_are_kept(
    root: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with nginx(root, tmp_path / "nginx") as address:
        none = epoch_of(f"{address}/set")
        # A look writes nothing.
        assert not (tmp_path / "cache").exists()
        done = run("cache", "prefetch", f"{address}/set", "--cache-size=1G")
        assert done.returncode == 0, done.stderr
        files = sorted((tmp_path / "cache").rglob("*"))
        kept = epoch_of(f"{address}/set")
    assert none["cache"] is None and row_of(none, "remote warm")["estimated"]
    assert kept["cache"]["seeks"] > 0 and kept["cache"]["sequential"] > 0
    assert not row_of(kept, "remote warm")["estimated"]
    assert sorted((tmp_path / "cache").rglob("*")) == files


def test_a_server_is_asked_for_little(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with nginx(root, tmp_path) as address:
        asked_since(tmp_path / "access.log")
        epoch = epoch_of(f"{address}/set")
        asked = asked_since(tmp_path / "access.log")
    assert all(rates["bytes"] > 0 for rates in epoch["images"])
    assert {method for method, _ in asked} <= {"GET", "HEAD"} and len(asked) < 200


def test_python_says_the_same(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with nginx(root, tmp_path) as address:
        epoch = shardine.doctor(f"{address}/set").epoch
    assert epoch is not None and epoch.server is not None and epoch.samples == 24
    assert [row.reading for row in epoch.rows[:3]] == [
        "remote cold", "remote cold, blocks", "remote warm"]
    assert all(row.images_per_second > 0 and row.hours > 0 for row in epoch.rows)


def test_what_is_no_dataset_or_no_server_is_an_error(
    root: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    with nginx(root, tmp_path) as address:
        missing = run("doctor", f"{address}/gone")
        shard = run("doctor", f"{address}/set/shardine.jsn")
    assert missing.returncode in (1, 6) and f"{address}/gone" in missing.stderr
    assert shard.returncode in (1, 6) and "shardine.jsn" in shard.stderr
    closed = run("doctor", "http://127.0.0.1:1/set", "--remote-patience=1")
    assert closed.returncode == 6 and "127.0.0.1:1" in closed.stderr
