"""Writes the golden files of this folder: the .tar with the writers of the
webdataset package, Python's tarfile and GNU tar, and expected.tsv, which says
what is in them, from the same tables.

Usage: "$(sh tests/interop/venv.sh webdataset)" \
  testdata/golden/webdataset/make.py [WDS2IDX]

WDS2IDX: tools/wds2idx.py of DALI, which writes the .idx files; without it they
stay as they are.
"""

import io
import pathlib
import subprocess
import sys
import tarfile
import tempfile

import numpy
import webdataset
from numpy.lib import format as npy

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from expected import Elsewhere, Expected  # noqa: E402

LONG = "a-folder-with-a-long-name/" * 5
JPEG = bytes.fromhex("ffd8ffe000104a46494600")
PNG = b"\x89PNG\r\n\x1a\n" + bytes(500)
POINTS = numpy.arange(6, dtype="<f8").reshape(2, 3) / 4
BIG = numpy.array([1, -2, 300], ">i4")


def saved(array, version=(1, 0)):
    stream = io.BytesIO()
    npy.write_array(stream, array, version)
    return stream.getvalue()


# What Expected.sample takes of a sample; beside it the same sample as the
# webdataset package writes it.
PACKAGE = [
    (dict(number=7, key="00000007.jpg", labels=[3], fields={"image": JPEG}),
     {"__key__": "00000007", "jpg": JPEG, "cls": 3}),
    (dict(number=8, key="00000008.png", fields={
        "image": PNG, "json": b'{"a": [1, 2]}',
        "txt": "Gr\u00fc\u00dfe".encode()}),
     {"__key__": "00000008", "png": PNG, "json": {"a": [1, 2]},
      "txt": "Gr\u00fc\u00dfe"}),
    (dict(key="n01/tench", fields={
        "points": POINTS, "big": Elsewhere(BIG), "npy": Elsewhere(BIG[:1])}),
     {"__key__": "n01/tench", "points.npy": POINTS, "big.npy": BIG,
      "npy": BIG[:1]}),
    (dict(key="n01/a.jpeg", labels=[-12], fields={
        "image": JPEG, "seg.png": PNG, "png": b"",
        "fortran": Elsewhere(POINTS)}),
     {"__key__": "n01/a", "jpeg": JPEG, "seg.png": PNG, "png": b"",
      "cls": -12, "fortran.npy": saved(numpy.asfortranarray(POINTS))}),
    (dict(key="none", fields={"cls": b"a class",
                              "scalar": numpy.array(1, "<i4")}),
     {"__key__": "none", "cls": b"a class",
      "scalar.npy": saved(numpy.array(BIG[0]), (2, 0))}),
]

# Names that need more than a header of 100 bytes holds, and one in upper case.
FILES = [
    ("0000.JPG", JPEG), ("0000.txt", b""),
    ("b/0001.jpg", JPEG), ("b/0001.CLS", b" 5\n"),
    (LONG + "0002.png", PNG), (LONG + "0002.txt", b"long"),
    ("12345678901234567890.img", b"?"),
]
FILES_EXPECTED = [
    dict(number=0, key="0000.JPG", fields={"image": JPEG, "txt": b""}),
    dict(key="b/0001.jpg", labels=[5], fields={"image": JPEG}),
    dict(key=LONG + "0002.png", fields={"image": PNG, "txt": b"long"}),
    dict(number=12345678901234567890, key="12345678901234567890.img",
         fields={"image": b"?"}),
]
# These have an index of wds2idx.
INDEXED = ("package", "gnu_tar_ustar", "gnu_tar_pax", "gnu_tar_v7")


def write_package(path):
    with webdataset.TarWriter(str(path), mtime=0) as writer:
        for _, sample in PACKAGE:
            writer.write(sample)


def write_tarfile(path, form):
    with tarfile.open(path, "w", format=form) as archive:
        folder = tarfile.TarInfo("b")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for name, content in FILES:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            if form != tarfile.USTAR_FORMAT:
                # Fractions and large owners: more pax records, base-256.
                info.uid = 2 ** 40
                info.mtime = 0.5
            archive.addfile(info, io.BytesIO(content))


def write_gnu_tar(path, form):
    with tempfile.TemporaryDirectory() as top:
        for name, content in FILES:
            file = pathlib.Path(top) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        subprocess.run(
            ["tar", "--create", f"--format={form}", "--mtime=@0", "--owner=0",
             "--group=0", "--numeric-owner", "--directory", top, "--file",
             path, *[name for name, _ in FILES if form != "v7"
                     or len(name) < 100]], check=True)


def expect(expected, name, samples):
    expected.layout(name, "webdataset")
    stem, suffix = name.split(".", 1)
    if suffix == "tar" and stem in INDEXED:
        expected.companion(name, f"{stem}.idx")
    for sample in samples:
        if suffix != "tar":
            fields = {field: value if isinstance(value, Elsewhere)
                      else Elsewhere(value)
                      for field, value in sample["fields"].items()}
            sample = dict(sample, fields=fields)
        expected.sample(name, **sample)


def write_all():
    expected = Expected(HERE)
    for name in ("package.tar", "package.tar.gz"):
        write_package(HERE / name)
        expect(expected, name, [sample for sample, _ in PACKAGE])
    forms = {"tarfile_ustar": tarfile.USTAR_FORMAT,
             "tarfile_pax": tarfile.PAX_FORMAT,
             "tarfile_gnu": tarfile.GNU_FORMAT}
    for stem, form in forms.items():
        write_tarfile(HERE / f"{stem}.tar", form)
        expect(expected, f"{stem}.tar", FILES_EXPECTED)
    for form in ("ustar", "pax", "gnu", "oldgnu", "v7"):
        name = f"gnu_tar_{form}.tar"
        write_gnu_tar(HERE / name, form)
        expect(expected, name, [
            sample for sample in FILES_EXPECTED
            if form != "v7" or sample["key"] != LONG + "0002.png"])
    subprocess.run(["zstd", "-q", "-f", HERE / "gnu_tar_pax.tar", "-o",
                    HERE / "gnu_tar_pax.tar.zst"], check=True)
    expect(expected, "gnu_tar_pax.tar.zst", FILES_EXPECTED)
    expected.write()


write_all()
for program in sys.argv[1:]:
    for stem in INDEXED:
        subprocess.run([sys.executable, program, HERE / f"{stem}.tar",
                        HERE / f"{stem}.idx"], check=True)
