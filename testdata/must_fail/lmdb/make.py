"""Writes the damaged and refused files of this folder, byte by byte, and
expected.tsv: what reading each must end with.

Usage: python3 testdata/must_fail/lmdb/make.py
"""

import pathlib
import pickle
import struct
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from expected import Expected  # noqa: E402

SIZE = 512  # of a page
NONE = 2**64 - 1
BRANCH, LEAF, OVERFLOW, META = 1, 2, 4, 8
BIG, SUB = 1, 2


def page(number, flags, body, lower=0, upper=0):
    head = struct.pack("<QHHHH", number, 0, flags, lower, upper)
    return (head + body).ljust(SIZE, b"\0")


def meta(number, txn, root=2, depth=1, branches=0, leaves=1, overflow=0,
         entries=1, last=9, flags=0, magic=0xBEEFC0DE, version=1, size=SIZE,
         page_flags=META):
    free = struct.pack("<IHHQQQQQ", size, 8, 0, 0, 0, 0, 0, NONE)
    main = struct.pack("<IHHQQQQQ", 0, flags, depth, branches, leaves,
                       overflow, entries, root)
    return page(number, page_flags, struct.pack("<IIQQ", magic, version, 0,
                                                2**20) + free + main +
                struct.pack("<QQ", last, txn))


def node(key, value, flags=0, size=None):
    raw = struct.pack("<IHH", len(value) if size is None else size, flags,
                      len(key)) + key + value
    return raw + b"\0" * (len(raw) % 2)


def child(key, number):
    return struct.pack("<IHH", number & 0xFFFFFFFF, number >> 32,
                       len(key)) + key + b"\0" * (len(key) % 2)


def tree_page(number, flags, nodes, lower=None, upper=None, offsets=None):
    at, placed, body = SIZE, [], b""
    for raw in nodes:
        at -= len(raw)
        placed.append(at)
        body = raw + body
    low = 16 + 2 * len(nodes)
    pointers = struct.pack(f"<{len(nodes)}H", *(offsets or placed))
    return page(number, flags, pointers + b"\0" * (at - low) + body,
                low if lower is None else lower, at if upper is None else upper)


def leaf(number, *nodes, **changes):
    return tree_page(number, LEAF, nodes, **changes)


def branch(number, *nodes, **changes):
    return tree_page(number, BRANCH, nodes, **changes)


def big(number, value, pages=None, own=None, flags=OVERFLOW):
    """The pages of a value that has its own."""
    count = (15 + len(value)) // SIZE + 1
    head = struct.pack("<QHHI", number if own is None else own, 0, flags,
                       count if pages is None else pages)
    return (head + value).ljust(SIZE * count, b"\0")


def database(*pages, **changes):
    """The newer meta page is number 1, at byte 512."""
    return meta(0, 2, root=NONE, depth=0, leaves=0, entries=0) + \
        meta(1, 3, **changes) + b"".join(pages)


def one(value, **changes):
    """A database of one entry."""
    return database(leaf(2, node(b"00000000", value)), **changes)


def dump(value, protocol=4):
    return pickle.dumps(value, protocol=protocol)


PAIR = dump((b"jpg", 1))
GOOD = node(b"00000000", PAIR)
# Where the value of one() lies: its node ends with the page.
VALUE = 3 * SIZE - len(GOOD) + 16
BIG_NODE = node(b"00000000", struct.pack("<Q", 3), BIG, 600)
KEYS = [node(b"00000000", PAIR), node(b"00000001", PAIR)]


def at_value(value, byte=0):
    """The byte in the file of a byte in the value of one(value)."""
    return 3 * SIZE - len(node(b"00000000", value)) + 16 + byte


def with_keys(keys, length=None):
    nodes = KEYS + [node(b"__keys__", keys)]
    nodes += [] if length is None else [node(b"__len__", length)]
    return database(leaf(2, *nodes), entries=len(nodes))


def keys_node(keys):
    return 3 * SIZE - sum(map(len, KEYS)) - len(node(b"__keys__", keys))


TWO_KEYS = dump([b"00000000", b"00000001"])
ONE_MISSING = dump([b"00000000", b"00000002"])
TWICE = dump([b"00000000", b"00000000"])

# name: (bytes, code, byte)
FILES = {
    # Meta pages
    "cut_in_meta": (one(PAIR)[:100], "corrupt", 0),
    "cut_second_meta": (one(PAIR)[:600], "corrupt", 512),
    "no_magic": (one(PAIR)[:512] + meta(1, 3, magic=0xBEEFC0DF) +
                 one(PAIR)[1024:], "corrupt", 512),
    "no_meta_flag": (one(PAIR, page_flags=LEAF), "corrupt", 512),
    "version_2": (one(PAIR, version=2), "unsupported", 532),
    "page_sizes_differ": (one(PAIR, size=1024), "corrupt", 552),
    "page_size_odd": (meta(0, 2, size=1000) + one(PAIR)[512:], "corrupt", 40),
    "stale_meta": (meta(0, 2) + meta(1, 7) + one(PAIR)[1024:], "corrupt", 144),
    "root_beyond_end": (one(PAIR, root=10), "corrupt", 648),
    "root_beyond_file": (one(PAIR, root=9), "corrupt", 640),
    "root_is_meta": (one(PAIR, root=1), "corrupt", 640),
    "root_without_depth": (one(PAIR, depth=0), "corrupt", 600),
    "depth_of_40": (one(PAIR, depth=40), "corrupt", 600),
    "dupsort": (one(PAIR, flags=4), "unsupported", 604),
    "flags_unknown": (one(PAIR, flags=0x400), "corrupt", 604),
    # Pages
    "wrong_page_number": (database(leaf(3, GOOD)), "corrupt", 1024),
    "not_a_leaf": (database(tree_page(2, OVERFLOW, [GOOD])), "corrupt", 1034),
    "lower_odd": (database(leaf(2, GOOD, lower=17)), "corrupt", 1036),
    "lower_over_upper": (database(leaf(2, GOOD, lower=510)), "corrupt", 1036),
    "upper_beyond_page": (database(leaf(2, GOOD, upper=600)), "corrupt", 1036),
    "no_nodes": (database(leaf(2)), "corrupt", 1036),
    "node_in_header": (database(leaf(2, GOOD, offsets=[8])), "corrupt", 1040),
    "node_beyond_page": (database(leaf(2, GOOD, offsets=[508])), "corrupt",
                         1040),
    "nodes_overlap": (database(leaf(2, *KEYS, offsets=[512 - len(GOOD)] * 2),
                               entries=2), "corrupt",
                      1536 - len(GOOD)),
    "gap_between_nodes": (database(leaf(2, GOOD, upper=400)), "corrupt", 1038),
    "node_too_long": (database(leaf(2, node(b"0", b"v", size=999))), "corrupt",
                      1536 - 10),
    "empty_key": (database(leaf(2, node(b"", b"value!"))), "corrupt",
                  1536 - 8),
    "node_flags": (database(leaf(2, node(b"00000000", PAIR, 4))), "corrupt",
                   VALUE - 12),
    "named_database": (database(leaf(2, node(b"images", b"\0" * 48, SUB))),
                       "unsupported", 1536 - 62),
    "keys_descend": (database(leaf(2, *KEYS[::-1]), entries=2), "corrupt",
                     1536 - 2 * len(GOOD)),
    # Trees
    "leaf_too_high": (one(PAIR, depth=2), "corrupt", 1024),
    "leaf_too_low": (database(branch(2, child(b"", 3), child(b"1", 4)),
                              leaf(3, GOOD), leaf(4, node(b"1", PAIR)),
                              leaves=2, branches=1, entries=2), "corrupt",
                     1024),
    "branch_of_one": (database(branch(2, child(b"", 3)), leaf(3, GOOD),
                               depth=2, branches=1), "corrupt", 1036),
    "child_of_itself": (database(branch(2, child(b"", 2), child(b"1", 3)),
                                 leaf(3, GOOD), depth=2, branches=1),
                        "corrupt", 1024),
    "child_twice": (database(branch(2, child(b"", 3), child(b"1", 3)),
                             leaf(3, GOOD), depth=2, branches=1), "corrupt",
                    1024),
    "child_beyond_end": (database(branch(2, child(b"", 3),
                                         child(b"1", 2**40)),
                                  leaf(3, GOOD), depth=2, branches=1),
                         "corrupt", 1024),
    "leaves_swapped": (database(branch(2, child(b"", 4), child(b"1", 3)),
                                leaf(3, GOOD), leaf(4, node(b"1", PAIR)),
                                depth=2, branches=1, leaves=2, entries=2),
                       "corrupt", 1024),
    "below_its_branch": (database(branch(2, child(b"", 3), child(b"5", 4)),
                                  leaf(3, GOOD), leaf(4, node(b"4", PAIR)),
                                  depth=2, branches=1, leaves=2, entries=2),
                         "corrupt", 2048),
    "entries_miscounted": (one(PAIR, entries=2), "corrupt", 632),
    "leaves_miscounted": (one(PAIR, leaves=2), "corrupt", 616),
    # Values on pages of their own
    "value_beyond_file": (database(leaf(2, BIG_NODE), big(3, PAIR),
                                   overflow=2), "corrupt", 1536 - 8),
    "value_pages_shared": (database(
        leaf(2, BIG_NODE, node(b"00000001", struct.pack("<Q", 4), BIG, 10)),
        big(3, b"x" * 600), entries=2, overflow=3), "corrupt", 1536 - 32),
    "value_on_its_leaf": (database(
        leaf(2, node(b"00000000", struct.pack("<Q", 2), BIG, 10)),
        overflow=1), "corrupt", 1536 - 8),
    "overflow_miscounted": (database(leaf(2, BIG_NODE), big(3, b"x" * 600),
                                     overflow=1), "corrupt", 624),
    "overflow_number": (database(leaf(2, BIG_NODE), big(3, b"x" * 600, own=4),
                                 overflow=2), "corrupt", 1536),
    "overflow_flags": (database(leaf(2, BIG_NODE),
                                big(3, b"x" * 600, flags=LEAF), overflow=2),
                       "corrupt", 1536),
    "overflow_too_short": (database(leaf(2, BIG_NODE),
                                    big(3, b"x" * 600, pages=1), overflow=2),
                           "corrupt", 1536),
}

# The same of values: the error names the record as well.
VALUES = {
    # Pickles, by the layout folder2lmdb
    "pickle_cut": (one(PAIR[:-1]), "corrupt", at_value(PAIR[:-1], 2)),
    "pickle_with_more": (one(PAIR + b"N"), "corrupt",
                         at_value(PAIR + b"N", len(PAIR) - 1)),
    "pickle_runs_code": (one(b"\x80\x02cos\nsystem\nX\x01\0\0\0a\x85R."),
                         "unsupported",
                         at_value(b"\x80\x02cos\nsystem\nX\x01\0\0\0a\x85R.",
                                  2)),
    "pickle_of_three": (one(dump((b"jpg", 1, 2))), "unsupported",
                        at_value(dump((b"jpg", 1, 2)))),
    "label_is_text": (one(dump((b"jpg", "tench"))), "unsupported",
                      at_value(dump((b"jpg", "tench")))),
    # What other programs put there
    "msgpack_cut": (one(b"\x92\xc4\x09jpg\x01"), "unsupported",
                    at_value(b"\x92\xc4\x09jpg\x01", 1)),
    "pyarrow_damaged": (one(b"\0" * 16 + b"\xff" * 4 + b"\x10\0\0\0" +
                            b"\0" * 76), "corrupt",
                        at_value(b"\0" * 100, 16)),
    "datum_cut": (one(b"\x22\x09jpg"), "unsupported",
                  at_value(b"\x22\x09jpg")),
    "datum_without_shape": (one(b"\x22\x03jpg"), "corrupt",
                            at_value(b"\x22\x03jpg")),
}

# The same of lists of keys.
LISTS = {
    "listed_key_missing": (with_keys(ONE_MISSING), "corrupt",
                           keys_node(ONE_MISSING)),
    "listed_key_twice": (with_keys(TWICE), "corrupt", keys_node(TWICE)),
    "length_differs": (with_keys(TWO_KEYS, dump(3)), "corrupt",
                       keys_node(TWO_KEYS) - len(node(b"__len__", dump(3)))),
}

# name: words of the message
WORDS = {
    "cut_in_meta": "file ends early",
    "cut_second_meta": "file ends early",
    "no_magic": "no LMDB meta page",
    "no_meta_flag": "no LMDB meta page",
    "version_2": "version 2 of LMDB's file format",
    "page_sizes_differ": "two different page sizes",
    "page_size_odd": "a page size of 1000 bytes",
    "stale_meta": "not of neighbouring transactions",
    "root_beyond_end": "the root of the database lies after its last page",
    "root_beyond_file": "page 9 lies beyond the end of the file",
    "root_is_meta": "page 1 is used twice",
    "root_without_depth": "the root, depth and sizes of the database",
    "depth_of_40": "the root, depth and sizes of the database",
    "dupsort": "the main database is made with DUPSORT",
    "flags_unknown": "unknown flags of the database",
    "wrong_page_number": "not page 2 but one that calls itself 3",
    "not_a_leaf": "page flags 4 where a branch or leaf is expected",
    "lower_odd": "free space, 17 and 474, are impossible",
    "lower_over_upper": "free space, 510 and 474, are impossible",
    "upper_beyond_page": "free space, 18 and 600, are impossible",
    "no_nodes": "a page with too few nodes",
    "node_in_header": "node offset 8 does not lie where nodes are",
    "node_beyond_page": "node offset 508 does not lie where nodes are",
    "nodes_overlap": "keys out of order",
    "gap_between_nodes": "the nodes overlap, or leave gaps",
    "node_too_long": "a node reaches beyond its page",
    "empty_key": "an empty key",
    "node_flags": "node flags 4 in a leaf",
    "named_database": "holds named databases (\"images\")",
    "keys_descend": "keys out of order",
    "leaf_too_high": "a leaf and the depth of the tree do not agree",
    "leaf_too_low": "a leaf and the depth of the tree do not agree",
    "branch_of_one": "a page with too few nodes",
    "child_of_itself": "page 2 is used twice",
    "child_twice": "page 3 is used twice",
    "child_beyond_end": "page 1099511627776 lies beyond the end",
    "leaves_swapped": "a branch with keys that belong elsewhere",
    "below_its_branch": "a leaf with keys that belong elsewhere",
    "entries_miscounted": "the number of entries in the tree is 1",
    "leaves_miscounted": "the number of leaf pages in the tree is 1",
    "value_beyond_file": "page 3 and those after it lie beyond the end",
    "value_pages_shared": "page 4 is used twice",
    "value_on_its_leaf": "page 2 is used twice",
    "overflow_miscounted": "the number of overflow pages in the tree is 2",
    "overflow_number": "page 3 does not begin the pages of a value",
    "overflow_flags": "page 3 does not begin the pages of a value",
    "overflow_too_short": "page 3 does not begin the pages of a value",
    "pickle_cut": "a frame that reaches beyond the pickle",
    "pickle_with_more": "bytes after the end of a pickle",
    "pickle_runs_code": "a pickle that asks for os.system",
    "pickle_of_three": "a tuple of 3 where (bytes, label) is expected",
    "label_is_text": "a label that is no number but a str",
    "msgpack_cut": "9 bytes reach beyond the msgpack value",
    "pyarrow_damaged": "an Arrow message that is damaged",
    "datum_cut": "the values are no images, no Datums",
    "datum_without_shape": "whose channels, height and width are 0, 0 and 0",
    "listed_key_missing": "__keys__ lists 2 keys, of which only 1 exist",
    "listed_key_twice": "__keys__ lists a key twice",
    "length_differs": "__len__ is not the number of keys",
}

expected = Expected(HERE)
for files, record in ((FILES, None), (VALUES, 0), (LISTS, None)):
    for name, (contents, code, byte) in files.items():
        (HERE / f"{name}.lmdb").write_bytes(contents)
        expected.error(f"{name}.lmdb", code, WORDS[name], byte, record)
expected.write()
