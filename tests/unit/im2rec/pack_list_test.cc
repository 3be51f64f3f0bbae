#include "im2rec/pack_list.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "io/memory_storage.h"
#include "recordio/recordio_framing.h"
#include "support/fault_storage.h"

namespace shardine::pack_list_test {
namespace {

Result<ImageListEntry> Parse(std::string_view line) {
  return ParsePythonLine(line, true);
}

std::string Locate(const std::string& path) { return "/in/" + path; }

ListPacking Packing(std::size_t threads = 2) {
  return {.list = "/out/a.lst",
          .parse = Parse,
          .locate = Locate,
          .rec = "/out/a.rec",
          .idx = "/out/a.idx",
          .threads = threads};
}

// A record without the magic word in it, by the format's own description.
std::string Record(std::uint32_t flag, float label, std::uint64_t id,
                   std::string_view rest) {
  std::string record;
  AppendLe<std::uint32_t>(0xced7230a, record);
  AppendLe(static_cast<std::uint32_t>(24 + rest.size()), record);
  AppendLe(flag, record);
  AppendLe(label, record);
  AppendLe(id, record);
  AppendLe<std::uint64_t>(0, record);
  record += rest;
  return record.append((4 - rest.size() % 4) % 4, '\0');
}

void PutThree(MemoryStorage& storage) {
  storage.Put("/in/a.jpg", "abcde");
  storage.Put("/in/b c.jpg", "");
  storage.Put("/in/d.jpg", "12345678");
  storage.Put("/out/a.lst", "7\t1\ta.jpg\n3\t2.5\tb c.jpg\r\n\n4\t5\t6\td.jpg");
}

TEST_CASE("PackList writes the records and index of its list", "[im2rec]") {
  const std::size_t threads = GENERATE(1U, 2U, 7U);
  MemoryStorage storage;
  PutThree(storage);
  const Result<PackedList> packed = PackList(storage, Packing(threads));
  REQUIRE(packed.ok());
  std::string labels;
  AppendLe(5.0f, labels);
  AppendLe(6.0f, labels);
  const std::string first = Record(0, 1, 7, "abcde");
  const std::string second = Record(0, 2.5, 3, "");
  const std::string all = first + second + Record(2, 0, 4, labels + "12345678");
  CHECK(*storage.Get("/out/a.rec") == all);
  CHECK(*storage.Get("/out/a.idx") ==
        "7\t0\n3\t" + std::to_string(first.size()) + "\n4\t" +
            std::to_string(first.size() + second.size()) + "\n");
  CHECK(packed->records == 3);
  CHECK(packed->bytes == all.size());
  CHECK(packed->empty == 1);
}

TEST_CASE("PackList cuts a record at the magic word", "[im2rec]") {
  MemoryStorage storage;
  storage.Put("/in/m", std::string("\x0a\x23\xd7\xce"
                                   "x",
                                   5));
  storage.Put("/out/a.lst", "0\t0\tm\n");
  REQUIRE(PackList(storage, Packing()).ok());
  std::string expected;
  AppendLe<std::uint32_t>(0xced7230a, expected);
  AppendLe<std::uint32_t>((1U << 29) | 24, expected);
  expected.append(24, '\0');
  AppendLe<std::uint32_t>(0xced7230a, expected);
  AppendLe<std::uint32_t>((3U << 29) | 1, expected);
  expected += std::string("x\0\0\0", 4);
  CHECK(*storage.Get("/out/a.rec") == expected);
}

TEST_CASE("PackList writes no index where none is wanted", "[im2rec]") {
  MemoryStorage storage;
  PutThree(storage);
  storage.Put("/out/a.idx", "old");
  ListPacking packing = Packing();
  packing.idx.reset();
  REQUIRE(PackList(storage, packing).ok());
  CHECK(*storage.Get("/out/a.idx") == "old");
}

TEST_CASE("PackList packs one part of a list", "[im2rec]") {
  MemoryStorage storage;
  storage.Put("/in/a", "a");
  storage.Put("/out/a.lst", "0\t0\ta\n1\t0\ta\n2\t0\ta\n3\t0\ta\n");
  ListPacking packing = Packing();
  packing.nsplit = 2;
  packing.part = 1;
  REQUIRE(PackList(storage, packing).ok());
  // The cut at byte 12 is the start of line 2 and moves on to line 3.
  CHECK(*storage.Get("/out/a.rec") == Record(0, 0, 3, "a"));
}

TEST_CASE("PackList packs an empty list to an empty record file", "[im2rec]") {
  MemoryStorage storage;
  storage.Put("/out/a.lst", "\n");
  REQUIRE(PackList(storage, Packing()).ok());
  CHECK(*storage.Get("/out/a.rec") == "");
  CHECK(*storage.Get("/out/a.idx") == "");
}

struct Refused {
  const char* list;
  Code code;
  std::uint64_t offset;
  const char* message;
};

TEST_CASE("PackList names list, byte and line of what it cannot pack",
          "[im2rec]") {
  const Refused refused = GENERATE(
      Refused{"0\t0\ta\nx\t0\ta\n", Code::kCorrupt, 6,
              "line 2: the id \"x\" is not a decimal number without sign"},
      Refused{"0\t0\ta\r\n\r\n1\t0\tnone\n", Code::kNotFound, 9,
              "line 3: /in/none: open: no such file or folder"},
      // The first fault of the list is told first.
      Refused{"0\t0\tnone\nx\n", Code::kNotFound, 0,
              "line 1: /in/none: open: no such file or folder"},
      Refused{"0\t0\ta\n1\t0\thuge\n", Code::kUnsupported, 6,
              "line 2: /in/huge: a file of 536870912 bytes: a RecordIO record "
              "holds less than 512 MiB"});
  MemoryStorage storage;
  storage.Put("/in/a", "a");
  storage.PutSparse("/in/huge", std::uint64_t{1} << 29);
  storage.Put("/out/a.lst", refused.list);
  const Status status = PackList(storage, Packing()).status();
  CHECK(status.code() == refused.code);
  CHECK(status.where().path == "/out/a.lst");
  CHECK(status.where().offset == refused.offset);
  CHECK(status.message() == refused.message);
  CHECK(storage.List("/out")->size() == 1);
}

TEST_CASE("PackList leaves older files alone when it fails", "[im2rec]") {
  MemoryStorage storage;
  storage.Put("/out/a.lst", "0\t0\tnone\n");
  storage.Put("/out/a.rec", "old");
  storage.Put("/out/a.idx", "old");
  CHECK_FALSE(PackList(storage, Packing()).ok());
  CHECK(*storage.Get("/out/a.rec") == "old");
  CHECK(*storage.Get("/out/a.idx") == "old");
  CHECK(storage.List("/out")->size() == 3);
}

// Old or new, whole, and never the index of another.
void CheckOutput(MemoryStorage& memory, const std::string& rec,
                 const std::string& idx) {
  const Result<std::string> found_rec = memory.Get("/out/a.rec");
  const Result<std::string> found_idx = memory.Get("/out/a.idx");
  REQUIRE(found_rec.ok());
  CHECK((*found_rec == rec || *found_rec == "old"));
  if (!found_idx.ok()) return;
  CHECK(*found_idx == (*found_rec == rec ? idx : "old"));
}

TEST_CASE(
    "PackList never shows half a file or a foreign index, whatever call "
    "fails",
    "[im2rec]") {
  const auto effect = GENERATE(Fault::Effect::kError, Fault::Effect::kCrash,
                               Fault::Effect::kShortWrite);
  MemoryStorage undisturbed;
  PutThree(undisturbed);
  REQUIRE(PackList(undisturbed, Packing(1)).ok());
  const std::string rec = *undisturbed.Get("/out/a.rec");
  const std::string idx = *undisturbed.Get("/out/a.idx");
  const auto operation = effect == Fault::Effect::kShortWrite
                             ? Operation::kWrite
                             : Operation::kAny;
  bool struck = true;
  for (std::uint64_t call = 0; struck; ++call) {
    MemoryStorage memory;
    PutThree(memory);
    memory.Put("/out/a.rec", "old");
    memory.Put("/out/a.idx", "old");
    FaultStorage storage(
        memory,
        {.operation = operation, .call = call, .error = 28, .effect = effect});
    const Status status = PackList(storage, Packing(1)).status();
    struck = storage.struck();
    INFO("call " << call << ": " << status.ToString());
    if (!struck) CHECK(call > 0);
    CheckOutput(memory, rec, idx);
    // The next run sees to it.
    REQUIRE(PackList(memory, Packing(1)).ok());
    CHECK(*memory.Get("/out/a.rec") == rec);
    CHECK(*memory.Get("/out/a.idx") == idx);
    CHECK(memory.List("/out")->size() == 3);
  }
}

}  // namespace
}  // namespace shardine::pack_list_test
