"""Fields that followed their images, as torchvision's own types."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Sequence

import torch

from . import _core
from .ragged import Ragged


def _types() -> Any:
    """torchvision.tv_tensors, or its predecessor before 0.16."""
    import torchvision

    torchvision.disable_beta_transforms_warning()
    try:
        import torchvision.tv_tensors

        return torchvision.tv_tensors
    except ImportError:
        import torchvision.datapoints

        return torchvision.datapoints


def _samples(value: Any) -> Sequence[Any]:
    return list(value.samples()) if isinstance(value, Ragged) else value


def _boxes(types: Any, boxes: Any, height: int, width: int) -> Any:
    rows = torch.zeros(0, 4, dtype=torch.float64) if boxes is None else torch.as_tensor(boxes)
    of_today = hasattr(types, "BoundingBoxes")
    size = "canvas_size" if of_today else "spatial_size"
    make = types.BoundingBoxes if of_today else types.BoundingBox
    return make(rows, format=types.BoundingBoxFormat.XYXY, **{size: (height, width)})


def tv_tensors(batch: _core.Batch, follow: Mapping[str, str]) -> List[Dict[str, Any]]:
    """Each sample of a batch as torchvision's detection and segmentation take it: its
    image, its label and its fields by name, images as tv_tensors.Image, masks as Mask,
    boxes as BoundingBoxes (before torchvision 0.16 the types of datapoints), other
    arrays as tensors. `follow` is the loader's. For loaders with one view.

    >>> import shardine.torch
    >>> follow = {"mask": "nearest", "bbox": "boxes"}
    >>> loader = shardine.TrainLoader("shapes", batch_size=2, follow=follow)
    >>> samples = shardine.torch.tv_tensors(next(iter(loader)), follow)
    >>> samples[0]["image"].shape, samples[0]["mask"].shape, samples[0]["bbox"].shape[1]
    (torch.Size([3, 224, 224]), torch.Size([224, 224]), 4)
    """
    types = _types()
    images, labels = torch.as_tensor(batch.images), torch.as_tensor(batch.labels)
    height, width = images.shape[2:]
    samples: List[Dict[str, Any]] = [
        {"image": types.Image(image), "label": label} for image, label in zip(images, labels)
    ]
    for name, value in batch.fields.items():
        how = follow.get(name, "")
        for sample, own in zip(samples, _samples(value)):
            if how == "boxes":
                sample[name] = _boxes(types, own, height, width)
            elif how.startswith("nearest"):
                mask = torch.as_tensor(own)
                # Channels come first in torchvision.
                sample[name] = types.Mask(mask if mask.ndim == 2 else mask.movedim(-1, 0))
            elif own is None or isinstance(own, (str, memoryview)):
                sample[name] = own
            else:
                sample[name] = torch.as_tensor(own)
    return samples
