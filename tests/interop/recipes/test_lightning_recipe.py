"""The recipe for Lightning."""

import pathlib
from collections import Counter

import pytest
import torch
from lightning_fabric.utilities import move_data_to_device
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
