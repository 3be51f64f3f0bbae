// What a foreign file may cost: each form that can share its parts is doubled
// ten times, and memory and work at most double with it (parsers review 1, 2,
// 3, 7, 8, 12). Forms of HDF5: unit/hdf5/row_cost_test.cc.
#include <catch2/catch.hpp>
#include <ctime>
#include <functional>

#include "base/checksum.h"
#include "io/memory_storage.h"
#include "shard/format_registry.h"
#include "shardine/pack.h"
#include "support/peak_memory.h"
#include "unit/lmdb/file_maker.h"
#include "unit/webdataset/tar_bytes.h"

namespace shardine::record_cost_test {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

struct Cost {
  std::uint64_t file = 0;
  std::uint64_t peak = 0;
  double seconds = 0;  // of the processor
  Status status;
  std::uint64_t samples = 0;
};

// Scans a file, and asks each sample for what a sidecar would take of it.
Cost CostOf(const std::string& format, std::string bytes) {
  Cost cost;
  cost.file = bytes.size();
  const auto choice = ParseFormat(BuiltinFormats(), format);
  REQUIRE(choice.status().ToString() == "OK");
  MemoryStorage storage;
  storage.Put("x", std::move(bytes));
  const auto file = storage.Open("x");
  REQUIRE(file.ok());
  ResetPeak();
  const std::clock_t begin = std::clock();
  auto scanner = choice->format->open_scanner(**file, *choice);
  cost.status = scanner.status();
  while (cost.status.ok()) {
    const auto sample = (*scanner)->Next();
    cost.status = sample.status();
    if (!sample.ok() || !*sample) break;
    ++cost.samples;
  }
  const std::string shown = cost.status.ToString();
  CHECK(shown.size() < 600);
  cost.seconds =
      static_cast<double>(std::clock() - begin) / double{CLOCKS_PER_SEC};
  cost.peak = PeakBytes();
  return cost;
}

// Time has a floor, since short times say nothing. `end`: of the largest file.
void CheckDoubling(const std::string& format, std::size_t first,
                   const std::string& end,
                   const std::function<std::string(std::size_t)>& make) {
  Cost before = CostOf(format, make(first));
  std::size_t size = first;
  for (int i = 0; i < 10; ++i) {
    size *= 2;
    const Cost cost = CostOf(format, make(size));
    CAPTURE(size, cost.file, cost.peak, before.peak, cost.seconds,
            before.seconds, cost.status.ToString(), cost.samples);
    REQUIRE(cost.peak <= 256 * kMiB + 2 * cost.file);
    REQUIRE(cost.peak <= 2 * before.peak + before.peak / 2 + 4 * kMiB);
    REQUIRE(cost.seconds <= 4 * before.seconds + 0.5);
    before = cost;
  }
  // The form reached what it is about.
  CHECK_THAT(before.status.ToString(), Catch::Contains(end));
}

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

std::string Times(std::size_t count, std::string_view text) {
  std::string all;
  all.reserve(count * text.size());
  while (count-- > 0) all += text;
  return all;
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

std::string Name(std::size_t i) {
  char name[16];
  std::snprintf(name, sizeof(name), "%08zx", i);
  return name;
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
