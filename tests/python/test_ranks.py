"""Which ranks a Loader takes this process for."""

import pathlib
import warnings
from typing import get_type_hints

import pytest

import shardine
from shardine.loader import OPTIONS
from shardine.loader_options import LoaderOptions

CROP = shardine.RandomResizedCrop(16)
VARIABLES = (
    "RANK WORLD_SIZE OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE PMI_RANK PMI_SIZE "
    "SLURM_PROCID SLURM_NTASKS SLURM_STEP_NUM_TASKS"
).split()


@pytest.fixture(autouse=True)
def nobody_started_this(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def ranks(packed: pathlib.Path, monkeypatch: pytest.MonkeyPatch, said: str) -> tuple[int, int]:
    for pair in said.split():
        monkeypatch.setenv(*pair.split("="))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loader = shardine.Loader(packed, batch_size=2, transform=CROP)
    return loader.rank, loader.world


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("", (0, 1)),
        ("RANK=1 WORLD_SIZE=3", (1, 3)),
        ("OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=4", (2, 4)),
        ("PMI_RANK=1 PMI_SIZE=2", (1, 2)),
        ("SLURM_PROCID=3 SLURM_NTASKS=4 SLURM_STEP_NUM_TASKS=4", (3, 4)),
        # One process in a job of many, as srun --ntasks=1 starts it.
        ("SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_STEP_NUM_TASKS=1", (0, 1)),
        # torchrun, which srun started on each of two nodes.
        ("SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 RANK=5 WORLD_SIZE=8", (5, 8)),
    ],
)
def test_launchers_say_who_this_is(
    packed: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    said: str,
    expected: tuple[int, int],
) -> None:
    assert ranks(packed, monkeypatch, said) == expected


@pytest.mark.parametrize(
    "variable",
    ["SLURM_NTASKS"]  # in a batch script
    + ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"],  # half of a pair
)
def test_a_job_of_several_tasks_and_no_rank_is_warned_of(
    packed: pathlib.Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "4")
    words = f"4 tasks .{variable} .*srun, mpirun or torchrun"
    with pytest.warns(RuntimeWarning, match=words) as caught:
        loader = shardine.Loader(packed, batch_size=2, transform=CROP)
    assert caught[0].filename == __file__
    assert (loader.rank, loader.world) == (0, 1)
    # The advice works.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shardine.Loader(packed, batch_size=2, transform=CROP, rank=0, world=1)


def test_a_rank_that_is_none_is_refused(
    packed: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match="PMI_RANK in the environment: 'x'"):
        ranks(packed, monkeypatch, "PMI_RANK=x PMI_SIZE=2")
    with pytest.raises(ValueError, match="rank: 2 of 2"):
        ranks(packed, monkeypatch, "PMI_RANK=2")
    with pytest.raises(ValueError, match="only one of them"):
        ranks(packed, monkeypatch, "RANK=1")


def test_presets_know_every_option() -> None:
    known = {*get_type_hints(LoaderOptions), "dataset", "batch_size", "transform"}
    assert known == set(OPTIONS)


@pytest.mark.parametrize("world", [1, 2, 3, 7])
def test_evaluation_takes_every_sample_once(packed: pathlib.Path, world: int) -> None:
    loaders = [
        shardine.EvalLoader(packed, batch_size=5, rank=rank, world=world)
        for rank in range(world)
    ]
    assert len({len(loader) for loader in loaders}) == 1
    for _ in range(2):
        batches = [list(loader) for loader in loaders]
        assert {len(own) for own in batches} == {len(loaders[0])}
        ids = [i for own in batches for batch in own for i in batch.ids.tolist()]
        assert sorted(ids) == sorted(s.id for s in shardine.Dataset(packed))


def test_presets_have_options_that_win(packed: pathlib.Path) -> None:
    train = shardine.TrainLoader(packed, batch_size=5, seed=2)
    assert next(iter(train)).images.shape == (5, 3, 224, 224)
    assert len(train) == 4  # of 24 samples
    short = shardine.TrainLoader(
        packed, batch_size=5, transform=CROP, last_batch="short"
    )
    assert [len(batch) for batch in short] == [5, 5, 5, 5, 4]
    first = next(iter(shardine.EvalLoader(packed, batch_size=3)))
    dataset = shardine.Dataset(packed)
    assert first.ids.tolist() == [dataset[i].id for i in range(3)]
    (whole,) = shardine.EvalLoader(packed, batch_size=24, raw=True)
    assert len(whole.images) == 24
    with pytest.raises(TypeError, match="EvalLoader: unknown option shuffle; it is"):
        shardine.EvalLoader(packed, batch_size=2, shuffle=True)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="TrainLoader: .*batch_size"):
        shardine.TrainLoader(packed)  # type: ignore[call-arg]


def test_normalize_is_for_pixels_that_are_no_bytes(packed: pathlib.Path) -> None:
    def load(**options: object) -> shardine.Loader:
        return shardine.EvalLoader(packed, batch_size=2, **options)  # type: ignore[arg-type]

    imagenet = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
    named = next(iter(load(dtype="float32", normalize="imagenet"))).images
    assert (named == next(iter(load(dtype="float32", normalize=imagenet))).images).all()
    times_255 = {"mean": (123.675, 116.28, 103.53), "std": (58.395, 57.12, 57.375)}
    assert (named == next(iter(load(dtype="float32", **times_255))).images).all()
    with pytest.raises(ValueError, match='give dtype="float32"'):
        load(normalize="imagenet")
    for normalize, also, words in (
        (tuple(times_255.values()), {}, "are mean= and std="),
        ("imagenet", times_255, "give either normalize="),
        ((imagenet[0], (0, 1, 1)), {}, "has a 0"),
        ("ImageNet", {}, "is not imagenet"),
    ):
        with pytest.raises(ValueError, match=words):
            load(dtype="float32", normalize=normalize, **also)
    for wrong in (3, ("imagenet",), ((1, 1, 1), 2)):
        with pytest.raises(TypeError, match="normalize"):
            load(dtype="float32", normalize=wrong)
