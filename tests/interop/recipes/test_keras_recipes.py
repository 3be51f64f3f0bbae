"""The recipes for Keras 3 on JAX, and for JAX alone."""

import os
import pathlib
from collections import Counter
from typing import Any

os.environ["KERAS_BACKEND"] = "jax"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import keras
import numpy
import pytest
import recipe_blocks
from watched_runs import (
    BATCH, EPOCHS, MEAN, STD, STEPS, TRAIN, VAL, checksums, pack_photos, plain_run,
    validation)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return pack_photos(tmp_path_factory.mktemp("keras"))


class Watch(keras.layers.Layer):
    """Notes the inputs of steps, trained or not."""

    def __init__(self) -> None:
        super().__init__()
        self.noted: dict[bool, list[list[int]]] = {True: [], False: []}

    def call(self, images: Any, training: bool = False) -> Any:
        noted = self.noted[bool(training)]
        jax.debug.callback(lambda each: noted.append(checksums(each)), images, ordered=True)
        return images


class States(keras.callbacks.Callback):
    """The recipe's state after each step."""

    def __init__(self, names: dict[str, Any]) -> None:
        super().__init__()
        self.names = names
        self.states: list[Any] = []

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.states.append(self.names["place"].state)


def run(resume_from: Any = None) -> tuple[Watch, list[Any]]:
    """The recipe with a model of mean colours."""
    watch = Watch()
    model = keras.Sequential([keras.Input((224, 224, 3)), watch,
                              keras.layers.GlobalAveragePooling2D(),
                              keras.layers.Dense(TRAIN)])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("sgd", loss)
    names: dict[str, Any] = {"model": model, "resume_from": resume_from}
    states = States(names)
    names["callbacks"] = [states]
    recipe_blocks.run_block("Keras 3", names)
    jax.effects_barrier()
    return watch, states.states


def test_keras_goes_on_after_any_step(
    folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    whole, states = run()
    assert whole.noted[True] == plain_run(folder)
    assert len(states) == EPOCHS * STEPS
    for epoch in range(EPOCHS):
        batches = sum(whole.noted[False][2 * epoch:2 * epoch + 2], [])
        assert len(batches) == VAL and Counter(batches) == validation(folder)
    for taken in (STEPS + 3, 2 * STEPS):
        resumed, _ = run(states[taken - 1])
        assert resumed.noted[True] == whole.noted[True][taken:]


def test_a_loop_of_jax_gets_the_same_batches(
    folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    steps = []

    def step(weights: Any, images: Any, labels: Any) -> Any:
        assert isinstance(images, jax.Array) and labels.shape == (BATCH,)
        normalized = (numpy.asarray(images, "f4") - MEAN) / STD
        steps.append(checksums(normalized))
        return weights

    recipe_blocks.run_block("JAX and NumPy", {"step": step, "weights": None})
    assert steps == plain_run(folder)
