"""Writes the files of this folder that must be refused, and expected.tsv.

Usage: "$(sh tests/interop/venv.sh hdf5)" testdata/must_fail/hdf5/make.py
"""

import pathlib
import struct
import sys
import zlib

import h5py
import numpy as np

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from expected import Expected  # noqa: E402

BYTES = h5py.vlen_dtype(np.uint8)
EXPECTED = Expected(HERE)


def images(file, name="encoded_images", count=3):
    dataset = file.create_dataset(name, (count,), dtype=BYTES)
    for row in range(count):
        dataset[row] = np.full(16, row + 1, np.uint8)


def refused(name, message, fill, rows=0, code="unsupported", opens=True):
    """`opens`: it is a record that is refused, not the file as a whole."""
    with h5py.File(HERE / f"{name}.h5", "w") as file:
        fill(file)
    EXPECTED.error(f"{name}.h5", code, message, samples=rows,
                   record=rows if opens else None)


def damaged(name, message, change, rows=0, opens=True):
    """`change` gets the bytes and the offset of the only heap collection."""
    path = HERE / f"{name}.h5"
    with h5py.File(path, "w") as file:
        images(file)
    contents = bytearray(path.read_bytes())
    heap = contents.index(b"GCOL")
    offset = change(contents, heap)
    path.write_bytes(contents)
    EXPECTED.error(f"{name}.h5", "corrupt", message, offset, samples=rows,
                   record=rows if opens else None)


def with_images(fill):
    def both(file):
        images(file)
        fill(file)
    return both


refused("nothing", "no images in this HDF5 file", lambda file: None, opens=False)
refused("strangers", "no images in this HDF5 file",
        lambda file: file.create_dataset("x", data=np.arange(3)),
        opens=False)
refused("compound", 'dataset "boxes" is of the kind compound',
        with_images(lambda file: file.create_dataset(
            "boxes", data=np.zeros(3, [("a", "i4"), ("b", "f4")]))),
        opens=False)
refused("enumeration", 'dataset "kind" is of the kind enumeration',
        with_images(lambda file: file.create_dataset(
            "kind", (3,), dtype=h5py.enum_dtype({"A": 0, "B": 5}))),
        opens=False)
refused("references", 'dataset "at" is of the kind reference',
        with_images(lambda file: file.create_dataset(
            "at", (3,), dtype=h5py.ref_dtype)),
        opens=False)
refused("targets_of_text", 'dataset "targets" is of the kind text',
        with_images(lambda file: file.create_dataset(
            "targets", data=np.array([b"a", b"b", b"c"]))),
        opens=False)
refused("rows_differ", 'dataset "targets" has 4 rows',
        with_images(lambda file: file.create_dataset(
            "targets", data=np.arange(4))),
        opens=False)
refused("unsigned_label", "a label of 18446744073709551615",
        with_images(lambda file: file.create_dataset(
            "targets", data=np.array([1, 2**64 - 1, 3], np.uint64))), rows=1)
refused("one_of_two_labels", "a label that is not a number",
        with_images(lambda file: file.create_dataset(
            "targets", data=np.array([[1, 2], [3, np.nan], [5, 6]]))), rows=1)
refused("other_file", "stored in other files",
        with_images(lambda file: file.create_dataset(
            "outside", (3,), "i4", external="/etc/passwd")),
        opens=False)


def shape_denied(file):
    images(file)
    dataset = file.create_dataset("points", (3,), dtype=h5py.vlen_dtype("<f8"))
    shapes = file.create_dataset("points.shape", (3,),
                                 dtype=h5py.vlen_dtype("<u8"))
    for row in range(3):
        dataset[row] = np.zeros(6)
        shapes[row] = np.array([2, 3 if row < 2 else 4], np.uint64)


refused("shape_denied", 'the field "points" has 48 bytes', shape_denied, rows=2,
        code="corrupt")


def huge(file):
    space = h5py.h5s.create_simple((1, 2**40), (1, 2**40))
    create = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    create.set_chunk((1, 2**20))
    h5py.h5d.create(file.id, b"imgs", h5py.h5t.STD_U8LE, space, create)


refused("row_too_large", 'row of the dataset "imgs" is larger', huge,
        code="corrupt")


def claimed(shape, dtype="u1", chunk=1024, name="imgs", written=0):
    """Rows of which all but the first `written` were never written."""
    def fill(file):
        images = file.create_dataset(
            name, shape, dtype, chunks=(chunk, *shape[1:]),
            maxshape=(None, *shape[1:]))
        if written:
            images[:written] = 7
        file.create_dataset("labels", shape[:1], "i8", chunks=(chunk,))
    return fill


# 2^40 images in 2 KiB; the sizes of netCDF's tst_dims, and of HDF5's tbigdims
# and h5diff_hyper1, which are sound files.
NEVER = "bytes in the file: most of it was never written"
refused("rows_of_nothing", NEVER, claimed((2**40, 3, 1, 1)))
refused("references_of_nothing", NEVER,
        claimed((2**40,), BYTES, name="encoded_images"))
refused("dims_of_netcdf", NEVER, claimed((4_500_000_000,), "f4", name="data"))
refused("big_dims", NEVER, claimed((2**32 + 32,), "u1", name="data",
                                   written=32))
refused("hyper_slab", NEVER, claimed((2**30 + 10,), "u1", 1024, name="image",
                                     written=1024))


def filtered(number):
    def fill(file):
        images(file)
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_chunk((3, 4))
        creation.set_filter(number, h5py.h5z.FLAG_OPTIONAL, ())
        h5py.h5d.create(file.id, b"points", h5py.h5t.STD_U8LE,
                        h5py.h5s.create_simple((3, 4)), creation)
        file["points"].id.write_direct_chunk((0, 0), b"packed")
    return fill


refused("filter_zstd", 'dataset "points" is packed by the filter zstd (32015)',
        filtered(32015))
refused("filter_unknown", "the filter without a name (40000)", filtered(40000))


def packed_by(name, message, set_filters):
    """By filters that libhdf5 has, and only it could undo."""
    def fill(file):
        images(file)
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_chunk((3, 16))
        set_filters(creation)
        points = h5py.h5d.create(file.id, b"points", h5py.h5t.STD_I16LE,
                                 h5py.h5s.create_simple((3, 16)), creation)
        points.write(h5py.h5s.ALL, h5py.h5s.ALL,
                     np.arange(48, dtype="<i2").reshape(3, 16))
    refused(name, 'dataset "points" is packed by the filter ' + message, fill)


def two_compressors(creation):
    creation.set_deflate(6)
    creation.set_filter(h5py.h5z.FILTER_DEFLATE, h5py.h5z.FLAG_MANDATORY, (6,))


packed_by("filter_szip", "szip (4)",
          lambda creation: creation.set_szip(h5py.h5z.SZIP_NN_OPTION_MASK, 8))
packed_by("filter_nbit", "nbit (5)",
          lambda creation: creation.set_filter(5, h5py.h5z.FLAG_MANDATORY, ()))
packed_by("filter_scaleoffset", "scaleoffset (6)",
          lambda creation: creation.set_scaleoffset(h5py.h5z.SO_INT, 0))
packed_by("filter_two", "deflate (1) after another", two_compressors)


PIXELS = bytes(range(1, 65)) * 2  # of a chunk: 2 rows of 8 x 8


def lzf_of(data):
    """LZF without matches: runs of at most 32 bytes as they are."""
    runs = [data[at:at + 32] for at in range(0, len(data), 32)]
    return b"".join(bytes([len(run) - 1]) + run for run in runs)


def short(name, packed, message, rows=0, mask=0, size=None, **options):
    """The second chunk of `images` is what `packed` says, or says that it takes
    `size` bytes, which libhdf5 itself would not write."""
    def fill(file):
        images = file.create_dataset("images", data=np.frombuffer(
            PIXELS * 2, np.uint8).reshape(4, 8, 8), chunks=(2, 8, 8), **options)
        images.id.write_direct_chunk((2, 0, 0), packed, mask)
    refused(name, 'cannot read rows of "images": a damaged chunk: ' + message,
            fill, rows, code="corrupt")
    if size is None:
        return
    path = HERE / f"{name}.h5"
    contents = bytearray(path.read_bytes())
    key = struct.pack("<IIQQQQ", len(packed), mask, 2, 0, 0, 0)
    struct.pack_into("<I", contents, contents.index(key), size)
    path.write_bytes(contents)


HALF = PIXELS[:64]
IS_HALF = "64 bytes where 128 belong"
IS_NOTHING = "0 bytes where 128 belong"
IS_CUT = "its deflate stream is cut short"
short("gzip_half", zlib.compress(HALF), IS_HALF, compression="gzip")
short("gzip_nothing", zlib.compress(b""), IS_NOTHING, compression="gzip")
short("gzip_more", zlib.compress(PIXELS + b"!"), "more bytes where 128 belong",
      compression="gzip")
short("gzip_cut", zlib.compress(PIXELS)[:-5], IS_CUT, compression="gzip")
short("gzip_empty", PIXELS, IS_CUT, size=0, compression="gzip")
short("gzip_left_out", HALF, IS_HALF, mask=1, compression="gzip")
short("gzip_sum", zlib.compress(PIXELS) + bytes(4), "its checksum is wrong",
      compression="gzip", fletcher32=True)
short("shuffle_gzip_half", zlib.compress(HALF), IS_HALF, compression="gzip",
      shuffle=True)
short("shuffle_left_out", HALF, IS_HALF, mask=3, compression="gzip",
      shuffle=True)
short("shuffle_half", HALF, IS_HALF, shuffle=True)
short("lzf_half", lzf_of(HALF), IS_HALF, compression="lzf")
short("lzf_left_out", HALF, IS_HALF, mask=1, compression="lzf")
# Chunks before these lie in the file as they are, and are read.
short("sum_of_nothing", bytes(4), IS_NOTHING, rows=2, fletcher32=True)
short("sum_left_out", HALF, IS_HALF, rows=2, mask=1, fletcher32=True)
short("chunk_half", PIXELS, IS_HALF, rows=2, size=64)
short("chunk_of_nothing", PIXELS, IS_NOTHING, rows=2, size=0)


def patch(at, value, form="<Q"):
    def change(contents, heap):
        struct.pack_into(form, contents, heap + at, value)
        return heap + at
    return change


def at_heap(change, back):
    def moved(contents, heap):
        return change(contents, heap) - back
    return moved


# Objects: 16 bytes of header, 16 of data each; the first at 16, then 48, 80.
damaged("heap_magic", "no global heap collection",
        at_heap(patch(0, 0x58, "<B"), 0))
damaged("heap_version", "no global heap collection",
        at_heap(patch(4, 2, "<B"), 4))
damaged("heap_beyond_end", "does not fit in the file", patch(8, 2**40))
damaged("heap_of_nothing", "does not fit in the file", patch(8, 8))
damaged("object_beyond_heap", "does not fit in its collection",
        patch(24, 5000))
damaged("object_overflows", "does not fit in its collection",
        patch(24, 2**64 - 4))
damaged("object_size_changed", "a heap object of 15 bytes for a row of 16",
        at_heap(patch(24, 15), -8))
damaged("object_twice", "two heap objects of number 1",
        patch(48, 1, "<H"), rows=1)
damaged("object_missing", "no heap object of number 2",
        at_heap(patch(48, 9, "<H"), 48), rows=1)


def bad_address(contents, heap):
    row = contents.index(struct.pack("<IQI", 16, heap, 2))
    struct.pack_into("<Q", contents, row + 4, 2**62)
    return len(contents)


damaged("reference_beyond_end", "beyond the end of the file", bad_address,
        rows=1)


def cut(contents, _):
    del contents[-1:]


damaged("cut", "truncated file", cut, opens=False)


def root_lost(contents, _):
    contents[contents.index(b"HEAP")] = 0


damaged("names_lost", "bad local heap signature", root_lost, opens=False)
EXPECTED.write()
