"""Masks, boxes and points that follow their images, beside torchvision's kernels of
masks and bounding boxes, on random pipelines whose parameters are known.

SHARDINE_PIPELINES: so many pipelines, instead of 150.
"""

import doctest
import io
import os
import pathlib
import random
import warnings
from typing import Any, Callable, Dict, List, Tuple

import numpy
import pytest
import torch
from PIL import Image

import shardine

# Newer torch has another name for a class that torchvision 0.15 asks for.
if not hasattr(torch._C, "DisableTorchFunctionSubclass"):
    torch._C.DisableTorchFunctionSubclass = torch._C.DisableTorchFunction
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it has no libjpeg for this torch
    import torchvision

    torchvision.disable_beta_transforms_warning()
    import torchvision.datapoints
    import torchvision.transforms.v2.functional as kernels

PIPELINES = int(os.environ.get("SHARDINE_PIPELINES", "150"))
SAMPLES = 12
XYXY = torchvision.datapoints.BoundingBoxFormat.XYXY
Step = Tuple[str, Tuple[Any, ...]]


def fields_of(number: int) -> Dict[str, Any]:
    noise = numpy.random.default_rng(number)
    height, width = (int(side) for side in noise.integers(24, 90, 2))
    classes = noise.integers(0, 256, (height // 3 + 1, width // 3 + 1), numpy.uint8)
    classes = classes.repeat(3, 0).repeat(3, 1)[:height, :width]
    encoded, image = io.BytesIO(), io.BytesIO()
    Image.fromarray(classes).save(encoded, "PNG")
    pixels = noise.integers(0, 256, (height, width, 3), numpy.uint8)
    Image.fromarray(pixels).save(image, "PNG")
    count = int(noise.integers(0, 7))
    x = numpy.sort(noise.uniform(0, width, (count, 2)), 1)
    y = numpy.sort(noise.uniform(0, height, (count, 2)), 1)
    corners = numpy.stack([x[:, 0], y[:, 0], x[:, 1], y[:, 1]], 1)
    return {
        "image": image.getvalue(),
        "mask": encoded.getvalue(),
        "depth": noise.random((height, width), numpy.float32),
        "ids": noise.integers(-9, 999, (height, width), numpy.int32),
        "bbox": corners.reshape(count, 4),
        "category": numpy.arange(count, dtype=numpy.int64),
        "label": number,
    }


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("follow") / "data"
    with shardine.Writer(path, format="tfrecord") as writer:
        for number in range(SAMPLES):
            writer.write(fields_of(number), key=str(number))
    return str(path)


def random_geometry(draw: random.Random) -> Tuple[Any, Callable[[Any], List[Step]]]:
    """A transform, and from the sample's row of batch.boxes its steps."""
    size = (draw.randint(5, 70), draw.randint(5, 70))
    kind = draw.choice(["random_resized", "center", "resize", "fixed"])
    if kind == "random_resized":
        flip = draw.randint(0, 1)
        flips: List[Step] = [("across", ())] * flip

        def resized(box: Any) -> List[Step]:
            x, y, width, height = box[:4].tolist()
            return [("crop", (y, x, height, width)), ("resize", (size,)), *flips]

        return shardine.RandomResizedCrop(size, flip=flip), resized
    if kind == "center":
        short = draw.choice([0, draw.randint(5, 90)])
        steps: List[Step] = [("short", (short,))] if short else []
        return (
            shardine.CenterCrop(size, resize=short),
            lambda box: [*steps, ("center", (size,))],
        )
    if kind == "resize":
        return shardine.Resize(size), lambda box: [("resize", (size,))]
    part = (draw.randint(0, 5), draw.randint(0, 5), draw.randint(1, 18), draw.randint(1, 18))
    x, y, width, height = part
    return (
        shardine.FixedCrop(part, size),
        lambda box: [("crop", (y, x, height, width)), ("resize", (size,))],
    )


def random_operations(draw: random.Random, turns: bool) -> Tuple[List[Any], List[Step]]:
    operations: List[Any] = []
    steps: List[Step] = []
    for _ in range(draw.randint(0, 4)):
        kind = draw.choice(["values", "down", *(["affine", "turn"] if turns else [])])
        happens = draw.randint(0, 1)
        if kind == "values":
            operations.append(draw.choice([
                shardine.ColorJitter(0.4, 0.4, 0.4), shardine.RandomErasing(1),
                shardine.GaussianBlur(3), shardine.RandomInvert(1)]))  # fmt: skip
        elif kind == "down":
            operations.append(shardine.RandomVerticalFlip(happens))
            steps += [("down", ())] * happens
        elif kind == "affine":
            by = (draw.uniform(-180, 180), (draw.randint(-9, 9), draw.randint(-9, 9)),
                  draw.uniform(0.5, 2), (draw.uniform(-30, 30), draw.uniform(-30, 30)))  # fmt: skip
            operations.append(shardine.Affine(*by))
            steps.append(("affine", by))
        else:
            angle = draw.uniform(-180, 180)
            operations.append(shardine.RandomRotation((angle, angle)))
            steps.append(("affine", (-angle, (0, 0), 1.0, (0.0, 0.0))))
    return operations, steps


def borders(wanted: Tuple[int, int], size: Tuple[int, int]) -> List[int]:
    """Padding left, top, right, bottom of an image smaller than its center crop."""
    top, left = (max(0, side - own) for side, own in zip(wanted, size))
    return [left // 2, top // 2, (left + 1) // 2, (top + 1) // 2]


def moved_mask(mask: torch.Tensor, steps: List[Step], fill: float) -> torch.Tensor:
    mask = mask[None]
    for name, by in steps:
        height, width = mask.shape[-2:]
        if name == "crop":
            mask = kernels.crop_mask(mask, *by)
        elif name == "resize":
            mask = kernels.resize_mask(mask, list(by[0]))
        elif name == "short":
            mask = kernels.resize_mask(mask, [by[0]])
        elif name == "center":
            mask = kernels.pad_mask(mask, borders(by[0], (height, width)), fill=fill)
            mask = kernels.center_crop_mask(mask, list(by[0]))
        elif name == "across":
            mask = kernels.horizontal_flip_mask(mask)
        elif name == "down":
            mask = kernels.vertical_flip_mask(mask)
        else:
            angle, translate, scale, shear = by
            mask = kernels.affine_mask(
                mask, angle, list(translate), scale, list(shear), fill=fill)
    return mask[0]


def moved_boxes(boxes: torch.Tensor, size: Tuple[int, int], steps: List[Step]) -> Any:
    for name, by in steps:
        if name == "crop":
            boxes, size = kernels.crop_bounding_box(boxes, XYXY, *by)
        elif name in ("resize", "short"):
            wanted = list(by[0]) if name == "resize" else [by[0]]
            boxes, size = kernels.resize_bounding_box(boxes, size, wanted)
        elif name == "center":
            # Its kernel alone is a pixel off its own masks where there is a border.
            boxes, size = kernels.pad_bounding_box(boxes, XYXY, size, borders(by[0], size))
            boxes, size = kernels.center_crop_bounding_box(boxes, XYXY, size, list(by[0]))
        elif name == "across":
            boxes = kernels.horizontal_flip_bounding_box(boxes, XYXY, size)
        elif name == "down":
            boxes = kernels.vertical_flip_bounding_box(boxes, XYXY, size)
        else:
            angle, translate, scale, shear = by
            boxes = kernels.affine_bounding_box(
                boxes, XYXY, size, angle, list(translate), scale, list(shear))
            boxes = kernels.clamp_bounding_box(boxes, XYXY, size)
    return boxes


@pytest.mark.parametrize("turns", [False, True])
def test_fields_are_moved_as_torchvision_moves_them(written: str, turns: bool) -> None:
    others = pixels = 0
    worst = 0.0
    for pipeline in range(PIPELINES):
        draw = random.Random(2 * pipeline + turns)
        geometry, steps_of = random_geometry(draw)
        operations, more = random_operations(draw, turns)
        fill = draw.choice([0, 7])
        loader = shardine.Loader(
            written, batch_size=5, seed=pipeline, last_batch="short",
            transform=[geometry, *operations], mask_fill=fill, label_dtype="int64",
            follow={"mask": "nearest", "depth": "nearest", "ids": "nearest",
                    "bbox": "boxes", "category": "with:bbox"})  # fmt: skip
        for batch in loader:
            for row, number in enumerate(batch.labels.tolist()):
                stored = fields_of(number)
                steps = steps_of(batch.boxes[row]) + more
                stored["mask"] = numpy.array(Image.open(io.BytesIO(stored["mask"])))
                for name in ("mask", "depth", "ids"):
                    own = batch.fields[name][row]
                    expected = moved_mask(torch.tensor(stored[name]), steps, fill).numpy()
                    assert own.dtype == stored[name].dtype
                    assert own.shape == expected.shape == batch.images.shape[2:]
                    others += int((own != expected).sum())
                    pixels += own.size
                size = stored["mask"].shape
                boxes = moved_boxes(torch.tensor(stored["bbox"]), size, steps).numpy()
                left = (boxes[:, 0] < boxes[:, 2]) & (boxes[:, 1] < boxes[:, 3])
                own = batch.fields["bbox"].sample(row)
                rows = batch.fields["category"].sample(row)
                # A rounding may be left where a box is cut to nothing.
                sides = numpy.minimum(boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1])
                sure = numpy.flatnonzero(left & (sides > 1e-9))
                assert set(sure) <= set(rows.tolist()) <= set(numpy.flatnonzero(sides > -1e-9))
                if len(rows):
                    worst = max(worst, float(numpy.abs(boxes[rows] - own).max()))
    assert pixels > 1_000_000 or PIPELINES < 150
    # Pixels half-way between two are the processor's, as those of images are.
    assert others <= (pixels // 10_000 if turns else 0)
    assert worst < 5e-5, worst
    print(f"{others} of {pixels} pixels differ; boxes by {worst}")


def test_samples_come_as_torchvision_s_types(written: str) -> None:
    import shardine.torch

    follow = {"mask": "nearest", "ids": "nearest-exact", "bbox": "boxes", "category": "with:bbox"}
    loader = shardine.Loader(
        written, batch_size=5, seed=2, transform=shardine.RandomResizedCrop((30, 40)),
        follow=follow)  # fmt: skip
    types = torchvision.datapoints
    for batch in loader:
        samples = shardine.torch.tv_tensors(batch, follow)
        assert len(samples) == len(batch)
        for row, sample in enumerate(samples):
            assert isinstance(sample["image"], types.Image)
            assert isinstance(sample["mask"], types.Mask)
            assert isinstance(sample["bbox"], types.BoundingBox)
            assert sample["bbox"].spatial_size == (30, 40)
            assert sample["label"] == batch.labels[row]
            assert (sample["mask"].numpy() == batch.fields["mask"][row]).all()
            assert (sample["bbox"].numpy() == batch.fields["bbox"].sample(row)).all()
            assert (sample["category"].numpy() == batch.fields["category"].sample(row)).all()
            # torchvision's own transforms take them.
            flipped = kernels.horizontal_flip(sample["mask"])
            assert isinstance(flipped, types.Mask)


def test_the_example_of_the_types_runs(
    written: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shardine.torch

    (tmp_path / "shapes").symlink_to(written)
    monkeypatch.chdir(tmp_path)
    found = doctest.DocTestFinder(recurse=False).find(
        shardine.torch.tv_tensors, "example", globs={"shardine": shardine})
    assert found and found[0].examples
    said: List[str] = []
    doctest.DocTestRunner().run(found[0], out=said.append)
    assert not said, "".join(said)
