"""web_peer.py KIND ADDRESS FOLDER SECONDS [WORKERS]: other readers of images from a
server, in the environment that has them; prints one line of JSON: images a
second and microseconds of CPU an image, behind the first batches.

boto3: a Dataset of torch whose items are objects of the bucket `data`, below FOLDER,
decoded and cropped by torchvision, as tutorials have it. webdataset: shards
ADDRESS/FOLDER/*.tar, in streams, its own buffer of 1,000 samples. mds: MosaicML's
StreamingDataset of s3://data/FOLDER, which copies whole shards to this machine.
litdata: LitData's StreamingDataset of the same. dali: DALI's reader of TFRecord
shards s3://data/FOLDER/*.tfrecord, by indexes on this machine, in its own environment.
samples: our Dataset of s3://data/FOLDER, or of that folder where ADDRESS is empty, in
the loop of boto3; CACHE names the folder of its cache. BUCKET names the folder that is
the bucket.
"""
import io
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

from measure import cpu_seconds, finish

BATCH = 64
WARM_UP_BATCHES = 4


class Crop:
    """Random crop of an encoded image, by torchvision."""

    def __init__(self) -> None:
        from torchvision.transforms import v2
        self.crop = v2.Compose([v2.RandomResizedCrop(224, antialias=True),
                                v2.RandomHorizontalFlip(), v2.PILToTensor()])

    def __call__(self, image: bytes) -> Any:
        from PIL import Image
        return self.crop(Image.open(io.BytesIO(image)).convert("RGB"))


def cropped(kind: Any) -> Any:
    """A dataset of `kind`, whose samples have the image as "jpg", that gives crops."""
    crop = Crop()

    class Crops(kind):  # type: ignore[misc]
        def __getitem__(self, at: int) -> Any:
            return crop(super().__getitem__(at)["jpg"])

    return Crops


class Objects:
    """Items are made in whichever process asks for them, with a client of its own."""

    def __init__(self, address: str, keys: list[str]) -> None:
        self.address, self.keys = address, keys
        self.client: Any = None
        self.crop = Crop()

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, index: int) -> Any:
        if self.client is None:
            import boto3
            self.client = boto3.client("s3", endpoint_url=self.address, region_name="us-east-1",
                                       aws_access_key_id="A", aws_secret_access_key="S")
        body = self.client.get_object(Bucket="data", Key=self.keys[index])["Body"].read()
        return self.crop(body)


def boto3_batches(address: str, folder: str, workers: int) -> Iterator[Any]:
    import torch
    root = os.environ["BUCKET"]
    keys = [os.path.relpath(os.path.join(at, name), root)
            for at, _, names in os.walk(os.path.join(root, folder)) for name in names]
    random.Random(1).shuffle(keys)
    loader = torch.utils.data.DataLoader(Objects(address, keys), batch_size=BATCH,
                                         num_workers=workers)
    while True:
        yield from loader


def samples_batches(address: str, folder: str, workers: int) -> Iterator[Any]:
    import shardine
    import torch
    os.environ |= {"AWS_ENDPOINT_URL_S3": address, "AWS_ACCESS_KEY_ID": "A",
                   "AWS_SECRET_ACCESS_KEY": "S", "AWS_REGION": "us-east-1"}
    at = f"s3://data/{folder}" if address else os.path.join(os.environ["BUCKET"], folder)
    data = shardine.Dataset(at, transform=Crop().crop, cache=os.environ.get("CACHE", "off"))
    loader = torch.utils.data.DataLoader(data, batch_size=BATCH, shuffle=True,
                                         num_workers=workers)
    while True:
        for images, _ in loader:
            yield images


def webdataset_batches(address: str, folder: str, workers: int) -> Iterator[Any]:
    import torch
    import webdataset
    crop = Crop()
    root = os.environ["BUCKET"]
    shards = [f"{address}/data/{folder}/{name}" for name in sorted(os.listdir(os.path.join(root, folder)))
              if name.endswith(".tar")]

    def decode(sample: dict[str, Any]) -> Any:
        return crop(sample["jpg"])

    data = webdataset.WebDataset(shards, shardshuffle=len(shards), nodesplitter=None,
                                 empty_check=False).shuffle(1000).map(decode).batched(
                                     BATCH, collation_fn=torch.stack, partial=False)
    loader = torch.utils.data.DataLoader(data, batch_size=None, num_workers=workers)
    while True:
        yield from loader


def mds_batches(address: str, folder: str, workers: int) -> Iterator[Any]:
    import torch
    from streaming import StreamingDataset
    os.environ |= {"S3_ENDPOINT_URL": address, "AWS_ACCESS_KEY_ID": "A",
                   "AWS_SECRET_ACCESS_KEY": "S", "AWS_DEFAULT_REGION": "us-east-1"}
    with tempfile.TemporaryDirectory() as kept:
        data = cropped(StreamingDataset)(remote=f"s3://data/{folder}", local=kept, shuffle=True, batch_size=BATCH)
        loader = torch.utils.data.DataLoader(data, batch_size=BATCH, num_workers=workers)
        while True:
            yield from loader


def litdata_batches(address: str, folder: str, workers: int) -> Iterator[Any]:
    import litdata
    from litdata.streaming import downloader
    # Its client refuses plain http unless it is told.
    downloader._OBSTORE_CLIENT_OPTIONS["allow_http"] = True
    service = {"endpoint_url": address, "aws_access_key_id": "A", "aws_secret_access_key": "S",
               "region_name": "us-east-1"}
    while True:  # each epoch reads the server, as the first does
        with tempfile.TemporaryDirectory() as kept:
            data = cropped(litdata.StreamingDataset)(
                f"s3://data/{folder}", cache_dir=kept, shuffle=True, storage_options=service)
            yield from litdata.StreamingDataLoader(data, batch_size=BATCH, num_workers=workers)


def dali_batches(address: str, folder: str, workers: int) -> Iterator[Any]:
    os.environ |= {"AWS_ENDPOINT_URL": address, "AWS_ACCESS_KEY_ID": "A",
                   "AWS_SECRET_ACCESS_KEY": "S", "AWS_REGION": "us-east-1"}
    import nvidia.dali.tfrecord as tfrecord
    from nvidia.dali import fn, pipeline_def, types
    indexes = os.path.join(os.environ["BUCKET"], folder, ".shardine")
    names = sorted(name for name in os.listdir(indexes) if name.endswith(".idx"))
    features = {"image/encoded": tfrecord.FixedLenFeature((), tfrecord.string, "")}

    @pipeline_def(batch_size=BATCH, num_threads=2, device_id=None,  # type: ignore[misc]
                  prefetch_queue_depth=3)
    def pipeline() -> Any:
        record = fn.readers.tfrecord(
            path=[f"s3://data/{folder}/{name[:-3]}tfrecord" for name in names],
            index_path=[os.path.join(indexes, name) for name in names],
            features=features, random_shuffle=True, dont_use_mmap=True)
        image = fn.decoders.image_random_crop(record["image/encoded"], device="cpu",
                                              output_type=types.RGB)
        return fn.resize(image, size=[224, 224])

    pipe = pipeline()
    pipe.build()
    while True:
        yield pipe.run()[0]


KINDS = {"litdata": litdata_batches, "dali": dali_batches, "mds": mds_batches,
         "boto3": boto3_batches, "samples": samples_batches,
         "webdataset": webdataset_batches}


def main() -> None:
    kind, address, folder, seconds = sys.argv[1:5]
    workers = int(sys.argv[5]) if len(sys.argv) > 5 else 0
    begin = time.perf_counter()
    batches = KINDS[kind](address, folder, workers)
    next(batches)
    first = time.perf_counter() - begin
    # Workers hold so many batches in advance.
    for _ in range(0 if kind in ("boto3", "samples", "dali") else WARM_UP_BATCHES * max(workers, 1)):
        next(batches)
    images, cpu, begin = 0, cpu_seconds(), time.perf_counter()
    while time.perf_counter() - begin < float(seconds):
        images += len(next(batches))
    wall, cpu = time.perf_counter() - begin, cpu_seconds() - cpu
    finish(first_batch=first, per_s=images / wall, cpu_us=cpu / images * 1e6)


if __name__ == "__main__":
    main()
