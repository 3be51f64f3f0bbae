"""Photos in a bucket that are loaded while they are packed here: moto."""

import contextlib
import pathlib
from typing import Any

import s3_servers
import shardine
from places import PHOTOS
from s3_objects import here, using

pytest_plugins = ["own_cache"]
PACKING: dict[str, Any] = {"shard_size": "128K", "seed": 5, "format": "webdataset"}
LOADING: dict[str, Any] = {"batch_size": 2, "order": "blocks", "block": 3, "window": 2,
                           "seed": 3, "transform": shardine.RandomResizedCrop(32)}


def epoch(loader: shardine.Loader) -> list[tuple[list[int], bytes]]:
    return [(batch.ids.tolist(), batch.images.tobytes()) for batch in loader]


def test_a_bucket_is_loaded_and_kept(tmp_path: pathlib.Path) -> None:
    shardine.pack(PHOTOS, tmp_path / "packed", **PACKING)
    with contextlib.ExitStack() as stack:
        address = stack.enter_context(s3_servers.moto(tmp_path / "service"))
        s3_servers.upload(address, PHOTOS, "photos/")
        stack.enter_context(using(address))
        keep = shardine.Keep(tmp_path / "out", **PACKING)
        with shardine.Loader("s3://data/photos", keep=keep, **LOADING) as killed:
            next(iter(killed))
        loader = shardine.Loader("s3://data/photos", keep=keep, **LOADING)
        reference = shardine.Loader(tmp_path / "packed", **LOADING)
        assert epoch(loader) == epoch(reference)
        assert epoch(loader) == epoch(reference)
    made = here(tmp_path / "out")
    packed = here(tmp_path / "packed")
    del made["shardine.json"], packed["shardine.json"]  # has the source's name
    assert made == packed
