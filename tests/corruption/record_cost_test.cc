// Bounds on the cost of foreign files whose parts can be shared (parsers review
// 1, 2, 3, 7, 8, 12). Forms of HDF5: hdf5_cost_test.cc.
#include "base/checksum.h"
#include "corruption/doubling.h"
#include "unit/lmdb/arrow_maker.h"
#include "unit/lmdb/file_maker.h"
#include "unit/webdataset/tar_bytes.h"

namespace shardine::record_cost_test {
namespace {

// A database of one entry beside "00000000", which is a pair.
std::string Database(const std::string& key, const std::string& value) {
  const std::string pages = ValuePages(3, value);
  const bool alone = !key.starts_with("__");
  PageMaker leaf(2, kLmdbLeaf, kSmallPage);
  // (b'\xff\xd8\xff\xe0', 1)
  const std::string pair = std::string("\x80\4C\4\xff\xd8\xff\xe0K\1\x86.", 12);
  if (!alone) leaf.Value("00000000", pair);
  leaf.Overflow(key, static_cast<std::uint32_t>(value.size()), 3);
  return MadeFile({.root = 2,
                   .depth = 1,
                   .leaf_pages = 1,
                   .overflow_pages = pages.size() / kSmallPage,
                   .entries = alone ? 1U : 2U},
                  leaf.Make() + pages);
}

std::string Text(const std::string& text) {
  std::string bytes("X");
  AppendLe(static_cast<std::uint32_t>(text.size()), bytes);
  return bytes + text;
}

// {"image": JPEG, ...} with `items`, which use memo numbers from 1 on.
std::string Dict(const std::string& items) {
  using namespace std::string_literals;
  return "\x80\2}q\0(X\5\0\0\0imageC\4\xff\xd8\xff\xe0"s + items + "u.";
}

TEST_CASE("Lists of a pickle that share their rows cost what their bytes do",
          "[cost][lmdb]") {
  using namespace std::string_literals;
  const auto rows = [](std::size_t size, const std::string& inner) {
    return Database("k", Dict(Text("a") + "]q\1(](" + Times(size, inner) +
                              "eq\2" + Times(size, "h\2"s) + "e"));
  };
  CheckDoubling("lmdb/fields", 100, "items that share",
                [&](std::size_t size) { return rows(size, "K\1"s); });
  // Floats are as long in an array, and texts become JSON.
  CheckDoubling("lmdb/fields", 20, "items that share", [&](std::size_t size) {
    return rows(size, "G" + std::string(8, '@'));
  });
  CheckDoubling("lmdb/fields", 50, "items that share",
                [&](std::size_t size) { return rows(size, Text("\"\"\"")); });
}

// parsers review 7.
TEST_CASE(
    "Fields that share a name, a list or an array cost what their bytes do",
    "[cost][lmdb]") {
  using namespace std::string_literals;
  CheckDoubling("lmdb/fields", 100, "share their names", [&](std::size_t size) {
    return Database("k", Dict(Text(std::string(size, 'n')) + "q\1K\1" +
                              Times(size, "h\1K\1"s)));
  });
  CheckDoubling("lmdb/fields", 50, "items that share", [&](std::size_t size) {
    std::string fields = Text("first") + "](" + Times(size, "K\1"s) + "eq\1";
    for (std::size_t i = 0; i < size; ++i) fields += Text(Name(i)) + "h\1";
    return Database("k", Dict(fields));
  });
  // array(zeros(size), '>u2') under many names, as NumPy pickles it.
  CheckDoubling("lmdb/fields", 50, "fields that share their bytes",
                [&](std::size_t size) {
                  std::string count("M");
                  AppendLe(static_cast<std::uint16_t>(size), count);
                  std::string data("B");
                  AppendLe(static_cast<std::uint32_t>(2 * size), data);
                  std::string fields =
                      Text("first") + "cnumpy.core.multiarray\n_reconstruct\n" +
                      "cnumpy\nndarray\nK\0\x85"s + "C\1b\x87R(K\1" + count +
                      "\x85" + "cnumpy\ndtype\n" + Text("u2") +
                      "\x89\x88\x87R(K\3" + Text(">") +
                      "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb\x89"s + data +
                      std::string(2 * size, '\1') + "tbq\1";
                  for (std::size_t i = 0; i < size; ++i)
                    fields += Text(Name(i)) + "h\1";
                  return Database("k", Dict(fields));
                });
}

TEST_CASE("Texts that are converted many times cost what their bytes do",
          "[cost][lmdb]") {
  using namespace std::string_literals;
  // _codecs.encode(text, 'latin1'), which makes new bytes with each call.
  CheckDoubling("lmdb/fields", 50, "parts are shared", [&](std::size_t size) {
    std::string fields = Text("first") + "c_codecs\nencode\nq\1" +
                         Text(std::string(size, 'x')) + "q\2" + Text("latin1") +
                         "\x86q\3R";
    for (std::size_t i = 0; i < size; ++i) {
      fields += Text(Name(i)) + "h\1h\3R";
    }
    return Database("k", Dict(fields));
  });
}

TEST_CASE("Names of classes and keys that are one cost what their bytes do",
          "[cost][lmdb]") {
  using namespace std::string_literals;
  CheckDoubling(
      "lmdb/folder2lmdb", 100, "more than 1,000", [&](std::size_t size) {
        return Database("__classes__", "\x80\2](" +
                                           Text(std::string(size, 'n')) +
                                           "q\0"s + Times(size, "h\0"s) + "e.");
      });
  // Names that are short enough to be names.
  CheckDoubling(
      "lmdb/folder2lmdb", 100, "names that share", [&](std::size_t size) {
        return Database("__classes__", "\x80\2](" +
                                           Text(std::string(999, 'n')) +
                                           "q\0"s + Times(size, "h\0"s) + "e.");
      });
  CheckDoubling(
      "lmdb/folder2lmdb", 100, "names that share", [&](std::size_t size) {
        std::string dict = "\x80\2}(" + Text(std::string(900, 'n')) + "q\0"s;
        for (std::size_t i = 0; i < size; ++i) {
          dict += i == 0 ? "" : "h\0"s;
          dict += "J";
          AppendLe(static_cast<std::uint32_t>(i), dict);
        }
        return Database("__classes__", dict + "u.");
      });
  CheckDoubling(
      "lmdb/folder2lmdb", 100, "lists a key twice", [&](std::size_t size) {
        return Database("__keys__",
                        "\x80\2](C\b00000000q\0"s + Times(size, "h\0"s) + "e.");
      });
}

std::vector<std::int32_t> UpTo(std::size_t count) {
  std::vector<std::int32_t> numbers(count);
  for (std::size_t i = 0; i < count; ++i) {
    numbers[i] = static_cast<std::int32_t>(i);
  }
  return numbers;
}

// A list of `items` of texts of `data` that all are the first one.
std::string ArrowTextList(std::size_t items, const std::string& data,
                          bool bytes = false) {
  const auto end = static_cast<std::int32_t>(data.size());
  return ArrowValue(ArrowRoot(ArrowList(
      "10", {0, static_cast<std::int32_t>(items)},
      ArrowUnion("item", std::string(items, '\1'),
                 std::vector<std::int32_t>(items, 0),
                 {ArrowNulls(0), ArrowTexts({0, end}, data, bytes)}))));
}

// {"image": JPEG, "00000000": one of `values`, ...}: `kinds` and `rows` of all
// values but the image's, the first of the union.
std::string ArrowFields(const std::string& kinds,
                        const std::vector<std::int32_t>& rows,
                        const ArrowMade& values,
                        const std::vector<std::string>& tensors = {}) {
  std::string names = "image";
  std::vector<std::int32_t> ends = {0, 5};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    names += Name(i);
    ends.push_back(static_cast<std::int32_t>(names.size()));
  }
  std::vector<std::int32_t> all = {0};
  all.insert(all.end(), rows.begin(), rows.end());
  const auto count = static_cast<std::int32_t>(all.size());
  const ArrowMade pairs = {
      .name = "item",
      .type = 13,
      .rows = count,
      .children = {
          ArrowUnion("keys", std::string(all.size(), '\0'), UpTo(all.size()),
                     {ArrowTexts(ends, names)}),
          ArrowUnion("vals", std::string(1, '\0') + kinds, all,
                     {ArrowTexts({0, 4}, "\xff\xd8\xff\xe0", true), values})}};
  return ArrowValue(ArrowRoot(ArrowList("11", {0, count}, pairs)), tensors);
}

// parsers review 12.
TEST_CASE("Values of pyarrow that share their parts cost what their bytes do",
          "[cost][lmdb][arrow]") {
  CheckDoubling("lmdb/folder2lmdb", 100, "names that share",
                [](std::size_t size) {
                  return Database("__classes__",
                                  ArrowTextList(size, std::string(999, 'n')));
                });
  CheckDoubling(
      "lmdb/folder2lmdb", 100, "lists a key twice", [](std::size_t size) {
        return Database("__keys__", ArrowTextList(size, "00000000", true));
      });
  // Fields that are one list, and arrays of Fortran's order that are one.
  CheckDoubling(
      "lmdb/fields", 20, "more objects than bytes", [](std::size_t size) {
        const auto items = static_cast<std::int32_t>(size);
        return Database(
            "k",
            ArrowFields(std::string(size, '\1'),
                        std::vector<std::int32_t>(size, 0),
                        ArrowList("10", {0, items},
                                  ArrowUnion("item", std::string(size, '\0'),
                                             std::vector<std::int32_t>(size, 0),
                                             {ArrowInts({7})}))));
      });
  for (const bool rows : {false, true}) {
    const std::string end =
        rows ? "fields that share their bytes" : "parts are shared";
    CheckDoubling("lmdb/fields", 20, end, [&](std::size_t size) {
      return Database(
          "k", ArrowFields(
                   std::string(size, '\1'), std::vector<std::int32_t>(size, 0),
                   ArrowTensors({0}),
                   {ArrowTensorOf(2, static_cast<std::int64_t>(size), rows)}));
    });
  }
}

// Parsers review 12: each item was looked for among all ids.
TEST_CASE("Items of a union of many types cost what their bytes do",
          "[cost][lmdb][arrow]") {
  CheckDoubling("lmdb/folder2lmdb", 200, "OK", [](std::size_t size) {
    std::vector<ArrowMade> children(4000, ArrowNulls(0));
    std::vector<std::int32_t> ids(4000, 1000);
    children.push_back(ArrowInts({7}));
    ids.push_back(5);
    return Database(
        "__classes__",
        ArrowValue(ArrowRoot(ArrowList(
            "10", {0, static_cast<std::int32_t>(size)},
            ArrowUnion("item", std::string(size, '\5'),
                       std::vector<std::int32_t>(size, 0), children, ids)))));
  });
}

std::string MsgpackSize(char code, std::size_t size) {
  std::string bytes(1, code);
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes += static_cast<char>(size >> shift);
  }
  return bytes;
}

TEST_CASE("Values of msgpack cost what their bytes do",
          "[cost][lmdb][msgpack]") {
  using namespace std::string_literals;
  const auto list = [](std::size_t size, const std::string& item) {
    return MsgpackSize('\xdd', size) + Times(size, item);
  };
  // Neither names nor keys.
  CheckDoubling("lmdb/folder2lmdb", 1000, "OK", [&](std::size_t size) {
    return Database("__classes__", list(size, "\xc0"));
  });
  // Maps that might be arrays, and lists in lists.
  CheckDoubling("lmdb/folder2lmdb", 100, "OK", [&](std::size_t size) {
    return Database("__classes__", list(size,
                                        "\x83\xa2nd\xc2\xa1"
                                        "a\1\xa1"
                                        "b\1"));
  });
  CheckDoubling(
      "lmdb/folder2lmdb", 100, "bytes of memory", [&](std::size_t size) {
        return Database("__classes__", list(size, Times(20, "\x91") + "\1"));
      });
  CheckDoubling("lmdb/folder2lmdb", 100, "lists a key twice",
                [&](std::size_t size) {
                  return Database("__keys__", list(size, "\xc4\b00000000"s));
                });
  // Big-endian numbers, which are converted.
  CheckDoubling("lmdb/folder2lmdb", 20, "OK", [&](std::size_t size) {
    const std::string array =
        "\x84\xa2nd\xc3\xa4type\xa3>u2\xa5shape\x91\2\xa4"
        "data\xc4\4abcd"s;
    return Database("__classes__", list(size, array));
  });
  // [JPEG, labels]
  CheckDoubling("lmdb/folder2lmdb", 100, "OK", [&](std::size_t size) {
    return Database("k", "\x92\xc4\4\xff\xd8\xff\xe0"s + list(size, "\1"));
  });
}

TEST_CASE("Names of tar members cost what their bytes do", "[cost][tar]") {
  // One global path for all files.
  CheckDoubling(
      "webdataset", 20, "several files one path", [&](std::size_t size) {
        std::string tar =
            TarFile("g", PaxRecord("path", "a." + std::string(size, 'x')), 'g');
        for (std::size_t i = 0; i < size; ++i) tar += TarFile("f", "");
        return tar + kTarEnd;
      });
  // One sample of files with long names, and one file after many headers.
  CheckDoubling("webdataset", 4, "OK", [&](std::size_t size) {
    std::string tar;
    for (std::size_t i = 0; i < size; ++i) {
      const std::string name = "a." + Name(i) + std::string(2000, 'y');
      tar += TarFile("x", PaxRecord("path", name), 'x') + TarFile("f", "1");
    }
    return tar + kTarEnd;
  });
  CheckDoubling("webdataset", 4, "OK", [&](std::size_t size) {
    const std::string extra =
        TarFile("x", PaxRecord("path", "a." + std::string(2000, 'y')), 'x');
    return Times(size, extra) + TarFile("f", "1") + kTarEnd;
  });
}

TEST_CASE("A name in a message takes no more memory than the file",
          "[cost][tfrecord]") {
  const auto varint = [](std::uint64_t value) {
    std::string bytes;
    for (; value >= 128; value >>= 7) {
      bytes += static_cast<char>(value | 128);
    }
    return bytes + static_cast<char>(value);
  };
  const auto part = [&](char number, const std::string& bytes) {
    return static_cast<char>(number << 3 | 2) + varint(bytes.size()) + bytes;
  };
  const auto masked = [](const std::string& bytes) {
    const std::uint32_t crc = Crc32c(AsBytes(bytes));
    std::string text;
    AppendLe((crc >> 15 | crc << 17) + 0xa282ead8U, text);
    return text;
  };
  // A list of two texts under a name of any length.
  CheckDoubling("tfrecord/imagenet", 20'000, "feature", [&](std::size_t size) {
    const std::string texts = part(1, part(1, "a") + part(1, "b"));
    const std::string example =
        part(1, part(1, part(1, std::string(size, '\1')) + part(2, texts)));
    std::string head;
    AppendLe(std::uint64_t{example.size()}, head);
    return head + masked(head) + example + masked(example);
  });
}

}  // namespace
}  // namespace shardine::record_cost_test
