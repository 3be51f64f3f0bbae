#!/usr/bin/env python3
"""load.py TREE [--work DIR] [--seconds 5] [--copies 4]

Training batches beside tf.data, the fastest peer on the bytes of photos: random
crops to uint8 batches of 64 by two threads, files in the page cache, from the
same TFRecord shards: originals and short side 320 to 224 pixels, short side 160
to 128. Ours with AVX-512 and with AVX2 forced. Pixels of our decoder are
compared with libjpeg-turbo's before anything is timed; tf.data's must have the
mean that crops of these photos have. One JSON line per cell on stdout; "x" is
the ratio of images per CPU-second to tf.data, "floor" that of libjpeg-turbo's
full decode on one thread.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

from corpus import HERE, copy_tree, emit, list_files, venv_python, warm

BIN = os.environ["SHARDINE_BIN"]
VARIANTS = {"original": (".", 224), "sz/320": ("sz/320", 224), "sz/160": ("sz/160", 128)}
LEVELS = ["avx512vnni", "avx2"]
# Crops of photos have a mean of about 114; black or wrong ones do not.
MEANS = (95, 135)


def output(argv, **env):
    return subprocess.run(argv, stdout=subprocess.PIPE, check=True, text=True,
                          env={**os.environ, **env}).stdout


def pack(tree, work):
    out = os.path.join(work, "shards")
    if not os.path.exists(os.path.join(out, "shardine.json")):
        output([os.path.join(BIN, "shardine"), "pack", tree, out, "--format", "tfrecord",
                "--shards", "1", "--variants", ",".join(VARIANTS)])
    return out


def floor(files):
    """Seconds of a full decode by libjpeg-turbo; compares our pixels first."""
    out = subprocess.run([os.path.join(BIN, "bench_region"), "0.08", "3"],
                         input="\n".join(files), stdout=subprocess.PIPE, check=True,
                         text=True).stdout
    figures = dict(line.split() for line in out.splitlines())
    return float(figures["turbo-full"]) / float(figures["images"])


def ours(dataset, size, seconds, level):
    rates = json.loads(output([os.path.join(BIN, "shardine"), "bench", dataset, "-j", "2",
                               "--crop", str(size), "--seconds", str(seconds), "--json"],
                              SHARDINE_SIMD=level))["rates"]
    return {rate["name"]: rate for rate in rates}


def tf_data(dataset, size, seconds):
    shard, = glob.glob(os.path.join(dataset, "*.tfrecord"))
    rate = json.loads(output([venv_python("tensorflow"), os.path.join(HERE, "load_tf.py"),
                              shard, str(size), str(seconds)]))
    if not MEANS[0] < rate["mean"] < MEANS[1]:
        sys.exit(f"tf.data: a mean of {rate['mean']} is not that of photos")
    return rate


def per_cpu(rate):
    return rate["images"] / rate["cpu_seconds"]


def measure(variant, dataset, size, args):
    extracted = os.path.join(args.work, "files", variant)
    if not os.path.exists(extracted):
        output([os.path.join(BIN, "shardine"), "extract", dataset, extracted])
    decode = floor(list_files(extracted)[:500])
    peer = tf_data(dataset, size, args.seconds)
    emit(variant=variant, cell="tf.data", per_cpu_s=round(per_cpu(peer)),
         per_s=round(peer["images"] / peer["seconds"]),
         floor=round(per_cpu(peer) * decode, 2))
    for level in LEVELS:
        rates = ours(dataset, size, args.seconds, level)
        rate = rates[f"random crops to {size}"]
        emit(variant=variant, cell="shardine", simd=level, per_cpu_s=round(per_cpu(rate)),
             per_s=round(rate["images_per_second"]), x=round(per_cpu(rate) / per_cpu(peer), 2),
             floor=round(per_cpu(rate) * decode, 2))
    for name in ("records as stored", "records, shuffled"):
        emit(variant=variant, cell=name, per_cpu_s=round(per_cpu(rates[name])),
             per_s=round(rates[name]["images_per_second"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree")
    parser.add_argument("--work")
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--copies", type=int, default=4)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        args.work = args.work or scratch
        out = pack(copy_tree(args.tree, args.work, args.copies), args.work)
        warm(glob.glob(os.path.join(out, "**", "*.tfrecord"), recursive=True))
        for variant, (folder, size) in VARIANTS.items():
            measure(variant, os.path.normpath(os.path.join(out, folder)), size, args)


if __name__ == "__main__":
    main()
