"""How many samples a model answered correctly, over all ranks."""

from __future__ import annotations

from typing import Any, Dict, Sequence

import torch
import torch.distributed

from .arguments import count


class Accuracy:
    """Top-k accuracy over exactly the samples that were counted.

    Sums are integers on the device of the outputs, so that nothing waits for it
    before compute(), and the ranks' counts are added up, not averaged: a short last
    batch, or none on a rank, counts for as many samples as it has.

    topk: for which k, in ascending order; each at most the number of classes.

    >>> import shardine.torch
    >>> accuracy = shardine.torch.Accuracy(topk=(1, 2))
    >>> outputs = torch.tensor([[0.1, 0.7, 0.2], [0.5, 0.1, 0.4]])
    >>> accuracy.add(outputs, torch.tensor([1, 2]))
    >>> accuracy.compute()
    {'samples': 2, 'top1': 0.5, 'top2': 1.0}
    """

    def __init__(self, topk: Sequence[int] = (1, 5)) -> None:
        if not hasattr(topk, "__iter__"):
            raise TypeError(f"topk: {topk!r} is no list of numbers, such as (1, 5)")
        self.topk = tuple(count("topk", k) for k in topk)
        ascending = sorted({*self.topk}) == list(self.topk)
        if not self.topk or self.topk[0] < 1 or not ascending:
            raise ValueError(f"topk: {topk!r} does not ascend from 1 or more")
        self.reset()

    def reset(self) -> None:
        """Forgets all counts."""
        self._sums: Any = None  # samples, then correct ones for each k

    def add(self, outputs: Any, labels: Any) -> None:
        """Counts a batch: `outputs`, samples x classes, of which the largest are
        the answers; `labels`, the integers that are right. Either may be empty.

        TypeError: they are no tensors. ValueError: their shapes do not fit, or there are
        fewer classes than k.
        """
        if not isinstance(outputs, torch.Tensor) or not isinstance(labels, torch.Tensor):
            raise TypeError(
                f"outputs and labels: {type(outputs)} and {type(labels)} are not tensors"
            )
        if outputs.ndim != 2 or labels.shape != outputs.shape[:1]:
            raise ValueError(
                f"outputs of {tuple(outputs.shape)} and labels of "
                f"{tuple(labels.shape)} are not samples x classes and samples"
            )
        if outputs.shape[1] < self.topk[-1]:
            raise ValueError(f"topk: {self.topk[-1]} of {outputs.shape[1]} classes")
        answers = outputs.detach().topk(self.topk[-1], dim=1).indices
        right = (answers == labels[:, None]).to(torch.int64)
        counts = [right.new_tensor(len(labels))]
        counts += [right[:, :k].sum() for k in self.topk]
        sums = torch.stack(counts)
        self._sums = sums if self._sums is None else self._sums + sums

    def __repr__(self) -> str:
        # Without a wait for the device, or for other ranks.
        return f"<shardine.Accuracy of topk={self.topk}>"

    def compute(self) -> Dict[str, float]:
        """`samples`, how many were counted, and `top1`, ..., which part of them
        was answered correctly (0 of none): over all ranks where torch.distributed
        is in use, and then to be called by all of them. Each rank has to have
        counted something, if only an empty batch.

        ValueError: nothing was counted.
        """
        if self._sums is None:
            raise ValueError("nothing was counted: add() comes first")
        sums = self._sums.clone()
        distributed = torch.distributed
        if distributed.is_available() and distributed.is_initialized():
            distributed.all_reduce(sums)
        samples, *right = sums.tolist()
        return {"samples": samples} | {
            f"top{k}": n / max(samples, 1) for k, n in zip(self.topk, right)
        }
