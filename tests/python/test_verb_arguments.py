"""Wrong arguments of the verbs: a sentence in Python's words."""

import pathlib
from typing import Any

import pytest
from conftest import PHOTOS

import shardine

WRONG: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"num_workers": 3}, TypeError, "pack: unknown option num_workers; it is jobs here"),
    ({"dry_run": True}, TypeError, "pack: unknown option dry_run; it is plan_pack() here"),
    (
        {"no_shuffle": True},
        TypeError,
        "pack: unknown option no_shuffle; it is shuffle=False here",
    ),
    ({"formt": "lmdb"}, TypeError, "pack: unknown option formt; did you mean format?"),
    ({"zebra": 1}, TypeError, "pack: unknown option zebra"),
    ({"shards": "3"}, TypeError, "shards: '3' is not an integer"),
    ({"shards": 0}, ValueError, "shards: 0 is not in 1 to 18446744073709551615"),
    ({"seed": -1}, ValueError, "seed: -1 is not in 0 to 18446744073709551615"),
    ({"jobs": 1025}, ValueError, "jobs: 1025 is not in 0 to 1024"),
    (
        {"on_bad": "skipp"},
        ValueError,
        'on_bad: "skipp" is not one of fail|skip|quarantine|keep (did you mean skip?)',
    ),
    (
        {"shard_size": "3X"},
        ValueError,
        'shard_size: \'3X\' is not a size like 4096, "64K", "256M" or "1G"',
    ),
    (
        {"shard_size": "99999999T"},
        ValueError,
        "shard_size: 109951161678088372224 is not in 1 to 18446744073709551615",
    ),
    (
        {"shard_size": 256},
        ValueError,
        'shard_size: 256 has no unit: "256M" is in mebibytes, "256B" in bytes',
    ),
    (
        {"shard_size": "65535"},
        ValueError,
        'shard_size: 65535 has no unit: "65535M" is in mebibytes, "65535B" in bytes',
    ),
    (
        {"shards": 1, "shard_size": "9B"},
        ValueError,
        "shard_size: has no effect beside shards",
    ),
    (
        {"quality": 80},
        ValueError,
        "quality: has no effect without variants",
    ),
    (
        {"variants": "sz/8", "encoding": "png", "quality": 80},
        ValueError,
        'quality: has no effect without encoding="jpeg"',
    ),
    ({"variants": ["sz/0"]}, ValueError, 'variants: "sz/0" is no size of 1 to 65500 pixels'),
    ({"variants": []}, ValueError, "variants: [] is empty"),
    ({"split": {"a": 2}}, ValueError, 'split: "2.0": a share is a decimal number in (0, 1]'),
    ({"shuffle": 1}, TypeError, "shuffle: 1 is neither True nor False"),
    ({"list": ""}, ValueError, 'list: "" is empty'),
    ({"list": "a\0b"}, ValueError, "list: 'a\\x00b' has a null byte in it"),
    ({"list": 3}, TypeError, "list: 3 is not a path"),
    (
        {"progress": 3},
        TypeError,
        "progress: 3 is neither a function, True, False nor None",
    ),
]


@pytest.mark.parametrize("options, kind, words", WRONG)
def test_a_wrong_option_is_told_in_a_sentence(
    options: dict[str, Any], kind: type[Exception], words: str, tmp_path: pathlib.Path
) -> None:
    with pytest.raises(kind) as caught:
        shardine.pack(PHOTOS, tmp_path / "out", **options)
    assert str(caught.value) == words
    assert type(caught.value) is kind
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "source, words",
    [
        (3, "source: 3 is neither a path nor several"),
        ([], "source: there is no path in it"),
        ("", "source: the text is empty"),
        (["a", "b"], 'source: several folders are given as {"train": DIR, "val": DIR}'),
        ({"a b": "c"}, 'source: "a b" is no name of a split: letters, digits, _, . and -'),
        ({"": "c"}, "source: {'': 'c'} is no split"),
        ({"a": {"b": "c"}}, "source: {'a': {'b': 'c'}} is no split"),
        ({"train": 3}, "source: 3 is neither a path nor several"),
    ],
)
def test_a_wrong_source_is_told_in_a_sentence(source: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        shardine.pack(source, "out")
    assert str(caught.value).startswith(words)


def test_none_is_as_good_as_an_option_that_is_not_given(tmp_path: pathlib.Path) -> None:
    options: dict[str, Any] = {"shards": None, "quality": None, "variants": None}
    assert shardine.pack(PHOTOS, tmp_path / "out", **options).samples == 24


def test_errors_of_the_library_have_their_classes(tmp_path: pathlib.Path) -> None:
    with pytest.raises(shardine.NotFoundError):
        shardine.verify(tmp_path / "nothing")
    with pytest.raises(shardine.NotFoundError):
        shardine.info(tmp_path)
    with pytest.raises(shardine.NotFoundError):
        next(shardine.ls(tmp_path))
    with pytest.raises(shardine.InvalidArgumentError, match="did you mean tfrecord"):
        shardine.pack(PHOTOS, tmp_path / "out", format="tfrecrd")
    shardine.pack(PHOTOS, tmp_path / "out")
    with pytest.raises(shardine.ChangedError):
        shardine.pack(PHOTOS, tmp_path / "out", seed=3)
