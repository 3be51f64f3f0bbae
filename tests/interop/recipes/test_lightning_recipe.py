"""The recipe for Lightning."""

import pathlib
from collections import Counter
from typing import Any
from unittest import mock

import pytest
import pytorch_lightning
import torch
from lightning_fabric.utilities import move_data_to_device
from pytorch_lightning.tuner import Tuner
from recipe_blocks import run_block
from watched_runs import (
    BATCH, EPOCHS, STEPS, assert_ranks_share, pack_photos, plain_run, run_recipe, validation)

import shardine


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return pack_photos(tmp_path_factory.mktemp("lightning"))


def test_it_goes_on_from_each_checkpoint(folder: pathlib.Path) -> None:
    (whole,) = run_recipe(folder, "Lightning", "whole")
    assert whole.train == plain_run(folder)
    for epoch in range(EPOCHS):
        batches = whole.val[2 * epoch:2 * epoch + 2]
        assert Counter(sum(batches, [])) == validation(folder)
    checkpoint = "lightning_logs/version_0/checkpoints/epoch=1-step=10.ckpt"
    (resumed,) = run_recipe(folder, "Lightning", "resumed", arguments=[checkpoint])
    assert resumed.train == whole.train[10:]
    assert STEPS < 10 < 2 * STEPS
    # Without the validation of the epoch in which it began: see the page.
    assert resumed.val == whole.val[4:]


def test_two_ranks_share_the_samples(folder: pathlib.Path) -> None:
    ranks = run_recipe(folder, "Lightning", "ranks", world=2)
    assert_ranks_share(folder, ranks)
    validated = Counter(sum((batch for rank in ranks for batch in rank.val), []))
    assert validated == Counter({each: EPOCHS * times
                                 for each, times in validation(folder).items()})


def test_tuples_are_moved_to_the_device(folder: pathlib.Path) -> None:
    loader = shardine.TrainLoader(
        shardine.Dataset(folder / "data", split="train"), batch_size=BATCH, arrays="torch",
        callback=tuple)
    images, labels = move_data_to_device(next(iter(loader)), torch.device("meta"))
    assert images.is_meta and labels.is_meta


def test_an_empty_last_batch_counts_and_logs_no_nan() -> None:
    """Field reports, B16."""
    counting = run_block("Lightning", {}, 1)["Counting"]

    class Model(counting):  # type: ignore[misc,valid-type]
        def _register_sharded_tensor_state_dict_hooks_if_available(self) -> None:
            """Debian's PyTorch has hooks that its Python cannot import."""

        def forward(self, images: torch.Tensor) -> torch.Tensor:
            return torch.tensor([[1.0, 0, 0]]).repeat(len(images), 1)

        def log_dict(self, values: dict[str, float]) -> None:
            self.logged = values

    model = Model()
    model.on_validation_epoch_start()
    for number, samples in enumerate((3, 0)):
        labels = torch.zeros(samples, dtype=torch.int64)
        model.validation_step((torch.zeros(samples, 3, 8, 8), labels), number)
    model.on_validation_epoch_end()
    assert model.logged == {"samples": 3, "top1": 1.0}


def test_a_tuner_finds_the_batch_size_of_the_loaders(
    folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Field reports, B17: the loaders are made of batch_size when they are asked for."""
    trainer = pytorch_lightning.Trainer
    monkeypatch.setattr(pytorch_lightning, "Trainer", mock.MagicMock())
    photos = run_block("Lightning", {"model": None})["Photos"]
    monkeypatch.setattr(pytorch_lightning, "Trainer", trainer)
    monkeypatch.chdir(folder)
    sizes: set[int] = set()

    class Model(pytorch_lightning.LightningModule):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(1))

        def _register_sharded_tensor_state_dict_hooks_if_available(self) -> None:
            """Debian's PyTorch has hooks that its Python cannot import."""

        def training_step(self, batch: Any, index: int) -> Any:
            sizes.add(len(batch[1]))
            return self.weight.sum()

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.01)

    tuned = photos("data", batch_size=2)
    tuner = Tuner(trainer(max_epochs=1, accelerator="cpu", logger=False,
                          num_sanity_val_steps=0, limit_val_batches=0,
                          enable_progress_bar=False, use_distributed_sampler=False))
    found = tuner.scale_batch_size(Model(), datamodule=tuned, steps_per_trial=1,
                                   max_trials=2, init_val=4)
    assert found == tuned.batch_size
    assert 8 in sizes  # twice the first
