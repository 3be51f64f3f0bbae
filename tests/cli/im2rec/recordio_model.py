"""Output of im2rec.cc and im2rec.py, from the description of the format.

Independent of the code under test: written from the layout of RecordIO and
from the originals' handling of list lines, with struct alone.
"""

import re
import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any

# Id, label of the header, labels that are packed, path.
Entry = tuple[int, float, Sequence[float], Any]

MAGIC = struct.pack("<I", 0xCED7230A)


def part(cflag: int, payload: bytes) -> bytes:
    return MAGIC + struct.pack("<I", cflag << 29 | len(payload)) + payload


def record(content: bytes) -> bytes:
    """One record: cut at each aligned magic word, which is left out."""
    pieces = []
    start = at = 0
    while at + 4 <= len(content):
        if content[at:at + 4] == MAGIC:
            pieces.append(content[start:at])
            start = at + 4
        at += 4
    pieces.append(content[start:])
    if len(pieces) == 1:
        framed = part(0, content)
    else:
        framed = part(1, pieces[0])
        framed += b"".join(part(2, piece) for piece in pieces[1:-1])
        framed += part(3, pieces[-1])
    return framed + b"\0" * (-len(framed) % 4)


def content(identity: int, label: float, packed: Sequence[float],
            image: bytes) -> bytes:
    header = struct.pack("<IfQQ", len(packed), label, identity, 0)
    return header + struct.pack(f"<{len(packed)}f", *packed) + image


def cpp_entry(line: bytes, label_width: int, pack_label: bool) -> Entry:
    """(id, header label, packed labels, path) as im2rec.cc has them."""
    found = re.match(rb"\s*" + rb"(\S+)\s+" * (1 + label_width) + rb"(.*)",
                     line, re.DOTALL)
    assert found
    fields = found.groups()
    labels = [float(label) for label in fields[1:-1]]
    path = fields[-1].strip()
    return int(fields[0]), labels[0], labels if pack_label else [], path


def python_entry(line: bytes, pack_label: bool) -> Entry:
    """The same as im2rec.py has them."""
    fields = [field.strip() for field in line.strip().split(b"\t")]
    labels = [float(label) for label in fields[1:-1]]
    if pack_label and len(labels) > 1:
        return int(fields[0]), 0.0, labels, fields[-1]
    return int(fields[0]), labels[0], [], fields[-1]


def pack(entries: Iterable[Entry],
         read: Callable[[Any], bytes]) -> tuple[bytes, bytes]:
    """The bytes of the .rec and of the .idx; `read` gives a path's bytes."""
    rec = b""
    idx = b""
    for identity, label, packed, path in entries:
        idx += b"%d\t%d\n" % (identity, len(rec))
        rec += record(content(identity, label, packed, read(path)))
    return rec, idx


def list_part(text: bytes, nsplit: int, index: int) -> list[bytes]:
    """The lines of part `index` of a list, as dmlc's InputSplit cuts it."""
    def cut(i: int) -> int:
        step = -(-len(text) // nsplit)
        at = min(step * i, len(text))
        if at == 0:
            return 0
        while at < len(text) and text[at] not in b"\r\n":
            at += 1
        while at < len(text) and text[at] in b"\r\n":
            at += 1
        return at

    chunk = text[cut(index):cut(index + 1)]
    return [line for line in re.split(rb"[\r\n]+", chunk) if line.strip()]


def images(rec: bytes) -> list[bytes]:
    """Payloads of the records of a file, behind their headers and labels."""
    found = []
    payload = b""
    at = 0
    while at < len(rec):
        magic, word = struct.unpack_from("<II", rec, at)
        assert magic == 0xCED7230A
        cflag, size = word >> 29, word & (1 << 29) - 1
        if cflag in (2, 3):
            payload += MAGIC
        payload += rec[at + 8:at + 8 + size]
        at += 8 + size + -size % 4
        if cflag in (0, 3):
            labels = struct.unpack_from("<I", payload)[0]
            found.append(payload[24 + 4 * labels:])
            payload = b""
    return found
