"""Each row of the tables of calls of other packages: theirs and ours on the same photos.
TensorFlow's table is in tf_data_recipe.py."""

import pathlib

import old_torch  # noqa: F401
import pytest
import recipe_blocks
import rows_of_tables
import shardine.torch
from image_folder_lmdb import ImageFolderLMDB
from watched_runs import pack_photos

TABLES = ["ImageFolder and DataLoader", "folder2lmdb", "WebDataset", "MDS"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return pack_photos(tmp_path_factory.mktemp("moves"))


@pytest.mark.parametrize("heading", TABLES)
def test_their_call_and_ours_give_the_same(
    heading: str, folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    names = recipe_blocks.run_block(heading, {"ImageFolderLMDB": ImageFolderLMDB})
    rows = rows_of_tables.rows_under(heading)
    assert len(rows) > 3
    for row in rows:
        rows_of_tables.compare(row, names)


def test_our_column_beside_ffcv_runs(
    folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    names = recipe_blocks.run_block("FFCV", {})
    for row in rows_of_tables.rows_under("FFCV"):
        made = eval(row.ours, names)
        if hasattr(made, "__iter__"):
            images, labels = next(iter(made))
            assert images.shape == (8, 3, 224, 224) and labels.shape == (8,)
    assert len(shardine.Dataset("small", variant="sz/256")) == len(names["dataset"])


def test_code_stands_under_no_other_heading() -> None:
    """A test of this folder, which names the heading, runs its contents."""
    tests = "".join(path.read_text() for path in pathlib.Path(__file__).parent.glob("*.py"))
    for heading in recipe_blocks.headings() - {"Examples, recipes and how to move"}:
        assert f'"{heading}"' in tests, heading
