"""The examples as their users run them: to the end; killed, and run again."""

import argparse
import os
import pathlib
import subprocess
from typing import Any

import pytest
import torch
from example_runs import EXAMPLES, Batch, epoch_of, recorded

PHOTOS = pathlib.Path(os.environ["PHOTOS"])
PHASES = """[{'ep': 0, 'sz': 32, 'bs': 2, 'trndir': '-sz/160'},
             {'ep': (0, 1), 'lr': (0.1, 0.2)}, {'ep': (1, 2), 'lr': 0.01},
             {'ep': 1, 'sz': 48, 'bs': 3, 'rect_val': True}]"""
WHOLE, CUT = "whole", "cut"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    out = tmp_path_factory.mktemp("data") / "out"
    subprocess.run(
        [os.environ["SHARDINE"], "pack", str(PHOTOS), str(out), "--seed=3"]
        + ["--split=train=0.7,validation=0.3", "--variants=original,sz/160"],
        check=True,
        capture_output=True,
    )
    return out


def train(
    data: pathlib.Path, folder: pathlib.Path, name: str, world: int = 1, die_at: int = 0
) -> list[Batch]:
    command = ["train_imagenet.py", str(data), "--model=tiny", "--phases", PHASES]
    command += ["--save-every=2", "--seed=5", f"--checkpoint={folder / 'run.pt'}"]
    command += [f"--results={folder / 'tsv'}", "--ema=0.9"]
    return recorded(command, folder, name, world, die_at)


def results(folder: pathlib.Path) -> list[list[str]]:
    """The results without the hours, which depend on the machine."""
    rows = [line.split("\t") for line in (folder / "tsv").read_text().splitlines()]
    assert rows[0] == ["epoch", "hours", "top1Accuracy", "top5Accuracy"]
    return [row[:1] + row[2:] for row in rows[1:]]


def saved(folder: pathlib.Path) -> dict[str, Any]:
    state: dict[str, Any] = torch.load(folder / "run.pt")
    return state


@pytest.fixture(scope="module")
def whole(
    data: pathlib.Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[pathlib.Path, list[Batch]]:
    """A run that nothing happened to: 8 steps of 2 and 5 of 3, of 17 samples."""
    folder = tmp_path_factory.mktemp(WHOLE)
    batches = train(data, folder, WHOLE)
    assert [len(sums) for *_, sums in batches] == [2] * 8 + [3] * 5
    assert [row[0] for row in results(folder)] == ["1", "2"]
    return folder, batches


# Deaths in the first epoch; in its validation, its last step saved; in the second.
@pytest.mark.parametrize("die_at", [4, 9, 12])
def test_a_run_that_was_killed_ends_as_if_it_were_not(
    data: pathlib.Path,
    whole: tuple[pathlib.Path, list[Batch]],
    tmp_path: pathlib.Path,
    die_at: int,
) -> None:
    folder, batches = whole
    killed = train(data, tmp_path, CUT, die_at=die_at)
    assert killed == batches[: {4: 4, 9: 8, 12: 11}[die_at]]
    resumed = train(data, tmp_path, "resumed")
    assert 0 < len(resumed) < len(batches)
    assert resumed == batches[-len(resumed) :]
    assert len(killed) + len(resumed) >= len(batches)
    assert results(tmp_path) == results(folder)
    for part in ("model", "average"):
        expected = saved(folder)[part]
        for name, value in saved(tmp_path)[part].items():
            assert torch.equal(value, expected[name]), name


def block(norms: int) -> Any:
    """Has the names of torchvision's blocks."""
    made = torch.nn.Module()
    for number in range(1, norms + 1):
        made.add_module(f"conv{number}", torch.nn.Conv2d(4, 4, 1, bias=False))
        made.add_module(f"bn{number}", torch.nn.BatchNorm2d(4))
    return made


def test_the_recipe_s_options_choose_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import train_imagenet as example

    model = torch.nn.Sequential(torch.nn.BatchNorm2d(4), block(2), block(3))
    assert example.zero_last_norms(model) == 2
    zero = [name for name, value in model.named_parameters() if not value.any()]
    assert [name for name in zero if "weight" in name] == ["1.bn2.weight", "2.bn3.weight"]
    assert example.zero_last_norms(example.build_model("tiny", 3)) == 0
    options = argparse.Namespace(no_bn_wd=True, weight_decay=1e-4)
    decayed, spared = example.groups_of(model, options)
    assert (decayed["weight_decay"], spared["weight_decay"]) == (1e-4, 0)
    assert len(decayed["params"]) == 5  # the convolutions
    assert len(spared["params"]) == 2 * 6
    options.no_bn_wd = False
    (every,) = example.groups_of(model, options)
    assert len(list(every["params"])) == 17


def test_a_run_takes_the_recipe_s_options(data: pathlib.Path, tmp_path: pathlib.Path) -> None:
    command = ["train_imagenet.py", str(data), "--model=tiny", "--phases", PHASES]
    command += ["--no-bn-wd", "--wd=0.5", "--label-smoothing=0", "--seed=5"]
    command += [f"--checkpoint={tmp_path / 'run.pt'}"]
    assert len(recorded(command, tmp_path, "recipe")) == 13
    groups = saved(tmp_path)["optimizer"]["param_groups"]
    assert [group["weight_decay"] for group in groups] == [0.5, 0]


def test_rates_of_epoch_step_are_those_of_whole_epochs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import train_imagenet as example

    line: dict[str, Any] = {"ep": (2, 6), "lr": (1.0, 0.0)}
    rates: list[dict[str, Any]] = [{"ep": 0, "lr": 0.5}, line]
    steps: list[dict[str, Any]] = [rates[0], {**line, "epoch_step": True}]
    for at, smooth, stepped in ((0.5, 0.5, 0.5), (2, 1.0, 1.0), (2.75, 0.8125, 1.0),
                                (3, 0.75, 0.75), (5.999, 0.00025, 0.25), (7, 0, 0)):
        assert example.learning_rate(rates, at) == pytest.approx(smooth)
        assert example.learning_rate(steps, at) == stepped


@pytest.mark.parametrize(("before", "after"), [(1, 2), (2, 1)])
def test_another_world_goes_on_with_the_same_samples_and_pixels(
    data: pathlib.Path,
    whole: tuple[pathlib.Path, list[Batch]],
    tmp_path: pathlib.Path,
    before: int,
    after: int,
) -> None:
    killed = train(data, tmp_path, CUT, before, die_at=4)
    state = saved(tmp_path)["batches"]
    until = (state["epoch"], state["position"])
    assert until == (0, 2 * 2 * before)  # two steps
    kept = [batch for batch in killed if batch[:2] <= until]
    resumed = train(data, tmp_path, "resumed", after)
    for epoch, size in ((0, 2), (1, 3)):
        step = size * after
        taken = epoch_of(kept + resumed, epoch)
        begun = until[1] if epoch == 0 else 0
        # Samples that fill no step of its world are left out.
        assert len(taken) == begun + (17 - begun) // step * step
        for image, expected in zip(taken, epoch_of(whole[1], epoch)):
            assert image == expected
    assert [row[0] for row in results(tmp_path)] == ["1", "2"]
