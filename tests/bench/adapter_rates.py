"""adapter_rates.py DATASET EPOCHS ROUNDS NAME...: the part of a loader's rate that
training frameworks keep where a step does nothing, each between its first step and its
last, so that startup and shutdown do not count. In each round the loader's own loop and
the framework's run one after the other, with the same options. One JSON line for each
name: medians of the rounds' ratios, of images a second and of images per CPU-second,
and CPU microseconds a batch of the thread that takes them, more than in the loop.
"""

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import shardine

BATCH, THREADS = 64, 2


class Steps:
    """An empty step, which only looks at the clocks."""

    def __init__(self) -> None:
        self.times: list[tuple[float, float, float]] = []

    def __call__(self, images: Any) -> None:
        assert len(images) == BATCH
        self.times.append((time.perf_counter(), time.process_time(), time.thread_time()))

    def per_batch(self) -> list[float]:
        """Seconds, CPU seconds of the process, of this thread."""
        batches = len(self.times) - 1
        return [(end - begin) / batches for begin, end in zip(self.times[0], self.times[-1])]


Make = Callable[..., shardine.Loader]


def plain(make: Make, epochs: int, step: Steps) -> None:
    loader = make()
    for _ in range(epochs):
        for images, _labels in loader:
            step(images)


def torch_data_loader(make: Make, epochs: int, step: Steps) -> None:
    import torch.utils.data

    loader = torch.utils.data.DataLoader(
        make(arrays="torch", callback=tuple), batch_size=None)
    for _ in range(epochs):
        for images, _labels in loader:
            step(images)


def accelerate(make: Make, epochs: int, step: Steps) -> None:
    import accelerate
    import torch

    accelerator = accelerate.Accelerator(cpu=True)
    model = accelerator.prepare(torch.nn.Linear(1, 1))
    loader = make(arrays="torch", callback=tuple)
    for _ in range(epochs):
        for images, _labels in loader:
            with accelerator.accumulate(model):
                step(images)


def lightning(make: Make, epochs: int, step: Steps) -> None:
    import pytorch_lightning

    class Module(pytorch_lightning.LightningModule):
        def _register_sharded_tensor_state_dict_hooks_if_available(self) -> None:
            """Debian's PyTorch has hooks that its Python cannot import."""

        def training_step(self, batch: Any, index: int) -> None:
            step(batch[0])

        def configure_optimizers(self) -> None:
            pass

    trainer = pytorch_lightning.Trainer(
        max_epochs=epochs, accelerator="cpu", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False)
    trainer.fit(Module(), make(arrays="torch", callback=tuple))


def transformers(make: Make, epochs: int, step: Steps) -> None:
    import torch
    import transformers

    class Trainer(transformers.Trainer):
        def get_train_dataloader(self) -> Any:
            return make(arrays="torch", callback=lambda batch: {
                "pixel_values": batch.images, "labels": batch.labels})

        def training_step(self, model: Any, inputs: Any) -> Any:
            step(self._prepare_inputs(inputs)["pixel_values"])
            return nothing

    nothing = torch.zeros(())
    with tempfile.TemporaryDirectory() as folder:
        Trainer(torch.nn.Linear(1, 1), transformers.TrainingArguments(
            folder, num_train_epochs=epochs, save_strategy="no", logging_strategy="no",
            report_to=[], disable_tqdm=True, use_cpu=True)).train()


def keras_jax(make: Make, epochs: int, step: Steps) -> None:
    os.environ["KERAS_BACKEND"] = "jax"
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax.numpy
    import keras

    class Empty(keras.Model):
        def train_step(self, state: Any, data: Any) -> Any:
            return {"loss": jax.numpy.zeros(())}, state

    class Clock(keras.callbacks.Callback):
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            step(range(BATCH))

    model = Empty()
    model.compile()
    model.built = True
    loader = make(layout="nhwc")
    while loader.epoch < epochs:
        model.fit(loader.as_tuples(), callbacks=[Clock()], verbose=0)


def jax_loop(make: Make, epochs: int, step: Steps) -> None:
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax

    loader = make(layout="nhwc")
    for _ in range(epochs):
        for images, labels in loader:
            step(jax.device_put(images))
            jax.device_put(labels)


def tf_data(make: Make, epochs: int, step: Steps) -> None:
    import tensorflow

    loader = make(layout="nhwc")
    shape = (BATCH, 224, 224, 3)
    batches = tensorflow.data.Dataset.from_generator(
        loader.as_tuples,
        output_signature=(tensorflow.TensorSpec(shape, tensorflow.uint8),
                          tensorflow.TensorSpec(shape[:1], tensorflow.int64))).prefetch(2)
    for _ in range(epochs):
        for images, _labels in batches:
            step(images)


ADAPTERS = {each.__name__: each for each in (
    torch_data_loader, accelerate, lightning, transformers, keras_jax, jax_loop, tf_data)}


def prefetcher_microseconds(batches: int = 2000) -> dict[str, float]:
    """The cost that a CudaPrefetcher on the CPU adds to a batch of hardly any pixels:
    CPU time of the thread that takes it, and of its own thread, too."""
    import shardine.torch

    def loader() -> shardine.Loader:
        samples = shardine.Dataset(sys.argv[1])
        return shardine.Loader(samples, batch_size=1, synthetic=True, threads=1,
                               transform=shardine.CenterCrop(8))

    def cost(given: Any) -> tuple[float, float]:
        def one_epoch() -> int:
            return sum(1 for images, labels in given)

        one_epoch()
        of_thread, of_all, taken = time.thread_time(), time.process_time(), 0
        while taken < batches:
            taken += one_epoch()
        return ((time.thread_time() - of_thread) / taken * 1e6,
                (time.process_time() - of_all) / taken * 1e6)

    alone = cost(loader())
    ahead = cost(shardine.torch.CudaPrefetcher(loader(), device="cpu"))
    return {"consumer_us": round(ahead[0], 1), "loader_alone_us": round(alone[0], 1),
            "all_threads_more_us": round(ahead[1] - alone[1], 1)}


def compare(name: str, make: Make, epochs: int, rounds: int) -> dict[str, Any]:
    walls, cpus, more = [], [], []
    for _ in range(rounds):
        own, theirs = Steps(), Steps()
        plain(make, epochs, own)
        ADAPTERS[name](make, epochs, theirs)
        wall, cpu, thread = own.per_batch()
        their_wall, their_cpu, their_thread = theirs.per_batch()
        walls.append(wall / their_wall)
        cpus.append(cpu / their_cpu)
        more.append((their_thread - thread) * 1e6)
    return {"adapter": name, "of_rate": round(statistics.median(walls), 3),
            "of_rate_per_cpu": round(statistics.median(cpus), 3),
            "more_us_a_batch": round(statistics.median(more))}


def main() -> None:
    path, epochs, rounds, *names = sys.argv[1:]

    def make(**options: Any) -> shardine.Loader:
        return shardine.TrainLoader(path, batch_size=BATCH, seed=1, threads=THREADS, **options)

    for name in names:
        if name == "prefetcher":
            figures: dict[str, Any] = {"adapter": name, **prefetcher_microseconds()}
        else:
            figures = compare(name, make, int(epochs), int(rounds))
        print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
