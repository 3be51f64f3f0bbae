"""The recipe for timm's train.py, whose package lacks that program: timm_loop.py calls
for loaders as it does."""

import pathlib
import shutil
from collections import Counter

import old_torch  # noqa: F401
import pytest
import recipe_blocks
import torch
import watched_runs
from watched_runs import (
    BATCH, EPOCHS, HERE, STEPS, VAL, assert_ranks_share, pack_photos, run_recipe, validation)

import shardine

TRANSFORM = [shardine.RandomResizedCrop(224), shardine.ColorJitter(0.4, 0.4, 0.4)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = pack_photos(tmp_path_factory.mktemp("timm"))
    shutil.copy(HERE / "timm_loop.py", folder / "train.py")
    return folder


def test_resumed_it_goes_on_with_the_next_epoch(folder: pathlib.Path) -> None:
    (whole,) = run_recipe(folder, "timm", "whole")
    assert len(whole.train) == EPOCHS * STEPS
    for epoch in range(EPOCHS):
        taken = sum(whole.train[epoch * STEPS:(epoch + 1) * STEPS], [])
        loader = watched_runs.whole_epoch(folder, epoch, seed=42, transform=TRANSFORM)
        assert taken == loader[:STEPS * BATCH]
        batches = whole.val[2 * epoch:2 * epoch + 2]
        assert Counter(sum(batches, [])) == validation(folder)
    (resumed,) = run_recipe(
        folder, "timm", "resumed", arguments=["--resume", "output/checkpoint-0.pth.tar"])
    assert resumed.train == whole.train[STEPS:]


def test_two_ranks_share_the_samples(folder: pathlib.Path) -> None:
    ranks = run_recipe(folder, "timm", "ranks", world=2)
    assert_ranks_share(folder, ranks, seed=42, transform=TRANSFORM)
    for epoch in range(EPOCHS):
        validated = Counter(sum((rank.val[epoch] for rank in ranks), []))
        assert set(validated) == set(validation(folder))
        assert validated.total() == 2 * BATCH > VAL


def test_its_own_loader_reads_through_a_reader(
    folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    names = recipe_blocks.run_block("timm", {}, 1)
    dataset = names["dataset"]
    samples = shardine.Dataset("data", split="val", decode=True)
    assert len(dataset) == len(samples) == VAL
    for position, (image, target) in enumerate(samples):
        assert dataset[position] == (image, target)
        assert dataset.filename(position) == samples.key(position)
    loader = names["timm"].data.create_loader(
        dataset, (3, 64, 64), BATCH, num_workers=2, use_prefetcher=False)
    targets = torch.cat([targets for _, targets in loader]).tolist()
    assert targets == samples.targets


def test_augmentations_that_it_has_not_are_refused(folder: pathlib.Path) -> None:
    with pytest.raises(AssertionError, match="auto_augment: is not done by this loader"):
        run_recipe(folder, "timm", "refused", arguments=["--aa", "rand-m9"])
