"""JPEGs with strange or hostile segments in front of sound pixels."""

import struct

import jpeg_parts as j
from jpeg_parts import Picture, baseline

ORIENTATION = 0x0112


def entry(tag, kind, count, value, order=">"):
    return struct.pack(order + "HHII", tag, kind, count, value)


def tiff(entries, following=0, first=8, count=None, order=">"):
    name = b"MM" if order == ">" else b"II"
    return (name + struct.pack(order + "HI", 42, first) +
            struct.pack(order + "H", len(entries) if count is None else count) +
            b"".join(entries) + struct.pack(order + "I", following))


def exif(data):
    return baseline(head=j.segment(0xE1, b"Exif\0\0" + data))


def short(value, order=">"):
    """A SHORT as it lies in the four bytes of an entry's value."""
    return value << 16 if order == ">" else value


def exif_files():
    turned = entry(ORIENTATION, 3, 1, short(6))
    return {
        "exif_orientation_6.jpg": exif(tiff([turned])),
        "exif_orientation_8_little_endian.jpg": exif(
            tiff([entry(ORIENTATION, 3, 1, 8, "<")], order="<")),
        "exif_orientation_0.jpg": exif(tiff([entry(ORIENTATION, 3, 1, 0)])),
        "exif_orientation_9.jpg": exif(tiff([entry(ORIENTATION, 3, 1, short(9))])),
        "exif_orientation_of_text.jpg": exif(tiff([entry(ORIENTATION, 2, 4, 0x36363600)])),
        "exif_orientation_of_10000.jpg": exif(tiff([entry(ORIENTATION, 3, 10000, 8)])),
        "exif_orientation_twice.jpg": exif(
            tiff([turned, entry(ORIENTATION, 3, 1, short(3))])),
        "exif_directory_follows_itself.jpg": exif(tiff([turned], following=8)),
        "exif_directory_inside_itself.jpg": exif(tiff([entry(0x8769, 4, 1, 8), turned])),
        "exif_thumbnail_directory_loops.jpg": exif(
            tiff([turned], following=26) + tiff([turned], following=8)[8:]),
        "exif_65535_entries.jpg": exif(tiff([turned], count=65535)),
        "exif_count_2_to_32.jpg": exif(tiff([entry(0x010F, 2, 0xFFFFFFFF, 0xFFFFFFFF),
                                             turned])),
        "exif_directory_past_end.jpg": exif(tiff([turned], first=0xFFFFFFFF)),
        "exif_directory_at_last_byte.jpg": exif(tiff([turned], first=25)),
        "exif_directory_in_header.jpg": exif(tiff([turned], first=0)),
        "exif_empty.jpg": exif(b""),
        "exif_of_no_tiff.jpg": exif(b"XX\0\x2a\0\0\0\x08" + bytes(20)),
        "exif_twice.jpg": baseline(
            head=j.segment(0xE1, b"Exif\0\0" + tiff([turned])) +
            j.segment(0xE1, b"Exif\0\0" + tiff([entry(ORIENTATION, 3, 1, short(3))]))),
        "exif_behind_50_comments.jpg": baseline(
            head=j.segment(0xFE, b"c" * 100) * 50 +
            j.segment(0xE1, b"Exif\0\0" + tiff([turned]))),
    }


def icc_part(number, count, data):
    return j.segment(0xE2, b"ICC_PROFILE\0" + bytes([number, count]) + data)


def profile(size):
    """Starts as a profile does; nothing in this project looks further."""
    return (struct.pack(">I4sI4s4s4s", size, b"none", 0x04300000, b"mntr", b"RGB ",
                        b"XYZ ") + bytes(12) + b"acsp").ljust(size, b"\x55")


def icc_files():
    data = profile(100000)
    parts = [icc_part(n + 1, 2, data[n * 50000:][:50000]) for n in range(2)]
    one = icc_part(1, 1, profile(500))
    return {
        "icc.jpg": baseline(head=one),
        "icc_split.jpg": baseline(head=parts[0] + parts[1]),
        "icc_split_out_of_order.jpg": baseline(head=parts[1] + parts[0]),
        "icc_part_missing.jpg": baseline(head=parts[0]),
        "icc_part_twice.jpg": baseline(head=parts[0] * 2),
        "icc_part_0_of_0.jpg": baseline(head=icc_part(0, 0, profile(500))),
        "icc_counts_differ.jpg": baseline(head=parts[0] + icc_part(2, 3, b"")),
        "icc_255_parts.jpg": baseline(
            head=b"".join(icc_part(n, 255, bytes(64)) for n in range(1, 256))),
        "icc_4_mib.jpg": baseline(
            head=b"".join(icc_part(n, 64, bytes(65519)) for n in range(1, 65))),
        "icc_empty.jpg": baseline(head=j.segment(0xE2, b"ICC_PROFILE\0")),
    }


def files(photos, own):
    del photos, own
    thumbnail = baseline(Picture(160, 120))
    padded = thumbnail[:-2] + b"\xff" * (65533 - 6 - 26 - len(thumbnail)) + j.EOI
    return {
        **exif_files(), **icc_files(),
        "thumbnail_in_exif.jpg": exif(tiff([entry(ORIENTATION, 3, 1, short(1))]) +
                                      thumbnail),
        "thumbnail_64_kib.jpg": exif(tiff([entry(ORIENTATION, 3, 1, short(1))]) + padded),
        "thumbnail_in_jfif.jpg": baseline(
            head=j.jfif(thumbnail=(140, 150), pixels=bytes(3 * 140 * 150))),
        "thumbnail_in_jfif_lost.jpg": baseline(head=j.jfif(thumbnail=(255, 255))),
        "thumbnail_in_jfxx.jpg": baseline(
            head=j.jfif() + j.segment(0xE0, b"JFXX\0\x10" + thumbnail)),
        "jfif_density_0.jpg": baseline(head=j.jfif((0, 0), 1)),
        "jfif_density_unit_7.jpg": baseline(head=j.jfif((72, 72), 7)),
        "jfif_version_9.jpg": baseline(head=j.jfif().replace(b"JFIF\0\1\1", b"JFIF\0\x09\1")),
        "jfif_too_short.jpg": baseline(head=j.segment(0xE0, b"JFIF\0\1")),
        "comment_64_kib.jpg": baseline(head=j.segment(0xFE, b"c" * 65533)),
        "comment_of_markers.jpg": baseline(head=j.segment(0xFE, b"\xff\xd9\xff\xda" * 99)),
        "comment_of_zeros.jpg": baseline(head=j.segment(0xFE, bytes(200))),
        "photoshop_cut.jpg": baseline(
            head=j.segment(0xED, b"Photoshop 3.0\x008BIM\4\4\0\0\xff\xff\xff\xff")),
        "xmp_extended.jpg": baseline(
            head=j.segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>") +
            j.segment(0xE1, b"http://ns.adobe.com/xmp/extension/\0" + b"0" * 32 +
                      b"\xff\xff\xff\xff\xff\xff\xff\xff")),
        "mpf_looped.jpg": baseline(
            head=j.segment(0xE2, b"MPF\0" + tiff([entry(0xB001, 4, 1, 0xFFFFFFFF)],
                                                 following=8))),
        "segments_of_4_mib.jpg": baseline(head=j.segment(0xEC, bytes(65533)) * 64),
    }
