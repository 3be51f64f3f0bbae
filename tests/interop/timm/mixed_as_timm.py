"""Batches that a loader mixed are those of timm's FastCollateMixup, given the same
draws: images and smoothed targets, bit for bit.

timm's partner is the batch read from its end, ours the sample before: of two samples
they are the same. Runs under the Python that has timm. timm's other modules want a
torch that is newer than Debian's; this one is imported without them.
Usage: mixed_as_timm.py PHOTOS [unittest options]
"""

import importlib
import importlib.util
import pathlib
import sys
import tempfile
import types
import unittest
from typing import Any

import torch

import shardine

PHOTOS = pathlib.Path()
CLASSES, SMOOTHING = 4, 0.1


def mixup_module() -> Any:
    spec = importlib.util.find_spec("timm")
    assert spec and spec.submodule_search_locations
    root = pathlib.Path(spec.submodule_search_locations[0])
    for name in ("timm", "timm.data"):
        package = types.ModuleType(name)
        package.__path__ = [str(root.joinpath(*name.split(".")[1:]))]
        sys.modules[name] = package
    return importlib.import_module("timm.data.mixup")


TIMM = mixup_module()
Theirs: Any = TIMM.FastCollateMixup


class Given(Theirs):  # type: ignore[misc]
    """Mixes with a loader's draws."""

    def __init__(self, mix: Any) -> None:
        super().__init__(num_classes=CLASSES, label_smoothing=SMOOTHING)
        x, y, width, height = map(int, mix.box[0])
        self.ratio, self.cuts = float(mix.weight[0]), width > 0
        self.box = (y, y + height, x, x + width)

    def _params_per_batch(self) -> Any:
        return self.ratio, self.cuts

    def __call__(self, batch: Any, _: Any = None) -> Any:
        TIMM.cutmix_bbox_and_lam = lambda *shape, **rest: (self.box, self.ratio)
        return super().__call__(batch)


class MixedAsTimm(unittest.TestCase):
    def compare(self, mix: Any, epochs: int = 4) -> int:
        """How many batches were mixed."""
        mixed = 0
        with tempfile.TemporaryDirectory() as top:
            shardine.pack(PHOTOS, pathlib.Path(top) / "out")
            options: Any = {
                "batch_size": 2, "seed": 5, "layout": "nchw",
                "transform": shardine.RandomResizedCrop((40, 56))}
            made = shardine.Loader(pathlib.Path(top) / "out", mix=mix, one_hot=CLASSES,
                                   label_smoothing=SMOOTHING, **options)
            plain = shardine.Loader(pathlib.Path(top) / "out", **options)
            for _ in range(epochs):
                for batch, before in zip(made, plain):
                    collate = Given(batch.mix)
                    images, targets = collate(
                        list(zip(before.images, before.labels.tolist())))
                    self.assertTrue(torch.equal(torch.from_numpy(batch.images), images))
                    self.assertTrue(
                        torch.equal(torch.from_numpy(batch.targets), targets))
                    mixed += collate.ratio < 1
        return mixed

    def test_mixup(self) -> None:
        self.assertEqual(self.compare(shardine.MixUp(alpha=0.8)), 48)

    def test_cutmix(self) -> None:
        self.assertGreater(self.compare(shardine.CutMix()), 40)

    def test_both_and_none(self) -> None:
        mixes = [shardine.MixUp(0.2, p=0.4), shardine.CutMix(p=0.4)]
        self.assertGreater(self.compare(mixes), 20)


if __name__ == "__main__":
    PHOTOS = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
