#include "jpeg/segment_decoder.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <span>
#include <vector>

#include "jpeg/unstuff.h"
#include "support/jpeg_variety.h"
#include "support/simd_levels.h"
#include "unit/jpeg/scan_fixture.h"

namespace shardine::segment_decoder_test {
namespace {

struct Segmented {
  std::vector<NaturalBlock> blocks;
  std::uint64_t end_bit = 0;
  bool valid = false;

  // The other members of invalid segments are of no interest.
  friend bool operator==(const Segmented& a, const Segmented& b) {
    return a.valid == b.valid &&
           (!a.valid || (a.end_bit == b.end_bit && a.blocks == b.blocks));
  }
};

class Collector final : public SegmentSink {
 public:
  Collector(SimdLevel level, std::span<const SegmentTask> tasks)
      : level_(level), tasks_(tasks), taken_(tasks.size()) {}

  void TakeSegment(const DecodedSegment& segment) override {
    REQUIRE(segment.task < tasks_.size());
    Segmented& taken = taken_[segment.task];
    REQUIRE(taken.blocks.empty());
    taken.end_bit = segment.end_bit;
    taken.valid = segment.valid;
    for (std::size_t i = 0; i < tasks_[segment.task].blocks; ++i) {
      taken.blocks.push_back(
          InNaturalOrder(level_, segment.coefficients + i * kBlockSize));
    }
  }
  const std::vector<Segmented>& taken() const { return taken_; }

 private:
  SimdLevel level_;
  std::span<const SegmentTask> tasks_;
  std::vector<Segmented> taken_;
};

// All segments of a JPEG, unstuffed, in memory of its own size.
struct Data {
  explicit Data(const ScanFixture& fixture) : points(fixture.FindPoints()) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      const std::size_t begin = points[i].bit / 8;
      const std::size_t end = i + 1 < points.size() ? points[i + 1].bit / 8 + 1
                                                    : fixture.jpeg.size();
      std::vector<std::uint8_t> piece(end - begin + kUnstuffPadding);
      const Unstuffed done =
          Unstuff(SimdLevel::kPortable,
                  fixture.bytes().subspan(begin, end - begin), piece.data());
      tasks.push_back(
          {8 * bytes.size() + points[i].bit % 8,
           fixture.segments[i].mcus * fixture.frame.blocks_per_mcu});
      bytes.insert(bytes.end(), piece.begin(),
                   piece.begin() + static_cast<std::ptrdiff_t>(done.written));
      ends.push_back(8 * bytes.size());
    }
    bytes.resize(bytes.size() + kSegmentPadding);
    bytes.shrink_to_fit();
  }

  ByteView view() const { return std::as_bytes(std::span(bytes)); }

  std::vector<EntryPoint> points;
  std::vector<std::uint8_t> bytes;
  std::vector<SegmentTask> tasks;
  std::vector<std::uint64_t> ends;  // of the bytes of each
};

std::vector<Segmented> Decode(SimdLevel level, const ScanFixture& fixture,
                              ByteView data,
                              const std::vector<SegmentTask>& tasks,
                              SegmentDecoder& decoder) {
  Collector collector(level, tasks);
  decoder.Decode(level, fixture.frame, fixture.tables, data, tasks, collector);
  return collector.taken();
}

std::uint64_t BitsFrom(ByteView data, std::uint64_t bit) {
  std::uint64_t bits = 0;
  for (std::uint64_t i = bit; i < bit + 64; ++i) {
    const auto byte = i / 8 < data.size() ? data[i / 8] : std::byte{0};
    bits =
        bits << 1 | (std::to_integer<std::uint64_t>(byte) >> (7 - i % 8) & 1);
  }
  return bits;
}

// One symbol after the other.
Segmented DecodeSlowly(const ScanFixture& fixture, ByteView data,
                       const SegmentTask& task) {
  Segmented segment{{}, task.bit, true};
  for (std::uint32_t b = 0; b < task.blocks; ++b) {
    const JpegFrame& frame = fixture.frame;
    const std::uint32_t slot = fixture.tables.slot(
        frame.mcu_block[b % frame.blocks_per_mcu].component);
    NaturalBlock& block = segment.blocks.emplace_back();
    block.fill(0);
    for (std::uint32_t k = 0; k < kBlockSize;) {
      const DecodedSymbol symbol =
          fixture.tables.DecodeSymbol(slot, BitsFrom(data, segment.end_bit), k);
      segment.valid &= symbol.valid;
      segment.end_bit += symbol.length;
      k = symbol.next;
      if (symbol.value == 0) continue;
      block[kNaturalOrder[symbol.position]] =
          static_cast<std::int16_t>(symbol.value);
    }
  }
  return segment;
}

}  // namespace

TEST_CASE("segments have libjpeg's coefficients, and end where the next begins",
          "[jpeg]") {
  SegmentDecoder decoder;
  for (std::uint32_t number = 0; number < 100; ++number) {
    const ScanFixture fixture(MakeVariedJpeg(40000 + number));
    const Data data(fixture);
    const std::vector<NaturalBlock> blocks = fixture.BlocksByLibjpeg();
    for (const SimdLevel level : SimdLevels()) {
      CAPTURE(number, ToString(level));
      const auto segments =
          Decode(level, fixture, data.view(), data.tasks, decoder);
      std::size_t next = 0;
      for (std::size_t i = 0; i < segments.size(); ++i) {
        REQUIRE(segments[i].valid);
        const bool chained =
            i + 1 < segments.size() && !fixture.segments[i + 1].restarts;
        if (chained) {
          REQUIRE(segments[i].end_bit ==
                  data.ends[i] - 8 + data.points[i + 1].bit % 8);
        } else {
          REQUIRE(segments[i].end_bit <= data.ends[i]);
          REQUIRE(segments[i].end_bit + 8 > data.ends[i]);
        }
        auto dc = data.points[i].dc;
        for (std::size_t b = 0; b < segments[i].blocks.size(); ++b, ++next) {
          NaturalBlock block = segments[i].blocks[b];
          auto& predictor =
              dc[fixture.frame.mcu_block[b % fixture.frame.blocks_per_mcu]
                     .component];
          predictor = static_cast<std::int16_t>(predictor + block[0]);
          block[0] = predictor;
          REQUIRE((block == blocks[next]));
        }
      }
      REQUIRE(next == blocks.size());
    }
  }
}

TEST_CASE("any number of segments, in any order, is decoded", "[jpeg]") {
  const ScanFixture fixture(
      MakeJpeg({.width = 400, .height = 90, .noise = 99}));
  const Data data(fixture);
  SegmentDecoder decoder;
  const auto expected =
      Decode(SimdLevel::kPortable, fixture, data.view(), data.tasks, decoder);
  std::mt19937 random(1);
  std::vector<std::size_t> order(data.tasks.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::size_t count = 0; count <= order.size(); ++count) {
    std::shuffle(order.begin(), order.end(), random);
    std::vector<SegmentTask> tasks;
    for (std::size_t i = 0; i < count; ++i) {
      tasks.push_back(data.tasks[order[i]]);
    }
    for (const SimdLevel level : SimdLevels()) {
      CAPTURE(count, ToString(level));
      const auto segments = Decode(level, fixture, data.view(), tasks, decoder);
      REQUIRE(segments.size() == count);
      for (std::size_t i = 0; i < count; ++i) {
        REQUIRE((segments[i] == expected[order[i]]));
      }
    }
  }
}

TEST_CASE("damaged segments are the same at every level, symbol by symbol",
          "[jpeg][corruption]") {
  std::mt19937 random(2);
  SegmentDecoder decoder;
  int invalid = 0;
  int valid = 0;
  for (std::uint32_t number = 0; number < 60; ++number) {
    const ScanFixture fixture(MakeVariedJpeg(41000 + number));
    Data data(fixture);
    const std::size_t size = data.bytes.size() - kSegmentPadding;
    for (std::size_t n = 1 + size / 30; n > 0; --n) {
      data.bytes[random() % size] = static_cast<std::uint8_t>(random());
    }
    std::vector<SegmentTask> tasks = data.tasks;
    tasks.resize(std::min<std::size_t>(tasks.size(), 60));
    // Segments may begin anywhere, in the last byte, too.
    for (int n = 0; n < 20; ++n) {
      tasks.push_back({random() % (8 * size), tasks[0].blocks});
    }
    tasks.push_back({8 * size + 7, tasks[0].blocks});
    std::vector<Segmented> expected;
    for (const SegmentTask& task : tasks) {
      expected.push_back(DecodeSlowly(fixture, data.view(), task));
      (expected.back().valid ? valid : invalid) += 1;
    }
    for (const SimdLevel level : SimdLevels()) {
      CAPTURE(number, ToString(level));
      const auto segments = Decode(level, fixture, data.view(), tasks, decoder);
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        CAPTURE(i);
        REQUIRE((segments[i] == expected[i]));
      }
    }
  }
  CHECK(valid > 100);
  CHECK(invalid > 100);
}

TEST_CASE("after a segment of all its lanes' values nothing is left in them",
          "[jpeg]") {
  // Blocks of 64 values each, then blocks of none.
  JpegSpec spec{.width = 64, .height = 64, .quality = 100, .noise = 255};
  const ScanFixture full(MakeJpeg(spec));
  spec = {.width = 64, .height = 64, .quality = 1, .noise = 0};
  const ScanFixture flat(MakeJpeg(spec));
  for (const SimdLevel level : SimdLevels()) {
    INFO(ToString(level));
    SegmentDecoder decoder;
    const Data full_data(full);
    const Data flat_data(flat);
    Decode(level, full, full_data.view(), full_data.tasks, decoder);
    SegmentDecoder fresh;
    CHECK((Decode(level, flat, flat_data.view(), flat_data.tasks, decoder) ==
           Decode(level, flat, flat_data.view(), flat_data.tasks, fresh)));
  }
}

}  // namespace shardine::segment_decoder_test
