"""Writes the damaged files of this folder, and expected.tsv: what a scan of
each must end with. Usage: python3 testdata/must_fail/tfrecord/make.py
"""

import gzip
import pathlib
import struct
import sys
import zlib

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from expected import Expected  # noqa: E402



def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def framed(data, length=None, length_crc=0, data_crc=0):
    header = struct.pack("<Q", len(data) if length is None else length)
    return header + struct.pack("<I", masked(header) ^ length_crc) + data + \
        struct.pack("<I", masked(data) ^ data_crc)


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def piece(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def example(**features):
    return piece(1, b"".join(
        piece(1, piece(1, name.encode()) + piece(2, feature))
        for name, feature in features.items()))


def blob(*values):
    return piece(1, b"".join(piece(1, value) for value in values))


def ints(packed):
    return piece(3, piece(1, packed))


ENCODED = {"image/encoded": blob(b"jpg!")}
GOOD = framed(example(**ENCODED))
RECORD = example(**ENCODED, **{"image/class/label": ints(b"\1")})
MOST = (1 << 64) - 1

# name: (bytes behind GOOD, code, byte of the fault behind GOOD, words)
FRAMES = {
    "cut_in_length": (framed(RECORD)[:7], "truncated"),
    "cut_in_length_checksum": (framed(RECORD)[:11], "truncated"),
    "cut_behind_header": (framed(RECORD)[:12], "truncated"),
    "cut_in_data": (framed(RECORD)[:30], "truncated"),
    "cut_in_data_checksum": (framed(RECORD)[:-1], "truncated"),
    "length_checksum": (framed(RECORD, length_crc=1), "its length is wrong"),
    "data_checksum": (framed(RECORD, data_crc=1 << 31), "its data is wrong"),
    "unmasked": (framed(RECORD, data_crc=masked(RECORD) ^ crc32c(RECORD)),
                 "its data is wrong"),
    "length_beyond_end": (framed(RECORD, length=len(RECORD) + 1), "truncated"),
    "length_of_2_to_63": (framed(RECORD, length=1 << 63), "truncated"),
    "length_overflows": (framed(RECORD, length=MOST - 15), "truncated"),
    "length_of_all_ones": (framed(RECORD, length=MOST), "truncated"),
    "trailing_byte": (b"\0", "truncated"),
}

# name: (record, code, byte of the fault in the record or None: no byte of it)
CONTENTS = {
    "not_an_example": (b"once upon a time", "corrupt", 0, "no field begins"),
    "field_number_0": (b"\2\0", "corrupt", 0, "no field begins"),
    "features_cut": (b"\x0a\x7f", "corrupt", 0, "longer than what holds it"),
    "group": (piece(1, b"\x0b\x0c"), "unsupported", 2, "a group"),
    "sequence_example": (piece(2, b""), "unsupported", 2, "SequenceExample"),
    "tag_cut": (RECORD + b"\x8a", "corrupt", len(RECORD), "no field begins"),
    "floats_cut": (example(f=piece(2, piece(1, b"12345"))), "corrupt", 13,
                   "floats that is cut"),
    "number_cut": (example(i=ints(b"\1\x80")), "corrupt", 13, "is cut"),
    "number_of_11_bytes": (example(i=ints(b"\x80" * 10 + b"\1")), "corrupt",
                           13, "is cut"),
    "two_images": (example(image=blob(b"1"), **ENCODED), "unsupported", None,
                   "two features that are both the field \"image\""),
    "two_names": (example(**{"a[1]": blob(b"1"), "a": blob(b"", b"")}),
                  "unsupported", None, "two features that are both"),
}

expected = Expected(HERE)


def add(name, contents, code, byte, words):
    (HERE / name).write_bytes(contents)
    expected.error(name, code, words, byte, record=1, samples=1)


for name, (damage, words) in FRAMES.items():
    add(f"{name}.tfrecord", GOOD + damage, "corrupt", len(GOOD), words)
for name, (record, code, byte, words) in CONTENTS.items():
    at = len(GOOD) if byte is None else len(GOOD) + 12 + byte
    add(f"{name}.tfrecord", GOOD + framed(record), code, at, words)

plain = GOOD + framed(RECORD, data_crc=1)
add("data_checksum.tfrecord.gz", gzip.compress(plain, mtime=0), "corrupt", None,
    "its data is wrong")
add("data_checksum.tfrecord.zlib", zlib.compress(plain), "corrupt", None,
    "its data is wrong")
add("beyond_any_bound.tfrecord.zlib",
    zlib.compress(GOOD + framed(RECORD, length=1 << 30)), "unsupported",
    len(zlib.compress(GOOD + framed(RECORD, length=1 << 30))),
    "in so small a compressed file")
expected.write()
