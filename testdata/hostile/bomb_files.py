"""JPEGs of little data and much work, and progressive ones that are wrong."""

import jpeg_parts as j
from jpeg_parts import EOI, SOI, Picture

GRAY = [(1, 1, 1)]
ZERO_DC = j.dht(0, 0, j.ZERO_COUNTS, [0, 1])
ALL_AC = j.dht(1, 0, j.FLAT_COUNTS, j.FLAT_VALUES)


def blocks_of(side):
    return (-(-side // 8)) ** 2


def bomb(side, scans, marker=0xC2):
    """A gray square of honest zeros: one bit for each DC, then `scans`."""
    return (SOI + j.dqt() + j.frame(marker, side, side, GRAY) + ZERO_DC + ALL_AC +
            j.sos([1], 0, 0, 0, 1) + bytes(-(-blocks_of(side) // 8)) + scans + EOI)


def empty_scan(side, start=1, end=63, high=0, low=0):
    return j.sos([1], start, end, high, low) + j.end_of_band_scan(blocks_of(side))


def refinements(side, count):
    return b"".join(empty_scan(side, 1, 63, n + 1, n) for n in reversed(range(count)))


def bombs():
    bare = j.sos([1], 1, 63)
    one = [empty_scan(64, k, k) for k in range(1, 64)]
    return {
        "flat_4000_square_progressive.jpg": bomb(4000, empty_scan(4000)),
        "scans_64.jpg": bomb(64, b"".join(one)),
        "scans_500.jpg": bomb(64, (b"".join(one) * 8)[:len(one[0]) * 499]),
        "scans_501.jpg": bomb(64, one[0] * 500),
        "scans_10000.jpg": bomb(64, one[0] * 10000),
        "scans_10000_of_nothing.jpg": bomb(64, bare * 10000),
        "scans_10000_of_2000_square.jpg": bomb(2000, empty_scan(2000) * 10000),
        "scans_400_of_4000_square.jpg": bomb(4000, empty_scan(4000) * 400),
        "scans_400_of_nothing_4000_square.jpg": bomb(4000, bare * 400),
        "scans_400_of_65500_x_64.jpg":
            SOI + j.dqt() + j.frame(0xC2, 65500, 64, GRAY) + ZERO_DC + ALL_AC +
            j.sos([1], 0, 0) + bytes(8188) + (bare + j.end_of_band_scan(8188 * 8)) * 400 + EOI,
        "refinements_13_of_4000_square.jpg":
            bomb(4000, empty_scan(4000, low=13) + refinements(4000, 13)),
        "refinements_400_of_4000_square.jpg":
            bomb(4000, empty_scan(4000, low=1) + empty_scan(4000, high=1) * 400),
        "dc_refinements_200_of_1000_square.jpg":
            bomb(1000, (j.sos([1], 0, 0, 1, 0) + bytes(1954)) * 200),
        "scans_400_color_of_2000_square.jpg":
            SOI + j.dqt() + j.frame(0xC2, 2000, 2000, [(n, 1, 1) for n in (1, 2, 3)]) +
            ZERO_DC + ALL_AC + j.sos([1, 2, 3], 0, 0) + bytes(23438) +
            b"".join(j.sos([n], 1, 63) + j.end_of_band_scan(62500) for n in (1, 2, 3)) * 130 +
            EOI,
        "scans_30_sequential_of_2000_square.jpg":
            SOI + j.dqt() + j.frame(0xC0, 2000, 2000, [(n, 1, 1) for n in (1, 2, 3)]) +
            ZERO_DC + j.dht(1, 0, j.ZERO_COUNTS, [0, 1]) +
            (j.sos([1]) + bytes(15625)) * 30 + EOI,
        "arithmetic_scans_of_4000_square.jpg":
            SOI + j.dqt() + j.frame(0xCA, 4000, 4000, GRAY) + j.sos([1], 0, 0) + b"\0" +
            (j.sos([1], 1, 63) + b"\0") * 400 + EOI,
        "restarts_without_data.jpg":
            SOI + j.dqt() + j.frame(0xC0, 2000, 2000, GRAY) + j.standard_tables() +
            j.dri(1) + j.sos([1]) + b"".join(bytes([0xFF, 0xD0 | n % 8])
                                             for n in range(62500)) + EOI,
        "fill_bytes_1_mib.jpg": j.baseline()[:-2] + b"\xff" * (1 << 20) + EOI,
        "segments_after_scan.jpg": j.baseline()[:-2] + j.segment(0xFE) * 250000 + EOI,
        "garbage_after_scan_4_mib.jpg": j.baseline()[:-2] + bytes(4 << 20) + EOI,
    }


def nonsense():
    picture = Picture()
    names = picture.names()
    good = j.progressive(picture)
    first = SOI + j.dqt() + picture.frame(0xC2) + j.progressive_tables()
    dc = j.sos(names, 0, 0, 0, 1) + j.dc_scan(picture, low=1)

    def scan(start, end, high=0, low=0, data=None):
        return (first + dc + j.sos([1], start, end, high, low) +
                (j.ac_scan(picture, 1) if data is None else data) + EOI)

    return {
        "progressive_dc_only.jpg": first + dc + EOI,
        "progressive_ac_only.jpg": first + j.sos([1], 1, 63) + j.ac_scan(picture, 1) + EOI,
        "progressive_dc_twice.jpg": first + dc + dc + EOI,
        "progressive_dc_after_ac.jpg":
            first + j.sos([1], 1, 63) + j.ac_scan(picture, 1) + dc + EOI,
        "progressive_refines_nothing.jpg": first + dc + j.sos([1], 1, 63, 1, 0) +
            j.end_of_band_scan(24) + EOI,
        "progressive_chroma_missing.jpg": first + j.sos([1], 0, 0) +
            j.dc_scan(picture, [1]) + EOI,
        "spectrum_5_to_2.jpg": scan(5, 2),
        "spectrum_1_to_64.jpg": scan(1, 64),
        "spectrum_200.jpg": scan(200, 255),
        "spectrum_0_to_63_progressive.jpg": scan(0, 63),
        "spectrum_0_to_0_with_ac_data.jpg": scan(0, 0),
        "low_bit_14.jpg": scan(1, 63, 0, 14),
        "low_bit_15_high_bit_15.jpg": scan(1, 63, 15, 15),
        "refinement_of_3_bits.jpg": scan(1, 63, 4, 1, j.end_of_band_scan(24)),
        "ac_of_three_components.jpg": first + dc + j.sos(names, 1, 63) +
            j.ac_scan(picture, 1) + EOI,
        "baseline_spectrum_1_to_5.jpg": j.baseline().replace(
            j.sos(names), j.sos(names, 1, 5)),
        "baseline_spectrum_0_to_0.jpg": j.baseline().replace(
            j.sos(names), j.sos(names, 0, 0)),
        "baseline_low_bit_3.jpg": j.baseline().replace(j.sos(names), j.sos(names, 0, 63, 0, 3)),
        "progressive_called_baseline.jpg": good.replace(picture.frame(0xC2), picture.frame()),
        "end_of_band_run_past_image.jpg":
            first + dc + j.sos([1], 1, 63) + j.end_of_band_scan(32767) + EOI,
    }


def files(photos, own):
    del photos, own
    return {**bombs(), **nonsense()}
