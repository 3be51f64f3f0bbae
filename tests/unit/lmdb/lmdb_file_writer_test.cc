// LmdbFileWriter with liblmdb as the reader, at every size about the bounds of
// pages; and the file that it leaves where it ends early.
#include "lmdb/lmdb_file_writer.h"

#include <sys/stat.h>

#include <filesystem>

#include "io/local_storage.h"
#include "support/fault_storage.h"
#include "support/temp_directory.h"
#include "unit/lmdb/entry_reading.h"
#include "unit/lmdb/lmdb_oracle.h"

namespace shardine::lmdb_file_writer_test {
namespace {

using Order = LmdbFileWriter::Order;
using Pairs = std::vector<std::pair<std::string, std::string>>;

std::unique_ptr<LmdbFileWriter> NewWriter(Storage& storage,
                                          const std::string& path) {
  auto writer = LmdbFileWriter::Create(storage, path);
  REQUIRE(writer.status().ToString() == "OK");
  return *std::move(writer);
}

Status Put(LmdbFileWriter& writer, const std::string& key,
           const std::string& value, Order order = Order::kAny) {
  SplicedBytes bytes;
  // Values come in two pieces, as pickles do.
  bytes.Append(AsBytes(value).first(value.size() / 3));
  bytes.Splice(AsBytes(value).subspan(value.size() / 3));
  return writer.Put(key, bytes, order);
}

// The file that our writer makes of these, in their order.
std::string Written(const Pairs& pairs, Order order = Order::kAny) {
  MemoryStorage storage;
  const auto writer = NewWriter(storage, "x.lmdb");
  for (const auto& [key, value] : pairs) {
    REQUIRE(Put(*writer, key, value, order).ToString() == "OK");
  }
  REQUIRE(writer->Finish().ToString() == "OK");
  return *storage.Get("x.lmdb");
}

// liblmdb and our reader find these entries and no others.
void CheckRead(const std::string& file, Pairs pairs) {
  std::ranges::sort(pairs);
  REQUIRE((OracleFile(file).Contents() == pairs));
  const ReadEntries read = ReadAll(file);
  REQUIRE(read.status.ToString() == "OK");
  REQUIRE((read.entries == pairs));
}

TEST_CASE("LmdbFileWriter keeps values of every size about a page",
          "[lmdb][oracle]") {
  Pairs pairs;
  // A node of its own leaf, half a leaf, and some pages of their own.
  for (const std::size_t near : {0U, 1000U, 2020U, 4060U, 8160U, 12260U}) {
    for (std::size_t size = near; size < near + 50; ++size) {
      pairs.emplace_back(std::to_string(1'000'000 + size),
                         std::string(size, static_cast<char>('a' + size % 26)));
    }
  }
  for (const Order order : {Order::kAny, Order::kAscending}) {
    CheckRead(Written(pairs, order), pairs);
  }
}

TEST_CASE("LmdbFileWriter keeps keys of every length and any bytes",
          "[lmdb][oracle]") {
  OracleDraws draws(1);
  Entries entries;
  for (std::uint32_t length = 1; length <= 511; ++length) {
    entries[draws.Bytes(length)] = draws.Bytes(length % 7);
    entries[std::string(length, '\0')] = "";
    entries[std::string(length, '\xff')] = "last";
  }
  const Pairs ascending(entries.begin(), entries.end());
  CheckRead(Written(ascending, Order::kAscending), ascending);
  // Backwards, which splits every leaf at its beginning.
  Pairs descending(ascending.rbegin(), ascending.rend());
  CheckRead(Written(descending), ascending);
}

TEST_CASE("LmdbFileWriter makes trees of three levels that liblmdb reads",
          "[lmdb][oracle]") {
  OracleDraws draws(2);
  Entries entries;
  while (entries.size() < 2500) {
    entries[std::string(480, 'k') + draws.Bytes(4)] = draws.Bytes(6);
  }
  Pairs shuffled(entries.begin(), entries.end());
  for (std::uint32_t i = 2499; i > 0; --i) {
    std::swap(shuffled[i], shuffled[draws.Below(i + 1)]);
  }
  const std::string file = Written(shuffled);
  CHECK(OracleFile(file).Stat().ms_depth >= 3);
  CheckRead(file, shuffled);
  // Appended keys fill their leaves, as insertions in any order do not.
  const Pairs ascending(entries.begin(), entries.end());
  const std::string full = Written(ascending, Order::kAscending);
  CheckRead(full, ascending);
  CHECK(full.size() < file.size());
}

TEST_CASE("LmdbFileWriter refuses a key twice, and the file is as without it",
          "[lmdb]") {
  MemoryStorage storage;
  const auto writer = NewWriter(storage, "x.lmdb");
  REQUIRE(Put(*writer, "a", "first").ok());
  REQUIRE(Put(*writer, "b", std::string(9000, 'b')).ok());
  for (const char* key : {"a", "b"}) {
    for (const std::size_t size : {0U, 3U, 9000U, 50'000U}) {
      CHECK(Put(*writer, key, std::string(size, 'x')).code() ==
            Code::kAlreadyExists);
    }
  }
  REQUIRE(writer->Finish().ok());
  const Pairs pairs = {{"a", "first"}, {"b", std::string(9000, 'b')}};
  CHECK(*storage.Get("x.lmdb") == Written(pairs));
}

TEST_CASE("LmdbFileWriter makes a file without entries", "[lmdb][oracle]") {
  const std::string file = Written({});
  CHECK(OracleFile(file).Contents().empty());
  CheckRead(file, {});
}

TEST_CASE("The map of an LMDB file has room for the file, in powers of two",
          "[lmdb]") {
  const auto map_of = [](const std::string& file) {
    const std::size_t newer =
        LoadLe<std::uint64_t>(&AsBytes(file)[144]) >
                LoadLe<std::uint64_t>(&AsBytes(file)[4240])
            ? 0
            : 4096;
    return LoadLe<std::uint64_t>(&AsBytes(file)[newer + 32]);
  };
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  CHECK(map_of(Written({{"a", "b"}})) == 64 * kMiB);
  // Spare pages included.
  const std::string large(30 * kMiB, 'x');
  const std::string file =
      Written({{"a", large}, {"b", large}, {"c", "small"}});
  CHECK(file.size() < 64 * kMiB);
  CHECK(map_of(file) == 128 * kMiB);
}

TEST_CASE("A file on the disk has the bytes of one in memory", "[lmdb]") {
  TempDirectory folder;
  const std::string path = folder / "x.lmdb";
  Pairs pairs;
  for (int i = 0; i < 500; ++i) {
    pairs.emplace_back("key" + std::to_string(i), std::string(i * 17U, 'v'));
  }
  const auto writer = NewWriter(LocalStorage(), path);
  for (const auto& [key, value] : pairs) {
    REQUIRE(Put(*writer, key, value).ok());
  }
  REQUIRE(writer->Finish().ok());
  const auto file = ReadFile(LocalStorage(), path, 1 << 28);
  REQUIRE(file.ok());
  CHECK((*file == Written(pairs)));
}

TEST_CASE("A file that is abandoned is not there, or has no entries",
          "[lmdb]") {
  MemoryStorage memory;
  {
    const auto writer = NewWriter(memory, "x.lmdb");
    REQUIRE(Put(*writer, "a", "b").ok());
  }
  CHECK_FALSE(memory.Get("x.lmdb").ok());
  TempDirectory folder;
  {
    const auto writer = NewWriter(LocalStorage(), folder / "x.lmdb");
    REQUIRE(Put(*writer, "a", "b").ok());
  }
  // The file has a temporary name, which its caller removes.
  const auto left = ReadFile(LocalStorage(), folder / "x.lmdb", 1 << 28);
  REQUIRE(left.ok());
  const ReadEntries read = ReadAll(*left);
  CHECK(read.status.ToString() == "OK");
  CHECK(read.entries.empty());
}

TEST_CASE("Where an LMDB file cannot be made, the error names it", "[lmdb]") {
  TempDirectory folder;
  const std::string path = folder / "none" + "/x.lmdb";
  const Status status = LmdbFileWriter::Create(LocalStorage(), path).status();
  CHECK(status.code() == Code::kNotFound);
  CHECK(status.where().path == path);
}

// Puts some values and finishes; the first failure.
Status WriteSome(Storage& storage) {
  auto writer = LmdbFileWriter::Create(storage, "x.lmdb");
  if (!writer.ok()) return writer.status();
  for (int i = 0; i < 40; ++i) {
    const Status status =
        Put(**writer, std::to_string(i), std::string(100'000, 'v'));
    if (!status.ok()) return status;
  }
  return (*writer)->Finish();
}

TEST_CASE("A fault at any call of the storage is the error of LmdbFileWriter",
          "[lmdb][faults]") {
  MemoryStorage whole;
  FaultStorage counting(whole, {.call = UINT64_MAX});
  REQUIRE(WriteSome(counting).ok());
  const std::uint64_t calls = counting.calls(Operation::kAny);
  REQUIRE(calls >= 6);
  for (const auto effect :
       {Fault::Effect::kError, Fault::Effect::kShortWrite}) {
    for (std::uint64_t call = 0; call < calls; ++call) {
      MemoryStorage storage;
      FaultStorage faulty(storage,
                          {.call = call, .error = ENOSPC, .effect = effect});
      const Status status = WriteSome(faulty);
      INFO("call " << call << ": " << status.ToString());
      REQUIRE(faulty.struck());
      CHECK(status.code() == Code::kIo);
      CHECK(status.system_error() == ENOSPC);
      CHECK(status.where().path == "x.lmdb");
      // The file left behind is not whole, or the close after it failed.
      const auto left = storage.Get("x.lmdb");
      if (left.ok() && call + 2 < calls) {
        CHECK_FALSE(ReadAll(*left).status.ok());
      }
    }
  }
}

}  // namespace
}  // namespace shardine::lmdb_file_writer_test
