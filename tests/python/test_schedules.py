"""imagenet18's --phases, over datasets that lie as its folders do."""

import pathlib
import subprocess
from typing import Any

import pytest
from conftest import PHOTOS, SHARDINE, pack

import shardine

TEXT = """[
  {'ep':0,  'sz':128, 'bs':8, 'trndir':'-sz/160'},
  {'ep':(0,5),  'lr':(1.0,2.0)},
  {'ep':1, 'bs':12, 'keep_dl':True, 'lr':2.0},
  {'ep':2, 'sz':224, 'bs':6, 'min_scale':0.5, 'rect_val':True},
  {'ep':(5,7), 'lr':(0.1,0.01), 'epoch_step':True}]"""


def both(out: pathlib.Path) -> pathlib.Path:
    """A dataset of the splits that imagenet18 has."""
    subprocess.run(
        [SHARDINE, "pack", f"train={PHOTOS}", f"validation={PHOTOS}", str(out)],
        check=True,
        capture_output=True,
    )
    return out


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The original size, and beside it the folders that -sz/160 means."""
    top = tmp_path_factory.mktemp("data")
    both(top / "imagenet")
    (top / "imagenet-sz").mkdir()
    both(top / "imagenet-sz" / "160")
    return top / "imagenet"


def test_phases_become_those_of_a_loader(data: pathlib.Path) -> None:
    schedule = shardine.Schedule(TEXT, data)
    small, large = f"{data}-sz/160", str(data)
    assert [
        (p.first_epoch, p.dataset.path, p.dataset.split, p.batch_size) for p in schedule
    ] == [(0, small, "train", 8), (1, small, "train", 12), (2, large, "train", 6)]
    assert [p.transform for p in schedule] == [
        shardine.RandomResizedCrop(128),
        shardine.RandomResizedCrop(128),
        shardine.RandomResizedCrop(224, scale=(0.5, 1.0)),
    ]
    assert schedule[0].dataset is schedule[1].dataset
    with shardine.PhasedLoader(schedule, seed=3, threads=2) as loader:
        sides = [[b.images.shape[2] for b in loader] for _ in range(3)]
    assert sides == [[128] * 3, [128] * 2, [224] * 4]


def test_rates_are_the_trainers(data: pathlib.Path) -> None:
    schedule = shardine.Schedule(TEXT, data)
    assert schedule.rates == [
        {"ep": (0, 5), "lr": (1.0, 2.0)},
        {"ep": 1, "bs": 12, "keep_dl": True, "lr": 2.0},
        {"ep": (5, 7), "lr": (0.1, 0.01), "epoch_step": True},
    ]
    assert schedule.epochs == 7


def test_validation_is_as_imagenet18_has_it(data: pathlib.Path) -> None:
    schedule = shardine.Schedule(TEXT, data)
    first, last = schedule.validation(1), schedule.validation(9)
    assert schedule.validation(0) is first
    assert (first.dataset.path, first.dataset.split) == (f"{data}-sz/160", "validation")
    assert first.transform == shardine.CenterCrop(128, 145)
    assert (first.batch_size, last.batch_size) == (512, 256)
    assert last.transform == shardine.RectVal(224)
    batches = list(
        shardine.Loader(
            last.dataset,
            transform=last.transform,
            batch_size=last.batch_size,
            last_batch="short",
        )
    )
    assert sum(len(batch) for batch in batches) == 24
    with pytest.raises(ValueError, match="validation=None"):
        shardine.Schedule(TEXT, data, validation=None).validation(0)


def test_folders_with_a_dataset_of_each_name(tmp_path: pathlib.Path) -> None:
    for folder in ("in", "in-sz/160"):
        for split in ("train", "val"):
            (tmp_path / folder / split).parent.mkdir(parents=True, exist_ok=True)
            pack(PHOTOS, tmp_path / folder / split)
    schedule = shardine.Schedule(TEXT, tmp_path / "in", validation="val")
    assert schedule[0].dataset.path == str(tmp_path / "in-sz" / "160" / "train")
    assert schedule.validation(2).dataset.path == str(tmp_path / "in" / "val")


def test_variants_of_one_dataset(packed: pathlib.Path) -> None:
    schedule = shardine.Schedule(TEXT, packed, validation=None)
    assert [p.dataset.variant for p in schedule] == ["sz/160", "sz/160", "original"]


def test_json_and_lists_say_the_same(data: pathlib.Path) -> None:
    entries: list[dict[str, Any]] = [
        {"ep": 0, "sz": 32, "bs": 4, "rect_val": True},
        {"ep": (0, 2), "lr": 1},
    ]
    as_json = '[{"ep":0,"sz":32,"bs":4,"rect_val":true}, {"ep":[0,2],"lr":1}]'
    every: list[Any] = [entries, str(entries), f"  {entries}\n", as_json]
    for given in every:
        schedule = shardine.Schedule(given, data)
        assert schedule[0].batch_size == 4
        assert schedule.validation(0).transform == shardine.RectVal(32)
        assert schedule.epochs == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("__import__('os').system('true')", "no list of Python's literals"),
        ("[{'ep':0,'sz':8*16,'bs':4}]", "no list of Python's literals"),
        ("[" * 100_000, "no list of Python's literals"),
        ("[{'ep':0,'sz':8,'bs':float('nan')}]", "no list of Python's literals"),
        ("[{'ep':0,'sz':8,'bs':4,'size':{1}}]", "phases: "),
        ("[{'ep':0,'sz':8,'bs':4,'trndr':''}]", "did you mean trndir"),
        ("[{'ep':0,'sz':8}]", "entry 0: has neither bs nor lr"),
        ("[{'ep':1,'sz':8,'bs':4}]", "epoch 0"),
    ],
)
def test_what_is_no_schedule_is_refused(
    data: pathlib.Path, text: str, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        shardine.Schedule(text, data)


def test_a_folder_that_is_not_there_is_said(data: pathlib.Path) -> None:
    with pytest.raises(shardine.NotFoundError, match="imagenet-sz/96"):
        shardine.Schedule("[{'ep':0,'sz':8,'bs':4,'trndir':'-sz/96'}]", data)
    with pytest.raises(TypeError, match="is not a dict"):
        shardine.Schedule("[1]", data)
    with pytest.raises(TypeError, match="is not a list"):
        shardine.Schedule("{'ep':0}", data)


def test_sets_packed_apart(packed: pathlib.Path, tmp_path: pathlib.Path) -> None:
    other = shardine.Dataset(pack(PHOTOS, tmp_path / "other", "--seed=8"))
    whole = shardine.Dataset(packed)
    phases = [
        shardine.Phase(0, whole, shardine.Resize(8), 6),
        shardine.Phase(1, other, shardine.Resize(8), 8),
        shardine.Phase(2, whole, shardine.Resize(8), 4),
    ]
    with pytest.raises(ValueError, match="same_samples=False"):
        shardine.PhasedLoader(phases)
    with pytest.raises(ValueError, match="two sets"):
        shardine.PhasedLoader(phases, same_samples=False, last_batch="roll")
    loader = shardine.PhasedLoader(phases, same_samples=False, seed=3)
    for epoch, (dataset, size) in enumerate([(whole, 6), (other, 8), (whole, 4)]):
        alone = shardine.Loader(
            dataset, transform=shardine.Resize(8), batch_size=size, seed=3
        )
        alone.set_epoch(epoch)
        assert [b.ids.tolist() for b in loader] == [b.ids.tolist() for b in alone]
    state = loader.state_dict()
    loader.load_state_dict(state)
    with pytest.raises(ValueError, match="order"):
        loader.load_state_dict({**state, "epoch": 1})
