"""Writes the damaged files of this folder, and expected.tsv: what a scan of
each must end with. Usage: python3 testdata/must_fail/webdataset/make.py
"""

import gzip
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from expected import Expected  # noqa: E402

END = bytes(1024)


def header(name, size, kind=b"0", checksum=None):
    block = bytearray(512)
    block[:len(name)] = name.encode()
    block[100:108] = b"0000644\0"
    if isinstance(size, bytes):
        block[124:124 + len(size)] = size
    else:
        block[124:136] = b"%011o\0" % size
    block[156:157] = kind
    block[257:265] = b"ustar\x0000"
    block[148:156] = b" " * 8
    block[148:156] = checksum or b"%06o\0 " % sum(block)
    return bytes(block)


def file(name, data=b"", kind=b"0"):
    return header(name, len(data), kind) + data + bytes(-len(data) % 512)


def pax(text):
    return file("PaxHeader", text, b"x")


def npy(dict_text, data=b"", version=b"\1\0"):
    return b"\x93NUMPY" + version + struct.pack("<H", len(dict_text)) + \
        dict_text + data


def ours(text):
    return file("00000001.jpg", b"j") + file("00000001.json", text)


# One sample of 1024 bytes before the damage.
GOOD = file("00000000.jpg", b"jpg!")
DICT = b"{'descr': '%s', 'fortran_order': False, 'shape': (2,), }\n"

# name: (bytes behind GOOD, code, byte of the fault behind GOOD)
CASES = {
    "no_end_marker": (b"", "corrupt", 0),
    "half_end_marker": (bytes(512), "corrupt", 0),
    "cut_in_header": (header("1.jpg", 1)[:100], "corrupt", 0),
    "cut_in_data": (header("1.jpg", 600) + b"x" * 300, "corrupt", 0),
    "cut_in_padding": (file("1.jpg", b"x")[:-1], "corrupt", 0),
    "checksum": (header("1.jpg", 0, checksum=b"000000\0 ") + END, "corrupt", 0),
    "size_no_number": (header("1.jpg", b"12x45") + END, "corrupt", 0),
    "size_negative": (header("1.jpg", b"\xff" * 12) + END, "corrupt", 0),
    "size_beyond_end": (header("1.jpg", 0o77777777777) + END, "corrupt", 0),
    "size_2_to_62": (header("1.jpg", b"\x80\0\0\0\x40" + bytes(7)) + END,
                     "corrupt", 0),
    "pax_no_records": (pax(b"nonsense") + file("1.jpg") + END, "corrupt", 0),
    "pax_length": (pax(b"99 path=a\n") + file("1.jpg") + END, "corrupt", 0),
    "pax_size_beyond_end": (pax(b"18 size=999999999\n") + file("1.jpg") + END,
                            "corrupt", 1024),
    "pax_without_file": (pax(b"9 path=a\n") + END, "corrupt", 1024),
    "sparse_pax": (pax(b"22 GNU.sparse.major=1\n") + file("1.jpg") + END,
                   "unsupported", 0),
    "sparse_gnu": (file("1.jpg", kind=b"S") + END, "unsupported", 0),
    "hard_link": (file("1.jpg", kind=b"1") + END, "unsupported", 0),
    "symbolic_link": (file("1.jpg", kind=b"2") + END, "unsupported", 0),
    "device": (file("1.jpg", kind=b"3") + END, "unsupported", 0),
    "fifo": (file("1.jpg", kind=b"6") + END, "unsupported", 0),
    "garbage_behind_end": (END + bytes(512) + b"x", "corrupt", 1536),
    "second_archive": (END + file("1.jpg") + END, "corrupt", 1024),
    "extension_twice": (file("1.jpg") + file("1.JPG") + END, "corrupt", 512),
    "field_twice": (file("1.jpg") + file("1.image") + END, "unsupported", 0),
    "npy_not": (file("1.x.npy", b"no array") + END, "corrupt", 512),
    "npy_length": (file("1.x.npy", npy(DICT % b"<f8", bytes(15))) + END,
                   "corrupt", 512),
    "npy_objects": (file("1.x.npy", npy(DICT % b"|O", b"\x80\x04.")) + END,
                    "unsupported", 512),
    "npy_version": (file("1.x.npy", npy(DICT % b"|u1", b"ab", b"\4\0")) + END,
                    "unsupported", 512),
    "ours_json": (ours(b'{"shardine":1,"key":"a","labels":[1,]}') + END,
                  "corrupt", 1536),
    "ours_newer": (ours(b'{"shardine":2,"key":"a"}') + END, "unsupported",
                   1536),
    "ours_cls": (ours(b'{"shardine":1,"key":"a","labels":[1]}')
                 + file("00000001.cls", b"2") + END, "corrupt", 2560),
    "ours_padding": (ours(b'{"shardine":1,"key":"a","labels":[1]}')[:-1] + b"x"
                     + END, "corrupt", 1573),
    "ours_stranger": (ours(b'{"shardine":1,"key":"a","labels":[1]}')
                      + file("00000001.%txt") + END, "corrupt", 2560),
}

# In all others the first sample is not given: whether it has more files is
# not known before the next header.
BEHIND_FIRST = ("extension", "field", "npy", "ours", "garbage", "second")


# name: words of the message
WORDS = {
    "no_end_marker": "the archive ends without its end marker",
    "half_end_marker": "half of an end marker",
    "cut_in_header": "the archive ends inside a header",
    "cut_in_data": "a file of 600 bytes reaches beyond the end",
    "cut_in_padding": "a file of 1 bytes reaches beyond the end",
    "checksum": "the checksum of a tar header is wrong",
    "size_no_number": "the size in a tar header is no number",
    "size_negative": "the size in a tar header is no number",
    "size_beyond_end": "a file of 8589934591 bytes reaches beyond the end",
    "size_2_to_62": "a file of 4611686018427387904 bytes reaches beyond",
    "pax_no_records": "a pax header that is no list of records",
    "pax_length": "a pax header that is no list of records",
    "pax_size_beyond_end": "a file of 999999999 bytes reaches beyond the end",
    "pax_without_file": "follows a header that belongs to a file",
    "sparse_pax": "a sparse file in a tar archive",
    "sparse_gnu": "a sparse file (\"1.jpg\")",
    "hard_link": "a hard link (\"1.jpg\")",
    "symbolic_link": "a symbolic link (\"1.jpg\")",
    "device": "a device (\"1.jpg\")",
    "fifo": "a FIFO (\"1.jpg\")",
    "garbage_behind_end": "something follows the end marker",
    "second_archive": "something follows the end marker",
    "extension_twice": "\"1.JPG\" is the second file of its sample",
    "field_twice": "two files of the sample are field \"image\"",
    "npy_not": "\"1.x.npy\": not a header of an .npy file",
    "npy_length": "of another length than its header says",
    "npy_objects": "an array of pickled objects: no code is run",
    "npy_version": "an .npy file of version 4.0",
    "ours_json": "the .json of the sample is not as shardine writes it",
    "ours_newer": "written by a newer shardine",
    "ours_cls": "the .cls of a sample is not its label",
    "ours_padding": "padding that is not zero",
    "ours_stranger": "\"00000001.%txt\" is no file of a shardine sample",
}


def write_all():
    expected = Expected(HERE)
    for name, (damage, code, byte) in CASES.items():
        (HERE / f"{name}.tar").write_bytes(GOOD + damage)
        record = int(name.startswith(BEHIND_FIRST))
        expected.error(f"{name}.tar", code, WORDS[name], 1024 + byte, record,
                       samples=record)
    (HERE / "cut_in_archive.tar.gz").write_bytes(
        gzip.compress(GOOD + file("1.jpg", b"x"), mtime=0))
    expected.error("cut_in_archive.tar.gz", "corrupt",
                   "the archive ends without its end marker", 2048, record=1,
                   samples=1)
    expected.write()


write_all()
