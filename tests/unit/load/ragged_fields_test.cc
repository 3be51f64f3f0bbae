// Ragged fields of batches: the batch has the fields given to its slots, in
// whatever order, of the samples that are left.
#include <catch2/catch.hpp>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "load/slot_filler.h"
#include "support/draws.h"

namespace shardine::ragged_fields_test {
namespace {

using Shape = std::vector<std::uint64_t>;

FieldSpec Points() {
  return {.name = "points", .dtype = "<i2", .shape = {2}, .ragged = true};
}

std::string Bytes(std::span<const std::byte> bytes) {
  return std::string(AsText(bytes));
}

// A read of one field, whatever its payload is.
SampleRead ReadOf(const std::string& name, const std::string& dtype,
                  Shape shape, const std::string& payload) {
  SampleRead read;
  read.entry.fields = {{name, dtype, std::move(shape), {{0, payload.size()}}}};
  read.payload = AsBytes(payload);
  return read;
}

struct Drawn {
  bool present = false;
  bool dropped = false;
  Shape shape;
  std::string bytes;
};

Drawn Draw(Draws& draws) {
  Drawn sample;
  sample.present = draws.Below(4) > 0;
  sample.dropped = draws.Below(5) == 0;
  std::size_t elements = 1;
  for (std::uint64_t axes = draws.Below(4); axes > 0; --axes) {
    sample.shape.push_back(draws.Below(5));
    elements *= sample.shape.back();
  }
  for (std::size_t i = 0; i < 2 * elements; ++i) {
    sample.bytes += static_cast<char>(draws.Below(256));
  }
  return sample;
}

void CheckColumn(const std::vector<Drawn>& samples, FieldColumn& column) {
  std::size_t number = 0;
  std::uint64_t elements = 0;
  std::string values;
  for (const Drawn& sample : samples) {
    if (sample.dropped) continue;
    CHECK(column.present[number] == (sample.present ? 1 : 0));
    CHECK(column.offsets[number] == elements);
    if (sample.present) {
      CHECK(column.shapes[number] == sample.shape);
      values += sample.bytes;
      elements += sample.bytes.size() / 2;
    } else {
      CHECK(column.shapes[number].empty());
    }
    ++number;
  }
  CHECK(column.offsets.size() == number + 1);
  CHECK(column.offsets.back() == elements);
  CHECK(Bytes(column.values.bytes()) == values);
}

// The same buffers again and again, as loaders use them; beside pixels the
// payload is gone before the batch is complete.
TEST_CASE("A batch joins the arrays of the samples that are left",
          "[ragged_fields]") {
  Draws draws(1);
  BatchBuffers batch(std::make_shared<BlockPool>());
  const LoaderOptions options;
  SlotFiller filler(options);
  for (std::uint32_t round = 0; round < 200; ++round) {
    auto layout = std::make_shared<BatchLayout>();
    layout->fields = {Points()};
    layout->has_pixels = draws.Coin();
    const auto count = static_cast<std::uint32_t>(draws.Below(9));
    batch.Reset({.samples = count}, layout);
    std::vector<Drawn> samples(count);
    std::deque<std::string> payloads;
    // Slots are set from the last to the first, since any order is allowed.
    for (std::uint32_t i = count; i-- > 0;) {
      samples[i] = Draw(draws);
      std::string& payload = payloads.emplace_back(samples[i].bytes);
      const SampleRead read = ReadOf(samples[i].present ? "points" : "other",
                                     "<i2", samples[i].shape, payload);
      REQUIRE(filler.SetContent({.number = i}, read, batch).ok());
      if (layout->has_pixels) payload.assign(payload.size(), 'x');
      batch.dropped[i] = samples[i].dropped ? 1 : 0;
    }
    batch.Complete();
    CheckColumn(samples, batch.fields[0]);
  }
}

// The index refuses such an entry; here it is looked at again, for whatever
// makes entries next.
TEST_CASE("SlotFiller takes no ragged array whose shape is not its bytes'",
          "[ragged_fields][hostile]") {
  auto layout = std::make_shared<BatchLayout>();
  layout->fields = {Points()};
  BatchBuffers batch(std::make_shared<BlockPool>());
  batch.Reset({.samples = 1}, layout);
  const LoaderOptions options;
  SlotFiller filler(options);
  for (const std::size_t size : {0u, 11u, 13u, 65536u}) {
    const std::string payload(size, 'x');
    const SampleRead read = ReadOf("points", "<i2", {2, 3}, payload);
    const Status status = filler.SetContent({}, read, batch);
    CHECK(status.code() == Code::kCorrupt);
    CHECK(batch.fields[0].present[0] == 0);
  }
  batch.Complete();
  CHECK(batch.fields[0].values.bytes().empty());
}

TEST_CASE("SlotFiller looks at no more pixels of an array than there are",
          "[ragged_fields][hostile]") {
  LoaderOptions options;
  options.transform = Resize{.width = 4, .height = 4};
  auto layout = std::make_shared<BatchLayout>();
  layout->has_pixels = true;
  BatchBuffers batch(std::make_shared<BlockPool>());
  batch.Reset({.samples = 1, .height = 4, .width = 4, .channels = 3}, layout);
  SlotFiller filler(options);
  const std::string pixels(6 * 5 * 3, 'p');
  for (const Shape& shape : {Shape{6, 5, 4}, Shape{7, 5, 3}, Shape{6, 5},
                             Shape{1ull << 27, 2}, Shape{1ull << 62, 8, 3}}) {
    const SampleRead read = ReadOf("image", "|u1", shape, pixels);
    CHECK_FALSE(filler.SetContent({}, read, batch).ok());
  }
  const SampleRead read = ReadOf("image", "|u1", {6, 5, 3}, pixels);
  CHECK(filler.SetContent({}, read, batch).ok());
  CHECK(Bytes(batch.views[0].pixels.bytes()) == std::string(4 * 4 * 3, 'p'));
  CHECK(batch.views[0].boxes[0] == CropBox{0, 0, 5, 6, false});
}

TEST_CASE("FieldSpecs refuses a ragged field whose elements have no bytes",
          "[ragged_fields][hostile]") {
  IndexEntry entry;
  entry.fields = {{"text", "|S0", {4}, {}}};
  CHECK(FieldSpecs({"text"}, entry, false).ok());
  const auto specs = FieldSpecs({"text"}, entry, true);
  CHECK(specs.status().code() == Code::kUnsupported);
  CHECK_THAT(specs.status().message(), Catch::Contains("(|S0) have no bytes"));
}

}  // namespace
}  // namespace shardine::ragged_fields_test
