#include "cache/companion_files.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "io/memory_storage.h"
#include "support/storage_over.h"

namespace shardine::companion_files_test {
namespace {

// Gives other contents each time a file is opened, the last one from then on.
class ChangingStorage : public StorageOver {
 public:
  ChangingStorage(MemoryStorage& below, std::vector<std::string> contents)
      : StorageOver(below), below_(below), contents_(std::move(contents)) {}

  Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) override {
    below_.Put(path, contents_[std::min(opened++, contents_.size() - 1)]);
    return below_.Open(path);
  }
  std::size_t opened = 0;

 private:
  MemoryStorage& below_;
  const std::vector<std::string> contents_;
};

KnownFile Known(const std::string& contents) {
  return {"a.sdx", contents.size(), Xxh3_128(AsBytes(contents))};
}

std::string ContentsOf(const RandomAccessFile& file) {
  std::string bytes(file.size(), '\0');
  REQUIRE(file.ReadExactly(0, std::as_writable_bytes(std::span(bytes))).ok());
  return bytes;
}

TEST_CASE("CompanionFiles gives the bytes that the manifest says",
          "[companion_files]") {
  MemoryStorage below;
  const std::string large(std::size_t{33} << 20, 'x');
  for (const std::string& contents : {std::string("sidecar"), large}) {
    ChangingStorage storage(below, {contents});
    const CompanionFiles companions;
    const auto file = companions.Open(storage, Known(contents));
    REQUIRE(file.ok());
    below.Put("a.sdx", "changed");
    CHECK(ContentsOf(**file) == contents);
    CHECK((*file)->path() == "a.sdx");
    CHECK(storage.opened == 1);
  }
}

TEST_CASE("CompanionFiles asks once more for a file with wrong bytes",
          "[companion_files]") {
  MemoryStorage below;
  ChangingStorage storage(below, {"sidecaR", "sidecar"});
  const auto file = CompanionFiles().Open(storage, Known("sidecar"));
  REQUIRE(file.ok());
  CHECK(ContentsOf(**file) == "sidecar");
  CHECK(storage.opened == 2);
}

TEST_CASE("CompanionFiles names a file whose bytes stay wrong",
          "[companion_files]") {
  MemoryStorage below;
  for (const std::string& contents :
       {std::string("sidecaR"), std::string("longer sidecar")}) {
    ChangingStorage storage(below, {contents});
    const Status status =
        CompanionFiles().Open(storage, Known("sidecar")).status();
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().path == "a.sdx");
    CHECK(storage.opened == 2);
  }
}

TEST_CASE("CompanionFiles takes no more memory than it may, and gives it back",
          "[companion_files]") {
  MemoryStorage below;
  ChangingStorage storage(below, {"sidecar"});
  const CompanionFiles companions(nullptr, 30);
  auto first = companions.Open(storage, Known("sidecar"));
  REQUIRE(first.ok());
  auto second = companions.Open(storage, Known("sidecar"));
  REQUIRE(second.ok());
  // Read by pieces, as it is: the manifest's digest is not looked at.
  KnownFile other = Known("sidecar");
  other.digest = {};
  CHECK(companions.Open(storage, other).ok());
  other.bytes = ~std::uint64_t{0};
  CHECK(companions.Open(storage, other).ok());
  *first = nullptr;
  other.bytes = 7;
  CHECK(companions.Open(storage, other).status().code() == Code::kCorrupt);
}

}  // namespace
}  // namespace shardine::companion_files_test
