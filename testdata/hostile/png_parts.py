"""PNGs put together chunk by chunk, right or wrong (ISO/IEC 15948)."""

import random
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
GRAY, RGB, PALETTE, GRAY_ALPHA, RGBA = 0, 2, 3, 4, 6
CHANNELS = {GRAY: 1, RGB: 3, PALETTE: 1, GRAY_ALPHA: 2, RGBA: 4}
# Start and step across, start and step down, of each pass.
PLAIN = [(0, 1, 0, 1)]
ADAM7 = [(0, 8, 0, 8), (4, 8, 0, 8), (0, 4, 4, 8), (2, 4, 0, 4), (0, 2, 2, 4),
         (1, 2, 0, 2), (0, 1, 1, 2)]


def chunk(kind, data=b"", checksum=None):
    covered = kind + data
    if checksum is None:
        checksum = zlib.crc32(covered)
    return len(data).to_bytes(4, "big") + covered + checksum.to_bytes(4, "big")


def header(width=23, height=17, bits=8, color=RGB, interlace=0, compression=0,
           filtering=0):
    return chunk(b"IHDR", width.to_bytes(4, "big") + height.to_bytes(4, "big") +
                 bytes([bits, color, compression, filtering, interlace]))


def row_sizes(width, height, bits, color, interlace):
    for first_x, step_x, first_y, step_y in ADAM7 if interlace else PLAIN:
        across = -(-(width - first_x) // step_x)
        down = -(-(height - first_y) // step_y)
        if across > 0 and down > 0:
            yield from [-(-across * bits * CHANNELS[color] // 8)] * down


def rows(width=23, height=17, bits=8, color=RGB, interlace=0, filters=(0, 1, 2, 3, 4)):
    draw = random.Random(f"{width} {height} {bits} {color} {interlace}")
    data = b""
    for number, size in enumerate(row_sizes(width, height, bits, color, interlace)):
        data += bytes([filters[number % len(filters)]])
        data += bytes(draw.getrandbits(8) & 0x3F for _ in range(size))
    return data


def palette(entries=256):
    return chunk(b"PLTE", bytes(i * 7 & 255 for i in range(3 * entries)))


def pixels(data=None, **facts):
    return chunk(b"IDAT", zlib.compress(rows(**facts) if data is None else data, 9))


END = chunk(b"IEND")


def png(before=b"", after=b"", data=None, packed=None, **facts):
    """A whole file, with chunks before and after the pixel data (in place of
    made ones `data`, or `packed` that are a zlib stream)."""
    if facts.get("color") == PALETTE and b"PLTE" not in before:
        before = palette(2 ** facts.get("bits", 8)) + before
    idat = chunk(b"IDAT", packed) if packed else pixels(data, **facts)
    return SIGNATURE + header(**facts) + before + idat + after + END


def zeros(size):
    """A zlib stream of that many zero bytes: one piece of it, repeated."""
    packer = zlib.compressobj(9, wbits=-15)
    piece = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    rest = packer.compress(bytes(size & 0xFFFFF)) + packer.flush()
    checksum = size % 65521 << 16 | 1
    return b"\x78\xda" + piece * (size >> 20) + rest + checksum.to_bytes(4, "big")
