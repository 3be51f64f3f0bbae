"""Metadata files of a tree: pack(metadata_file=)."""

import csv
import io
import json
import pathlib
import random
from typing import Any, Callable

import pytest
from test_neighbours import png, put

import shardine


def text_of(rows: list[dict[str, Any]], columns: list[str]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def fields_of(out: pathlib.Path) -> dict[str, dict[str, Any]]:
    return {s.key: {name: value if isinstance(value, (str, bytes)) else value.tolist()
                    for name, value in s.fields.items() if name != "image"}
            for s in shardine.Dataset(out)}


def test_columns_are_fields_and_labels_those_of_folders(tmp_path: pathlib.Path) -> None:
    put(tmp_path / "t", {"cat/1.png": png(1), "cat/2.png": png(2), "dog/3.png": png(3),
                         "metadata.csv": "file_name,caption,n\ncat/1.png,größe,1\n"
                                         "dog/3.png,,2\n"})
    with pytest.warns(UserWarning, match="1 of 3 images have no row"):
        shardine.pack(tmp_path / "t", tmp_path / "out", format="webdataset")
    assert fields_of(tmp_path / "out") == {
        "cat/1.png": {"caption": "größe", "n": 1}, "cat/2.png": {}, "dog/3.png": {"n": 2}}
    dataset = shardine.Dataset(tmp_path / "out")
    assert dataset.text_fields == ["caption"]
    assert {s.key: list(s.labels) for s in dataset}["dog/3.png"] == [1]
    with pytest.warns(UserWarning, match="no row"):
        again = shardine.pack(tmp_path / "t", tmp_path / "out", format="webdataset")
    assert again.nothing_to_do
    with pytest.raises(shardine.ShardineError, match='metadata_file="none" takes'):
        shardine.pack(tmp_path / "t", tmp_path / "none")
    shardine.pack(tmp_path / "t", tmp_path / "old", metadata_file="none")
    assert fields_of(tmp_path / "old")["cat/1.png"] == {}
    assert "metadata-file" in shardine.info(tmp_path / "old").made.options


def test_what_was_packed_without_metadata_stays_so(tmp_path: pathlib.Path) -> None:
    tree = put(tmp_path / "t", {"cat/1.png": png(1), "dog/3.png": png(3)})
    shardine.pack(tree, tmp_path / "old")
    put(tree, {"metadata.csv": "file_name,n\ncat/1.png,1\ndog/3.png,2\n"})
    with pytest.warns(UserWarning, match="metadata.csv is not read, as when the dataset"):
        assert shardine.pack(tree, tmp_path / "old").nothing_to_do
    with pytest.raises(shardine.ShardineError, match="metadata_file=\"none\" takes"):
        shardine.pack(tree, tmp_path / "old", metadata_file="auto")
    with pytest.raises(shardine.ShardineError, match='metadata_file="none" keeps'):
        shardine.pack(tree, tmp_path / "old", format="webdataset")


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_any_table_comes_back(tmp_path: pathlib.Path, form: str) -> None:
    """Property: pack(tree with a table) gives the table's rows back."""
    draw = random.Random(form)
    texts = ["a", "x,y", 'say "hi"', "two\nlines", "größe", " b ", "007", "1e400", "nan?"]
    for turn in range(6):
        kinds = {f"c{i}": draw.choice(["int", "float", "text", "bool", "list"])
                 for i in range(draw.randrange(1, 5))}
        value: dict[str, Callable[[], Any]] = {
            "int": lambda: draw.randrange(-2**63, 2**63),
            "float": lambda: draw.uniform(-9, 9),
            "text": lambda: draw.choice(texts),
            "bool": lambda: draw.random() < 0.5,
            "list": lambda: [draw.uniform(0, 1) for _ in range(draw.randrange(4))]}
        keys = [f"{draw.choice(['cat', 'dog'])}/{i}.png" for i in range(9)]
        keys += ["cat/a.png", "dog/a.png"]
        rows = [{"file_name": key} | {name: value[kind]() for name, kind in kinds.items()
                                      if draw.random() < 0.8} for key in keys]
        # A text of a column keeps all of it a text.
        for name in (name for name, kind in kinds.items() if kind == "text"):
            rows[0][name] = "text"
        tree = put(tmp_path / f"t{turn}", {key: png(i) for i, key in enumerate(keys)})
        if form == "csv":
            written = [{name: json.dumps(v) if isinstance(v, list) else
                        repr(v) if isinstance(v, float) else v for name, v in row.items()}
                       for row in rows]
            put(tree, {"metadata.csv": text_of(written, ["file_name", *kinds])})
        else:
            put(tree, {"metadata.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
        out = tmp_path / f"out{turn}"
        shardine.pack(tree, out, format="webdataset")
        expected = {row.pop("file_name"): row for row in rows}
        if form == "csv":  # blanks at the ends of cells are not text
            expected = {key: {n: v.strip() if isinstance(v, str) else v
                              for n, v in row.items()} for key, row in expected.items()}
        assert fields_of(out) == expected


def test_labels_come_from_a_flat_folder_and_splits_from_one_above(
        tmp_path: pathlib.Path) -> None:
    put(tmp_path, {"train/1.png": png(1), "train/2.png": png(2), "val/3.png": png(3),
                   "metadata.jsonl": '{"file_name":"train/1.png","label":"dog"}\n'
                                     '{"file_name":"train/2.png","label":"cat"}\n'
                                     '{"file_name":"val/3.png","label":"dog"}\n'})
    source = {"train": tmp_path / "train", "val": tmp_path / "val"}
    shardine.pack(source, tmp_path / "out")
    assert {s.key: list(s.labels) for s in shardine.Dataset(tmp_path / "out", split="train")} == {
        "1.png": [1], "2.png": [0]}
    assert [c.name for c in shardine.info(tmp_path / "out").classes] == ["cat", "dog"]
