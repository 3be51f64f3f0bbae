"""WebP, GIF, BMP and TIFF that are cut, wrong or of more pixels than bytes."""

import struct
import zlib

from other_files import BMP, GIF, WEBP


def riff(*chunks):
    data = b"WEBP" + b"".join(
        name + struct.pack("<I", len(body)) + body + bytes(len(body) % 2)
        for name, body in chunks)
    return b"RIFF" + struct.pack("<I", len(data)) + data


def lossless(width, height, data):
    return riff((b"VP8L", b"\x2f" + struct.pack("<I", width - 1 | height - 1 << 14) + data))


def webps():
    canvas = b"\2\0\0\0" + struct.pack("<I", 9)[:3] + struct.pack("<I", 9)[:3]
    return {
        "webp_cut": WEBP[:-6],
        "webp_of_no_frame": riff((b"VP8X", canvas), (b"ANIM", bytes(6))),
        "webp_of_noise": lossless(16, 16, b"\xa5\x5a" * 40),
        "webp_of_16383_squared": lossless(16383, 16383, bytes(40)),
        "webp_too_long": WEBP[:4] + b"\xff\xff\xff\x7f" + WEBP[8:],
        "webp_of_no_chunk": riff(),
        "webp_of_a_chunk_beyond": riff((b"VP8 ", b""))[:16] + b"\xff\xff\xff\xff",
    }


def gif(canvas, frame, data, palette=b"\0\0\0\xff\xff\xff"):
    flags = 0x80 if palette else 0
    return (b"GIF89a" + struct.pack("<HHBBB", *canvas, flags, 0, 0) + palette + b"," +
            struct.pack("<HHHHB", *frame, 0) + data + b";")


def gifs():
    blank = b"\2\2\x44\1\0"
    return {
        "gif_cut": GIF[:-5],
        "gif_of_65535_squared": gif((65535, 65535), (0, 0, 1, 1), blank),
        "gif_of_a_frame_beyond": gif((1, 1), (60000, 60000, 1, 1), blank),
        "gif_of_noise": gif((9, 9), (0, 0, 9, 9), b"\2\5\xa5\x5a\xff\x13\x37\0"),
        "gif_of_code_size_255": gif((1, 1), (0, 0, 1, 1), b"\xff\2\x44\1\0"),
        "gif_of_no_palette": gif((1, 1), (0, 0, 1, 1), blank, b""),
        "gif_of_no_pixels": gif((1, 1), (0, 0, 0, 0), blank),
        "gif_of_extensions": GIF[:13 + 6] + b"!\xfe\1a\0" * 4000,
    }


def bmp(width, height, bits, pixels, compression=0, offset=54, header=40):
    return (b"BM" + struct.pack("<IHHI", 54 + len(pixels), 0, 0, offset) +
            struct.pack("<IiiHHIIiiII", header, width, height, 1, bits, compression,
                        len(pixels), 0, 0, 0, 0) + pixels)


def bmps():
    row = b"\1\2\3\4\5\6\0\0"
    return {
        "bmp_cut": BMP[:-3],
        "bmp_from_the_top": bmp(2, -2, 24, row * 2),
        "bmp_of_negative_width": bmp(-2, 2, 24, row * 2),
        "bmp_of_2_31_rows": bmp(1, -(1 << 31), 24, row * 2),
        "bmp_of_65535_squared": bmp(65535, 65535, 1, row),
        "bmp_of_run_lengths": bmp(2, 2, 8, bytes(1024) + b"\0\1", 1),
        "bmp_of_3_bits": bmp(2, 2, 3, row * 2),
        "bmp_of_pixels_beyond": bmp(2, 2, 24, row * 2, offset=1 << 31),
        "bmp_of_pixels_before": bmp(2, 2, 24, row * 2, offset=2),
        "bmp_of_another_header": bmp(2, 2, 24, row * 2, header=64),
    }


def page(entries, data=b""):
    """The first page at byte 8, and the data after it."""
    end = 8 + 2 + 12 * len(entries) + 4
    text = b"II*\0" + struct.pack("<IH", 8, len(entries))
    for tag, kind, count, value in entries:
        text += struct.pack("<HHII", tag, kind, count, end if value == "data" else value)
    return text + struct.pack("<I", 8) + data  # the next page is the first one


def tiff(width, height, data, bits=8, compression=1, changed=()):
    entries = {256: (4, 1, width), 257: (4, 1, height), 258: (3, 1, bits),
               259: (3, 1, compression), 262: (3, 1, 1), 273: (4, 1, "data"),
               277: (3, 1, 1), 278: (4, 1, height), 279: (4, 1, len(data))}
    entries.update(changed)
    return page([(tag, *entry) for tag, entry in sorted(entries.items()) if entry], data)


def tiffs():
    zeros = zlib.compress(bytes(1 << 16))
    whole = tiff(4, 4, bytes(16))
    return {
        "tiff_of_a_loop_of_pages": whole,
        "tiff_cut": whole[:-3],
        "tiff_of_a_page_beyond": b"II*\0\xff\xff\xff\x7f",
        "tiff_of_65535_entries": b"II*\0\x08\0\0\0\xff\xff" + bytes(40),
        "tiff_of_fractions": tiff(4, 4, bytes(64), 32, changed={339: (3, 1, 3)}),
        "tiff_of_lzma": tiff(4, 4, bytes(64), compression=34925),
        "tiff_of_no_width": tiff(0, 4, bytes(16)),
        "tiff_of_no_strips": tiff(4, 4, b"", changed={273: None, 279: None}),
        "tiff_of_2_32_strips": tiff(1, 0xFFFFFFFF, bytes(16), changed={278: (4, 1, 1)}),
        "tiff_of_deflate": tiff(256, 256, zeros, compression=8),
        "tiff_of_short_deflate": tiff(256, 300, zeros, compression=8),
        "tiff_of_60000_squared": tiff(60000, 60000, zeros, compression=8),
        "tiff_of_small_tiles": tiff(4000, 4000, bytes(64),
                                    changed={322: (4, 1, 1), 323: (4, 1, 1)}),
        "tiff_of_many_samples": tiff(4, 4, bytes(16), changed={277: (3, 1, 65535)}),
        "tiff_of_no_color_map": tiff(4, 4, bytes(16), changed={262: (3, 1, 3)}),
        "tiff_of_a_large_profile": tiff(4, 4, bytes(16),
                                        changed={34675: (7, 0x7FFFFFFF, "data")}),
        "bigtiff_cut": b"II+\0\x08\0\0\0\x10\0\0\0\0\0\0\0",
    }


def files(photos, own):
    del photos, own
    every = {**webps(), **gifs(), **bmps(), **tiffs()}
    return {f"{name}.jpg": data for name, data in every.items()}
