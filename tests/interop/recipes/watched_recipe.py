"""Runs a recipe with a model of watched_model.py.

Usage: watched_recipe.py HEADING BLOCK [ARGUMENT...]: the checkpoint to go on from; for
timm, the arguments of its train.py.
"""

import os
import sys
from typing import Any

import old_torch  # noqa: F401
import recipe_blocks
import torch
import torch.distributed
from watched_model import ModeAware, Watched, loss_of

HEADING, BLOCK, *ARGUMENTS = sys.argv[1:]
RESUME = ARGUMENTS[0] if ARGUMENTS else None


def of_loops() -> dict[str, Any]:
    model = ModeAware()
    return {"model": model, "optimizer": torch.optim.SGD(model.parameters(), 0.1)}


def of_torch() -> dict[str, Any]:
    if "WORLD_SIZE" in os.environ:
        torch.distributed.init_process_group("gloo")
    return of_loops()


def of_lightning() -> dict[str, Any]:
    import pytorch_lightning

    class Module(pytorch_lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.model = Watched()

        def _register_sharded_tensor_state_dict_hooks_if_available(self) -> None:
            """Debian's PyTorch has hooks that its Python cannot import."""

        def training_step(self, batch: Any, index: int) -> Any:
            images, labels = batch
            return loss_of(self.model(images), labels)

        def validation_step(self, batch: Any, index: int) -> None:
            self.model(batch[0])

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.01)

    class Trainer(pytorch_lightning.Trainer):
        def fit(self, *given: Any) -> None:
            super().fit(*given, ckpt_path=RESUME)

    pytorch_lightning.Trainer = Trainer
    return {"model": Module()}


def of_transformers() -> dict[str, Any]:
    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = Watched()

        def forward(self, pixel_values: Any, labels: Any) -> Any:
            outputs = self.model(pixel_values)
            return {"loss": loss_of(outputs, labels), "logits": outputs}

    return {"model": Model()}


def of_timm() -> dict[str, Any]:
    sys.argv = ["timm_train.py", "--data-dir", "data", "--val-split", "val", *ARGUMENTS]
    return {}


NAMES = {"PyTorch": of_torch, "Lightning": of_lightning, "Accelerate": of_loops,
         "Hugging Face's Trainer": of_transformers, "timm": of_timm}
torch.set_num_threads(1)
given = {"resume_from": RESUME, "torch": torch, **NAMES[HEADING]()}
recipe_blocks.run_block(HEADING, given, int(BLOCK))
del given
if torch.distributed.is_initialized():  # its threads end before the interpreter does
    torch.distributed.destroy_process_group()
