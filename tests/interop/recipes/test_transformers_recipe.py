"""The recipe for the Trainer of transformers."""

import json
import pathlib
from collections import Counter

import pytest
from watched_runs import (
    BATCH, EPOCHS, STEPS, VAL, assert_ranks_share, pack_photos, plain_run, run_recipe,
    validation)

HEADING = "Hugging Face's Trainer"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return pack_photos(tmp_path_factory.mktemp("transformers"))


def evaluations(folder: pathlib.Path, checkpoint: str) -> list[int]:
    """Samples that compute_metrics() counted, by the trainer's log."""
    state = json.loads((folder / "runs" / checkpoint / "trainer_state.json").read_text())
    return [entry["eval_samples"] for entry in state["log_history"]
            if "eval_samples" in entry]


def test_it_goes_on_without_reading_again(folder: pathlib.Path) -> None:
    (whole,) = run_recipe(folder, HEADING, "whole")
    assert whole.train == plain_run(folder)
    assert evaluations(folder, f"checkpoint-{4 * 5}") == [VAL] * (EPOCHS - 1)
    for epoch in range(EPOCHS):
        batches = sum(whole.val[2 * epoch:2 * epoch + 2], [])
        assert len(batches) == 2 * BATCH
        assert Counter(batches[:VAL]) == validation(folder)
    (resumed,) = run_recipe(folder, HEADING, "resumed", arguments=["runs/checkpoint-10"])
    assert resumed.train == whole.train[10:]
    assert STEPS < 10 < 2 * STEPS


def test_two_ranks_share_the_samples(folder: pathlib.Path) -> None:
    ranks = run_recipe(folder, HEADING, "ranks", world=2)
    assert_ranks_share(folder, ranks)
    assert evaluations(folder, "checkpoint-5") == [VAL]
