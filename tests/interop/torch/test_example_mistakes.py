"""The examples called as they are not meant: each says which option or file is
wrong, before anything is trained or written over."""

import os
import pathlib
import subprocess
import sys

import pytest
import torch
from example_runs import EXAMPLES
from test_cifar_and_simclr import archive  # noqa: F401  # fixtures
from test_examples import PHASES, data  # noqa: F401

import shardine

IMAGENET = ["--model=tiny", "--phases", PHASES]


def run(
    example: str, *arguments: object, world: int = 1
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ}
    if world > 1:
        environment |= {"RANK": "0", "WORLD_SIZE": str(world)}
    return subprocess.run(
        [sys.executable, "-B", str(EXAMPLES / example), *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_what_is_no_checkpoint_is_named_and_stays(
    data: pathlib.Path, tmp_path: pathlib.Path  # noqa: F811
) -> None:
    file = tmp_path / "run.pt"
    assert run("train_imagenet.py", data, *IMAGENET, "--checkpoint", file).returncode == 0
    good = file.read_bytes()
    torch.save({"encoder": {}}, tmp_path / "other.pt")
    other = (tmp_path / "other.pt").read_bytes()
    for content, *options in (
        (b"", ),
        (good[:1000], ),
        (good[: len(good) // 2], ),
        (bytes(range(256)) * 9, ),
        (other, ),
        (good, "--seed=9"),
        (good, "--ema=0.9"),
    ):
        file.write_bytes(content)
        done = run("train_imagenet.py", data, *IMAGENET, *options, "--checkpoint", file)
        assert done.returncode == 1
        assert f"{file}: no checkpoint of this run: " in done.stderr, done.stderr
        assert "Traceback" not in done.stderr
        assert file.read_bytes() == content


def test_averages_are_not_dropped_by_a_run_that_has_none(
    data: pathlib.Path, tmp_path: pathlib.Path  # noqa: F811
) -> None:
    arguments = [data, *IMAGENET, "--checkpoint", tmp_path / "run.pt"]
    assert run("train_imagenet.py", *arguments, "--ema=0.9").returncode == 0
    done = run("train_imagenet.py", *arguments)
    assert (done.returncode, done.stderr.count("KeyError('average')")) == (1, 1)


def test_a_checkpoint_that_cannot_be_written_is_no_surprise_later(
    data: pathlib.Path, tmp_path: pathlib.Path  # noqa: F811
) -> None:
    file = tmp_path / "nowhere" / "run.pt"
    done = run("train_imagenet.py", data, *IMAGENET, "--checkpoint", file)
    assert (done.returncode, done.stdout) == (1, "")
    assert str(file) in done.stderr


def test_phases_without_rates_are_no_training(data: pathlib.Path) -> None:  # noqa: F811
    done = run("train_imagenet.py", data, "--model=tiny",
               "--phases", "[{'ep': 0, 'sz': 32, 'bs': 2, 'trndir': '-sz/160'}]")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "--phases: no entry with an 'lr' says how long to train\n"


@pytest.mark.parametrize("example", ["train_cifar.py", "train_simclr.py"])
def test_numbers_that_make_no_sense_are_refused(example: str) -> None:
    for option in ("--epochs=0", "--batch-size=-1", "--save-every=0", "--save-every=x"):
        done = run(example, "out", option)
        assert done.returncode == 2
        assert f"argument {option.split('=')[0]}: invalid positive value" in done.stderr
    done = run(example, "out", "--batch-size=8", world=3)
    assert done.returncode == 2
    assert "--batch-size: no multiple of the 3 processes" in done.stderr


def test_a_run_that_was_killed_in_its_last_test_tests(
    archive: pathlib.Path, tmp_path: pathlib.Path  # noqa: F811
) -> None:
    arguments = [tmp_path / "out", f"--archive={archive}", "--width=2", "--epochs=1"]
    arguments += ["--batch-size=4"]
    arguments += ["--checkpoint", tmp_path / "run.pt"]
    first = run("train_cifar.py", *arguments).stdout.splitlines()[-1]
    again = run("train_cifar.py", *arguments).stdout
    tested = first.split(", ")[1]
    assert again == f"epoch 1: trained before, {tested}\n"
    assert tested.endswith(f"of {len(shardine.Dataset(tmp_path / 'out' / 'test'))}")
