// Every single bit of a 64 KiB dataset, flipped: verify finds all of them, and
// names the record or, where the bit belongs to none, file and byte.

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "shardine/pack.h"
#include "shardine/verify.h"
#include "support/pack_fixture.h"
#include "support/sanitized.h"

namespace shardine::verify_bits_test {
namespace {

// SHARDINE_STEP, or an odd number, which meets each bit of a byte.
std::size_t Step() {
  const char* const step = std::getenv("SHARDINE_STEP");
  if (step != nullptr) return std::stoul(step);
  return kSanitized ? 211 : 17;
}

void PackSixtyFourKib(MemoryStorage& storage) {
  PutTree(storage, "tree", 4, 6, 4200);
  REQUIRE(Pack(PackOf("tree", "out"), {.storage = &storage}).ok());
}

// Does a finding name the place that a user needs: the file, and for shards the
// record (or a byte)?
bool NamesThePlace(const std::vector<Status>& findings,
                   const std::string& name) {
  for (const Status& finding : findings) {
    const Where& where = finding.where();
    if (where.path.find(name) == std::string::npos) continue;
    if (!name.ends_with(".rec")) return true;
    if (where.record || where.offset) return true;
  }
  return false;
}

TEST_CASE("Verify finds every flipped bit of a dataset and names its place",
          "[corruption][verify]") {
  MemoryStorage original;
  PackSixtyFourKib(original);
  const Snapshot whole = TakeSnapshot(original, "out");
  std::size_t total = 0;
  for (const auto& [name, contents] : whole) total += contents.size();
  CHECK(total > 60000);

  const std::size_t step = Step();
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::vector<std::string> missed;  // guarded by mutex
  const auto work = [&] {
    MemoryStorage storage;
    for (const auto& [name, contents] : whole) {
      storage.Put("out/" + name, contents);
    }
    VerifyOptions options;
    options.target = "out";
    options.threads = 1;
    for (std::size_t bit = next.fetch_add(step); bit < total * 8;
         bit = next.fetch_add(step)) {
      std::size_t byte = bit / 8;
      auto file = whole.begin();
      while (byte >= file->second.size()) byte -= (file++)->second.size();
      std::string contents = file->second;
      contents[byte] ^= static_cast<char>(1 << (bit % 8));
      const std::string path = "out/" + file->first;
      storage.Put(path, contents);
      const auto result = Verify(options, {.storage = &storage});
      if (!result.ok() || !NamesThePlace(result->findings, file->first)) {
        const std::lock_guard lock(mutex);
        missed.push_back(path + " byte " + std::to_string(byte) + " bit " +
                         std::to_string(bit % 8) + ": " +
                         result.status().ToString());
      }
      storage.Put(path, file->second);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 2; ++t) threads.emplace_back(work);
  }
  for (std::size_t i = 0; i < missed.size() && i < 20; ++i) {
    UNSCOPED_INFO(missed[i]);
  }
  CHECK(missed.empty());
}

}  // namespace
}  // namespace shardine::verify_bits_test
