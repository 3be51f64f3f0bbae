// Sources that are written to while they are read: same size, other time.

#include <catch2/catch.hpp>

#include "shardine/convert.h"
#include "shardine/pack.h"
#include "shardine/resize.h"
#include "shardine/scan.h"
#include "support/fault_storage.h"
#include "support/pack_fixture.h"
#include "support/variant_fixture.h"

namespace shardine::changed_source_test {
namespace {

// Writes to a file when it is opened for the `call`-th time, first at 1.
class WrittenWhileRead : public FaultStorage {
 public:
  WrittenWhileRead(MemoryStorage& below, std::string path, int call,
                   std::string contents)
      : FaultStorage(below,
                     {.operation = Operation::kLock, .call = UINT64_MAX}),
        memory_(below),
        path_(std::move(path)),
        call_(call),
        contents_(std::move(contents)) {}

  Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) override {
    auto file = FaultStorage::Open(path);
    if (path == path_ && --call_ == 0) memory_.Put(path_, contents_);
    return file;
  }

 private:
  MemoryStorage& memory_;
  const std::string path_;
  int call_;
  const std::string contents_;
};

void CheckChanged(const Status& status, const std::string& path) {
  CHECK(status.code() == Code::kChanged);
  CHECK(status.where().path == path);
}

TEST_CASE("Pack takes no image that is written to while it is read",
          "[pack][changed]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 3, 6, 900);
  const std::string path = "tree/class1/3.jpg";
  const std::string old = *storage.Get(path);
  const std::string other = NoiseBytes(old.size(), 99);
  WrittenWhileRead written(storage, path, 1, other);
  CheckChanged(Pack(PackOf("tree", "out"), {.storage = &written}).status(),
               path);
  CHECK_FALSE(storage.Stat("out/shardine.json").ok());
}

TEST_CASE("Resize takes no image that is written to while it is read",
          "[resize][changed]") {
  MemoryStorage storage;
  PutImages(storage, "tree");
  const std::string path = "tree/class1/1.jpg";
  REQUIRE(storage.Get(path).ok());
  WrittenWhileRead written(storage, path, 1, *storage.Get(path));
  ResizeOptions options;
  options.source.folders = {{"train", "tree"}};
  options.output = "out";
  options.short_sides = {16};
  CheckChanged(ResizeTree(options, {.storage = &written}).status(), path);
}

// Once to pack, once to plan the conversion, and once to read the payloads.
TEST_CASE("Convert takes nothing of a shard that is written to meanwhile",
          "[convert][changed]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 3, 6, 900);
  REQUIRE(Pack(PackOf("tree", "in"), {.storage = &storage}).ok());
  const std::string path = "in/train-00001-of-00003.rec";
  const std::string old = *storage.Get(path);
  // Other bytes of that size are no damage to be reported as such.
  const std::string contents =
      GENERATE(true, false) ? old : NoiseBytes(old.size(), 5);
  WrittenWhileRead written(storage, path, 1, contents);
  ConvertOptions options;
  options.input = "in";
  options.output = "out";
  options.format = "tfrecord";
  CheckChanged(Convert(options, {.storage = &written}).status(), path);
  CHECK_FALSE(storage.Stat("out/shardine.json").ok());
}

}  // namespace
}  // namespace shardine::changed_source_test
