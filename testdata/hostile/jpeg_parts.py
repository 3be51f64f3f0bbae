"""JPEGs put together part by part, right or wrong, from coefficients: there is
no transform here, since a decoder cannot tell what pixels were meant.

A Picture is a frame and a rule that gives the coefficients of each block; the
*_scan functions give entropy-coded segments for it (ITU-T T.81, annexes F, G).
"""

import random

SOI, EOI = b"\xff\xd8", b"\xff\xd9"

# Code lengths and values of the standard luminance tables (T.81, K.3).
DC_COUNTS = [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
DC_VALUES = list(range(12))
AC_COUNTS = [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7D]
AC_VALUES = list(bytes.fromhex(
    "01020300041105122131410613516107227114328191a1082342b1c11552d1f0"
    "2433627282090a161718191a25262728292a3435363738393a43444546474849"
    "4a535455565758595a636465666768696a737475767778797a83848586878889"
    "8a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5"
    "c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8"
    "f9fa"))
# For progressive scans: every symbol has a code of eight bits, none of ones.
FLAT_COUNTS = [0] * 7 + [255] + [0] * 8
FLAT_VALUES = list(range(255))
# Two codes, of one bit and of two: "nothing here" costs a bit.
ZERO_COUNTS = [1, 1] + [0] * 14


def segment(marker, payload=b""):
    return bytes([0xFF, marker]) + (len(payload) + 2).to_bytes(2, "big") + payload


def dqt(table=0, step=8, values=None):
    return segment(0xDB, bytes([table]) + bytes(values or [step] * 64))


def dht(kind, table, counts, values):
    """`kind` 0 is DC, 1 is AC."""
    return segment(0xC4, bytes([kind << 4 | table]) + bytes(counts) + bytes(values))


def standard_tables():
    return (dht(0, 0, DC_COUNTS, DC_VALUES) + dht(1, 0, AC_COUNTS, AC_VALUES))


def progressive_tables():
    return (dht(0, 0, DC_COUNTS, DC_VALUES) + dht(1, 0, FLAT_COUNTS, FLAT_VALUES))


def frame(marker, width, height, components, bits=8):
    """`components` are (id, across, down) or (id, across, down, table)."""
    payload = bytes([bits]) + height.to_bytes(2, "big") + width.to_bytes(2, "big")
    payload += bytes([len(components)])
    for name, across, down, *table in components:
        payload += bytes([name, across << 4 | down, *(table or [0])])
    return segment(marker, payload)


def sos(names, start=0, end=63, high=0, low=0, tables=0):
    payload = bytes([len(names)]) + b"".join(bytes([n, tables]) for n in names)
    return segment(0xDA, payload + bytes([start, end, high << 4 | low]))


def dri(interval):
    return segment(0xDD, interval.to_bytes(2, "big"))


def jfif(density=(1, 1), units=0, thumbnail=(0, 0), pixels=b""):
    return segment(0xE0, b"JFIF\0\1\1" + bytes([units]) +
                   density[0].to_bytes(2, "big") + density[1].to_bytes(2, "big") +
                   bytes(thumbnail) + pixels)


def adobe(transform):
    return segment(0xEE, b"Adobe\0\x64\0\0\0\0" + bytes([transform]))


def codes_of(counts, values):
    codes, code, at = {}, 0, 0
    for length, count in enumerate(counts, 1):
        for value in values[at:at + count]:
            codes[value] = (code, length)
            code += 1
        at += count
        code <<= 1
    return codes


DC_CODES = codes_of(DC_COUNTS, DC_VALUES)
AC_CODES = codes_of(AC_COUNTS, AC_VALUES)
FLAT_CODES = codes_of(FLAT_COUNTS, FLAT_VALUES)


class Bits:
    def __init__(self):
        self.bytes, self.held, self.count = bytearray(), 0, 0

    def put(self, value, size):
        self.held = self.held << size | value
        self.count += size
        while self.count >= 8:
            self.count -= 8
            byte = self.held >> self.count
            self.held &= (1 << self.count) - 1
            self.bytes.append(byte)
            if byte == 0xFF:
                self.bytes.append(0)

    def put_number(self, value):
        """The bits behind a size category."""
        size = abs(value).bit_length()
        self.put(value if value >= 0 else value + (1 << size) - 1, size)

    def finish(self):
        """The bytes so far, padded with ones."""
        if self.count:
            self.put((1 << (8 - self.count)) - 1, 8 - self.count)
        done, self.bytes = bytes(self.bytes), bytearray()
        return done


class Picture:
    """Smooth, with a little detail; the same for the same seed."""

    def __init__(self, width=48, height=32, components=((1, 2, 2), (2, 1, 1), (3, 1, 1)),
                 seed=1):
        self.width, self.height, self.components = width, height, list(components)
        self.across = max(c[1] for c in components)
        self.down = max(c[2] for c in components)
        self.seed = seed

    def frame(self, marker=0xC0, bits=8):
        return frame(marker, self.width, self.height, self.components, bits)

    def names(self):
        return [c[0] for c in self.components]

    def mcus(self):
        return (-(-self.width // (8 * self.across)), -(-self.height // (8 * self.down)))

    def size_in_blocks(self, component):
        """As a scan of this component alone has them: without padding."""
        _, across, down, *_ = component
        return (-(-self.width * across // (8 * self.across)),
                -(-self.height * down // (8 * self.down)))

    def block(self, component, x, y):
        """DC and (place in zigzag order, value) of the other coefficients."""
        draw = random.Random(f"{self.seed} {component[0]} {x} {y}")
        dc = (x * 7 + y * 5) % 90 - 40 + draw.getrandbits(3)
        if draw.getrandbits(2):
            return dc, [(1, draw.getrandbits(4) - 8 or 1), (2 + draw.getrandbits(2), 3)]
        return dc, []

    def order(self, names):
        """Blocks of a scan, MCU by MCU: lists of (component, x, y)."""
        chosen = [c for c in self.components if c[0] in names]
        if len(chosen) == 1:
            wide, high = self.size_in_blocks(chosen[0])
            return [[(chosen[0], x, y)] for y in range(high) for x in range(wide)]
        wide, high = self.mcus()
        return [[(c, x * c[1] + i, y * c[2] + j) for c in chosen
                 for j in range(c[2]) for i in range(c[1])]
                for y in range(high) for x in range(wide)]


def put_dc(bits, difference):
    bits.put(*DC_CODES[abs(difference).bit_length()])
    bits.put_number(difference)


def put_ac(bits, coefficients):
    at = 0
    for place, value in coefficients:
        run = place - at - 1
        while run > 15:
            bits.put(*AC_CODES[0xF0])
            run -= 16
        bits.put(*AC_CODES[run << 4 | abs(value).bit_length()])
        bits.put_number(value)
        at = place
    if at < 63:
        bits.put(*AC_CODES[0])


def sequential_parts(picture, names=None, interval=0):
    """Entropy-coded segments between restart markers."""
    bits, last, parts = Bits(), {}, []
    for number, mcu in enumerate(picture.order(names or picture.names())):
        if interval and number and number % interval == 0:
            parts.append(bits.finish())
            last = {}
        for component, x, y in mcu:
            dc, ac = picture.block(component, x, y)
            put_dc(bits, dc - last.get(component[0], 0))
            last[component[0]] = dc
            put_ac(bits, ac)
    return parts + [bits.finish()]


def with_restarts(parts, first=0):
    data = parts[0]
    for number, part in enumerate(parts[1:], first):
        data += bytes([0xFF, 0xD0 | number % 8]) + part
    return data


def sequential_scan(picture, names=None, interval=0):
    return with_restarts(sequential_parts(picture, names, interval))


def dc_scan(picture, names=None, low=0):
    bits, last = Bits(), {}
    for mcu in picture.order(names or picture.names()):
        for component, x, y in mcu:
            dc = picture.block(component, x, y)[0] >> low
            put_dc(bits, dc - last.get(component[0], 0))
            last[component[0]] = dc
    return bits.finish()


def dc_refinement(picture, low=0):
    bits = Bits()
    for mcu in picture.order(picture.names()):
        for component, x, y in mcu:
            bits.put(picture.block(component, x, y)[0] >> low & 1, 1)
    return bits.finish()


def ac_scan(picture, name, start=1, end=63):
    """By FLAT_CODES, an end of band in each block."""
    bits = Bits()
    for [(component, x, y)] in picture.order([name]):
        at = start - 1
        for place, value in picture.block(component, x, y)[1]:
            if not start <= place <= end:
                continue
            bits.put(*FLAT_CODES[place - at - 1 << 4 | abs(value).bit_length()])
            bits.put_number(value)
            at = place
        if at < end:
            bits.put(*FLAT_CODES[0])
    return bits.finish()


def end_of_band_scan(blocks):
    """Nothing in any block, by FLAT_CODES, in 22 bits per 32767 of them."""
    bits = Bits()
    while blocks:
        run = min(blocks, 32767)
        size = run.bit_length() - 1
        bits.put(*FLAT_CODES[size << 4])
        bits.put(run - (1 << size), size)
        blocks -= run
    return bits.finish()


def baseline(picture=None, head=b"", tail=EOI, marker=0xC0, interval=0):
    """A whole file; `head` goes behind SOI."""
    picture = picture or Picture()
    return (SOI + head + dqt() + picture.frame(marker) + standard_tables() +
            (dri(interval) if interval else b"") + sos(picture.names()) +
            sequential_scan(picture, interval=interval) + tail)


def progressive(picture=None, head=b""):
    picture = picture or Picture()
    names = picture.names()
    data = SOI + head + dqt() + picture.frame(0xC2) + progressive_tables()
    data += sos(names, 0, 0, 0, 1) + dc_scan(picture, low=1)
    for name in names:
        data += sos([name], 1, 5) + ac_scan(picture, name, 1, 5)
        data += sos([name], 6, 63) + ac_scan(picture, name, 6, 63)
    return data + sos(names, 0, 0, 1, 0) + dc_refinement(picture) + EOI
