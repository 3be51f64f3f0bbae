"""The recipe for Lightning."""

import pathlib
from collections import Counter

import pytest
from watched_runs import (
    EPOCHS, STEPS, assert_ranks_share, pack_photos, plain_run, run_recipe, validation)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return pack_photos(tmp_path_factory.mktemp("lightning"))


def test_it_goes_on_from_each_checkpoint(folder: pathlib.Path) -> None:
    (whole,) = run_recipe(folder, "Lightning", "whole")
    assert whole.train == plain_run(folder)
    for epoch in range(EPOCHS):
        batches = whole.val[2 * epoch:2 * epoch + 2]
        assert Counter(sum(batches, [])) == validation(folder)
    checkpoint = "checkpoints/epoch=1-step=10.ckpt"
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
