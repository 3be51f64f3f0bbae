"""The expected.tsv of a folder of golden or must_fail files, as the make.py
beside them knows it; tests/conformance/checked_in_files_test.cc compares it with
what a scan of each file gives. Its lines have these cells, with tabs between:

FILE  layout     LAYOUT that is detected, with its parameters
FILE  companion  COMPANION, a file that agrees with it
FILE  sample     ID  KEY  LABELS  CLASS NAME  CLASS TEXT
FILE  field      NAME  DTYPE  SHAPE  PLACE  BYTES in hex, of the sample above
FILE  error      CODE  SAMPLES before it  RECORD  BYTE  WORDS of its message

A number or key that is not there is "-". PLACE is "yes" where the bytes lie in
the file as such, and "no" otherwise.
"""


class Elsewhere:
    """A field's value that does not lie in the file as such."""

    def __init__(self, value):
        self.value = value


class Expected:
    """Lines for the files of a folder; `write` them when all are there."""

    def __init__(self, folder):
        self._path = folder / "expected.tsv"
        self._lines = []

    def _line(self, *cells):
        self._lines.append("\t".join(
            "-" if cell is None else str(cell) for cell in cells) + "\n")

    def layout(self, file, layout):
        self._line(file, "layout", layout)

    def companion(self, file, companion):
        self._line(file, "companion", companion)

    def sample(self, file, number=None, key=None, labels=(), class_name="",
               class_text="", fields=None):
        """`fields` has bytes or NumPy arrays by their names; where their bytes
        are not in the file, in an Elsewhere."""
        self._line(file, "sample", number, key, " ".join(map(str, labels)),
                   class_name, class_text)
        for name, value in sorted((fields or {}).items()):
            self._field(file, name, value)

    def _field(self, file, name, value):
        in_place = not isinstance(value, Elsewhere)
        value = value if in_place else value.value
        dtype, shape = "|S", ()
        if not isinstance(value, bytes):
            little = value.astype(value.dtype.newbyteorder("<"))
            dtype, shape, value = little.dtype.str, little.shape, \
                little.tobytes("C")
        # What is empty lies anywhere.
        self._line(file, "field", name, dtype, "x".join(map(str, shape)),
                   "yes" if in_place or not value else "no", value.hex())

    def error(self, file, code, words, byte=None, record=None, samples=0):
        self._line(file, "error", code, samples, record, byte, words)

    def write(self):
        self._path.write_text("".join(self._lines), encoding="utf-8")
