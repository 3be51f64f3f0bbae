"""Annotations in other programs' forms, and back: export(), pack(annotations=)."""

import json
import pathlib
import subprocess
from typing import Any

import numpy
import pytest
from conftest import SHARDINE
from PIL import Image
from test_annotations import COCO
from test_neighbours import png, put

import shardine

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
SPLITS = ("train", "val")
# Two splits with the same annotations of images of their own.
GIVEN = json.loads(json.dumps(COCO))
GIVEN["info"] = {"year": 2026}
GIVEN["images"][0]["license"] = 4
GIVEN["annotations"][0]["area"] = 7.5


def of_splits(annotations: str) -> str:
    return ",".join(f"{split}={annotations}" for split in SPLITS)


def packed(folder: pathlib.Path, annotations: Any = None, **options: Any) -> pathlib.Path:
    for split in SPLITS:
        put(folder / split, {f"{n}.png": png(n + 9 * len(split)) for n in range(3)})
    (folder / "a.json").write_text(json.dumps(annotations or GIVEN))
    sources = {split: folder / split for split in SPLITS}
    shardine.pack(sources, folder / "set",
                  annotations=of_splits(f"coco:{folder}/a.json"),
                  **{"format": "webdataset", **options})
    return folder / "set"


def fields(dataset: pathlib.Path) -> dict[tuple[str, str], dict[str, Any]]:
    """By split and the name of the image, without the source's own form."""
    found = {}
    for split in shardine.info(dataset).splits:
        for sample in shardine.Dataset(dataset, split=split.name):
            values = {name: value.tolist() if isinstance(value, numpy.ndarray) else value
                      for name, value in sample.fields.items()}
            values.pop("annotations", None)
            found[split.name, pathlib.PurePath(sample.key).name] = values
    return found


def again(folder: pathlib.Path, out: pathlib.Path, kind: str) -> pathlib.Path:
    """The exported tree, packed by its annotations."""
    sources = {split: out / split for split in SPLITS}
    annotations = ",".join(f"{split}=coco:{out}/annotations/instances_{split}.json"
                           for split in SPLITS)
    if kind == "yolo":
        sources = {split: out / "images" / split for split in SPLITS}
        annotations = f"yolo:{out}/data.yaml"
    if kind == "voc":
        sources, annotations = {"train": out / "JPEGImages"}, f"voc:{out}"
    shardine.pack(sources, folder / "again", annotations=annotations,
                  format="webdataset")
    return folder / "again"


@pytest.mark.parametrize("format_", ["webdataset", "tfrecord", "lmdb/fields", "hdf5/fuel"])
def test_coco_comes_back(format_: str, tmp_path: pathlib.Path) -> None:
    dataset = packed(tmp_path, format=format_)
    done = shardine.export("coco", dataset, tmp_path / "out")
    assert (done.files, done.annotation_files, done.fields_left) == (6, 2, 0)
    assert not done.notes
    assert fields(again(tmp_path, tmp_path / "out", "coco")) == fields(dataset)
    for split in SPLITS:
        made = json.loads((tmp_path / f"out/annotations/instances_{split}.json").read_text())
        assert sorted(made["images"], key=lambda image: image["id"]) == GIVEN["images"]
        assert sorted(made["annotations"], key=lambda each: each["id"]) == GIVEN["annotations"]
        assert sorted(made["categories"], key=lambda each: -each["id"]) == GIVEN["categories"]


def test_coco_is_made_of_fields_alone(tmp_path: pathlib.Path) -> None:
    box, point = numpy.array([[1.0, 2, 4.5, 6]]), numpy.array([[[1.0, 1, 2], [0, 0, 0]]])
    with shardine.Writer(tmp_path / "set", format="webdataset") as writer:
        writer.write({"image": png(1), "bbox": box, "keypoints": point,
                      "bbox_label": numpy.array([4])}, key="a.png")
    shardine.export("coco", tmp_path / "set", tmp_path / "out")
    made = json.loads((tmp_path / "out/annotations/instances_train.json").read_text())
    assert made["images"] == [{"id": 1, "file_name": "a.png", "width": 9, "height": 7}]
    assert made["categories"] == [{"id": 5, "name": "4"}]
    assert made["annotations"] == [
        {"id": 1, "image_id": 1, "category_id": 5, "bbox": [1, 2, 3.5, 4], "area": 14,
         "iscrowd": 0, "keypoints": [1, 1, 2, 0, 0, 0], "num_keypoints": 1}]


def test_ids_stay_where_no_two_are_equal(tmp_path: pathlib.Path) -> None:
    """Images that the source does not have get others."""
    given = json.loads(json.dumps(GIVEN))
    given["images"] = [{"id": 70, "file_name": "1.png"}]
    given["annotations"] = [{**GIVEN["annotations"][0], "image_id": 70, "id": 5}]
    dataset = packed(tmp_path, given)
    shardine.export("coco", dataset, tmp_path / "out")
    made = json.loads((tmp_path / "out/annotations/instances_train.json").read_text())
    ids = {image["file_name"]: image["id"] for image in made["images"]}
    assert ids["1.png"] == 70 and sorted(ids.values()) == [70, 71, 72]
    assert made["annotations"] == given["annotations"]
    shardine.merge([dataset, dataset], tmp_path / "both", prefix="{n}/")
    shardine.export("coco", tmp_path / "both", tmp_path / "again")
    made = json.loads((tmp_path / "again/annotations/instances_train.json").read_text())
    assert sorted(image["id"] for image in made["images"]) == list(range(1, 7))
    names = {image["id"]: image["file_name"] for image in made["images"]}
    assert {names[each["image_id"]] for each in made["annotations"]} == {
        "0/1.png", "1/1.png"}


def test_captions_come_back(tmp_path: pathlib.Path) -> None:
    captions = {"images": GIVEN["images"], "annotations": [
        {"id": 5, "image_id": 0, "caption": "größe"}, {"id": 3, "image_id": 0, "caption": "b"}]}
    dataset = packed(tmp_path, captions)
    assert shardine.export("coco", dataset, tmp_path / "out").annotation_files == 2
    made = json.loads((tmp_path / "out/annotations/captions_val.json").read_text())
    assert made["annotations"] == captions["annotations"] and "categories" not in made


@pytest.mark.parametrize("orientation", range(1, 9))
def test_yolo_comes_back_from_images_of_any_orientation(
    orientation: int, tmp_path: pathlib.Path
) -> None:
    plain = json.loads(json.dumps(GIVEN))
    plain["categories"] = [{"id": 0, "name": 'a "b": #'}, {"id": 1, "name": "größe"}]
    for n, each in enumerate(plain["annotations"]):
        for part in ("keypoints", "segmentation"):
            each.pop(part, None)
        each["category_id"] = n % 2
    for split in SPLITS:
        (tmp_path / split).mkdir()
        for n in range(3):
            picture = Image.new("RGB", (9, 7), (n, len(split), 0))
            exif = picture.getexif()
            exif[0x112] = orientation
            picture.save(tmp_path / split / f"{n}.jpg", exif=exif)
    for image in plain["images"]:
        image["file_name"] = image["file_name"].replace(".png", ".jpg")
    (tmp_path / "a.json").write_text(json.dumps(plain))
    shardine.pack({split: tmp_path / split for split in SPLITS}, tmp_path / "set",
                  annotations=of_splits(f"coco:{tmp_path}/a.json"),
                  format="webdataset")
    done = shardine.export("yolo", tmp_path / "set", tmp_path / "out")
    assert done.annotation_files == 5  # of four images with objects, and data.yaml
    assert done.notes == ("YOLO does not tell crowds from others: 2 objects",)
    back, sent = (fields(each) for each in (again(tmp_path, tmp_path / "out", "yolo"),
                                            tmp_path / "set"))
    assert back.keys() == sent.keys()
    for key, values in sent.items():
        assert back[key]["bbox_label"] == values["bbox_label"]
        assert numpy.allclose(back[key]["bbox"], values["bbox"], rtol=0, atol=1e-9), key
    names = [each.name for each in shardine.info(tmp_path / "again").categories]
    assert names == ['a "b": #', "größe"]


def test_yolo_says_what_it_loses(tmp_path: pathlib.Path) -> None:
    done = shardine.export("yolo", packed(tmp_path), tmp_path / "out")
    assert done.notes == (
        "YOLO does not tell crowds from others: 2 objects",
        "objects with points lose their polygons: 2 objects")
    assert done.fields_left == 12  # of each of six: rle, rle_rows
    rows = (tmp_path / "out/labels/train/0.txt").read_text().splitlines()
    assert len(rows) == 2 and len(rows[0].split()) == 11
    assert "kpt_shape: [2, 3]" in (tmp_path / "out/data.yaml").read_text()


def test_voc_comes_back(tmp_path: pathlib.Path) -> None:
    for n in range(2):
        (tmp_path / "tree").mkdir(exist_ok=True)
        Image.new("RGB", (9, 7), (99 * n, 0, 0)).save(tmp_path / "tree" / f"{n}.jpg")
    voc = ("<annotation><filename>0.jpg</filename><size><width>9</width><height>7</height>"
           "<depth>3</depth></size><object><name>cat &amp; dog</name><truncated>1</truncated>"
           "<difficult>1</difficult><bndbox><xmin>1</xmin><ymin>2</ymin><xmax>4</xmax>"
           "<ymax>6</ymax></bndbox></object></annotation>")
    put(tmp_path / "Annotations", {"0.xml": voc})
    shardine.pack(tmp_path / "tree", tmp_path / "set", annotations=f"voc:{tmp_path}",
                  format="webdataset")
    done = shardine.export("voc", tmp_path / "set", tmp_path / "out")
    assert (done.files, done.annotation_files, done.notes) == (2, 3, ())
    assert (tmp_path / "out/Annotations/0.xml").read_text() == voc
    assert sorted((tmp_path / "out/ImageSets/Main/train.txt").read_text().split()) == ["0", "1"]
    # Other names have no document of their own.
    shardine.export("voc", tmp_path / "set", tmp_path / "ids", names="id")
    shardine.pack(tmp_path / "ids/JPEGImages", tmp_path / "again", format="webdataset",
                  annotations=f"voc:{tmp_path}/ids")
    back, sent = ({values.pop("image"): values for values in fields(tmp_path / name).values()}
                  for name in ("again", "set"))
    assert back == sent


def test_hub_has_all_fields(tmp_path: pathlib.Path) -> None:
    put(tmp_path / "tree", {
        "cat/1.png": png(1), "cat/1_mask.png": png(7), "dog/2.png": png(2),
        "dog/2_mask.png": png(8), "metadata.jsonl": "".join(json.dumps(row) + "\n" for row in (
            {"file_name": "cat/1.png", "text": "größe", "n": 2**62 + 1, "x": 0.5},
            {"file_name": "dog/2.png", "text": "b", "n": 2, "x": 1e-9}))})
    shardine.pack(tmp_path / "tree", tmp_path / "set", format="webdataset",
                  fields={"mask": "_mask.png"})
    done = shardine.export("hf", tmp_path / "set", tmp_path / "out")
    assert (done.files, done.annotation_files, done.notes) == (2, 3, ())
    rows = {row["file_name"]: row for row in map(json.loads, (
        tmp_path / "out/metadata.jsonl").read_text().splitlines())}
    assert rows == {
        "cat/1.png": {"file_name": "cat/1.png", "label": "cat", "text": "größe",
                      "n": 2**62 + 1, "x": 0.5, "mask_file_name": "mask/cat/1.png"},
        "dog/2.png": {"file_name": "dog/2.png", "label": "dog", "text": "b", "n": 2,
                      "x": 1e-9, "mask_file_name": "mask/dog/2.png"}}
    assert (tmp_path / "out/mask/cat/1.png").read_bytes() == png(7)


def test_the_same_again_keeps_all_and_another_is_refused(tmp_path: pathlib.Path) -> None:
    dataset = packed(tmp_path)
    for form in ("coco", "yolo", "hf"):
        shardine.export(form, dataset, tmp_path / form)
        done = shardine.export(form, dataset, tmp_path / form)
        assert (done.files, done.kept) == (0, 6)
    (tmp_path / "coco/annotations/instances_val.json").write_text("{}")
    with pytest.raises(shardine.ExistsError, match="instances_val.json"):
        shardine.export("coco", dataset, tmp_path / "coco")
    shardine.export("coco", dataset, tmp_path / "coco", overwrite=True)


@pytest.mark.parametrize("name, value, said", [
    ("bbox_label", numpy.array([1, 2]), "bbox_label.*another number of rows"),
    ("bbox_label", numpy.array([-1]), "bbox_label.*no count"),
    ("bbox", numpy.array([[4.0, 2, 1, 6]]), "bbox.*"),
    ("bbox", numpy.array([[numpy.nan] * 4]), "not finite"),
    ("keypoints", numpy.zeros((2, 2, 3)), "keypoints.*rows"),
    ("polygon_rows", numpy.array([[0, 9]]), "more points than there are"),
    ("polygon_rows", numpy.array([[5, 1]]), "names a box"),
    ("rle_rows", numpy.array([[0, 2, 2**40, 2**40]]), "do not fill"),
    ("captions", "no list", "no JSON list")])
def test_fields_that_do_not_fit_are_named(
    name: str, value: Any, said: str, tmp_path: pathlib.Path
) -> None:
    sample: dict[str, Any] = {
        "bbox": numpy.array([[1.0, 2, 4.5, 6]]), "bbox_label": numpy.array([0]),
        "polygon": numpy.zeros((1, 2)), "polygon_rows": numpy.array([[0, 1]]),
        "rle": numpy.array([1, 3]), "rle_rows": numpy.array([[0, 2, 2, 2]]),
        "image": png(1), name: value}
    with shardine.Writer(tmp_path / "set", format="webdataset") as writer:
        writer.write(sample, key="a.png")
    with pytest.raises(shardine.CorruptError, match=said):
        shardine.export("coco", tmp_path / "set", tmp_path / "out")


def test_refusals_say_why(tmp_path: pathlib.Path) -> None:
    put(tmp_path / "tree", {"a/1.png": png(1), "a/1.jpg": png(2)})
    shardine.pack(tmp_path / "tree", tmp_path / "bare", format="webdataset")
    for form in ("coco", "voc", "yolo"):
        with pytest.raises(ValueError, match="no sample has a field"):
            shardine.export(form, tmp_path / "bare", tmp_path / "out")
        assert not (tmp_path / "out").exists()
    with pytest.raises(ValueError, match="coco.*voc"):
        shardine.export("via", tmp_path / "bare", tmp_path / "out")
    with shardine.Writer(tmp_path / "set", format="tfrecord") as writer:
        for key in ("a/1.png", "a/1.jpg"):
            writer.write({"image": png(len(key)), "bbox": numpy.array([[1.0, 2, 3, 4]]),
                          "bbox_label": numpy.array([0])}, key=key)
    with pytest.raises(shardine.ExistsError, match="annotations of one name"):
        shardine.export("voc", tmp_path / "set", tmp_path / "voc")
    assert shardine.export("voc", tmp_path / "set", tmp_path / "ids", names="id").files == 2


def test_the_program_does_the_same(tmp_path: pathlib.Path) -> None:
    dataset = packed(tmp_path)
    said = subprocess.run([SHARDINE, "export", "coco", dataset, tmp_path / "out", "--json"],
                          check=True, capture_output=True, text=True).stdout
    done = shardine.export("coco", dataset, tmp_path / "out")
    assert json.loads(said)["annotation_files"] == done.annotation_files == 2
    assert done.kept == 6
