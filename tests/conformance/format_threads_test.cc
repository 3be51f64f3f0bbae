// A format's scanners and writers on several threads. For each line of the
// format table; names no format.
#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "conformance/format_fixture.h"
#include "shardine/format.h"

namespace shardine::format_threads_test {
namespace {

// Reads a file that other threads read, too: no Catch assertions here.
int ScansTo(const Case& c, const RandomAccessFile& file,
            const std::vector<OwnedSample>& expected) {
  const auto scanner = c.format->open_scanner(file, c.choice());
  if (!scanner.ok()) return 0;
  for (const OwnedSample& sample : expected) {
    const auto next = (*scanner)->Next();
    if (!next.ok() || !*next || !(Own(**next) == sample)) return 0;
  }
  const auto end = (*scanner)->Next();
  return end.ok() && !*end ? 1 : 0;
}

TEST_CASE("A format's scanners of one file work side by side",
          "[conformance][threads]") {
  for (const Case& c : AllCases()) {
    DYNAMIC_SECTION(c.name()) {
      MemoryStorage storage;
      const std::vector<OwnedSample> samples = MixedSamples();
      REQUIRE(c.Write(storage, samples).ok());
      const std::vector<OwnedSample> kept = c.Kept(samples);
      const auto file = storage.Open(c.paths().shard);
      REQUIRE(file.ok());
      std::atomic<int> right = 0;
      {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 3; ++t) {
          threads.emplace_back([&] { right += ScansTo(c, **file, kept); });
        }
      }
      CHECK(right == 3);
    }
  }
}

TEST_CASE("A format's writers work side by side", "[conformance][threads]") {
  for (const Case& c : AllCases()) {
    DYNAMIC_SECTION(c.name()) {
      MemoryStorage storage;
      const std::vector<OwnedSample> samples = MixedSamples();
      std::atomic<int> written = 0;
      {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 3; ++t) {
          threads.emplace_back([&, t] {
            written +=
                c.Write(storage, samples, "s" + std::to_string(t)).ok() ? 1 : 0;
          });
        }
      }
      CHECK(written == 3);
      const std::string first = FileOf(storage, c.paths("s0").shard);
      CHECK((first == FileOf(storage, c.paths("s1").shard)));
      CHECK((first == FileOf(storage, c.paths("s2").shard)));
    }
  }
}

}  // namespace
}  // namespace shardine::format_threads_test
