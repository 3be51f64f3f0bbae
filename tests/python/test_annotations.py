"""Annotations become fields, which follow their images: pack(annotations=)."""

import json
import os
import pathlib
from typing import Any

import numpy
import pytest
from test_neighbours import FORMATS, png, put

import shardine

# Annotations that other programs test with; this tree has no copy.
FIXTURES = pathlib.Path(os.environ.get(
    "SHARDINE_FIXTURES",
    pathlib.Path(__file__).parents[3] / "shared/reference/any-data-fixtures"))
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
COCO: dict[str, Any] = {
    "images": [{"id": n, "file_name": f"{n}.png", "width": 9, "height": 7}
               for n in range(3)],
    "categories": [{"id": 90, "name": "dog"}, {"id": 3, "name": "cat",
                                               "keypoints": ["nose", "tail"]}],
    "annotations": [
        {"id": 1, "image_id": 0, "category_id": 90, "bbox": [1, 2, 3.5, 4],
         "iscrowd": 0, "segmentation": [[1, 2, 4, 2, 4, 6]]},
        {"id": 2, "image_id": 0, "category_id": 3, "bbox": [0, 0, 9, 7], "iscrowd": 1,
         "segmentation": {"counts": [0, 63], "size": [7, 9]},
         "keypoints": [1, 1, 2, 0, 0, 0]},
        {"id": 3, "image_id": 2, "category_id": 3, "bbox": [5, 5, 1, 1]}],
}


def flat(folder: pathlib.Path, coco: Any = None) -> pathlib.Path:
    put(folder / "flat", {f"{n}.png": png(n) for n in range(3)})
    (folder / "a.json").write_text(json.dumps(coco or COCO))
    return folder / "flat"


def pack(folder: pathlib.Path, **options: Any) -> pathlib.Path:
    source = flat(folder)
    shardine.pack(source, folder / "out", annotations=f"coco:{folder}/a.json", **options)
    return folder / "out"


@pytest.mark.parametrize("format_", FORMATS)
def test_fields_are_those_of_coco(format_: str, tmp_path: pathlib.Path) -> None:
    out = pack(tmp_path, format=format_)
    samples = {sample.key: sample.fields for sample in shardine.Dataset(out)}
    both, none, one = (samples[f"{n}.png"] for n in range(3))
    assert both["bbox"].dtype == numpy.float64
    assert both["bbox"].tolist() == [[1, 2, 4.5, 6], [0, 0, 9, 7]]
    assert both["bbox_label"].tolist() == [1, 0]
    assert both["bbox_crowd"].tolist() == [0, 1]
    assert both["keypoints"].tolist() == [[[0] * 3] * 2, [[1, 1, 2], [0, 0, 0]]]
    assert both["polygon"].tolist() == [[1, 2], [4, 2], [4, 6]]
    assert both["polygon_rows"].tolist() == [[0, 3]]
    assert both["rle"].tolist() == [0, 63]
    assert both["rle_rows"].tolist() == [[1, 2, 7, 9]]
    assert json.loads(both["annotations"])["annotations"] == COCO["annotations"][:2]
    assert none["bbox"].shape == (0, 4) and none["keypoints"].shape == (0, 2, 3)
    assert one["bbox"].tolist() == [[5, 5, 6, 6]]
    info = shardine.info(out)
    assert [(each.label, each.id, each.name) for each in info.categories] == [
        (0, "3", "cat"), (1, "90", "dog")]
    assert info.text_fields == ("annotations",)
    shardine.verify(out, level="full")


@pytest.mark.parametrize("format_", FORMATS)
def test_boxes_follow_their_images(format_: str, tmp_path: pathlib.Path) -> None:
    out = pack(tmp_path, format=format_)
    loader = shardine.Loader(
        out, batch_size=3, order="sequential", transform=shardine.FixedCrop((0, 2, 9, 5), (5, 9)),
        fields=["bbox", "bbox_label", "keypoints"],
        follow={"bbox": "boxes", "bbox_label": "with:bbox", "keypoints": "points with:bbox"})
    (batch,) = list(loader)
    keys = [sample.key for sample in shardine.Dataset(out)]
    boxes, labels = (dict(zip(keys, batch.fields[name].samples()))
                     for name in ("bbox", "bbox_label"))
    assert boxes["0.png"].tolist() == [[1, 0, 4.5, 4], [0, 0, 9, 5]]
    assert labels["0.png"].tolist() == [1, 0]
    assert boxes["1.png"].shape == (0, 4)
    assert boxes["2.png"].tolist() == [[5, 3, 6, 4]]


def test_the_same_again_is_nothing_and_another_is_said(tmp_path: pathlib.Path) -> None:
    out = pack(tmp_path, format="webdataset")
    assert pack(tmp_path, format="webdataset") == out
    made = shardine.info(out).made
    assert made.options["annotations"].startswith("coco:")
    changed = json.loads(json.dumps(COCO))
    changed["annotations"][2]["bbox"][2] = 2
    flat(tmp_path, changed)
    with pytest.raises(shardine.ShardineError, match="another plan|differs|other"):
        shardine.pack(tmp_path / "flat", out, annotations=f"coco:{tmp_path}/a.json",
                      format="webdataset")


def test_bad_ones_are_skipped_where_asked(tmp_path: pathlib.Path) -> None:
    coco = json.loads(json.dumps(COCO))
    coco["annotations"][0]["category_id"] = 5
    source = flat(tmp_path, coco)
    options: dict[str, Any] = {"annotations": f"coco:{tmp_path}/a.json",
                               "format": "tfrecord"}
    with pytest.raises(shardine.ShardineError, match="annotation 1 .*unknown category_id 5"):
        shardine.pack(source, tmp_path / "out", **options)
    shardine.pack(source, tmp_path / "out", bad_annotations="skip", **options)
    lines = (tmp_path / "out" / "ignored.jsonl").read_text().splitlines()
    assert [json.loads(line)["reason"] for line in lines] == ["annotation-dropped"]


def test_categories_of_two_inputs_agree(tmp_path: pathlib.Path) -> None:
    one = pack(tmp_path / "one", format="webdataset")
    other = json.loads(json.dumps(COCO))
    other["categories"][0]["name"] = "wolf"
    source = flat(tmp_path / "two", other)
    two = tmp_path / "two" / "out"
    shardine.pack(source, two, annotations=f"coco:{tmp_path}/two/a.json",
                  format="webdataset")
    with pytest.raises(shardine.ShardineError, match="other categories"):
        shardine.merge([one, two], tmp_path / "both", prefix="{n}/")


def counted(folder: pathlib.Path) -> tuple[int, int]:
    boxes = [len(sample.fields.get("bbox", ())) for sample in shardine.Dataset(folder)]
    return len(boxes), sum(boxes)


DATUMARO = "datumaro/tests/assets"
LABELS = "labelformat/tests/fixtures"
READ = [
    (f"{DATUMARO}/coco_dataset/{name}/images/{split}",
     f"coco:{DATUMARO}/coco_dataset/{name}/annotations/{kind}_{split}.json", samples)
    for name, kind, split, samples in (
        ("coco", "captions", "train", (1, 0)), ("coco", "image_info", "val", (1, 0)),
        ("coco", "instances", "train", (1, 1)), ("coco", "instances", "val", (1, 2)),
        ("coco", "stuff", "val", (1, 1)), ("coco_instances", "instances", "val", (1, 2)))
] + [
    (f"{LABELS}/object_detection/COCO/data",
     f"coco:{LABELS}/object_detection/COCO/train.json", (2, 16)),
    (f"{DATUMARO}/voc_dataset/voc_dataset1/JPEGImages",
     f"voc:{DATUMARO}/voc_dataset/voc_dataset1", (2, 2)),
    (f"{LABELS}/object_detection/YOLOv8/images",
     f"voc:{LABELS}/object_detection/PascalVOC", (2, 16)),
    (f"{LABELS}/object_detection/YOLOv8/images",
     f"yolo:{LABELS}/object_detection/YOLOv8/example.yaml", (2, 16)),
    (f"{LABELS}/instance_segmentation/YOLOv8/images",
     f"yolo:{LABELS}/instance_segmentation/YOLOv8/dataset.yaml", (2, 3)),
]
REFUSED = [
    (f"{DATUMARO}/coco_dataset/coco_panoptic/images/val",
     f"coco:{DATUMARO}/coco_dataset/coco_panoptic/annotations/panoptic_val.json",
     "panoptic.*datumaro"),
    (f"{DATUMARO}/coco_dataset/coco_labels/images/val",
     f"coco:{DATUMARO}/coco_dataset/coco_labels/annotations/labels_val.json",
     "neither bbox nor caption"),
    (f"{DATUMARO}/yolo_dataset/labels/images/train",
     f"yolo:{DATUMARO}/yolo_dataset/labels/obj.names", "no map of names"),
    (f"{LABELS}/object_detection/COCO/data",
     "coco:panlabel/tests/fixtures/sample_invalid.coco.json", "two images have the id"),
]


def in_fixtures(source: str, annotations: str) -> tuple[pathlib.Path, str]:
    if not FIXTURES.is_dir():
        pytest.skip(f"NO FIXTURES at {FIXTURES}: annotations of others are not read")
    kind, path = annotations.split(":", 1)
    return FIXTURES / source, f"{kind}:{FIXTURES / path}"


@pytest.mark.parametrize("source, annotations, expected", READ)
def test_annotations_of_others_are_read(
    source: str, annotations: str, expected: tuple[int, int], tmp_path: pathlib.Path,
) -> None:
    folder, text = in_fixtures(source, annotations)
    shardine.pack(folder, tmp_path / "out", format="webdataset", annotations=text)
    assert counted(tmp_path / "out") == expected


@pytest.mark.parametrize("source, annotations, fault", REFUSED)
def test_annotations_of_others_are_refused(
    source: str, annotations: str, fault: str, tmp_path: pathlib.Path,
) -> None:
    folder, text = in_fixtures(source, annotations)
    with pytest.raises(shardine.ShardineError, match=fault):
        shardine.pack(folder, tmp_path / "out", format="webdataset", annotations=text)
    assert not (tmp_path / "out" / "shardine.json").exists()
