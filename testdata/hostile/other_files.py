"""What lies in photo folders under a photo's name and is none."""

import base64
import random
import struct
import zlib

GIF = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
WEBP = base64.b64decode(
    "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")
BMP = (b"BM" + struct.pack("<IHHI", 58, 0, 0, 54) +
       struct.pack("<IiiHHIIiiII", 40, 1, 1, 1, 24, 0, 4, 2835, 2835, 0, 0) + b"\1\2\3\0")
HTML = (b"<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head>"
        b"<body><h1>Not Found</h1></body></html>\n")
SVG = (b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" '
       b'width="4" height="4"><rect width="4" height="4"/></svg>\n')
LFS = (b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"4d" * 32 +
       b"\nsize 12345\n")


def tiff(order):
    entries = [(256, 3, 1), (257, 3, 1), (258, 3, 8), (259, 3, 1), (262, 3, 1),
               (273, 4, 110), (277, 3, 1), (278, 3, 1), (279, 4, 1)]
    data = (b"II" if order == "<" else b"MM") + struct.pack(order + "HIH", 42, 8,
                                                            len(entries))
    for tag, kind, value in entries:
        data += struct.pack(order + "HHI", tag, kind, 1)
        data += struct.pack(order + ("HH" if kind == 3 else "I"),
                            *((value, 0) if kind == 3 else (value,)))
    return (data + bytes(4)).ljust(122, b"\x80")


def boxed(brand):
    return struct.pack(">I4s4sI4s", 24, b"ftyp", brand, 0, b"mif1") + bytes(40)


def stored_zip(name, data):
    """An archive of one member that is not compressed."""
    facts = struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 33, zlib.crc32(data), len(data),
                        len(data), len(name), 0)
    local = b"PK\3\4" + facts + name + data
    central = b"PK\1\2\x14\0" + facts + bytes(14) + name
    return local + central + b"PK\5\6" + struct.pack(
        "<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)


def files(photos, own):
    del photos, own
    noise = random.Random("noise").randbytes(4096)
    return {
        "empty.jpg": b"",
        "one_byte.jpg": b"\xff",
        "two_bytes.jpg": b"\xff\xd8",
        "all_ff.jpg": b"\xff" * 4096,
        "all_zeros.jpg": bytes(4096),
        "noise.jpg": noise,
        "text.jpg": b"This photo is no longer available.\n",
        "page.jpg": HTML,
        "page_with_bom.jpg": b"\xef\xbb\xbf\r\n" + HTML.lower(),
        "drawing.jpg": SVG,
        "lfs_pointer.jpg": LFS,
        "gif.jpg": GIF,
        "bmp.jpg": BMP,
        "webp.jpg": WEBP,
        "tiff_little_endian.jpg": tiff("<"),
        "tiff_big_endian.jpg": tiff(">"),
        "heic.jpg": boxed(b"heic"),
        "avif.jpg": boxed(b"avif"),
        "zip.jpg": stored_zip(b"photo.txt", b"no photo"),
        "pdf.jpg": b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n%%EOF\n",
        "json_error.jpg": b'{"error": "quota exceeded"}\n',
        "jpeg_xl.jpg": b"\xff\x0a" + noise[:64],
        "jpeg_2000.jpg": b"\xff\x4f\xff\x51\x00\x2f" + bytes(60),
        "mac_resource_fork.jpg": b"\0\5\x16\7\0\2\0\0Mac OS X        " + bytes(58),
    }
