"""Writes the damaged files of this folder, and expected.tsv: what a scan of
each must end with. Usage: python3 testdata/must_fail/recordio/make.py
"""

import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from expected import Expected  # noqa: E402

MAGIC = 0xCED7230A


def part(flag, data, length=None, magic=MAGIC, pad=b"\0"):
    lrec = flag << 29 | (len(data) if length is None else length)
    return struct.pack("<II", magic, lrec) + data + pad * (-len(data) % 4)


def header(flag=0, label=1.0):
    return struct.pack("<IfQQ", flag, label, 7, 0)


# One record of 36 bytes before the damage.
GOOD = part(0, header() + b"jpg!")
IMAGE = header() + b"image"
NAN = float("nan")

# name: (bytes behind GOOD, code, byte of the fault behind GOOD)
RECORDS = {
    "bad_magic": (part(0, IMAGE, magic=MAGIC ^ 1), "corrupt", 0),
    "bad_part_flag": (part(5, IMAGE), "corrupt", 4),
    "middle_first": (part(2, IMAGE), "corrupt", 4),
    "last_first": (part(3, IMAGE), "corrupt", 4),
    "whole_inside": (part(1, header()) + GOOD, "corrupt", 36),
    "first_inside": (part(1, header()) + part(1, b""), "corrupt", 36),
    "no_last_part": (part(1, header()), "corrupt", 32),
    "first_not_aligned": (part(1, IMAGE) + part(3, b""), "corrupt", 4),
    "length_beyond_end": (part(0, IMAGE, length=33), "corrupt", 4),
    "length_of_512_mib": (part(0, IMAGE, length=2**29 - 1), "corrupt", 4),
    "cut_in_data": (part(0, IMAGE)[:20], "corrupt", 4),
    "cut_in_padding": (part(0, IMAGE)[:-1], "corrupt", 4),
    "cut_in_header": (part(0, IMAGE)[:7], "corrupt", 0),
    "not_a_multiple_of_4": (b"\0", "corrupt", 0),
    "padding_not_zero": (part(0, IMAGE, pad=b"\1"), "corrupt", 37),
    "no_image_header": (part(0, header()[:23]), "corrupt", 0),
    "empty_record": (part(0, b""), "corrupt", 0),
    "labels_beyond_record": (part(0, header(2) + b"abcd"), "corrupt", 0),
    "labels_overflow": (part(0, header(2**32 - 1) + b"abcd"), "corrupt", 0),
    "label_not_a_number": (part(0, header(1) + struct.pack("<f", NAN)),
                           "unsupported", 0),
}

# name: (text, line from 0, byte)
INDEXES = {
    "no_tab": (b"1\t0\n2 36\n", 1, 4),
    "no_number": (b"1\t0\nn01\t36\n", 1, 4),
    "empty_line": (b"1\t0\n\n2\t36\n", 1, 4),
    "key_too_large": (b"18446744073709551616\t0\n", 0, 0),
    "offset_too_large": (b"1\t0\n2\t18446744073709551616\n", 1, 4),
    "offset_overflowed": (b"1\t0\n2\t18446744073709551615\n", 1, 4),
    "binary": (GOOD, 0, 0),
}

# name: words of the message
WORDS = {
    "bad_magic": "no RecordIO magic but 0xced7230b",
    "bad_part_flag": "a part flag that is none of 0 to 3",
    "middle_first": "a part of a record without its first part",
    "last_first": "a part of a record without its first part",
    "whole_inside": "begins before the last part of the one before",
    "first_inside": "begins before the last part of the one before",
    "no_last_part": "the file ends before the last part of a record",
    "first_not_aligned": "a part before the last has a length",
    "length_beyond_end": "a part of 33 bytes reaches beyond the end",
    "length_of_512_mib": "a part of 536870911 bytes reaches beyond the end",
    "cut_in_data": "a part of 29 bytes reaches beyond the end",
    "cut_in_padding": "a part of 29 bytes reaches beyond the end",
    "cut_in_header": "the file ends inside a record header",
    "not_a_multiple_of_4": "the file ends inside a record header",
    "padding_not_zero": "padding that is not zero",
    "no_image_header": "a record of 23 bytes is too short",
    "empty_record": "a record of 0 bytes is too short",
    "labels_beyond_record": "2 labels do not fit in a record of 28 bytes",
    "labels_overflow": "4294967295 labels do not fit in a record of 28 bytes",
    "label_not_a_number": "label 0 is not a number",
    "no_tab": "not a line of an .idx file",
    "no_number": "not a line of an .idx file",
    "empty_line": "not a line of an .idx file",
    "key_too_large": "not a line of an .idx file",
    "offset_too_large": "not a line of an .idx file",
    "offset_overflowed": "the program that wrote this index overflowed",
    "binary": "not a line of an .idx file",
}

expected = Expected(HERE)
for name, (damage, code, byte) in RECORDS.items():
    (HERE / f"{name}.rec").write_bytes(GOOD + damage)
    expected.error(f"{name}.rec", code, WORDS[name], len(GOOD) + byte, record=1,
                   samples=1)
for name, (text, line, byte) in INDEXES.items():
    (HERE / f"{name}.idx").write_bytes(text)
    expected.error(f"{name}.idx", "corrupt", WORDS[name], byte, record=line)
expected.write()
