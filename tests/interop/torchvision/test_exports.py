"""Exports of annotations as torchvision's and pycocotools' readers have them."""

import importlib
import os
import pathlib

import numpy
import pytest
from pycocotools import mask as masks

import shardine

# The other test prepares torch for the import.
torchvision = importlib.import_module("test_followed_fields").torchvision
PHOTOS = pathlib.Path(os.environ["PHOTOS"])
COUNT = 6


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Photos with boxes, polygons and masks by Writer: no form of a source."""
    out = tmp_path_factory.mktemp("export") / "set"
    photos = sorted(PHOTOS.glob("*/*.[jJ]*"))[:COUNT]
    with shardine.Writer(out, format="webdataset") as writer:
        for n, photo in enumerate(photos):
            polygon = numpy.array([[2.0, 3], [22, 3], [22, 13 + n]])
            mask = numpy.zeros((40, 50), "u1", "F")
            mask[4:9, 10 : 12 + n] = 1
            flat = mask.ravel("F")
            edges = numpy.flatnonzero(numpy.diff(numpy.r_[0, flat, 1 - flat[-1]]))
            runs = numpy.diff(numpy.r_[0, edges])
            writer.write(
                {"image": photo.read_bytes(),
                 "bbox": numpy.array([[2.0, 3, 22, 13 + n], [10, 4, 12 + n, 9]]),
                 "bbox_label": numpy.array([0, n % 3]),
                 "bbox_crowd": numpy.array([0, 1]),
                 "polygon": polygon, "polygon_rows": numpy.array([[0, 3]]),
                 "rle": runs, "rle_rows": numpy.array([[1, len(runs), 40, 50]])},
                key=f"{n}.jpg")
    return out


def test_coco_detection_reads_an_export(dataset: pathlib.Path) -> None:
    out = dataset.parent / "coco"
    shardine.export("coco", dataset, out)
    read = torchvision.datasets.CocoDetection(
        out, out / "annotations" / "instances_train.json")
    assert len(read) == COUNT
    names = {id_: each["file_name"] for id_, each in read.coco.imgs.items()}
    samples = {each.key: each for each in shardine.Dataset(dataset)}
    for (image, objects), id_ in zip(read, read.ids):
        sample = samples[names[id_]]
        boxes = [[x, y, x + w, y + h] for x, y, w, h in (each["bbox"] for each in objects)]
        assert boxes == sample.fields["bbox"].tolist()
        n = int(pathlib.PurePath(names[id_]).stem)
        assert read.coco.annToMask(objects[0]).shape == (image.size[1], image.size[0])
        crowd = masks.decode(masks.frPyObjects(objects[1]["segmentation"], 40, 50))
        assert crowd.sum() == 5 * (2 + n) == objects[1]["area"]
        assert crowd[4:9, 10 : 12 + n].all()


def test_voc_detection_reads_an_export(dataset: pathlib.Path) -> None:
    out = dataset.parent / "VOCdevkit" / "VOC2012"
    shardine.export("voc", dataset, out)
    read = torchvision.datasets.VOCDetection(
        dataset.parent, year="2012", image_set="train", download=False)
    assert len(read) == COUNT
    samples = {each.key: each for each in shardine.Dataset(dataset)}
    for image, target in read:
        tree = target["annotation"]
        assert image.size == (int(tree["size"]["width"]), int(tree["size"]["height"]))
        boxes = [[float(each["bndbox"][side]) for side in ("xmin", "ymin", "xmax", "ymax")]
                 for each in tree["object"]]
        given = samples[tree["filename"]].fields["bbox"] + [1, 1, 0, 0]
        assert boxes == given.tolist()
        labels = samples[tree["filename"]].fields["bbox_label"]
        assert [int(each["name"]) for each in tree["object"]] == labels.tolist()
