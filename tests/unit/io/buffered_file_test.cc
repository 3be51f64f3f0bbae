#include "io/buffered_file.h"

#include <catch2/catch.hpp>
#include <string>

#include "io/memory_storage.h"
#include "support/fault_storage.h"

namespace shardine::buffered_file_test {
namespace {

// Pieces of all sizes around those at which the buffer changes its mind.
std::string WritePieces(Storage& storage, Status& status) {
  std::string all;
  auto file = storage.Create("x");
  if (!file.ok()) {
    status = file.status();
    return all;
  }
  BufferedFile buffered(*std::move(file));
  for (const std::size_t size :
       {0u, 1u, 1000u, 262143u, 262144u, 7u, 300000u, 0u, 262143u, 262143u,
        262143u, 262143u, 100u, 2000000u, 3u}) {
    CHECK(buffered.size() == all.size());
    const std::string piece(size, static_cast<char>('a' + all.size() % 26));
    status = buffered.Append(AsBytes(piece));
    if (!status.ok()) return all;
    all += piece;
  }
  status = buffered.Finish();
  return all;
}

TEST_CASE("BufferedFile writes what it is given in order", "[io]") {
  MemoryStorage storage;
  Status status;
  const std::string all = WritePieces(storage, status);
  CHECK(status.ok());
  CHECK((*storage.Get("x") == all));
}

TEST_CASE("BufferedFile asks for few writes", "[io]") {
  MemoryStorage below;
  FaultStorage storage(below, {.call = ~0ULL});
  auto file = storage.Create("x");
  REQUIRE(file.ok());
  BufferedFile buffered(*std::move(file));
  for (int i = 0; i < 100'000; ++i) {
    REQUIRE(buffered.Append(AsBytes("0123456789")).ok());
  }
  REQUIRE(buffered.Finish().ok());
  CHECK(storage.calls(Operation::kWrite) == 1);
  CHECK(below.Get("x")->size() == 1'000'000);
}

TEST_CASE("BufferedFile reports each failure of the file", "[io]") {
  MemoryStorage intact;
  FaultStorage counting(intact, {.call = ~0ULL});
  Status status;
  WritePieces(counting, status);
  REQUIRE(status.ok());
  for (std::uint64_t call = 0; call < counting.calls(Operation::kAny); ++call) {
    MemoryStorage below;
    FaultStorage storage(below, {.call = call, .error = 28});
    WritePieces(storage, status);
    CHECK(status.code() == Code::kIo);
    CHECK(status.system_error() == 28);
  }
}

}  // namespace
}  // namespace shardine::buffered_file_test
