"""JPEGs that are unusual, and JPEGs that are wrong."""

import jpeg_parts as j
from jpeg_parts import EOI, SOI, Picture, baseline, progressive
from other_files import stored_zip

GRAY = ((1, 1, 1),)
PLAIN = Picture()


def sampled(*factors, **facts):
    return Picture(components=[(n, a, d) for n, (a, d) in enumerate(factors, 1)], **facts)


def without(data, marker):
    """Drops the first segment of that marker."""
    at = data.index(bytes([0xFF, marker]))
    return data[:at] + data[at + 2 + int.from_bytes(data[at + 2:at + 4], "big"):]


def before(data, marker, extra):
    at = data.index(bytes([0xFF, marker]))
    return data[:at] + extra + data[at:]


def sizes():
    square = [(1, 1, 1)]

    def claims(width, height, marker=0xC0, components=square):
        return (SOI + j.dqt() + j.frame(marker, width, height, components) +
                j.standard_tables() +
                j.sos([c[0] for c in components], 0, 0 if marker == 0xC2 else 63) +
                j.sequential_scan(PLAIN, [2]) + EOI)

    return {
        "width_0.jpg": claims(0, 16),
        "height_0.jpg": claims(16, 0),
        "no_size.jpg": claims(0, 0),
        "height_in_dnl.jpg": baseline(Picture(16, 16, GRAY)).replace(
            j.frame(0xC0, 16, 16, GRAY), j.frame(0xC0, 16, 0, GRAY))[:-2] +
            j.segment(0xDC, b"\0\x10") + EOI,
        "one_pixel.jpg": baseline(Picture(1, 1)),
        "65500_wide.jpg": baseline(Picture(65500, 1, GRAY)),
        "65500_wide_420.jpg": baseline(Picture(65500, 1)),
        "65500_high.jpg": baseline(Picture(1, 65500, GRAY)),
        "65501_wide.jpg": baseline(Picture(65501, 1, GRAY)),
        "65535_wide.jpg": baseline(Picture(65535, 1, GRAY)),
        "claims_65535_square.jpg": claims(65535, 65535),
        "claims_65500_square.jpg": claims(65500, 65500),
        "claims_16384_square.jpg": claims(16384, 16384),
        "claims_16384_square_color.jpg": claims(16384, 16384, components=[
            (1, 2, 2), (2, 1, 1), (3, 1, 1)]),
        "claims_16000_square_progressive.jpg": claims(16000, 16000, 0xC2),
        "claims_16000_square_arithmetic.jpg": claims(16000, 16000, 0xC9),
        "claims_4000_square.jpg": claims(4000, 4000),
        "height_too_large.jpg": baseline().replace(
            PLAIN.frame(), Picture(48, 4096).frame()),
    }


def truncations(photos):
    photo = photos["terriers/made_rotated.jpg"]
    cut, at = {"cut_after_soi.jpg": photo[:2]}, 2
    while True:
        marker = photo[at + 1]
        length = int.from_bytes(photo[at + 2:at + 4], "big")
        cut[f"cut_after_{len(cut)}_ff{marker:02x}.jpg"] = photo[:at + 2 + length]
        at += 2 + length
        if marker == 0xDA:
            break
    scans = photos["things/made_progressive.jpg"]
    second = scans.index(b"\xff\xda", scans.index(b"\xff\xda") + 2)
    return {
        **cut,
        "cut_inside_exif.jpg": photo[:40],
        "cut_inside_dht.jpg": photo[:photo.index(b"\xff\xc4") + 9],
        "cut_inside_length.jpg": photo[:photo.index(b"\xff\xdb") + 3],
        "cut_inside_block.jpg": photo[:at + 501],
        "cut_at_half.jpg": photo[:len(photo) // 2],
        "cut_at_half_with_eoi.jpg": photo[:len(photo) // 2] + EOI,
        "cut_last_byte.jpg": photo[:-1],
        "no_eoi.jpg": photo[:-2],
        "no_eoi_zero_padded.jpg": photo[:-2] + bytes(512),
        "tail_zeroed.jpg": photo[:3 * len(photo) // 4] + bytes(len(photo) // 4),
        "progressive_cut_after_first_scan.jpg": scans[:second] + EOI,
        "progressive_cut_inside_scan.jpg": scans[:second + 300],
        "progressive_no_eoi.jpg": scans[:-2],
    }


def ends(photos):
    photo = photos["things/muzzle.JPEG"]
    small = baseline()
    preview = baseline(Picture(16, 16))
    mpf = j.segment(0xE2, b"MPF\0MM\0\x2a\0\0\0\x08" + bytes(6))
    return {
        "garbage_before_soi.jpg": b"garbage" + small,
        "newline_before_soi.jpg": b"\n" + small,
        "http_header_before_soi.jpg":
            b"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\n\r\n" + small,
        "two_jpegs.jpg": small + preview,
        "preview_first.jpg": preview + photo,
        "second_one_cut.jpg": small + photo[:2000],
        "multi_picture.jpg": baseline(head=mpf) + baseline(head=mpf),
        "trailing_zip.jpg": small + stored_zip(b"secret.txt", b"hidden"),
        "trailing_zeros.jpg": small + bytes(1000),
        "trailing_70000_bytes.jpg": small + bytes(70000),
        "trailing_php.jpg": small + b"<?php system($_GET['c']); ?>",
        "two_eois.jpg": small + EOI,
        "soi_eoi.jpg": SOI + EOI,
        "eoi_before_scan.jpg": before(small, 0xDA, EOI),
        "doubled_soi.jpg": SOI + small,
    }


def tables():
    small, frames = baseline(), PLAIN.names()
    start = SOI + j.dqt() + PLAIN.frame()
    tail = j.sos(frames) + j.sequential_scan(PLAIN) + EOI
    dc, ac = (j.dht(0, 0, j.DC_COUNTS, j.DC_VALUES), j.dht(1, 0, j.AC_COUNTS, j.AC_VALUES))
    overfull = j.dht(1, 0, [3] + [0] * 15, [0, 1, 2])
    return {
        "no_dqt.jpg": without(small, 0xDB),
        "no_dht.jpg": without(without(small, 0xC4), 0xC4),
        "no_ac_table.jpg": start + dc + tail,
        "no_dht_progressive.jpg": without(without(progressive(), 0xC4), 0xC4),
        "no_sos.jpg": start + dc + ac + EOI,
        "no_sof.jpg": SOI + j.dqt() + dc + ac + tail,
        "dqt_of_zeros.jpg": small.replace(j.dqt(), j.dqt(values=[0] * 64)),
        "dqt_of_255.jpg": small.replace(j.dqt(), j.dqt(values=[255] * 64)),
        "dqt_16_bit.jpg": small.replace(
            j.dqt(), j.dqt(0x10, values=[0, 8] * 64)),
        "dqt_too_short.jpg": small.replace(j.dqt(), j.dqt(values=[8] * 40)),
        "dqt_number_4.jpg": small.replace(j.dqt(), j.dqt(4) + j.dqt()),
        "dqt_of_other_number.jpg": small.replace(j.dqt(), j.dqt(1)),
        "dht_overfull.jpg": start + dc + overfull + tail,
        "dht_underfull.jpg": start + dc + j.dht(1, 0, [0] * 15 + [2], [0, 1]) + tail,
        "dht_empty.jpg": start + dc + j.dht(1, 0, [0] * 16, []) + tail,
        "dht_of_300_values.jpg":
            start + dc + j.dht(1, 0, [0] * 8 + [150, 150] + [0] * 6, bytes(300)) + tail,
        "dht_cut_short.jpg":
            start + dc + j.dht(1, 0, j.AC_COUNTS, j.AC_VALUES[:50]) + tail,
        "dht_class_2.jpg": start + dc + ac + j.dht(2, 0, j.DC_COUNTS, j.DC_VALUES) + tail,
        "dht_number_7.jpg": start + dc + ac + j.dht(0, 7, j.DC_COUNTS, j.DC_VALUES) + tail,
        "dht_dc_value_200.jpg":
            start + j.dht(0, 0, j.DC_COUNTS, [200] * 12) + ac + tail,
        "scan_of_missing_table.jpg":
            start + dc + ac + j.sos(frames, tables=0x33) + tail[len(j.sos(frames)):],
    }


def restarts():
    picture = Picture(96, 64)
    names, interval = picture.names(), 4
    parts = j.sequential_parts(picture, interval=interval)
    head = SOI + j.dqt() + picture.frame() + j.standard_tables()

    def file(data, stated=interval):
        return head + (j.dri(stated) if stated else b"") + j.sos(names) + data + EOI

    good = j.with_restarts(parts)
    return {
        "restarts.jpg": file(good),
        "restart_markers_missing.jpg": file(b"".join(parts)),
        "restart_one_missing.jpg": file(good.replace(b"\xff\xd2", b"")),
        "restart_order_wrong.jpg": file(j.with_restarts(parts, first=3)),
        "restart_one_too_many.jpg": file(good.replace(b"\xff\xd2", b"\xff\xd2\xff\xd3")),
        "restart_one_twice.jpg": file(good.replace(b"\xff\xd2", b"\xff\xd2\xff\xd2")),
        "restart_interval_unstated.jpg": file(good, 0),
        "restart_interval_too_small.jpg": file(good, 3),
        "restart_interval_too_large.jpg": file(good, 5),
        "restart_interval_65535.jpg": file(good, 65535),
        "restart_part_lost.jpg": file(j.with_restarts(parts[:2] + [b""] + parts[3:])),
        "restart_part_zeroed.jpg":
            file(j.with_restarts(parts[:2] + [bytes(len(parts[2]))] + parts[3:])),
        "restart_fill_bytes.jpg": file(good.replace(b"\xff\xd2", b"\xff\xff\xff\xd2")),
        "restart_in_header.jpg": head + b"\xff\xd0" + file(good)[len(head):],
        "dri_of_3_bytes.jpg": head + j.segment(0xDD, b"\0\4\0") + j.sos(names) + good + EOI,
        "dri_every_mcu.jpg": baseline(interval=1),
    }


def processes(own):
    gray = Picture(components=GRAY)

    def lied(marker, bits=8, picture=PLAIN):
        return baseline(picture).replace(picture.frame(),
                                         picture.frame(marker, bits))

    dhp = j.segment(0xDE, PLAIN.frame()[4:])
    return {
        "arithmetic.jpg": own["arithmetic.jpg"],
        "arithmetic_progressive.jpg": own["arithmetic_progressive.jpg"],
        "arithmetic_cut.jpg": own["arithmetic.jpg"][:-60],
        "huffman_called_arithmetic.jpg": lied(0xC9),
        "extended.jpg": lied(0xC1),
        "baseline_called_progressive.jpg": lied(0xC2),
        "12_bit.jpg": lied(0xC1, 12),
        "12_bit_baseline.jpg": lied(0xC0, 12),
        "12_bit_progressive.jpg": lied(0xC2, 12),
        "16_bit_lossless.jpg": lied(0xC3, 16, gray),
        "lossless.jpg": lied(0xC3, 8, gray),
        "lossless_arithmetic.jpg": lied(0xCB, 8, gray),
        "hierarchical.jpg": before(lied(0xC5), 0xC5, dhp),
        "hierarchical_first_baseline.jpg": before(baseline(), 0xC0, dhp),
        "jpeg_ls.jpg": baseline(gray).replace(b"\xff\xc0", b"\xff\xf7"),
        "reserved_marker.jpg": before(baseline(), 0xC0, j.segment(0xC8, b"\0")),
        "0_bits.jpg": lied(0xC0, 0),
        "7_bits.jpg": lied(0xC0, 7),
        "progressive.jpg": progressive(),
        "sequential_scan_each.jpg":
            SOI + j.dqt() + PLAIN.frame() + j.standard_tables() +
            b"".join(j.sos([n]) + j.sequential_scan(PLAIN, [n]) for n in (1, 2, 3)) + EOI,
    }


def colors():
    four = sampled((1, 1), (1, 1), (1, 1), (1, 1))
    three = sampled((1, 1), (1, 1), (1, 1))
    letters = Picture(components=[(ord(c), 1, 1) for c in "RGB"])
    return {
        "two_components.jpg": baseline(sampled((1, 1), (1, 1))),
        "five_components.jpg": baseline(sampled(*[(1, 1)] * 5)).replace(
            j.sos([1, 2, 3, 4, 5]), j.sos([1, 2, 3, 4])),
        "no_components.jpg": SOI + j.dqt() + j.frame(0xC0, 16, 16, []) +
            j.standard_tables() + j.sos([1]) + b"\0" * 9 + EOI,
        "255_components.jpg": SOI + j.dqt() +
            j.frame(0xC0, 16, 16, [(n, 1, 1) for n in range(255)]) +
            j.standard_tables() + j.sos([1]) + b"\0" * 9 + EOI,
        "same_component_twice.jpg": baseline(Picture(components=[(1, 1, 1)] * 3)),
        "cmyk_adobe.jpg": baseline(four, j.adobe(0)),
        "cmyk_without_adobe.jpg": baseline(four),
        "ycck_adobe.jpg": baseline(four, j.adobe(2)),
        "ycck_subsampled.jpg":
            baseline(sampled((2, 2), (1, 1), (1, 1), (2, 2)), j.adobe(2)),
        "cmyk_jfif.jpg": baseline(four, j.jfif()),
        "cmyk_adobe_transform_1.jpg": baseline(four, j.adobe(1)),
        "rgb_by_adobe.jpg": baseline(three, j.adobe(0)),
        "rgb_by_names.jpg": baseline(letters),
        "rgb_by_names_and_jfif.jpg": baseline(letters, j.jfif()),
        "adobe_transform_2_of_3.jpg": baseline(three, j.adobe(2)),
        "adobe_transform_9.jpg": baseline(three, j.adobe(9)),
        "adobe_too_short.jpg": baseline(three, j.segment(0xEE, b"Adobe")),
        "gray.jpg": baseline(Picture(components=GRAY)),
        "gray_stated_2x2.jpg": baseline(Picture(components=[(1, 2, 2)])),
        "gray_stated_3x1.jpg": baseline(Picture(components=[(1, 3, 1)])),
    }


def samplings():
    given = {
        "444": ((1, 1), (1, 1), (1, 1)), "422": ((2, 1), (1, 1), (1, 1)),
        "440": ((1, 2), (1, 1), (1, 1)), "411": ((4, 1), (1, 1), (1, 1)),
        "410": ((4, 2), (1, 1), (1, 1)), "441": ((1, 4), (1, 1), (1, 1)),
        "3x1": ((3, 1), (1, 1), (1, 1)), "1x3": ((1, 3), (1, 1), (1, 1)),
        "2x2_as_444": ((2, 1), (2, 1), (2, 1)),
        "chroma_larger": ((1, 1), (2, 2), (2, 2)),
        "chroma_differs": ((2, 2), (2, 1), (1, 2)),
        "3_to_2": ((3, 1), (2, 1), (2, 1)), "2_to_3": ((2, 1), (3, 1), (1, 1)),
        "4x4": ((4, 4), (1, 1), (1, 1)), "4x4_each": ((4, 4), (4, 4), (4, 4)),
    }
    files = {f"sampling_{name}.jpg": baseline(sampled(*factors))
             for name, factors in given.items()}
    for name, factors in (("0x1", b"\x01"), ("5x1", b"\x51"), ("1x15", b"\x1f")):
        files[f"sampling_{name}.jpg"] = baseline().replace(b"\1\x22", b"\1" + factors)
    return files


def structure():
    small, frame = baseline(), PLAIN.frame()
    scan = j.sos(PLAIN.names())
    data = j.sequential_scan(PLAIN)
    return {
        "two_frames.jpg": small.replace(frame, frame + frame),
        "two_frames_differ.jpg": small.replace(frame, frame + Picture(96, 80).frame()),
        "frame_after_scan.jpg": small[:-2] + frame + scan + data + EOI,
        "frame_too_short.jpg": small.replace(frame, j.segment(0xC0, b"\x08\0\x20\0")),
        "frame_too_long.jpg": small.replace(frame, j.segment(0xC0, frame[4:] + b"\0\0")),
        "scan_before_frame.jpg": SOI + j.dqt() + j.standard_tables() + scan + data +
            frame + EOI,
        "scan_of_unknown_component.jpg": small.replace(scan, j.sos([1, 2, 9])),
        "scan_of_same_component.jpg": small.replace(scan, j.sos([1, 1, 1])),
        "scan_of_no_component.jpg": small.replace(scan, j.sos([])),
        "scan_header_too_long.jpg": small.replace(
            scan, j.segment(0xDA, scan[4:] + b"\0\0")),
        "scan_twice.jpg": small[:-2] + scan + data + EOI,
        "scans_of_chroma_missing.jpg": SOI + j.dqt() + frame + j.standard_tables() +
            j.sos([1]) + j.sequential_scan(PLAIN, [1]) + EOI,
        "garbage_between_segments.jpg": before(small, 0xC4, b"garbage"),
        "zero_between_segments.jpg": before(small, 0xC4, b"\0"),
        "fill_bytes.jpg": before(before(small, 0xC4, b"\xff" * 50), 0xDA, b"\xff" * 3000),
        "length_0.jpg": before(small, 0xC4, b"\xff\xe5\0\0"),
        "length_1.jpg": before(small, 0xC4, b"\xff\xe5\0\1"),
        "length_2.jpg": before(small, 0xC4, b"\xff\xe5\0\2"),
        "length_past_end.jpg": before(small, 0xC4, b"\xff\xe5\xff\xff"),
        "reserved_ff02.jpg": before(small, 0xC4, j.segment(2, b"??")),
        "tem.jpg": before(small, 0xC4, b"\xff\1"),
        "second_soi.jpg": before(small, 0xC4, SOI),
        "5000_segments.jpg": baseline(head=j.segment(0xFE, b"x") * 5000),
        "5000_tables.jpg": baseline(head=(j.dqt() + j.standard_tables()) * 700),
        "dnl_after_scan.jpg": small[:-2] + j.segment(0xDC, b"\0\x20") + EOI,
    }


def entropy(photos):
    photo = photos["things/muzzle.JPEG"]
    scan = photo.index(b"\xff\xda") + 14
    middle = (scan + len(photo)) // 2
    small = baseline(Picture(96, 64))
    start = small.index(b"\xff\xda") + 12
    ones = b"\xff\0" * 40

    def patched(data, at=middle, source=photo):
        return source[:at] + data + source[at + len(data):]

    # Each block: a category 0 difference, then runs of fifteen zeros and a one.
    bits = j.Bits()
    for _ in range(24):
        bits.put(*j.DC_CODES[0])
        for _ in range(6):
            bits.put(*j.AC_CODES[0xF1])
            bits.put(1, 1)
    return {
        "invalid_code.jpg": patched(ones, start + 20, small),
        "invalid_code_in_photo.jpg": patched(ones),
        "run_past_block.jpg": SOI + j.dqt() + PLAIN.frame() + j.standard_tables() +
            j.sos(PLAIN.names()) + bits.finish() + EOI,
        "entropy_zeroed.jpg": patched(bytes(2000)),
        "entropy_bit_flipped.jpg": patched(bytes([photo[middle] ^ 0x10])),
        "entropy_block_lost.jpg": photo[:middle] + photo[middle + 512:],
        "entropy_block_twice.jpg": photo[:middle] + photo[middle - 512:],
        "marker_inside_scan.jpg": patched(b"\xff\xe3"),
        "eoi_inside_scan.jpg": patched(EOI),
        "soi_inside_scan.jpg": patched(SOI),
        "bytes_before_eoi.jpg": photo[:-2] + bytes(64) + EOI,
        "no_entropy.jpg": small[:start] + EOI,
        "stuffing_lost.jpg": photo[:scan] + photo[scan:].replace(b"\xff\0", b"\xff"),
        "text_mode_transfer.jpg": photo.replace(b"\n", b"\r\n"),
        "utf8_round_trip.jpg":
            photo.decode("ascii", "replace").encode("utf-8"),
        "high_bits_lost.jpg": SOI + bytes(b & 0x7F for b in photo[2:]),
    }


def files(photos, own):
    return {**sizes(), **truncations(photos), **ends(photos), **tables(), **restarts(),
            **processes(own), **colors(), **samplings(), **structure(),
            **entropy(photos)}
