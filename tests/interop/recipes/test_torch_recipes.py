"""The recipe for loops of one's own in PyTorch."""

import pathlib
from collections import Counter

import pytest
from watched_runs import (
    EPOCHS, STEPS, assert_ranks_share, pack_photos, plain_run, run_recipe, validation)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return pack_photos(tmp_path_factory.mktemp("torch"))


def test_killed_it_goes_on_after_its_checkpoint(folder: pathlib.Path) -> None:
    whole = plain_run(folder)
    (died,) = run_recipe(folder, "PyTorch", "died", die_at=2 * STEPS)
    assert died.train == whole[:2 * STEPS - 1]
    (resumed,) = run_recipe(folder, "PyTorch", "resumed")
    assert resumed.train == whole[STEPS + 5:]
    for taken in (died, resumed):
        for epoch in range(len(taken.val) // 2):
            batches = taken.val[2 * epoch:2 * epoch + 2]
            assert Counter(sum(batches, [])) == validation(folder)
    assert len(resumed.val) == 2 * (EPOCHS - 1)


def test_two_ranks_share_the_samples(folder: pathlib.Path) -> None:
    (folder / "checkpoint.pt").unlink(missing_ok=True)
    ranks = run_recipe(folder, "PyTorch", "ranks", world=2)
    assert_ranks_share(folder, ranks)
    validated = Counter(sum((batch for rank in ranks for batch in rank.val), []))
    assert validated == Counter({each: EPOCHS * times
                                 for each, times in validation(folder).items()})


def test_a_data_loader_hands_batches_on(folder: pathlib.Path) -> None:
    (taken,) = run_recipe(folder, "PyTorch", "data_loader", block=1)
    assert taken.train == plain_run(folder)
