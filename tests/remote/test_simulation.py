"""A simulation's figures for an epoch equal the epoch's requests to a server."""

import json
import os
import pathlib
import subprocess
import time
from typing import Any

import pytest

import shardine
from web_servers import asked_since, nginx

pytest_plugins = ["own_cache"]
SHARDINE = os.environ["SHARDINE"]
PHOTOS = pathlib.Path(__file__).parents[2] / "testdata" / "photos"
EPOCHS = 8
SHUFFLE: dict[str, Any] = {"order": "shuffle"}
BLOCKS: dict[str, Any] = {"order": "blocks", "block": 4, "window": 1}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    root = tmp_path_factory.mktemp("root")
    subprocess.run([SHARDINE, "pack", PHOTOS, root / "set", "--shard-size=512K"],
                   check=True, capture_output=True)
    return root


def simulated(path: pathlib.Path, **options: object) -> dict[str, Any]:
    """The epochs after the first: every sidecar is there. Their sums."""
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()
             if value is not True]
    flags += [f"--{name.replace('_', '-')}" for name, value in options.items()
              if value is True]
    done = subprocess.run([SHARDINE, "simulate", path, "--json", "--batch-size=4",
                           f"--epochs={EPOCHS + 1}", *flags],
                          check=True, capture_output=True)
    epochs = json.loads(done.stdout)["epochs"][1:]
    return {name: sum(epoch[name] for epoch in epochs)
            for name in ("requests", "samples", "bytes")}


def measured(address: str, log: pathlib.Path, ranks: int, **options: Any) -> int:
    """Requests for samples that ranks send in epochs after the first, each by itself."""
    requests = 0
    for rank in range(ranks):
        loader = shardine.Loader(shardine.Dataset(address), raw=True, batch_size=4,
                                 readers=1, prefetch=1, rank=rank, world=ranks, **options)
        for _ in loader:
            pass
        asked_since(log)
        for _ in range(EPOCHS):
            for _ in loader:
                time.sleep(0.05)
        requests += sum(path.endswith(".rec") for _, path in asked_since(log))
        loader.close()
    return requests


def test_a_shuffled_epoch_takes_a_request_a_sample(
    root: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    with nginx(root, tmp_path) as address:
        requests = measured(f"{address}/set", tmp_path / "access.log", 1, **SHUFFLE)
    expected = simulated(root / "set", **SHUFFLE)
    # Neighbours in a batch come together.
    assert 0.75 * expected["requests"] < requests < 1.25 * expected["requests"]


@pytest.mark.parametrize("nodes", [1, 2])
def test_an_epoch_in_blocks_takes_as_many_requests_as_simulated(
    root: pathlib.Path, tmp_path: pathlib.Path, nodes: int
) -> None:
    with nginx(root, tmp_path) as address:
        requests = measured(f"{address}/set", tmp_path / "access.log", 2, nodes=nodes, **BLOCKS)
    parts = {"node_parts": True} if nodes > 1 else {}
    expected = simulated(root / "set", nodes=2, **BLOCKS, **parts)
    samples = expected["samples"]
    # A window that readers come to before it was asked for costs more.
    assert 0.5 * expected["requests"] < requests < samples * 0.7
    assert expected["requests"] < samples * 0.6


def test_bytes_are_those_of_the_shards(root: pathlib.Path) -> None:
    size = sum(path.stat().st_size for path in (root / "set").glob("*.rec"))
    for options in (SHUFFLE, BLOCKS):
        epoch = simulated(root / "set", **options)
        delivered = epoch["samples"] / len(shardine.Dataset(root / "set"))
        assert 0.9 * size * delivered < epoch["bytes"] < 1.1 * size * EPOCHS
