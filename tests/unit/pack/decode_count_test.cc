// How often images are opened, read and decoded on their way into several
// variants: once.
#include <dlfcn.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <map>
#include <mutex>

#include "shardine/pack.h"
#include "support/pack_fixture.h"
#include "support/variant_fixture.h"

namespace {
std::atomic<int> decodes = 0;

// Progressive images, which our own decoder leaves to libjpeg.
constexpr int kByLibjpeg = 4;
}  // namespace

// Replaces libjpeg's function, which it calls.
extern "C" int jpeg_start_decompress(void* info) {
  using Function = int (*)(void*);
  static const auto next =
      reinterpret_cast<Function>(dlsym(RTLD_NEXT, "jpeg_start_decompress"));
  ++decodes;
  return next(info);
}

namespace shardine::decode_count_test {
namespace {

// Counts how often each file is opened, and read.
class CountingStorage : public MemoryStorage {
 public:
  struct Counts {
    int opens = 0;
    int reads = 0;
  };

  Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) override {
    auto file = MemoryStorage::Open(path);
    if (!file.ok()) return file;
    const std::lock_guard lock(mutex_);
    ++counts_[path].opens;
    return std::unique_ptr<RandomAccessFile>(
        std::make_unique<File>(*this, *std::move(file)));
  }

  std::map<std::string, Counts> counts_under(const std::string& folder) const {
    std::map<std::string, Counts> found;
    for (const auto& [path, counts] : counts_) {
      if (path.starts_with(folder)) found[path] = counts;
    }
    return found;
  }

 private:
  class File : public RandomAccessFile {
   public:
    File(CountingStorage& storage, std::unique_ptr<RandomAccessFile> file)
        : storage_(storage), file_(std::move(file)) {}

    Result<std::size_t> ReadAt(std::uint64_t offset,
                               std::span<std::byte> out) const override {
      {
        const std::lock_guard lock(storage_.mutex_);
        ++storage_.counts_[file_->path()].reads;
      }
      return file_->ReadAt(offset, out);
    }
    std::uint64_t size() const override { return file_->size(); }
    const std::string& path() const override { return file_->path(); }

   private:
    CountingStorage& storage_;
    std::unique_ptr<RandomAccessFile> file_;
  };

  mutable std::mutex mutex_;
  std::map<std::string, Counts> counts_;  // guarded by mutex_
};

TEST_CASE("All variants come of one read and one decode of each image",
          "[pack][variants]") {
  CountingStorage storage;
  PutImages(storage, "tree");
  PackOptions options = VariantsOf("tree", "out");
  options.variants.original = GENERATE(true, false);
  options.variants.short_sides = {8, 16, 24, 32};
  decodes = 0;
  const auto result = Pack(options, {.storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
  const auto counts = storage.counts_under("tree/");
  REQUIRE(counts.size() == kImages);
  for (const auto& [path, count] : counts) {
    INFO(path);
    CHECK(count.opens == 1);
    CHECK(count.reads == 1);
  }
  CHECK(decodes == kByLibjpeg);
}

TEST_CASE("A pack of originals alone decodes only to check",
          "[pack][variants]") {
  CountingStorage storage;
  PutImages(storage, "tree");
  PackOptions options = VariantsOf("tree", "out");
  options.variants.short_sides.clear();
  decodes = 0;
  SECTION("by the header") {
    REQUIRE(Pack(options, {.storage = &storage}).ok());
    CHECK(decodes == 0);
  }
  SECTION("by decoding") {
    options.check = ImageCheckLevel::kDecode;
    REQUIRE(Pack(options, {.storage = &storage}).ok());
    CHECK(decodes == kByLibjpeg);
  }
}

}  // namespace
}  // namespace shardine::decode_count_test
