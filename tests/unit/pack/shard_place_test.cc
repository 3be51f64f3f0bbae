// Places of shards and of their companions, for shards that are files and for
// shards that are folders.
#include "pack/shard_place.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "io/local_storage.h"
#include "io/memory_storage.h"
#include "shard/shard_file.h"
#include "shardine/format.h"
#include "support/temp_directory.h"

namespace shardine::shard_place_test {
namespace {

FormatAndLayout Named(const std::string& name) {
  return *ParseFormat(BuiltinFormats(), name);
}

TEST_CASE("A shard is a folder where its layout was asked for one",
          "[pack][place]") {
  for (const char* name : {"lmdb", "lmdb/datum", "lmdb/fields", "recordio"}) {
    INFO(name);
    CHECK_FALSE(IsInDirectory(Named(name)));
    CHECK(ShardFileOf(Named(name), "x") == "x");
    // Manifests from before there was the parameter have this name.
    CHECK(Named(name).Name().find("dir") == std::string::npos);
  }
  for (const char* name : {"lmdb/folder2lmdb", "lmdb/datum", "lmdb/fields"}) {
    const auto format = Named(std::string(name) + ":dir=yes");
    INFO(name);
    CHECK(IsInDirectory(format));
    CHECK(ShardFileOf(format, "a/x.lmdb") == "a/x.lmdb/data.mdb");
    CHECK(format.Name().ends_with("dir=yes"));
  }
  CHECK(ParseFormat(BuiltinFormats(), "lmdb/datum:dir=maybe").status().code() ==
        Code::kInvalidArgument);
}

TEST_CASE("A shard that is a folder comes and goes with it", "[pack][place]") {
  MemoryStorage storage;
  storage.Put("out/t", "shard");
  const auto format = Named("lmdb/datum:dir=yes");
  const OutputFolder out(storage, "out");
  REQUIRE(PlaceShard(out, format, "out/t", "x.lmdb").ToString() == "OK");
  CHECK(*storage.Get("out/x.lmdb/data.mdb") == "shard");
  CHECK_FALSE(storage.Stat("out/t").ok());
  REQUIRE(RemoveShard(out, format, "x.lmdb").ToString() == "OK");
  CHECK_FALSE(storage.Stat("out/x.lmdb").ok());
  // A missing shard is fine; somebody else's file stays.
  CHECK(RemoveShard(out, format, "x.lmdb").ok());
  storage.Put("out/t", "shard");
  REQUIRE(PlaceShard(out, format, "out/t", "x.lmdb").ok());
  storage.Put("out/x.lmdb/lock.mdb", "a reader's");
  CHECK(RemoveShard(out, format, "x.lmdb").ok());
  CHECK_FALSE(storage.Stat("out/x.lmdb/data.mdb").ok());
  CHECK(*storage.Get("out/x.lmdb/lock.mdb") == "a reader's");
}

TEST_CASE("A link in the place of a shard's folder leads nothing away",
          "[pack][place]") {
  namespace fs = std::filesystem;
  const TempDirectory scratch;
  const fs::path top = scratch.path();
  fs::create_directories(top / "out");
  fs::create_directories(top / "theirs");
  std::ofstream(top / "theirs" / "data.mdb") << "theirs";
  std::ofstream(top / "out" / "t") << "shard";
  fs::create_directory_symlink("../theirs", top / "out" / "x.lmdb");
  const auto format = Named("lmdb/datum:dir=yes");
  const OutputFolder out(LocalStorage(), (top / "out").string());
  const Status placed =
      PlaceShard(out, format, (top / "out" / "t").string(), "x.lmdb");
  CHECK(placed.code() == Code::kUnsupported);
  CHECK(placed.where().path == (top / "out" / "x.lmdb").string());
  CHECK(RemoveShard(out, format, "x.lmdb").code() == Code::kUnsupported);
  std::string left;
  std::ifstream(top / "theirs" / "data.mdb") >> left;
  CHECK(left == "theirs");
}

}  // namespace
}  // namespace shardine::shard_place_test
