"""Writes PNGs of every kind, one chunk and one filter at a time."""

import struct
import zlib
from random import Random

CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
KINDS = [(0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1),
         (3, 2), (3, 4), (3, 8), (4, 8), (4, 16), (6, 8), (6, 16)]
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4),
         (1, 0, 2, 2), (0, 1, 1, 2)]


def chunk(kind: bytes, data: bytes) -> bytes:
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(
        ">I", zlib.crc32(body))


def paeth(left: int, above: int, corner: int) -> int:
    guess = left + above - corner
    distances = [abs(guess - left), abs(guess - above), abs(guess - corner)]
    return (left, above, corner)[distances.index(min(distances))]


def filtered(kind: int, row: bytes, above: bytes, step: int) -> bytes:
    """The bytes of `row` as filter `kind` stores them."""
    out = bytearray([kind])
    for i, value in enumerate(row):
        left = row[i - step] if i >= step else 0
        corner = above[i - step] if i >= step else 0
        guess = [0, left, above[i], (left + above[i]) // 2,
                 paeth(left, above[i], corner)][kind]
        out.append((value - guess) & 255)
    return bytes(out)


def pass_data(random: Random, width: int, height: int, bits: int, channels: int,
              values: range) -> bytes:
    size = (width * bits * channels + 7) // 8
    step = max(1, bits * channels // 8)
    above = bytes(size)
    data = b""
    for _ in range(height if width else 0):
        row = bytes(random.choices(values, k=size))
        data += filtered(random.randrange(5), row, above, step)
        above = row
    return data


def make_png(random: Random, width: int, height: int, color: int, bits: int,
             interlaced: bool = False, extra: bytes = b"") -> bytes:
    """Pixels and filters by `random`; palettes of a random size. `extra`:
    chunks behind IHDR."""
    header = struct.pack(">IIBBBBB", width, height, bits, color, 0, 0,
                         int(interlaced))
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra
    values = range(256)
    if color == 3:
        entries = random.randint(1, 1 << bits)
        png += chunk(b"PLTE", random.randbytes(3 * entries))
        if bits == 8:
            values = range(entries)
    grids = ADAM7 if interlaced else [(0, 0, 1, 1)]
    data = b"".join(
        pass_data(random, (width - x + dx - 1) // dx,
                  (height - y + dy - 1) // dy, bits, CHANNELS[color], values)
        for x, y, dx, dy in grids)
    stream = zlib.compress(data, random.randint(0, 9))
    at = 0
    while at < len(stream):
        size = random.choice([random.randint(1, 300), len(stream)])
        png += chunk(b"IDAT", stream[at:at + size])
        at += size
    return png + chunk(b"IEND", b"")
