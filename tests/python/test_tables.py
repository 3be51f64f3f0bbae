"""Lists that are tables: pack(list=), Dataset(labels=), relabel()."""

import io
import json
import pathlib
import warnings

import pytest
from PIL import Image

import shardine

CSV = """path,label,split,age,score,ok,note,box
cats/a.png,cat,train,3,0.5,true,"said ""no"", twice","[1, 2]"
dogs\\b.png,dog,val,,2,false,,"[3.5]"
c,dog,train,7,1e3,true,007,[]
"""


def photos(folder: pathlib.Path) -> pathlib.Path:
    for number, name in enumerate(("cats/a.png", "dogs/b.png", "c.png")):
        path = folder / "photos" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        file = io.BytesIO()
        Image.new("RGB", (9, 7), (number, 0, 0)).save(file, "PNG")
        path.write_bytes(file.getvalue())
    return folder / "photos"


def table(folder: pathlib.Path, text: str, name: str = "x.csv") -> pathlib.Path:
    (folder / name).write_text(text)
    return folder / name


def test_a_table_is_packed_with_typed_fields(tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    with warnings.catch_warnings(record=True) as caught:
        made = shardine.pack(photos(tmp_path), out, format="webdataset",
                             list=table(tmp_path, CSV))
    assert made.samples == 3
    # The names of the columns are no reason to warn.
    assert not any("columns:" in str(each.message) for each in caught)
    train = shardine.Dataset(out, split="train")
    assert train.classes == ["cat", "dog"]
    fields = {sample.key: sample.fields for sample in train}
    first, second = fields["cats/a.png"], fields["c.png"]
    assert (first["age"], first["score"], first["ok"]) == (3, 0.5, True)
    assert first["note"] == 'said "no", twice' and second["note"] == "007"
    assert first["box"].tolist() == [1.0, 2.0] and second["box"].tolist() == []
    (val,) = shardine.Dataset(out, split="val")
    assert val.key == "dogs/b.png" and val.label == 1
    assert sorted(val.fields) == ["box", "image", "ok", "score"]


def test_labels_may_be_a_table(tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    rows = "path,label\ncats/a.png,cat\ndogs/b.png,dog\nc.png,dog\n"
    shardine.pack(photos(tmp_path), out, list=table(tmp_path, rows))
    for name, text in {
        "y.csv": "\ufefffile_name;Class\r\ncats\\a.png;dog\r\nc.png;cat\r\ndogs/b.png;dog\r\n",
        "y.jsonl": '{"path": "cats/a.png", "label": "dog", "x": {}}\n'
                   '{"label": "cat", "path": "c.png"}\n'
                   '{"label": "dog", "path": "dogs/b.png"}\n',
        "y.tsv": "label\tpath\n1\t./cats/a.png\n0\tc.png\n1\tdogs/b.png\n",
    }.items():
        labels = table(tmp_path, text, name)
        assert shardine.Dataset(out, labels=labels).targets == [1, 1, 0]
        shardine.relabel(out, tmp_path / name.replace(".", "-"), labels)
        again = shardine.Dataset(tmp_path / name.replace(".", "-"))
        assert again.targets == [1, 1, 0] and again.classes == ["cat", "dog"]
    ids = table(tmp_path, "id,label\n0,dog\n1,dog\n2,cat\n", "ids.csv")
    assert shardine.Dataset(out, labels=ids, labels_by="id").targets == [1, 1, 0]
    with pytest.raises(shardine.ShardineError, match="no column names the files"):
        shardine.Dataset(out, labels=ids)
    cow = table(tmp_path, "path,label\nc.png,cow\n", "cow.csv")
    with pytest.raises(shardine.ShardineError, match='"cow" is the name of no class'):
        shardine.relabel(out, tmp_path / "no", cow)


def test_what_stands_in_two_ways_is_an_error(tmp_path: pathlib.Path) -> None:
    source = photos(tmp_path)
    for text, message in {
        "c.png,cats/a.png\n": "it could be both; write a header",
        "path,label,label\nc.png,1,2\n": "two columns have this name, the 2. and the 3.",
        "path,class,label\nc.png,1,2\n": 'class "1" or label "2"',
        "path,mask_file_name\nc.png,m.png\n": "mask_file_name: file m.png is missing",
        ",path\n0,c.png\n": "column 1 has values and no name",
        'path,label\nc.png,"1\n': "x.csv.*line 2, column 2: a quote is opened",
    }.items():
        with pytest.raises(shardine.ShardineError, match=message):
            shardine.pack(source, tmp_path / "no", format="webdataset", unlabelled=True,
                          list=table(tmp_path, text))
    assert not (tmp_path / "no").exists()


def test_rows_of_no_image_or_of_two_are_counted(tmp_path: pathlib.Path) -> None:
    source = photos(tmp_path)
    (source / "c.jpg").write_bytes((source / "c.png").read_bytes())
    rows = table(tmp_path, "path,label\nc,1\nnone,1\nnone.png,0\ncats/a,0\n")
    with pytest.raises(shardine.CorruptError, match="several-images.*the first of 3"):
        shardine.pack(source, tmp_path / "no", list=rows)
    made = shardine.pack(source, tmp_path / "out", list=rows, on_bad="skip")
    assert made.samples == 1
    lines = (tmp_path / "out" / "rejected.jsonl").read_text().splitlines()
    assert sorted((row["key"], row["reason"]) for row in map(json.loads, lines)) == [
        ("c", "several-images"), ("none", "missing"), ("none.png", "missing")]
    for text in ("path\nnone.png\nno\n", "path\nc\nno\n"):
        with pytest.raises(shardine.InvalidArgumentError, match="no row of the list"):
            shardine.pack(source, tmp_path / "no", on_bad="skip", unlabelled=True,
                          list=table(tmp_path, text))
    assert not (tmp_path / "no").exists()


def test_groups_of_a_column_are_a_promise(tmp_path: pathlib.Path) -> None:
    source = photos(tmp_path)
    rows = "path,label,group\ncats/a.png,0,7\ndogs/b.png,1,7\nc.png,1,8\n"
    out = tmp_path / "out"
    shardine.pack(source, out, format="webdataset", split={"train": 0.6, "val": 0.4},
                  list=table(tmp_path, rows))
    made = json.loads((out / "shardine.json").read_text())["made"]["options"]
    assert made["group-by"] == "column:group"
    assert len(shardine.Dataset(out, split="train")) == 2
    assert shardine.verify(out).findings == ()


def test_parquet_is_written_as_csv_first(tmp_path: pathlib.Path) -> None:
    """The way out that the error names works."""
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    csv = pytest.importorskip("pyarrow.csv")
    rows = arrow.table({"file_name": ["c.png", "cats/a.png"], "label": ["dog", "cat"]})
    parquet.write_table(rows, tmp_path / "x.parquet")
    source = photos(tmp_path)
    with pytest.raises(shardine.UnsupportedError, match="is Parquet.* write it as CSV"):
        shardine.pack(source, tmp_path / "out", list=tmp_path / "x.parquet")
    csv.write_csv(rows, tmp_path / "x.csv")
    assert shardine.pack(source, tmp_path / "out", list=tmp_path / "x.csv").samples == 2
    with pytest.raises(shardine.UnsupportedError, match="is Parquet"):
        shardine.Dataset(tmp_path / "out", labels=tmp_path / "x.parquet")
    # Rows that hold images are a dataset, and no list.
    with pytest.raises(shardine.UnsupportedError, match="from_parquet.py packs its rows"):
        shardine.Dataset(tmp_path / "x.parquet")
