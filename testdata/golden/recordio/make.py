"""Writes the golden files of this folder with MXNet's own writer.

Usage: "$(sh tests/interop/venv.sh mxnet)" testdata/golden/recordio/make.py
"""

import pathlib
import struct
import sys
import warnings

warnings.simplefilter("ignore")

import mxnet.recordio as recordio  # noqa: E402

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from expected import Expected  # noqa: E402

MAGIC = struct.pack("<I", 0xCED7230A)

# (id, label or labels, image): whole records, records cut in two and more
# parts by the magic, magics that do not cut, an id that is the magic.
SINGLE = [
    (5, 2.0, b"abcde"),
    (0, 0.0, b""),
    (1, 999.0, b"AAAA" + MAGIC + b"BB"),
    (2, -1.0, MAGIC),
    (3, 0.5, MAGIC + MAGIC + b"x"),
    (4, 16777216.0, b"a" + MAGIC + b"bcd"),
    (0xCED7230A, 7.0, b"the magic is an id"),
    (2**63, 1.0, MAGIC * 3),
    (2**64 - 1, 1.0, b"0123" + MAGIC[:3]),
]
MULTI = [
    (10, [1.0, 0.25, -3.0], b"three labels"),
    (11, [4.0], b"one packed label"),
    (12, [0.0] * 9, MAGIC + b"nine"),
]


def write(name, samples):
    record = recordio.MXIndexedRecordIO(
        str(HERE / f"{name}.idx"), str(HERE / f"{name}.rec"), "w")
    for number, label, image in samples:
        header = recordio.IRHeader(0, label, number, 0)
        record.write_idx(number, recordio.pack(header, image))
    record.close()


def write_expected():
    expected = Expected(HERE)
    for name, samples in (("single", SINGLE), ("multi", MULTI)):
        expected.layout(f"{name}.rec", "recordio/mxnet")
        expected.companion(f"{name}.rec", f"{name}.idx")
        for number, label, image in samples:
            labels = label if isinstance(label, list) else [label]
            expected.sample(
                f"{name}.rec", number,
                labels=[f"{value:g}" if value % 1 else int(value)
                        for value in labels], fields={"image": image})
    expected.write()


write("single", SINGLE)
write("multi", MULTI)
write_expected()
