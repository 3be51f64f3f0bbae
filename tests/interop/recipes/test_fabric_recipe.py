"""The recipe for Fabric."""

import pathlib
from typing import Any

import lightning_fabric
import numpy
import pytest
from recipe_blocks import run_block
from watched_runs import BATCH, STEPS, pack_photos

import shardine


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return pack_photos(tmp_path_factory.mktemp("fabric"))


def plain(folder: pathlib.Path, epoch: int, **options: Any) -> list[Any]:
    """Labels of each batch as a plain loop gets them."""
    loader = shardine.TrainLoader(
        shardine.Dataset(folder / "data", split="train"), batch_size=BATCH, seed=1, **options)
    loader.set_epoch(epoch)
    return [batch.labels.tolist() for batch in loader]


def test_fabric_delivers_each_epoch(
    folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    made = run_block("Fabric", {})
    assert len(made["batches"]) == STEPS
    assert made["labels"].tolist() == plain(folder, 0)[-1]
    # The block had epoch 0.
    for epoch in (1, 2):
        taken = [labels.tolist() for _, labels in made["batches"]]
        assert taken == plain(folder, epoch)
    images, _ = next(iter(made["batches"]))
    assert numpy.asarray(images).shape == (BATCH, 3, 224, 224)


def test_fabric_alone_refuses_what_is_no_data_loader(folder: pathlib.Path) -> None:
    loader = shardine.TrainLoader(
        shardine.Dataset(folder / "data", split="train"), batch_size=BATCH)
    fabric = lightning_fabric.Fabric(accelerator="cpu", devices=1)
    with pytest.raises(TypeError, match="Only PyTorch DataLoader"):
        fabric.setup_dataloaders(loader)
