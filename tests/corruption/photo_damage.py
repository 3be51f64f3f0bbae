"""Damage of photos on their way: functions from sound bytes to damaged.

Deterministic; each takes the bytes of a photo and those of another one.

    photo_damage.py PHOTOS OUT    writes one file of each damage
"""

import pathlib
import sys
import zlib
from collections.abc import Callable

BLOCK = 512


class Jpeg:
    """Where things are in a JPEG of one scan."""

    def __init__(self, data: bytes) -> None:
        self.data, at = data, 2
        self.segments: dict[int, tuple[int, int]] = {}
        while True:
            marker = data[at + 1]
            size = 2 + int.from_bytes(data[at + 2:at + 4], "big")
            self.segments.setdefault(marker, (at, size))
            at += size
            if marker == 0xDA:
                break
        self.scan, self.end = at, len(data) - 2

    def frame(self) -> tuple[int, int]:
        return next(self.segments[m] for m in (0xC0, 0xC1, 0xC2) if m in self.segments)

    def at(self, share: float) -> int:
        """A place in the entropy-coded data, clear of its markers."""
        place = self.scan + int((self.end - self.scan) * share)
        while 0xFF in self.data[place - 1:place + 2]:
            place += 1
        return place


def put(data: bytes, at: int, piece: bytes) -> bytes:
    return data[:at] + piece + data[at + len(piece):]


def flip(data: bytes, at: int, mask: int = 1) -> bytes:
    return put(data, at, bytes([data[at] ^ mask]))


def lost_segment(data: bytes, marker: int) -> bytes:
    at, size = Jpeg(data).segments[marker]
    return data[:at] + data[at + size:]


def swapped(data: bytes, at: int) -> bytes:
    return put(data, at, data[at + BLOCK:at + 2 * BLOCK] + data[at:at + BLOCK])


# From the bytes of a photo and of another one to damaged bytes.
Damage = Callable[[bytes, bytes], bytes]
JPEG: dict[str, Damage] = {
    # The header.
    "header_first_byte": lambda d, o: flip(d, 0),
    "header_second_marker": lambda d, o: flip(d, 3, 0x80),
    "header_density": lambda d, o: flip(d, 13),
    "header_segment_length": lambda d, o: flip(d, 5, 0x10),
    "header_quantisation": lambda d, o: flip(d, Jpeg(d).segments[0xDB][0] + 15, 4),
    "header_quantisation_lost": lambda d, o: lost_segment(d, 0xDB),
    "header_codes_counted": lambda d, o: flip(d, Jpeg(d).segments[0xC4][0] + 7, 0x40),
    "header_codes_value": lambda d, o: flip(d, Jpeg(d).segments[0xC4][0] + 22, 2),
    "header_height": lambda d, o: flip(d, Jpeg(d).frame()[0] + 5),
    "header_width_low_bit": lambda d, o: flip(d, Jpeg(d).frame()[0] + 8, 1),
    "header_components": lambda d, o: flip(d, Jpeg(d).frame()[0] + 9, 4),
    "header_sampling": lambda d, o: flip(d, Jpeg(d).frame()[0] + 11, 8),
    "header_frame_lost": lambda d, o: lost_segment(d, d[Jpeg(d).frame()[0] + 1]),
    "header_scan_tables": lambda d, o: flip(d, Jpeg(d).segments[0xDA][0] + 6, 0x20),
    "header_of_another": lambda d, o: o[:Jpeg(o).scan] + d[Jpeg(d).scan:],
    # The pixels.
    "bit_early": lambda d, o: flip(d, Jpeg(d).at(0.05), 0x10),
    "bit_middle": lambda d, o: flip(d, Jpeg(d).at(0.5), 0x04),
    "bit_late": lambda d, o: flip(d, Jpeg(d).at(0.99), 0x01),
    "byte_zeroed": lambda d, o: put(d, Jpeg(d).at(0.3), b"\0"),
    "bytes_zeroed_16": lambda d, o: put(d, Jpeg(d).at(0.4), bytes(16)),
    "block_zeroed": lambda d, o: put(d, Jpeg(d).at(0.6), bytes(BLOCK)),
    "block_of_ff": lambda d, o: put(d, Jpeg(d).at(0.6), b"\xff" * BLOCK),
    "block_of_another": lambda d, o: put(d, Jpeg(d).at(0.5),
                                         o[Jpeg(o).at(0.5):][:BLOCK]),
    "blocks_swapped": lambda d, o: swapped(d, Jpeg(d).at(0.5)),
    "block_twice": lambda d, o: d[:Jpeg(d).at(0.5)] + d[Jpeg(d).at(0.5) - BLOCK:],
    "block_lost": lambda d, o: d[:Jpeg(d).at(0.5)] + d[Jpeg(d).at(0.5) + BLOCK:],
    "byte_lost": lambda d, o: d[:Jpeg(d).at(0.7)] + d[Jpeg(d).at(0.7) + 1:],
    "byte_inserted": lambda d, o: d[:Jpeg(d).at(0.7)] + b"\x55" + d[Jpeg(d).at(0.7):],
    "stuffing_lost": lambda d, o: d[:Jpeg(d).scan] +
        d[Jpeg(d).scan:].replace(b"\xff\0", b"\xff"),
    "restart_marker_inserted": lambda d, o: d[:Jpeg(d).at(0.5)] + b"\xff\xd3" +
        d[Jpeg(d).at(0.5):],
    "end_marker_inserted": lambda d, o: d[:Jpeg(d).at(0.5)] + b"\xff\xd9" +
        d[Jpeg(d).at(0.5):],
    # The end.
    "end_lost": lambda d, o: d[:-2],
    "end_half_lost": lambda d, o: d[:-1],
    "end_zeroed": lambda d, o: d[:-4096] + bytes(4096),
    "cut_at_half": lambda d, o: d[:len(d) // 2],
    "cut_at_90_percent": lambda d, o: d[:len(d) * 9 // 10],
    "cut_and_ended": lambda d, o: d[:len(d) * 9 // 10] + b"\xff\xd9",
    "cut_in_header": lambda d, o: d[:100],
    "cut_to_nothing": lambda d, o: b"",
    "tail_of_another": lambda d, o: d[:len(d) // 2] + o[len(o) // 2:],
    "grown": lambda d, o: d + bytes(4096),
    # All of it.
    "text_mode": lambda d, o: d.replace(b"\n", b"\r\n"),
    "seventh_bit_lost": lambda d, o: bytes(b & 0x7F for b in d),
    "bytes_swapped": lambda d, o: bytes(d[i ^ 1] for i in range(len(d) & ~1)),
    "zeroed": lambda d, o: bytes(len(d)),
    "compressed": lambda d, o: zlib.compress(d),
    "page_of_an_error": lambda d, o: b"<html><body>503 Service Unavailable</body></html>",
}

PNG: dict[str, Damage] = {
    "png_bit_in_header": lambda d, o: flip(d, 19),
    "png_bit_in_pixels": lambda d, o: flip(d, len(d) // 2),
    "png_checksum": lambda d, o: flip(d, len(d) - 14),
    "png_cut_at_half": lambda d, o: d[:len(d) // 2],
    "png_end_lost": lambda d, o: d[:-12],
    "png_block_zeroed": lambda d, o: put(d, len(d) // 3, bytes(BLOCK)),
}


def write_all(photos: pathlib.Path, out: pathlib.Path) -> None:
    """Damages the two largest JPEGs, and the only PNG."""
    by_size = sorted(photos.glob("*/*.JPEG"), key=lambda path: path.stat().st_size)
    photo, another = (path.read_bytes() for path in by_size[-2:])
    drawing = next(photos.glob("*/*.png")).read_bytes()
    out.mkdir(parents=True, exist_ok=True)
    for name, damage in JPEG.items():
        (out / f"{name}.jpg").write_bytes(damage(photo, another))
    for name, damage in PNG.items():
        (out / f"{name}.png").write_bytes(damage(drawing, drawing))


if __name__ == "__main__":
    write_all(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
