"""image_peer.py PEER JOB ... in the virtual environment of PEER, on one thread,
inputs in memory:

  variants NAMES OUT    short sides 160 and 320 of each file named in NAMES, JPEG
                        of quality 90: each size by a decode of its own, as their
                        users' scripts do, then both from one decode
  resample PIXELS W H   468 x 401 RGB to W x H; the result goes to PIXELS.PEER

Prints one JSON object of CPU seconds per image.
"""
import io
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any


SIDES = (160, 320)
QUALITY = 90
ROUNDS = 200


def size_at(width: int, height: int, side: int) -> tuple[int, int]:
    short = min(width, height)
    return max(width * side // short, side), max(height * side // short, side)


class Pillow:
    """Also Pillow-SIMD, which has its name."""

    def __init__(self, draft: bool = False) -> None:
        from PIL import Image
        self.image, self.draft = Image, draft

    def decode(self, data: bytearray, side: int) -> tuple[Any, tuple[int, int]]:
        image = self.image.open(io.BytesIO(data))
        size = image.size
        if self.draft:
            image.draft("RGB", size_at(*size, side))
        return image.convert("RGB"), size

    def encode(self, image: Any, size: tuple[int, int]) -> bytes:
        out = io.BytesIO()
        small = image.resize(size, self.image.Resampling.BILINEAR)
        small.save(out, "JPEG", quality=QUALITY)
        return out.getvalue()

    def from_array(self, pixels: Any) -> Any:
        return self.image.fromarray(pixels)

    def resize(self, image: Any, size: tuple[int, int]) -> Any:
        return image.resize(size, self.image.Resampling.BILINEAR)


class OpenCv:
    def __init__(self) -> None:
        import cv2
        import numpy
        cv2.setNumThreads(1)
        self.cv2, self.numpy = cv2, numpy

    def decode(self, data: bytearray, side: int) -> tuple[Any, tuple[int, int]]:
        image = self.cv2.imdecode(
            self.numpy.frombuffer(data, self.numpy.uint8),
            self.cv2.IMREAD_COLOR | self.cv2.IMREAD_IGNORE_ORIENTATION)
        return image, (image.shape[1], image.shape[0])

    def encode(self, image: Any, size: tuple[int, int]) -> bytes:
        jpeg = self.cv2.imencode(
            ".jpg", self.resize(image, size),
            [self.cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1]
        return bytes(jpeg)

    def from_array(self, pixels: Any) -> Any:
        return pixels

    def resize(self, image: Any, size: tuple[int, int]) -> Any:
        return self.cv2.resize(image, size, interpolation=self.cv2.INTER_AREA)


class Torchvision:
    def __init__(self) -> None:
        import torch
        import torchvision
        from torchvision.transforms import v2
        torch.set_num_threads(1)
        self.torch, self.io = torch, torchvision.io
        self.to_size = v2.functional.resize

    def decode(self, data: bytearray, side: int) -> tuple[Any, tuple[int, int]]:
        image = self.io.decode_jpeg(
            self.torch.frombuffer(data, dtype=self.torch.uint8),
            mode=self.io.ImageReadMode.RGB)
        return image, (image.shape[2], image.shape[1])

    def encode(self, image: Any, size: tuple[int, int]) -> bytes:
        jpeg = self.io.encode_jpeg(self.resize(image, size), quality=QUALITY)
        return bytes(jpeg.numpy())

    def from_array(self, pixels: Any) -> Any:
        return self.torch.from_numpy(pixels).permute(2, 0, 1).contiguous()

    def resize(self, image: Any, size: tuple[int, int]) -> Any:
        return self.to_size(image, [size[1], size[0]], antialias=True)


Peer = Pillow | OpenCv | Torchvision
PEERS: dict[str, Callable[[], Peer]] = {"pillow": Pillow, "pillow-simd": Pillow,
         "pillow-draft": lambda: Pillow(draft=True), "opencv": OpenCv,
         "torchvision": Torchvision}


def variants(peer: Peer, names: str, out: str) -> dict[str, float]:
    with open(names) as f:
        files = [bytearray(open(name, "rb").read()) for name in f.read().splitlines()]

    def each(data: bytearray) -> list[bytes]:
        images = []
        for side in SIDES:
            image, size = peer.decode(data, side)
            images.append(peer.encode(image, size_at(*size, side)))
        return images

    def shared(data: bytearray) -> list[bytes]:
        image, size = peer.decode(data, max(SIDES))
        return [peer.encode(image, size_at(*size, side)) for side in SIDES]

    figures = {}
    for name, job in (("each", each), ("shared", shared)):
        for data in files[:20]:
            job(data)
        begin = time.process_time()
        results = [job(data) for data in files]
        figures[name] = (time.process_time() - begin) / len(files)
        if name == "each":
            for number, images in enumerate(results):
                for side, image in zip(SIDES, images):
                    with open(os.path.join(out, f"{number}_{side}.jpg"), "wb") as file:
                        file.write(image)
    return figures


def resample(peer: Peer, pixels: str, size: tuple[int, int], name: str) -> dict[str, float]:
    import numpy
    image = peer.from_array(
        numpy.fromfile(pixels, numpy.uint8).reshape(401, 468, 3))
    result = peer.resize(image, size)
    begin = time.process_time()
    for _ in range(ROUNDS):
        peer.resize(image, size)
    seconds = (time.process_time() - begin) / ROUNDS
    if not isinstance(result, numpy.ndarray):
        result = numpy.asarray(
            result.permute(1, 2, 0) if hasattr(result, "permute") else result)
    result.tofile(f"{pixels}.{name}")
    return {"resample": seconds}


def main() -> None:
    name, job = sys.argv[1:3]
    peer = PEERS[name]()
    if job == "variants":
        figures = variants(peer, *sys.argv[3:5])
    else:
        figures = resample(peer, sys.argv[3],
                           (int(sys.argv[4]), int(sys.argv[5])), name)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
