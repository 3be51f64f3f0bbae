"""Writes the golden files of this folder with py-lmdb, pickle and NumPy.

Usage: "$(sh tests/interop/venv.sh lmdb)" testdata/golden/lmdb/make.py
"""

import pathlib
import pickle
import sys

import lmdb
import numpy

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from expected import Elsewhere, Expected  # noqa: E402

# (key, value) of Caffe's databases, serialised by hand: data, label, encoded;
# channels, height, width, data, label; the same with float_data.
DATUMS = [
    (b"00000000_n01/a.jpg", b"\x22\x04\xff\xd8\xff\xd9\x28\x03\x38\x01"),
    (b"00000001_b.jpg", b"\x22\x03jpg\x28" + b"\xff" * 9 + b"\x01\x38\x01"),
    (b"00000002", b"\x08\x01\x10\x02\x18\x02\x22\x041234\x28\x00"),
    (b"00000003", b"\x08\x01\x10\x01\x18\x02\x35\0\0\x80\x3f\x35\0\0\0\xc0"),
]
PAIRS = [(b"first", 5), (b"", 0), (b"x" * 300, -1), (b"third", 2**40),
         (b"long" * 600, 1), (b"no label", None)]
POINTS = numpy.arange(12, dtype="<f8").reshape(3, 2, 2)
# Another byte order, and another order of its numbers.
TURNED = numpy.asfortranarray(POINTS.astype(">f4"))
RECORDS = {
    b"0_abcd_0_d1": {"image": numpy.arange(24, dtype="|u1").reshape(2, 4, 3),
                     "label": POINTS},
    b"0_abcd_1_di": {"image": numpy.arange(12, dtype="|u1").reshape(2, 2, 3)},
    b"1_efgh_2_d2": {"image": b"encoded", "label": TURNED},
}


def write(name, entries):
    path = HERE / name
    path.unlink(missing_ok=True)
    env = lmdb.open(str(path), subdir=False, lock=False, map_size=2**24)
    for i in range(0, len(entries), 3):
        with env.begin(write=True) as txn:
            for key, value in entries[i:i + 3]:
                txn.put(key, value)
    env.close()


def listed(keys, values, protocol):
    dump = [(b"__keys__", keys), (b"__len__", len(keys))]
    return [*zip(keys, values),
            *[(k, pickle.dumps(v, protocol=protocol)) for k, v in dump]]


def write_pairs(expected):
    for name, form, layout, protocol in (("padded", b"%08d", "%08d", 4),
                                         ("plain", b"%d", "%d", 3)):
        # Enough of them that key order is another.
        pairs = PAIRS * 3
        keys = [form % i for i in range(len(pairs))]
        write(f"{name}.lmdb", listed(
            keys, [pickle.dumps(p, protocol=protocol) for p in pairs],
            protocol))
        expected.layout(f"{name}.lmdb", f"lmdb/folder2lmdb:keys={layout}")
        for image, label in pairs:
            expected.sample(f"{name}.lmdb", fields={"image": image},
                            labels=[] if label is None else [label])


def write_datums(expected):
    write("datum.lmdb", DATUMS)
    expected.layout("datum.lmdb", "lmdb/datum")
    raw = numpy.frombuffer(b"1234", "|u1").reshape(1, 2, 2)
    for key, labels, image in (
            ("n01/a.jpg", [3], b"\xff\xd8\xff\xd9"), ("b.jpg", [-1], b"jpg"),
            ("00000002", [0], raw),
            # Numbers that are not packed: a tag before each.
            ("00000003", [], Elsewhere(numpy.array([[[1, -2]]], "<f4")))):
        expected.sample("datum.lmdb", key=key, labels=labels,
                        fields={"image": image})


def write_fields(expected):
    # The keys that are listed do not exist, as in unified_doc's databases.
    write("fields.lmdb", [
        *[(k, pickle.dumps(v, protocol=4)) for k, v in RECORDS.items()],
        (b"__keys__", pickle.dumps([b"0", b"1", b"2"])),
        (b"__len__", pickle.dumps(3))])
    expected.layout("fields.lmdb", "lmdb/fields")
    for key in sorted(RECORDS):
        expected.sample("fields.lmdb", key=key.decode(), fields={
            field: Elsewhere(value) if value is TURNED else value
            for field, value in RECORDS[key].items()})


EXPECTED = Expected(HERE)
write_pairs(EXPECTED)
write_datums(EXPECTED)
write_fields(EXPECTED)
EXPECTED.write()
