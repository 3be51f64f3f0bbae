#include "load/slot_filler.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>

namespace shardine::slot_filler_test {
namespace {

// A batch of three samples with a field of three floats.
struct Points {
  Points() : batch(std::make_shared<BlockPool>()) {
    auto layout = std::make_shared<BatchLayout>();
    layout->fields = {{"points", "<f4", {3}, 12}};
    batch.Reset({.samples = 3}, layout);
  }

  // A read whose index entry says so, whatever its payload is.
  Status Set(std::uint32_t number, std::vector<std::uint64_t> shape,
             const std::string& payload) {
    SampleRead read;
    read.entry.fields = {
        {"points", "<f4", std::move(shape), {{0, payload.size()}}}};
    read.payload = AsBytes(payload);
    SlotFiller filler(options);
    return filler.SetContent({.number = number}, read, batch);
  }

  LoaderOptions options;
  BatchBuffers batch;
};

// The index refuses such an entry; the copy looks again, for whatever makes
// entries next.
TEST_CASE("SlotFiller copies no field that its slot has no room for",
          "[slot_filler][hostile]") {
  Points points;
  REQUIRE(points.Set(0, {3}, std::string(12, 'a')).ok());
  REQUIRE(points.Set(2, {3}, std::string(12, 'c')).ok());
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{11}, std::size_t{13}, std::size_t{65536}}) {
    const Status status = points.Set(1, {3}, std::string(size, 'x'));
    CHECK(status.code() == Code::kCorrupt);
    CHECK_THAT(status.message(), Catch::Contains("\"points\""));
  }
  const auto values = AsText(points.batch.fields[0].values.bytes());
  CHECK(values.substr(0, 12) == std::string(12, 'a'));
  CHECK(values.substr(24, 12) == std::string(12, 'c'));
  CHECK(points.Set(1, {4}, std::string(16, 'x')).code() == Code::kUnsupported);
}

}  // namespace
}  // namespace shardine::slot_filler_test
