"""The package in the loops of Lightning's and transformers' trainers, which take
len(loader) batches of an epoch and never ask for one more."""

import json
import os
import pathlib
import subprocess
import warnings
from typing import Any

import pytest
import pytorch_lightning
import torch
import transformers

import shardine

# Epoch, ids and boxes of a batch.
Facts = tuple[int, list[int], list[list[int]]]

PHOTOS = pathlib.Path(os.environ["PHOTOS"])
EPOCHS = 4

torch.set_num_threads(1)
warnings.filterwarnings("ignore")


@pytest.fixture(scope="session")
def packed(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """24 photos of 4 classes in several shards."""
    out = tmp_path_factory.mktemp("packed") / "out"
    subprocess.run(
        [os.environ["SHARDINE"], "pack", str(PHOTOS), str(out)]
        + ["--shard-size=128K", "--seed=7"],
        check=True,
        capture_output=True,
    )
    return out


def load(dataset: pathlib.Path, **options: Any) -> shardine.Loader:
    options.setdefault("batch_size", 4)
    return shardine.Loader(
        dataset,
        seed=5,
        threads=2,
        transform=shardine.RandomResizedCrop(16),
        **options,
    )


def facts(batch: shardine.Batch) -> Facts:
    return batch.epoch, batch.ids.tolist(), batch.boxes.tolist()


def whole(dataset: pathlib.Path, **options: Any) -> list[list[Facts]]:
    """The batches of a plain loop, epoch by epoch."""
    loader = load(dataset, **options)
    return [[facts(batch) for batch in loader] for _ in range(EPOCHS)]


def loss_of(layer: Any, batch: Any) -> Any:
    images, labels = batch
    inputs = torch.from_dlpack(images).float().mean((2, 3)) / 255
    return torch.nn.functional.cross_entropy(
        layer(inputs), torch.from_dlpack(labels)
    )


class Module(pytorch_lightning.LightningModule):
    """Notes its batches; saves a checkpoint after so many steps."""

    def __init__(
        self,
        loader: shardine.Loader,
        val_loader: shardine.Loader | None = None,
        save_after: int | None = None,
        path: str | None = None,
    ) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(3, 4)
        self.loaders = (loader, val_loader)
        self.save_after, self.path = save_after, path
        self.seen: list[Facts] = []
        self.validated: list[list[int]] = []

    def _register_sharded_tensor_state_dict_hooks_if_available(self) -> None:
        """Debian's PyTorch has hooks that its Python cannot import."""

    def train_dataloader(self) -> shardine.Loader:
        return self.loaders[0]

    def val_dataloader(self) -> Any:
        return [] if self.loaders[1] is None else self.loaders[1]

    def training_step(self, batch: Any, index: int) -> Any:
        self.seen.append(facts(batch))
        return loss_of(self.layer, batch)

    def validation_step(self, batch: Any, index: int) -> None:
        self.validated.append(batch.ids.tolist())

    def on_train_batch_end(self, *_: object) -> None:
        if len(self.seen) == self.save_after:
            self.trainer.save_checkpoint(self.path)

    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.parameters(), lr=0.01)


def fit(module: Module, checkpoint: str | None = None, **options: Any) -> list[Facts]:
    trainer = pytorch_lightning.Trainer(
        max_epochs=EPOCHS,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        **options,
    )
    trainer.fit(module, ckpt_path=checkpoint)
    return module.seen


@pytest.mark.parametrize("last_batch", ["drop", "short", "pad"])
@pytest.mark.parametrize("batch_size", [4, 5])
def test_lightning_gets_every_epoch(
    packed: pathlib.Path, last_batch: str, batch_size: int
) -> None:
    options = {"last_batch": last_batch, "batch_size": batch_size}
    epochs = whole(packed, **options)
    assert len({str(epoch) for epoch in epochs}) == EPOCHS
    assert fit(Module(load(packed, **options))) == sum(epochs, [])


def test_lightning_validates_on_all_samples_each_time(packed: pathlib.Path) -> None:
    val = load(packed, last_batch="short", order="sequential")
    module = Module(load(packed), val)
    seen = fit(module, num_sanity_val_steps=2)
    assert seen == sum(whole(packed), [])
    ids = [batch.ids.tolist() for batch in val]
    assert module.validated == ids[:2] + EPOCHS * ids


def test_lightning_that_leaves_epochs_early_gets_others(packed: pathlib.Path) -> None:
    seen = fit(Module(load(packed)), limit_train_batches=2)
    assert seen == sum((epoch[:2] for epoch in whole(packed)), [])


@pytest.mark.parametrize("save_after", range(1, 4 * 6, 2))
def test_lightning_resumes_with_all_steps(
    packed: pathlib.Path, tmp_path: pathlib.Path, save_after: int
) -> None:
    path = str(tmp_path / "checkpoint")
    seen = fit(Module(load(packed), save_after=save_after, path=path))
    assert seen == sum(whole(packed), [])
    assert fit(Module(load(packed)), path) == seen[save_after:]


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(3, 4)

    def forward(self, batch: Any) -> Any:
        return loss_of(self.layer, batch)


class Trainer(transformers.Trainer):
    def __init__(
        self, loader: shardine.Loader, folder: pathlib.Path, **options: Any
    ) -> None:
        self.loader = loader
        self.seen: list[Facts] = []
        super().__init__(
            Model(),
            transformers.TrainingArguments(
                str(folder),
                num_train_epochs=EPOCHS,
                report_to=[],
                use_cpu=True,
                disable_tqdm=True,
                logging_strategy="no",
                **{"save_strategy": "no", **options},
            ),
            callbacks=[KeepsPlace(loader)],
        )

    def get_train_dataloader(self) -> shardine.Loader:
        return self.loader

    def compute_loss(self, model: Any, batch: Any, return_outputs: bool = False) -> Any:
        self.seen.append(facts(batch))
        return model(batch)


class KeepsPlace(transformers.TrainerCallback):
    """The loader's state beside the trainer's."""

    def __init__(self, loader: shardine.Loader) -> None:
        self.loader = loader

    def on_save(self, arguments: Any, state: Any, control: Any, **_: object) -> None:
        folder = pathlib.Path(arguments.output_dir)
        place = folder / f"checkpoint-{state.global_step}" / "loader.json"
        place.write_text(json.dumps(self.loader.state_dict()))


@pytest.mark.parametrize("last_batch", ["drop", "short", "pad"])
@pytest.mark.parametrize("batch_size", [4, 5])
def test_transformers_gets_every_epoch(
    packed: pathlib.Path, tmp_path: pathlib.Path, last_batch: str, batch_size: int
) -> None:
    options = {"last_batch": last_batch, "batch_size": batch_size}
    trainer = Trainer(load(packed, **options), tmp_path)
    trainer.train()
    assert trainer.seen == sum(whole(packed, **options), [])


def test_transformers_stops_in_the_middle(
    packed: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    trainer = Trainer(load(packed), tmp_path, max_steps=9)
    trainer.train()
    assert trainer.seen == sum(whole(packed), [])[:9]


@pytest.mark.parametrize("save_after", [1, 5, 6, 7, 12, 23])
def test_transformers_resumes_with_all_steps(
    packed: pathlib.Path, tmp_path: pathlib.Path, save_after: int
) -> None:
    first = Trainer(
        load(packed), tmp_path, save_strategy="steps", save_steps=save_after
    )
    first.train()
    folder = tmp_path / f"checkpoint-{save_after}"
    second = Trainer(load(packed), tmp_path, ignore_data_skip=True)
    state = json.loads((folder / "loader.json").read_text())
    second.loader.load_state_dict(state)
    second.train(resume_from_checkpoint=str(folder))
    assert second.seen == first.seen[save_after:]


def test_accelerate_deals_no_share_out_again(packed: pathlib.Path) -> None:
    """field report B15."""
    from accelerate.data_loader import IterableDatasetShard

    def shared(**options: Any) -> Any:
        loader = shardine.TrainLoader(packed, batch_size=4, raw=True, seed=1, **options)
        return IterableDatasetShard(loader, batch_size=1, num_processes=2)

    with pytest.raises(RuntimeError, match="rank=0, world=1"):
        list(shared(rank=0, world=2))
    assert len(list(shared(rank=0, world=1))) == 3
