#include "dataset/rejects.h"

#include <catch2/catch.hpp>
#include <string>

#include "io/memory_storage.h"
#include "support/fault_storage.h"

namespace shardine::rejects_test {
namespace {

Status QuarantineIn(Storage& storage, const std::string& contents) {
  return Quarantine(OutputFolder(storage, "out"), "train", "a/b.jpg",
                    AsBytes(contents));
}

TEST_CASE("Quarantine keeps a file once, and nobody else's", "[rejects]") {
  MemoryStorage storage;
  REQUIRE(QuarantineIn(storage, "bad").ok());
  CHECK(*storage.Get("out/quarantine/train/a/b.jpg") == "bad");
  CHECK(QuarantineIn(storage, "bad").ok());
  for (const std::string other : {"dab", "ba", "badly"}) {
    storage.Put("out/quarantine/train/a/b.jpg", other);
    CHECK(QuarantineIn(storage, "bad").code() == Code::kAlreadyExists);
    CHECK(*storage.Get("out/quarantine/train/a/b.jpg") == other);
  }
}

TEST_CASE("Quarantine says what the disk says of a file that is there",
          "[rejects]") {
  MemoryStorage storage;
  REQUIRE(QuarantineIn(storage, "bad").ok());
  FaultStorage broken(storage, {.operation = Operation::kRead});
  CHECK(QuarantineIn(broken, "bad").code() == Code::kIo);
}

}  // namespace
}  // namespace shardine::rejects_test
