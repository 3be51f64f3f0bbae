"""Machines that read parts of their own of each epoch."""

import pathlib
from typing import Any

import pytest

import shardine

VARIABLES = (
    "LOCAL_WORLD_SIZE OMPI_COMM_WORLD_LOCAL_SIZE MPI_LOCALNRANKS SLURM_STEP_NUM_NODES"
).split()
OPTIONS: dict[str, Any] = {"raw": True, "order": "blocks", "block": 2, "window": 2,
                           "last_batch": "short", "seed": 4}


@pytest.fixture(autouse=True)
def nobody_started_this(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def ids(loader: shardine.Loader) -> list[int]:
    return [int(id) for batch in loader for id in batch.ids]


def test_nodes_read_all_samples_once_and_go_on_in_another_world(
    packed: pathlib.Path,
) -> None:
    samples = len(shardine.Dataset(packed))
    whole: list[int] = []
    for rank in range(4):
        whole += ids(shardine.Loader(packed, batch_size=2, rank=rank, world=4, nodes=2, **OPTIONS))
    assert sorted(whole) == list(range(samples))
    seen: list[int] = []
    for rank in range(4):
        first = shardine.Loader(packed, batch_size=2, rank=rank, world=4, nodes=2, **OPTIONS)
        seen += [int(id) for _, batch in zip(range(1), first) for id in batch.ids]
        state = first.state_dict()
    assert state["nodes"] == 2 and state["node_samples"] == 4
    rest = shardine.Loader(packed, batch_size=3, **OPTIONS)
    rest.load_state_dict(state)
    assert sorted(seen + ids(rest)) == list(range(samples))
    assert "nodes" not in rest.state_dict()
    # Without the state's words on nodes the order differs.
    plain = {key: value for key, value in state.items() if "node" not in key}
    rest.load_state_dict(plain)
    assert sorted(seen + ids(rest)) != list(range(samples))


@pytest.mark.parametrize(
    ("said", "expected"),
    [("", 1), ("LOCAL_WORLD_SIZE=2", 3), ("OMPI_COMM_WORLD_LOCAL_SIZE=6", 1),
     ("MPI_LOCALNRANKS=1", 6), ("SLURM_STEP_NUM_NODES=2", 2)],
)
def test_launchers_say_how_many_nodes_there_are(
    packed: pathlib.Path, monkeypatch: pytest.MonkeyPatch, said: str, expected: int
) -> None:
    for pair in said.split():
        monkeypatch.setenv(*pair.split("="))

    def state_of(nodes: Any) -> dict[str, Any]:
        loader = shardine.Loader(packed, batch_size=1, rank=0, world=6, nodes=nodes, **OPTIONS)
        next(iter(loader))
        return loader.state_dict()

    assert state_of("auto") == state_of(expected)
    assert state_of("auto").get("nodes", 1) == expected


def test_nodes_that_make_no_sense_are_explained(
    packed: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match="nodes: 4; the world of 6 ranks"):
        shardine.Loader(packed, batch_size=1, rank=0, world=6, nodes=4, **OPTIONS)
    with pytest.raises(ValueError, match='"blocks" and "sequential" alone'):
        shardine.Loader(packed, batch_size=1, rank=0, world=6, nodes=2, raw=True)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "4")
    with pytest.raises(ValueError, match="LOCAL_WORLD_SIZE=4"):
        shardine.Loader(packed, batch_size=1, rank=0, world=6, nodes="auto", **OPTIONS)
    loader = shardine.Loader(packed, batch_size=1, **OPTIONS)
    with pytest.raises(ValueError, match="damaged"):
        loader.load_state_dict(loader.state_dict() | {"nodes": 3})
