"""Writes the golden files of this folder with h5py.

Usage: "$(sh tests/interop/venv.sh hdf5)" testdata/golden/hdf5/make.py
"""

import ctypes
import pathlib
import sys
import zlib

import h5py
import numpy as np

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from expected import Elsewhere, Expected  # noqa: E402

BYTES = h5py.vlen_dtype(np.uint8)
EXPECTED = Expected(HERE)


def image(number):
    """Bytes like no other image's; the fourth is empty."""
    return bytes((number * 37 + i * 7) % 251 for i in range(number * 11)) \
        if number != 3 else b""


def vlen(file, name, images, **options):
    dataset = file.create_dataset(name, (len(images),), dtype=BYTES, **options)
    for row, payload in enumerate(images):
        dataset[row] = np.frombuffer(payload, np.uint8)
    return dataset


def placed(value, in_place):
    return value if in_place else Elsewhere(value)


def fuel():
    name = "fuel.hdf5"
    images = [image(i) for i in range(6)]
    with h5py.File(HERE / name, "w") as file:
        vlen(file, "encoded_images", images)
        file.create_dataset("targets", data=np.arange(
            6, dtype=np.int16).reshape(6, 1) * 100 - 1)
        file.create_dataset("filenames", data=np.array(
            [[f"n0/{i}.JPEG".encode()] for i in range(6)], "S32"))
        file["encoded_images"].dims[0].label = "batch"
        file.attrs["split"] = split_array(
            [("train", 0, 4), ("test", 4, 6)],
            ["encoded_images", "filenames", "targets"])
    EXPECTED.layout(name, "hdf5/fuel")
    for i, payload in enumerate(images):
        EXPECTED.sample(name, key=f"n0/{i}.JPEG", labels=[i * 100 - 1],
                        fields={"image": payload})


def split_array(splits, sources):
    rows = [(split.encode(), source.encode(), start, stop, h5py.Reference(),
             True, b".") for split, start, stop in splits for source in sources]
    return np.array(rows, dtype=[
        ("split", "S5"), ("source", "S14"), ("start", np.int64),
        ("stop", np.int64), ("indices", h5py.ref_dtype), ("available", np.bool_),
        ("comment", "S1")])


def meta():
    name = "meta.hdf5"
    images = [image(i) for i in range(5)]
    with h5py.File(HERE / name, "w", libver="latest") as file:
        vlen(file, "image_bytes", images, chunks=(2,))
        file["targets"] = np.arange(5)
    EXPECTED.layout(name, "hdf5/fuel")
    for i, payload in enumerate(images):
        EXPECTED.sample(name, labels=[i], fields={"image": payload})


def arrays(count, shape, dtype):
    size = count * int(np.prod(shape))
    return (np.arange(size) * 7 % 251).astype(dtype).reshape(count, *shape)


def biggan():
    name = "biggan.hdf5"
    images = arrays(5, (3, 4, 4), np.uint8)
    with h5py.File(HERE / name, "w") as file:
        file.create_dataset("imgs", data=images, maxshape=(None, 3, 4, 4),
                            chunks=(2, 3, 4, 4))
        file.create_dataset("labels", data=np.arange(5) * 3, maxshape=(None,),
                            chunks=(2,))
    EXPECTED.layout(name, "hdf5/array:chunk=2")
    for i in range(5):
        EXPECTED.sample(name, labels=[i * 3], fields={"image": images[i]})


def caffe():
    name = "caffe.h5"
    images = arrays(3, (1, 2, 2), np.float32)
    labels = np.array([0.5, 2, np.nan], np.float32)
    with h5py.File(HERE / name, "w") as file:
        file["data"] = images
        file["label"] = labels
    EXPECTED.layout(name, "hdf5/caffe")
    for i in range(3):
        EXPECTED.sample(name, labels=[[0.5], [2], []][i],
                        fields={"image": images[i]})


def classes():
    name = "classes.h5"
    with h5py.File(HERE / name, "w") as file:
        for split, names in (("train", ["ant", "bee", "cat"]),
                             ("val", ["bee", "cat"])):
            group = file.create_group(split)
            for number, one in enumerate(names):
                vlen(group, one, [image(number + i) for i in range(2)])
    EXPECTED.layout(name, "hdf5/fuel")
    for split, names in (("train", ["ant", "bee", "cat"]),
                         ("val", ["bee", "cat"])):
        for number, one in enumerate(names):
            for i in range(2):
                EXPECTED.sample(name, labels=["ant bee cat".split().index(one)],
                                class_name=one,
                                fields={"image": image(number + i)})


def groups():
    name = "groups.h5"
    with h5py.File(HERE / name, "w") as file:
        for i in range(12):
            group = file.create_group(str(i))
            group["data"] = np.frombuffer(image(i), np.uint8)
            group["target"] = i * 2
    EXPECTED.layout(name, "hdf5/fuel")
    for i in range(12):
        EXPECTED.sample(name, labels=[i * 2], fields={"image": image(i)})


def filters():
    name = "filters.h5"
    images = [image(i) for i in range(7)]
    rows = 7
    made = {
        "gzip": (arrays(rows, (5,), "<i4"), dict(compression="gzip"), False),
        "shuffle": (arrays(rows, (5,), "<i8"),
                    dict(compression="gzip", shuffle=True, fletcher32=True),
                    False),
        "lzf": (arrays(rows, (64,), "<u2"), dict(compression="lzf"), False),
        "sum": (arrays(rows, (5,), "<f4"), dict(fletcher32=True), True),
        "big": (arrays(rows, (5,), ">f8"), dict(), False),
        "bigger": (arrays(rows, (5,), ">u2"), dict(chunks=(2, 5)), False),
        "half": (arrays(rows, (2, 2), "<f2"), dict(), True),
        "flag": (arrays(rows, (3,), "u1") % 2 == 0, dict(), True),
        "cut": (arrays(rows, (3, 4, 5), "<i2"), dict(chunks=(2, 2, 3, 2)), True),
        "scalar": (arrays(rows, (), "|i1"), dict(), True),
    }
    with h5py.File(HERE / name, "w") as file:
        vlen(file, "encoded_images", images, chunks=(3,), compression="gzip",
             shuffle=True)
        for one, (values, options, _) in made.items():
            if values.ndim > 1 and options and "chunks" not in options:
                options = dict(options, chunks=(3, *values.shape[1:]))
            file.create_dataset(one, data=values, **options)
        file.create_dataset("ragged", (rows,), dtype=h5py.vlen_dtype(">i4"))
        file.create_dataset("text", data=[f"t\u00e9xt{i}" for i in range(rows)],
                            dtype=h5py.string_dtype())
        file["fixed"] = np.array([b"x" * i for i in range(rows)], "S8")
        for i in range(rows):
            file["ragged"][i] = np.arange(i, dtype=">i4")
        file["other_rows"] = np.arange(rows + 1)
        file["targets"] = arrays(rows, (3,), "<i4")
    EXPECTED.layout(name, "hdf5/fuel")
    for i in range(rows):
        fields = {one: placed(values[i], in_place)
                  for one, (values, _, in_place) in made.items()}
        EXPECTED.sample(name, labels=arrays(rows, (3,), "<i4")[i], fields=dict(
            fields, image=images[i], text=f"t\u00e9xt{i}".encode(),
            fixed=b"x" * i, ragged=Elsewhere(np.arange(i, dtype=">i4"))))


def user_block():
    name = "user_block.h5"
    images = [image(i) for i in range(4)]
    with h5py.File(HERE / name, "w", userblock_size=512) as file:
        vlen(file, "encoded_images", images)
        file["raw"] = arrays(4, (2,), "<u4")
    EXPECTED.layout(name, "hdf5/fuel")
    for i, payload in enumerate(images):
        EXPECTED.sample(name, fields={"image": payload,
                                      "raw": arrays(4, (2,), "<u4")[i]})


def never(file, name, values, written):
    """A dataset some of whose rows were never written, nor filled."""
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_chunk((1, *values.shape[1:]))
    creation.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    h5py.h5d.create(file.id, name.encode(),
                    h5py.h5t.py_create(values.dtype, logical=True),
                    h5py.h5s.create_simple(values.shape), creation)
    for row in written:
        file[name][row] = values[row]


def never_written():
    name = "never_written.h5"
    images = arrays(4, (3, 2, 2), np.uint8)
    labels = np.arange(4) * 5
    with h5py.File(HERE / name, "w") as file:
        never(file, "imgs", images, [1])
        never(file, "labels", labels, [2])
    EXPECTED.layout(name, "hdf5/array:chunk=1")
    with h5py.File(HERE / name) as file:
        for i in range(4):
            EXPECTED.sample(name, labels=[file["labels"][i]],
                            fields={"image": placed(file["imgs"][i], i == 1)})


def unpacked_edges(file, name, values):
    """Chunks that reach over the edge are not filtered."""
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_chunk((2, 3, 2))
    creation.set_deflate(9)
    # h5py has no name for it: its own library is asked.
    bundled, = pathlib.Path(h5py.__path__[0] + ".libs").glob("libhdf5-*")
    library = ctypes.CDLL(str(bundled))
    dont_filter_partial_chunks = 2
    assert library.H5Pset_chunk_opts(
        ctypes.c_int64(creation.id), dont_filter_partial_chunks) == 0
    h5py.h5d.create(file.id, name.encode(),
                    h5py.h5t.py_create(values.dtype, logical=True),
                    h5py.h5s.create_simple(values.shape), creation)
    file[name][...] = values


def chunks():
    """Chunks of all packings that reach over the edges, are missing, or whose
    filters were left out."""
    name = "chunks.h5"
    rows = 7
    packings = {
        "plain": dict(), "gzip": dict(compression="gzip"),
        "lzf": dict(compression="lzf"),
        "all": dict(compression="gzip", shuffle=True, fletcher32=True),
        "all_lzf": dict(compression="lzf", shuffle=True, fletcher32=True),
        "shuffled": dict(shuffle=True, fletcher32=True)}
    with h5py.File(HERE / name, "w", libver="latest") as file:
        vlen(file, "images", [image(i) for i in range(rows)], chunks=(2,),
             compression="gzip", shuffle=True)
        for packing, options in packings.items():
            for dtype in ("<i2", ">f8"):
                values = np.arange(rows * 35).reshape(rows, 5, 7).astype(dtype)
                made = file.create_dataset(
                    f"{packing}_{dtype[1:]}", values.shape, dtype,
                    chunks=(2, 3, 2), fillvalue=values[0, 0, 1], **options)
                # Some chunks are never written.
                made[:3] = values[:3]
                made[5:, 4:, :3] = values[5:, 4:, :3]
        left_out = file.create_dataset(
            "left_out", data=arrays(rows, (4,), ">u2"), chunks=(2, 4),
            compression="gzip", shuffle=True)
        stored = np.arange(8, dtype=">u2").tobytes()
        left_out.id.write_direct_chunk((2, 0), stored, 3)
        left_out.id.write_direct_chunk((4, 0), zlib.compress(stored), 1)
        unpacked_edges(file, "edges", arrays(rows, (5, 7), "<u2"))
    EXPECTED.layout(name, "hdf5/fuel")
    with h5py.File(HERE / name) as file:
        for i in range(rows):
            fields = {one: placed(file[one][i], i < 4 and one == "plain_i2")
                      for one in set(file) - {"images"}}
            EXPECTED.sample(name, fields=dict(fields, image=image(i)))


for write in (fuel, meta, biggan, caffe, classes, groups, filters, user_block,
              never_written, chunks):
    write()
EXPECTED.write()
