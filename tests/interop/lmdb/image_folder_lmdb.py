"""Efficient-PyTorch's class of that name (tools/folder2lmdb.py at 7407177), without
torch."""

import io
import os
from collections.abc import Callable
from typing import Any

import lmdb
import pyarrow
from PIL import Image


class ImageFolderLMDB:
    def __init__(self, db_path: str, transform: Callable[[Any], Any] | None = None) -> None:
        self.env = lmdb.open(db_path, subdir=os.path.isdir(db_path),
                             readonly=True, lock=False,
                             readahead=False, meminit=False)
        with self.env.begin(write=False) as txn:
            self.length = pyarrow.deserialize(txn.get(b"__len__"))
            self.keys = pyarrow.deserialize(txn.get(b"__keys__"))
        self.transform = transform

    def __getitem__(self, index: int) -> tuple[Any, int]:
        with self.env.begin(write=False) as txn:
            byteflow = txn.get(self.keys[index])
        unpacked = pyarrow.deserialize(byteflow)
        buf = io.BytesIO()
        buf.write(unpacked[0])
        buf.seek(0)
        img = Image.open(buf).convert("RGB")
        return img if self.transform is None else self.transform(img), unpacked[1]

    def __len__(self) -> int:
        return int(self.length)
