"""The recipe for Accelerate."""

import pathlib

import pytest
from watched_runs import STEPS, assert_ranks_share, pack_photos, plain_run, run_recipe


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return pack_photos(tmp_path_factory.mktemp("accelerate"))


def test_it_goes_on_from_a_saved_state(folder: pathlib.Path) -> None:
    (whole,) = run_recipe(folder, "Accelerate", "whole")
    assert whole.train == plain_run(folder)
    (resumed,) = run_recipe(folder, "Accelerate", "resumed", arguments=["state-1-4"])
    assert resumed.train == whole.train[STEPS + 5:]


def test_two_ranks_share_the_samples(folder: pathlib.Path) -> None:
    assert_ranks_share(folder, run_recipe(folder, "Accelerate", "ranks", world=2))
