#include "tfrecord/tfrecord_index.h"

#include <catch2/catch.hpp>

#include "io/memory_storage.h"

namespace shardine::tfrecord_index_test {
namespace {

std::string Written(
    const std::vector<std::pair<std::uint64_t, std::uint64_t>>& lines) {
  MemoryStorage storage;
  auto file = storage.Create("x.idx");
  REQUIRE(file.ok());
  TfRecordIndexWriter writer(*std::move(file));
  for (const auto& [offset, size] : lines) {
    REQUIRE(writer.Append(offset, size).ok());
  }
  REQUIRE(writer.Finish().ok());
  return *storage.Get("x.idx");
}

Status Check(const std::string& index,
             const std::vector<std::uint64_t>& offsets, std::uint64_t size) {
  MemoryStorage storage;
  storage.Put("x.idx", index);
  return CheckTfRecordIndex(storage, "x.idx", offsets, size);
}

TEST_CASE("TfRecordIndexWriter writes DALI's lines", "[tfrecord][idx]") {
  CHECK(Written({}).empty());
  CHECK(Written({{0, 21}, {21, 16}, {~0ULL, ~0ULL}}) ==
        "0 21\n21 16\n18446744073709551615 18446744073709551615\n");
}

TEST_CASE("CheckTfRecordIndex accepts the index of just these records",
          "[tfrecord][idx]") {
  CHECK(Check("", {}, 0).ok());
  CHECK(Check("0 21\n", {0}, 21).ok());
  CHECK(Check("0 21\n21 16\n37 100\n", {0, 21, 37}, 137).ok());
}

TEST_CASE("CheckTfRecordIndex names the first line that differs",
          "[tfrecord][idx][corruption]") {
  const std::vector<std::uint64_t> offsets = {0, 21, 37};
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"",
       "x.idx: record 0, byte 0: line 1: the index ends, but the shard has "
       "3 records"},
      {"0 21\n",
       "x.idx: record 1, byte 5: line 2: the index ends, but the "
       "shard has 3 records"},
      {"0 21\n21 17\n37 100\n",
       "x.idx: record 1, byte 5: line 2: not \"21 16\", offset and size of the "
       "record"},
      {"0 21\n21 16\n37 100",
       "x.idx: record 2, byte 11: line 3: not \"37 "
       "100\", offset and size of the record"},
      {"0 21\n21 16\n37 99\n",
       "x.idx: record 2, byte 11: line 3: not \"37 "
       "100\", offset and size of the record"},
      {"0 21\n21 16\n37 100\n137 5\n",
       "x.idx: record 3, byte 18: line 4: the index goes on, but the shard has "
       "no more records"},
      {"0\t21\n",
       "x.idx: record 0, byte 0: line 1: not \"0 21\", offset and "
       "size of the record"}};
  for (const auto& [index, expected] : cases) {
    const Status status = Check(index, offsets, 137);
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.ToString() == expected);
  }
}

TEST_CASE("CheckTfRecordIndex finds each changed byte",
          "[tfrecord][idx][corruption]") {
  const std::string index = "0 21\n21 16\n37 100\n";
  for (std::size_t i = 0; i < index.size(); ++i) {
    std::string damaged = index;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    CHECK(Check(damaged, {0, 21, 37}, 137).code() == Code::kCorrupt);
    CHECK(Check(index.substr(0, i), {0, 21, 37}, 137).code() == Code::kCorrupt);
  }
}

TEST_CASE("CheckTfRecordIndex reports an index that is not there",
          "[tfrecord][idx]") {
  MemoryStorage storage;
  CHECK(CheckTfRecordIndex(storage, "x.idx", {}, 0).code() == Code::kNotFound);
}

}  // namespace
}  // namespace shardine::tfrecord_index_test
