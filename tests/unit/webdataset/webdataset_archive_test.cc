#include "webdataset/webdataset_archive.h"

#include <catch2/catch.hpp>
#include <string>

#include "archive/tar_header.h"
#include "io/memory_storage.h"

namespace shardine::webdataset_archive_test {
namespace {

// The extension of a file of this name, by where its bytes begin.
std::string ExtensionOf(const std::string& name) {
  std::string archive(kTarBlock, 'x');
  AppendTarHeader(name, 1, kTarRegular, archive);
  archive.resize(archive.size() + kTarBlock);
  MemoryStorage storage;
  storage.Put("a.tar", archive);
  const auto file = storage.Open("a.tar");
  REQUIRE(file.ok());
  const auto extension =
      kWebDatasetArchive.member_extension_at(**file, 2 * kTarBlock);
  REQUIRE(extension.ok());
  return *extension;
}

TEST_CASE("An archived file has the extension that its header says",
          "[webdataset]") {
  CHECK(ExtensionOf("00000007.jpg") == "jpg");
  CHECK(ExtensionOf("n01.a/b.c/7.Seg.PNG") == "Seg.PNG");
  CHECK(ExtensionOf("README").empty());
  // A longer name is in another header, and this one has its beginning.
  CHECK(ExtensionOf(std::string(95, 'a') + ".jpg") == "jpg");
  CHECK(ExtensionOf(std::string(98, 'a') + ".jpg").empty());
}

TEST_CASE("Where no header is there is no extension", "[webdataset]") {
  MemoryStorage storage;
  storage.Put("a.tar", std::string(2 * kTarBlock, 'x'));
  const auto file = storage.Open("a.tar");
  REQUIRE(file.ok());
  for (const std::uint64_t offset : {0UL, 511UL, 512UL, 1024UL}) {
    const auto extension =
        kWebDatasetArchive.member_extension_at(**file, offset);
    REQUIRE(extension.ok());
    CHECK(extension->empty());
  }
  CHECK(kWebDatasetArchive.member_extension_at(**file, 5000).status().code() ==
        Code::kCorrupt);
}

}  // namespace
}  // namespace shardine::webdataset_archive_test
