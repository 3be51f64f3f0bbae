// Decoders in several threads, each with its own, over the same JPEGs.
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/jpeg_variety.h"
#include "support/region_oracle.h"

namespace shardine::region_threads_test {
namespace {

struct SharedJpeg {
  std::string bytes;
  std::string points;
};

// No Catch assertions in threads.
int FaultsOf(const SharedJpeg& jpeg, const RegionOracle& oracle,
             ImageDecoder& decoder, std::uint32_t seed) {
  int faults = EntryPointsOf(AsBytes(jpeg.bytes)) == jpeg.points ? 0 : 1;
  for (const Region& box : BoxesOf(oracle.size(), 14, seed)) {
    for (const ByteView points : {ByteView(), AsBytes(jpeg.points)}) {
      if (!oracle.FaultOfRegion(decoder, box, points).empty()) ++faults;
    }
  }
  return faults;
}

TEST_CASE("Decoders of regions give the same pixels side by side",
          "[conformance][region]") {
  std::vector<SharedJpeg> jpegs;
  jpegs.reserve(24);
  for (std::uint32_t number = 0; number < 24; ++number) {
    std::string jpeg = MakeVariedJpeg(5000 + number);
    std::string points = EntryPointsOf(AsBytes(jpeg));
    jpegs.push_back({std::move(jpeg), std::move(points)});
  }
  for (const std::size_t count : {1u, 2u, 7u}) {
    std::vector<int> faults(count);
    {
      std::vector<std::jthread> threads;
      for (std::size_t t = 0; t < count; ++t) {
        threads.emplace_back([&, t] {
          ImageDecoder decoder;
          for (std::size_t i = 0; i < jpegs.size(); ++i) {
            const SharedJpeg& jpeg = jpegs[(i + t * 5) % jpegs.size()];
            const RegionOracle oracle(AsBytes(jpeg.bytes));
            faults[t] +=
                FaultsOf(jpeg, oracle, decoder, static_cast<std::uint32_t>(t));
          }
        });
      }
    }
    CHECK(faults == std::vector<int>(count));
  }
}

}  // namespace
}  // namespace shardine::region_threads_test
