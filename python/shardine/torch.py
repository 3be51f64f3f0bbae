"""Parts that training loops of PyTorch use beside a Loader. Needs torch, 1.13 or later.

>>> import shardine.torch
>>> loader = shardine.TrainLoader("data", batch_size=4, seed=1)
>>> batches = shardine.torch.CudaPrefetcher(loader, normalize="imagenet", device="cpu")
>>> images, labels = next(iter(batches))
>>> images.dtype, labels.shape
(torch.float32, torch.Size([4]))
"""

from .accuracy import Accuracy
from .cuda_prefetcher import CudaPrefetcher
from .torch_fields import tv_tensors
from .torch_mixing import mixed

__all__ = ["Accuracy", "CudaPrefetcher", "mixed", "tv_tensors"]
