"""The recipe for Accelerate."""

import pathlib
from collections import Counter

import accelerate
import pytest
import torch
from accelerate.utils import send_to_device
from torch.utils.data import DataLoader
from watched_runs import (
    BATCH, EPOCHS, STEPS, assert_ranks_share, pack_photos, plain_run, run_recipe, validation)

import shardine


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return pack_photos(tmp_path_factory.mktemp("accelerate"))


def test_it_goes_on_from_a_saved_state(folder: pathlib.Path) -> None:
    (whole,) = run_recipe(folder, "Accelerate", "whole")
    assert whole.train == plain_run(folder)
    (resumed,) = run_recipe(folder, "Accelerate", "resumed", arguments=["state-1-4"])
    assert resumed.train == whole.train[STEPS + 5:]


def test_two_ranks_share_the_samples(folder: pathlib.Path) -> None:
    ranks = run_recipe(folder, "Accelerate", "ranks", world=2)
    assert_ranks_share(folder, ranks)
    validated = Counter(sum((batch for rank in ranks for batch in rank.val), []))
    assert validated == Counter({each: EPOCHS * times
                                 for each, times in validation(folder).items()})


def test_a_loader_comes_back_from_prepare_and_tuples_are_moved(folder: pathlib.Path) -> None:
    loader = shardine.TrainLoader(
        shardine.Dataset(folder / "data", split="train"), batch_size=BATCH, arrays="torch",
        callback=tuple)
    assert accelerate.Accelerator(cpu=True).prepare(loader) is loader
    images, labels = send_to_device(next(iter(loader)), torch.device("meta"))
    assert images.is_meta and labels.is_meta


def test_first_batches_are_skipped_around_a_loader(folder: pathlib.Path) -> None:
    def load() -> shardine.TrainLoader:
        return shardine.TrainLoader(
            shardine.Dataset(folder / "data", split="train"), batch_size=BATCH, seed=1,
            arrays="torch", callback=tuple)

    skipped = accelerate.skip_first_batches(DataLoader(load(), batch_size=None), 5)
    expected = [labels.tolist() for _, labels in load()]
    assert len(expected) == STEPS
    assert [labels.tolist() for _, labels in skipped] == expected[5:]
    # A bare one is no DataLoader, and says which line is one.
    with pytest.raises(AttributeError, match=r"DataLoader\(loader, batch_size=None\) is a"):
        accelerate.skip_first_batches(load(), 5)
