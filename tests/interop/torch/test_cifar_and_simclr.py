"""The examples of one phase as their users run them: to the end; killed, and run
again, in the same world and in another."""

import io
import itertools
import os
import pathlib
import subprocess
import tarfile

import numpy
import pytest
import shardine
import torch
from example_runs import Batch, epoch_of, recorded
from PIL import Image

PHOTOS = pathlib.Path(os.environ["PHOTOS"])
NAMES = [f"data_batch_{number}.bin" for number in range(1, 6)] + ["test_batch.bin"]
CLASSES = ["plane", "car", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "van"]
EACH = 4  # records of a file of the archive, where CIFAR-10 has 10,000


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """An archive in the form of https://www.cs.toronto.edu/~kriz/cifar.html: each
    record has one byte of label and three planes of 32 x 32."""
    path = tmp_path_factory.mktemp("cifar") / "cifar-10-binary.tar.gz"
    random = numpy.random.default_rng(1)
    members = {"batches.meta.txt": ("\n".join(CLASSES) + "\n\n").encode()}
    for name in NAMES:
        records = random.integers(0, 256, (EACH, 3073), "u1")
        records[:, 0] = random.integers(0, len(CLASSES), EACH)
        members[name] = records.tobytes()
    with tarfile.open(path, "w:gz") as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(f"cifar-10-batches-bin/{name}")
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return path


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    out = tmp_path_factory.mktemp("photos") / "out"
    command = [os.environ["SHARDINE"], "pack", str(PHOTOS), str(out)]
    subprocess.run([*command, "--variants=sz/160"], check=True, capture_output=True)
    return out


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Trees of 32 x 32 pixels, 20 in each of two classes."""
    folder = tmp_path_factory.mktemp("pictures")
    noise = numpy.random.default_rng(3)
    for split, name, n in itertools.product(("train", "test"), "ab", range(20)):
        (folder / split / name).mkdir(parents=True, exist_ok=True)
        pixels = noise.integers(0, 256, (32, 32, 3), numpy.uint8)
        Image.fromarray(pixels).save(folder / split / name / f"{n}.png")
    return folder


@pytest.fixture(params=["cifar", "kept", "simclr"])
def command(
    request: pytest.FixtureRequest, archive: pathlib.Path, photos: pathlib.Path,
    pictures: pathlib.Path, tmp_path: pathlib.Path,
) -> list[str]:
    """An example with two epochs of at least four steps of four samples."""
    usual = ["--epochs=2", "--batch-size=4", "--save-every=2", "--seed=5"]
    usual += [f"--checkpoint={tmp_path / 'run.pt'}"]
    if request.param == "cifar":
        data = ["train_cifar.py", str(archive.parent / "out"), f"--archive={archive}"]
        return [*data, "--width=2", *usual]
    if request.param == "kept":
        return ["train_cifar.py", str(pictures), f"--keep={tmp_path / 'kept'}", "--width=2",
                *usual]
    return ["train_simclr.py", str(photos), "--variant=sz/160", "--model=tiny", "--size=32",
            *usual]


def weights(folder: pathlib.Path) -> dict[str, torch.Tensor]:
    state = torch.load(folder / "run.pt")
    return dict(state["model"] if "model" in state else state["encoder"])


def whole(command: list[str], folder: pathlib.Path) -> tuple[list[Batch], dict[str, torch.Tensor]]:
    """A run that nothing happened to."""
    batches = recorded(command, folder, "whole")
    trained = weights(folder)
    (folder / "run.pt").unlink()
    assert {batch[0] for batch in batches} == {0, 1, 2}  # the last is behind its epoch
    assert len(batches) % 2 == 0 and len(batches) >= 8
    return batches, trained


def test_a_run_that_was_killed_ends_as_if_it_were_not(
    command: list[str], tmp_path: pathlib.Path
) -> None:
    batches, trained = whole(command, tmp_path)
    killed = recorded(command, tmp_path, "cut", die_at=4)
    assert killed == batches[:4]
    resumed = recorded(command, tmp_path, "resumed")
    assert 0 < len(resumed) < len(batches)
    assert resumed == batches[-len(resumed) :]
    assert len(killed) + len(resumed) >= len(batches)
    for name, value in weights(tmp_path).items():
        assert torch.equal(value, trained[name]), name


@pytest.mark.parametrize(("before", "after"), [(1, 2), (2, 1)])
def test_another_world_goes_on_with_the_same_samples_and_pixels(
    command: list[str], tmp_path: pathlib.Path, before: int, after: int
) -> None:
    batches, _ = whole(command, tmp_path)
    killed = recorded(command, tmp_path, "cut", before, die_at=4)
    state = torch.load(tmp_path / "run.pt")["batches"]
    until = (state["epoch"], state["position"])
    assert until == (0, 8)  # two steps
    resumed = recorded(command, tmp_path, "resumed", after)
    kept = [batch for batch in killed if batch[:2] <= until]
    for epoch in (0, 1):  # steps are of as many samples in each world
        assert epoch_of(kept + resumed, epoch) == epoch_of(batches, epoch)


def test_cifar_becomes_pixels_as_they_are(archive: pathlib.Path, tmp_path: pathlib.Path) -> None:
    command = ["train_cifar.py", str(tmp_path / "out"), f"--archive={archive}", "--width=2"]
    recorded([*command, "--epochs=1", "--batch-size=4"], tmp_path, "whole")
    for split, names in (("train", NAMES[:5]), ("test", NAMES[5:])):
        dataset = shardine.Dataset(tmp_path / "out" / split)
        assert dataset.classes == CLASSES
        with tarfile.open(archive) as tar:
            for i in range(len(dataset)):
                file = tar.extractfile(f"cifar-10-batches-bin/{names[i // EACH]}")
                assert file is not None
                record = file.read()[i % EACH * 3073 :][:3073]
                assert dataset[i].label == record[0]
                pixels = dataset[i].fields["image"]
                assert pixels.transpose(2, 0, 1).tobytes() == record[1:]
        assert len(dataset) == EACH * len(names)
