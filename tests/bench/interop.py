#!/usr/bin/env python3
"""interop.py TREE [--work DIR]

The peers that are too large for CI read our shards and use the package. DALI's readers
on the CPU read pack's output, by the native indexes that pack writes beside the shards:
TFRecord, RecordIO, WebDataset, Caffe's LMDB. Every image's bytes and its label must be
the tree's. Prints a line per format. Hugging Face's datasets finds WebDataset shards by
a glob and in a whole folder; OpenCLIP's and torchvision's own code reads the output of
convert and extract.
torchdata's StatefulDataLoader resumes loaders and datasets; torchvision draws
boxes of the distribution of ours.
"""
import argparse
import os
import shutil
import subprocess

from corpus import HERE, package_env, run, venv_python


def against_dali(shardine: str, tree: str, work: str) -> None:
    python = venv_python("dali")
    for name in ("tfrecord", "recordio", "webdataset", "lmdb/datum"):
        out = os.path.join(work, "dali")
        shutil.rmtree(out, ignore_errors=True)
        # DALI's RecordIO reader takes one index file for all shards.
        form = name + (":metadata=joined-index" if name == "recordio" else "")
        run([shardine, "pack", tree, out, "--format", form, "--shards", "3"],
            stderr=subprocess.DEVNULL)
        answer = run([python, os.path.join(HERE, "dali_reader.py"), name, out, tree])
        print(f"{name}: {answer[3].decode().strip()}", flush=True)
        shutil.rmtree(out)


def against_datasets(shardine: str, tree: str, work: str) -> None:
    out = os.path.join(work, "hub")
    shutil.rmtree(out, ignore_errors=True)
    run([shardine, "pack", tree, out, "--format", "webdataset", "--shards", "3"],
        stderr=subprocess.DEVNULL)
    # Nothing is looked for elsewhere, and nothing kept.
    env = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": out + "_home"}
    answer = run([venv_python("datasets"), os.path.join(HERE, "hub_reader.py"), out, tree],
                 env=env)
    print(answer[3].decode().strip(), flush=True)
    shutil.rmtree(out)
    shutil.rmtree(out + "_home")


def against_readers(shardine: str, tree: str, work: str) -> None:
    out = os.path.join(work, "readers")
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    answer = run([venv_python("readers"), "-B", "-W", "ignore",
                  os.path.join(HERE, "torch_readers.py"), shardine, tree, out])
    print(answer[3].decode().strip(), flush=True)
    shutil.rmtree(out)


def against_torch(shardine: str, tree: str, work: str) -> None:
    python = venv_python("torch")
    out = os.path.join(work, "torch")
    shutil.rmtree(out, ignore_errors=True)
    run([shardine, "pack", tree, out, "--shards", "3"], stderr=subprocess.DEVNULL)
    for name in ("stateful_loader.py", "torchvision_boxes.py"):
        answer = run([python, "-B", "-W", "ignore", os.path.join(HERE, name), out],
                     env=package_env())
        print(answer[3].decode().strip(), flush=True)
    shutil.rmtree(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tree")
    parser.add_argument("--work", default=os.path.expanduser("~/.cache/shardine/bench"))
    args = parser.parse_args()
    shardine = os.path.join(os.environ["SHARDINE_BIN"], "shardine")
    against_dali(shardine, args.tree, args.work)
    against_datasets(shardine, args.tree, args.work)
    against_readers(shardine, args.tree, args.work)
    against_torch(shardine, args.tree, args.work)


if __name__ == "__main__":
    main()
