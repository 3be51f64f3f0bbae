"""Mixes on the device the images that a loader leaves unmixed."""

from __future__ import annotations

import torch

from .mixing import MixFactors


def mixed(images: torch.Tensor, mix: MixFactors) -> torch.Tensor:
    """Images of a batch, mixed by `mix`, from a loader with mix_apply=False: on their
    device, of floats that were normalized, N x C x H x W; calculated in float32, bit
    for bit as the loader's own mixing of float32.

    >>> import shardine.torch
    >>> loader = shardine.TrainLoader("data", batch_size=4, one_hot=4, mix_apply=False,
    ...                               mix=[shardine.MixUp(0.2), shardine.CutMix()])
    >>> batches = shardine.torch.CudaPrefetcher(loader, normalize="imagenet",
    ...                                        device="cpu")
    >>> for images, targets, mix in batches:
    ...     images = shardine.torch.mixed(images, mix)
    >>> images.shape, targets.shape
    (torch.Size([4, 3, 224, 224]), torch.Size([4, 4]))
    """
    if images.ndim != 4 or not images.is_floating_point():
        raise TypeError(
            f"images: {images.dtype} of {tuple(images.shape)} are not floats of "
            "samples x channels x height x width"
        )
    weight, partner, box = (
        torch.as_tensor(each).to(images.device) for each in mix
    )
    if len(weight) != len(images):
        raise ValueError(f"mix: of {len(weight)} samples, images of {len(images)}")
    own = _shares(weight, box, images.shape[2], images.shape[3])
    others = images.index_select(0, partner).to(torch.float32)
    values = others.mul_(1 - own).add_(images.to(torch.float32) * own)
    if images.is_contiguous(memory_format=torch.channels_last):
        values = values.contiguous(memory_format=torch.channels_last)
    return values.to(images.dtype)


def _shares(
    weight: torch.Tensor, box: torch.Tensor, height: int, width: int
) -> torch.Tensor:
    """The sample's own share of each pixel: N x 1 x H x W."""
    x, y, across, down = (side.view(-1, 1, 1) for side in box.unbind(1))
    rows = torch.arange(height, device=box.device).view(1, -1, 1)
    columns = torch.arange(width, device=box.device).view(1, 1, -1)
    outside = ~((rows >= y) & (rows < y + down) & (columns >= x) & (columns < x + across))
    is_cut = (across > 0) & (down > 0)
    shares = torch.where(is_cut, outside.to(torch.float32), weight.view(-1, 1, 1))
    return shares.unsqueeze(1)
