"""PNGs of every kind and of every wrong kind, mostly named .jpg."""

import struct
import zlib

import png_parts as p
from png_parts import END, GRAY, GRAY_ALPHA, PALETTE, RGB, RGBA, SIGNATURE, chunk, png

DEPTHS = {GRAY: (1, 2, 4, 8, 16), RGB: (8, 16), PALETTE: (1, 2, 4, 8),
          GRAY_ALPHA: (8, 16), RGBA: (8, 16)}
NAMES = {GRAY: "gray", RGB: "rgb", PALETTE: "palette", GRAY_ALPHA: "gray_alpha",
         RGBA: "rgba"}


def kinds():
    files = {}
    for color, depths in DEPTHS.items():
        for bits in depths:
            name = f"png_{NAMES[color]}_{bits}"
            files[name + ".jpg"] = png(color=color, bits=bits)
            files[name + "_interlaced.jpg"] = png(color=color, bits=bits, interlace=1)
    files["png_one_pixel_interlaced.jpg"] = png(width=1, height=1, interlace=1)
    files["png_gray_transparent.jpg"] = png(chunk(b"tRNS", b"\0\5"), color=GRAY)
    files["png_rgb_transparent.jpg"] = png(chunk(b"tRNS", b"\0\1\0\2\0\3"))
    files["png_palette_transparent.jpg"] = png(
        p.palette() + chunk(b"tRNS", bytes(range(200))), color=PALETTE)
    files["png_16_bit_transparent.jpg"] = png(chunk(b"tRNS", b"\1\2\3\4\5\6"), bits=16)
    return files


def oddities():
    turned = b"MM\0\x2a\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0\6\0\0\0\0\0\0"
    data = zlib.compress(p.rows())
    pieces = b"".join(chunk(b"IDAT", data[i:i + 1]) for i in range(len(data)))
    frame = struct.pack(">IIIIIHHBB", 0, 23, 17, 0, 0, 1, 10, 0, 0)
    again = struct.pack(">IIIIIHHBB", 1, 23, 17, 0, 0, 1, 10, 0, 0)
    return {
        "png_animated.png": png(
            chunk(b"acTL", struct.pack(">II", 2, 0)) + chunk(b"fcTL", frame),
            chunk(b"fcTL", again) + chunk(b"fdAT", b"\0\0\0\2" + data)),
        "png_gamma.png": png(chunk(b"gAMA", struct.pack(">I", 45455))),
        "png_gamma_0.png": png(chunk(b"gAMA", bytes(4))),
        "png_background.png": png(chunk(b"bKGD", b"\0\1\0\2\0\3")),
        "png_exif.png": png(chunk(b"eXIf", turned)),
        "png_exif_looped.png": png(chunk(b"eXIf", turned[:-4] + b"\0\0\0\x08")),
        "png_exif_after_pixels.png": png(after=chunk(b"eXIf", turned)),
        "png_idat_of_1_byte.png": p.SIGNATURE + p.header() + pieces + END,
        "png_idat_empty_first.png": png(chunk(b"IDAT")),
        "png_trailing_zip.png": png() + b"PK\5\6" + bytes(18),
        "png_two_images.png": png() + png(),
        "png_text_bomb.png": png(chunk(b"zTXt", b"Comment\0\0" + p.zeros(64 << 20))),
        "png_profile_bomb.png": png(chunk(b"iCCP", b"icc\0\0" + p.zeros(64 << 20))),
        "png_profile_wrong.png": png(chunk(b"iCCP", b"icc\0\0" + b"no zlib")),
        "png_5000_texts.png": png(chunk(b"tEXt", b"k\0v") * 5000),
        "png_private_chunk.png": png(chunk(b"prVt", b"x" * 100)),
        "png_unknown_critical_chunk.png": png(chunk(b"CrIt", b"x")),
        "png_apple.png": SIGNATURE + chunk(b"CgBI", b"\x50\0\x20\2") + p.header() +
            chunk(b"IDAT", zlib.compress(p.rows())[2:-4]) + END,
        "png_transparency_too_long.png": png(chunk(b"tRNS", bytes(300)), color=GRAY),
        "png_transparency_of_alpha.png": png(chunk(b"tRNS", bytes(6)), color=RGBA),
        "png_palette_index_past_end.png": png(p.palette(4), color=PALETTE, bits=8),
        "png_palette_of_rgb.png": png(p.palette()),
        "png_lost_high_bits.png": bytes(b & 0x7F for b in png()),
        "png_text_mode_transfer.png": png().replace(b"\r\n", b"\n"),
    }


def chunk_damage():
    good = png()
    at = good.index(b"IDAT")
    after_header = 8 + 25
    two = [zlib.compress(p.rows())[:100], zlib.compress(p.rows())[100:]]
    return {
        "png_crc_of_ihdr.png": good[:29] + bytes([good[29] ^ 1]) + good[30:],
        "png_crc_of_idat.png": good[:-16] + bytes([good[-16] ^ 1]) + good[-15:],
        "png_crc_of_iend.png": good[:-1] + b"\0",
        "png_crc_of_text.png": png(chunk(b"tEXt", b"a\0b", 0)),
        "png_crc_of_palette.png": png(p.palette(255)[:-4] + bytes(4), color=PALETTE),
        "png_bit_flipped.png": good[:at + 40] + bytes([good[at + 40] ^ 4]) + good[at + 41:],
        "png_cut_in_signature.png": good[:5],
        "png_signature_only.png": SIGNATURE,
        "png_cut_in_ihdr.png": good[:20],
        "png_cut_after_ihdr.png": good[:after_header],
        "png_cut_in_idat.png": good[:at + 100],
        "png_cut_last_byte.png": good[:-1],
        "png_no_iend.png": good[:-12],
        "png_no_idat.png": SIGNATURE + p.header() + END,
        "png_no_ihdr.png": SIGNATURE + p.pixels() + END,
        "png_ihdr_twice.png": png(p.header()),
        "png_ihdr_later.png": SIGNATURE + chunk(b"tEXt", b"a\0b") + p.header() + p.pixels() +
            END,
        "png_ihdr_of_12_bytes.png": SIGNATURE + chunk(b"IHDR", p.header()[8:20]) +
            p.pixels() + END,
        "png_no_palette.png": SIGNATURE + p.header(color=PALETTE) +
            p.pixels(color=PALETTE) + END,
        "png_palette_late.png": SIGNATURE + p.header(color=PALETTE) +
            p.pixels(color=PALETTE) + p.palette() + END,
        "png_palette_twice.png": png(p.palette() * 2, color=PALETTE),
        "png_palette_of_257.png": png(p.palette(257), color=PALETTE),
        "png_palette_of_4_bytes.png": png(chunk(b"PLTE", bytes(4)), color=PALETTE),
        "png_palette_too_long.png": png(p.palette(17), color=PALETTE, bits=4),
        "png_palette_of_gray.png": png(p.palette(), color=GRAY),
        "png_idat_apart.png": SIGNATURE + p.header() + chunk(b"IDAT", two[0]) +
            chunk(b"tEXt", b"a\0b") + chunk(b"IDAT", two[1]) + END,
        "png_length_2_to_31.png": SIGNATURE + p.header() + b"\x80\0\0\0IDAT" + bytes(20) + END,
        "png_length_past_end.png": SIGNATURE + p.header() + b"\x7f\0\0\0IDAT" + bytes(20),
        "png_chunk_of_no_letters.png": png(chunk(b"\0\0\0\0")),
    }


def header_damage():
    return {
        "png_width_0.png": SIGNATURE + p.header(width=0) + p.pixels() + END,
        "png_height_0.png": SIGNATURE + p.header(height=0) + p.pixels() + END,
        "png_2_to_31_square.png": SIGNATURE + p.header(2**31 - 1, 2**31 - 1) + p.pixels() + END,
        "png_2_to_32_wide.png": SIGNATURE + p.header(2**32 - 1, 1) + p.pixels() + END,
        "png_claims_60000_square.png":
            SIGNATURE + p.header(60000, 60000) + p.pixels() + END,
        "png_claims_16000_square.png":
            SIGNATURE + p.header(16000, 16000) + p.pixels() + END,
        "png_claims_16000_square_interlaced.png":
            SIGNATURE + p.header(16000, 16000, interlace=1) + p.pixels() + END,
        "png_claims_4000_square_16_bit.png":
            SIGNATURE + p.header(4000, 4000, 16, RGBA) + p.pixels() + END,
        "png_3_bits.png": SIGNATURE + p.header(bits=3) + p.pixels() + END,
        "png_rgb_4_bits.png": SIGNATURE + p.header(bits=4) + p.pixels() + END,
        "png_color_type_5.png": SIGNATURE + p.header(color=5) + p.pixels() + END,
        "png_interlace_2.png": SIGNATURE + p.header(interlace=2) + p.pixels() + END,
        "png_compression_1.png": SIGNATURE + p.header(compression=1) + p.pixels() + END,
        "png_filter_method_1.png": SIGNATURE + p.header(filtering=1) + p.pixels() + END,
        "png_1000000_wide.png": png(data=b"\0" + bytes(3000000), width=1000000, height=1),
        "png_1000000_high.png": png(data=bytes(2000000), width=1, height=1000000, color=GRAY),
    }


def pixel_damage():
    good = p.rows()
    packed = zlib.compress(good, 9)

    def of(stream, **facts):
        return SIGNATURE + p.header(**facts) + chunk(b"IDAT", stream) + END

    return {
        "png_filter_type_5.png": png(data=p.rows(filters=(0, 5))),
        "png_filter_type_255.png": png(data=p.rows(filters=(255,))),
        "png_pixels_short.png": png(data=good[:-1]),
        "png_pixels_half.png": png(data=good[:len(good) // 2]),
        "png_pixels_long.png": png(data=good + b"\0"),
        "png_no_pixels.png": png(data=b""),
        "png_zip_bomb_idat.png": of(p.zeros(256 << 20)),
        "png_zip_bomb_16000_square.png": of(p.zeros(16000 * 16001), width=16000, height=16000,
                                            color=GRAY),
        "png_zip_bomb_16000_square_color.png": of(p.zeros(16000 * 48001), width=16000,
                                                  height=16000),
        "png_zip_bomb_behind_text.png": png(
            chunk(b"tEXt", b"k\0" + bytes(1 << 20)), width=10000, height=10000, color=GRAY,
            packed=p.zeros(10000 * 10001)),
        "png_zip_bomb_interlaced.png": of(p.zeros(8000 * 24001), width=8000, height=8000,
                                          interlace=1),
        "png_flat_4000_square.png": of(p.zeros(4000 * 12001), width=4000, height=4000),
        "png_adler_wrong.png": of(packed[:-1] + bytes([packed[-1] ^ 1])),
        "png_adler_missing.png": of(packed[:-4]),
        "png_zlib_cut.png": of(packed[:len(packed) // 2]),
        "png_zlib_header_wrong.png": of(b"\x79" + packed[1:]),
        "png_zlib_dictionary.png": of(b"\x78\xbb\0\0\0\0" + packed[2:]),
        "png_zlib_window_too_small.png": of(b"\x18\x19" + packed[2:]),
        "png_zlib_with_more.png": of(packed + b"more"),
        "png_deflate_block_type_3.png": of(b"\x78\x9c\x07" + packed[3:]),
        "png_distance_too_far.png": of(b"\x78\x9c\x63\0\x2a" + bytes(20)),
        "png_stored.png": of(zlib.compress(good, 0)),
        "png_gzip.png": of(b"\x1f\x8b\x08\0\0\0\0\0\0\3" + packed[2:-4] + bytes(8)),
    }


def files(photos, own):
    del photos, own
    return {**kinds(), **oddities(), **chunk_damage(), **header_damage(),
            **pixel_damage()}
