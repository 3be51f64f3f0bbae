#!/usr/bin/env python3
"""adapters.py TREE [--work DIR] [--copies 4] [--epochs 5] [--rounds 5]

The part of the loader's own rate that training frameworks keep, where a step is
empty: the photos of TREE, so often as --copies says, to batches of 64 crops of 224
pixels on two threads. See adapter_rates.py, which runs in the virtual environment of
each framework. Asked: 0.95 of the rate; 50 microseconds of host time that a
CudaPrefetcher adds to a batch, here on the processor, without the pixels' arithmetic.
"""
import argparse
import json
import os
import subprocess
import tempfile

from corpus import HERE, copy_tree, emit, list_files, package_env, run, venv_python, warm
from measure import table

BIN = os.environ["SHARDINE_BIN"]
VENVS = {
    "trainers": ["torch_data_loader", "accelerate", "lightning", "transformers",
                 "prefetcher"],
    "keras": ["keras_jax", "jax_loop"],
    "tensorflow": ["tf_data"],
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("tree")
    parser.add_argument("--work")
    parser.add_argument("--copies", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        work = args.work or scratch
        dataset = os.path.join(work, "adapters")
        if not os.path.exists(dataset):
            run([os.path.join(BIN, "shardine"), "pack",
                 copy_tree(args.tree, work, args.copies), dataset])
        warm(list_files(dataset))
        rows = [("", "of the rate", "per CPU", "more us a batch")]
        for venv, names in VENVS.items():
            answer = subprocess.run(
                [venv_python(venv), "-W", "ignore", os.path.join(HERE, "adapter_rates.py"),
                 dataset, str(args.epochs), str(args.rounds), *names],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True,
                env={**package_env(), "OMP_NUM_THREADS": "1"}).stdout
            # Some of them print, too.
            ours = filter(lambda line: line.startswith('{"adapter"'), answer.splitlines())
            for figures in map(json.loads, ours):
                emit(**figures)
                rows.append((figures["adapter"], figures.get("of_rate"),
                             figures.get("of_rate_per_cpu"),
                             figures.get("more_us_a_batch",
                                         figures.get("all_threads_more_us"))))
        print(table(rows))


if __name__ == "__main__":
    main()
