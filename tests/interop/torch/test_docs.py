"""The examples in docstrings of functions and classes that need torch."""

import doctest
import os
import pathlib
import subprocess
from typing import Any

import pytest
import torch

import shardine
import shardine.torch
import shardine.torch_samples

DOCUMENTED: list[Any] = [
    shardine.torch, shardine.torch.Accuracy, shardine.torch.CudaPrefetcher,
    shardine.torch_samples.TorchSamples, shardine.Dataset.as_torch,
    shardine.Selection.as_torch, shardine.torch.mixed,
]


@pytest.mark.parametrize("thing", DOCUMENTED, ids=lambda thing: thing.__qualname__ if hasattr(thing, "__qualname__") else "torch")
def test_the_example_runs(
    thing: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run([os.environ["SHARDINE"], "pack", os.environ["PHOTOS"],
                    str(tmp_path / "data")], check=True, capture_output=True)
    monkeypatch.chdir(tmp_path)
    found = doctest.DocTestFinder(recurse=False).find(
        thing, "example", globs={"shardine": shardine, "torch": torch})
    assert found and found[0].examples
    said: list[str] = []
    doctest.DocTestRunner().run(found[0], out=said.append)
    assert not said, "".join(said)


def test_every_name_of_it_has_an_example() -> None:
    named = {thing.__name__ for thing in DOCUMENTED}
    # torchvision's own tests run the example of tv_tensors.
    assert set(shardine.torch.__all__) <= named | {"tv_tensors"}
