"""A plugin: a dataset to be served, and a service behind a proxy."""

import pathlib
import subprocess
from collections.abc import Iterator

import pytest

import s3_proxy
import s3_servers
from s3_objects import using
from shardine_program import SHARDINE

PHOTOS = pathlib.Path(__file__).parents[2] / "testdata" / "photos"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    root = tmp_path_factory.mktemp("root")
    subprocess.run([SHARDINE, "pack", PHOTOS, root / "set", "--shard-size=256K"],
                   check=True, capture_output=True)
    return root


@pytest.fixture(scope="module")
def weed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The one that keeps all promises."""
    with s3_servers.seaweedfs(tmp_path_factory.mktemp("weed") / "own") as address:
        s3_servers.client(address).create_bucket(Bucket="data")
        yield address


@pytest.fixture
def proxy(weed: str) -> Iterator[s3_proxy.Proxy]:
    with s3_proxy.before(weed) as proxy, using(proxy.address):
        yield proxy
