"""Names in files are anybody's: Python prints them as plain text."""

import pathlib
from typing import Any
import re
import shutil
import tarfile
import warnings

import pytest
import shardine
from conftest import PHOTOS, pack

HOSTILE = "\x1b]0;owned\x07\x1b[2J\n\x7f\x9b31m\u202egpj"
OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def make_photos(folder: pathlib.Path) -> pathlib.Path:
    for name in ("hounds", "terriers"):
        (folder / (name + HOSTILE)).mkdir(parents=True)
        for photo in (PHOTOS / name).iterdir():
            shutil.copy(photo, folder / (name + HOSTILE) / photo.name)
    return folder


def test_errors_reprs_and_warnings_show_names_and_send_no_escapes(
    tmp_path: pathlib.Path
) -> None:
    photos = make_photos(tmp_path / "photos")
    out = pack(photos, tmp_path / f"out{HOSTILE}")
    dataset = shardine.Dataset(out)
    texts = [repr(dataset)]
    wrong: list[dict[str, Any]]
    wrong = [{"split": "no" + HOSTILE}, {"variant": "no" + HOSTILE}]
    for options in wrong:
        with pytest.raises(shardine.ShardineError) as raised:
            shardine.Dataset(out, **options)
        texts.append(str(raised.value))
    with pytest.raises(shardine.ShardineError) as raised:
        shardine.Loader(dataset, batch_size=2, fields=["no" + HOSTILE])
    texts.append(str(raised.value))
    with pytest.raises(shardine.ShardineError) as raised:
        shardine.Dataset(tmp_path / ("nowhere" + HOSTILE))
    texts.append(str(raised.value))
    shard = next(out.glob("*.rec"))
    shutil.rmtree(out / ".shardine")  # it is scanned, which a warning tells of
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        shardine.Dataset([shard])
    assert caught
    assert len(texts) == 5
    for text in texts:
        assert "\\x1b]0;owned" in text.lower(), text
    for text in texts + [str(warning.message) for warning in caught]:
        assert not OBEYED.search(text), text


def test_names_in_messages_are_cut_between_characters(tmp_path: pathlib.Path) -> None:
    """Parsers review 8: messages were as long as the names of foreign files."""
    name = "a." + 100_000 * "\u00e4"
    with tarfile.open(tmp_path / "x.tar", "w", format=tarfile.PAX_FORMAT) as tar:
        for _ in range(2):
            tar.addfile(tarfile.TarInfo(name))
    with pytest.raises(shardine.CorruptError) as raised:
        shardine.index([tmp_path / "x.tar"], tmp_path / "out")
    text = str(raised.value)
    assert "second file of its sample" in text
    assert len(text.encode()) < 600 + len(str(tmp_path))
    assert re.search('"a\\.\u00e4{90,99}\\.\\.\\."', text), text
