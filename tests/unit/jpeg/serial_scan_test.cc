#include "jpeg/serial_scan.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "support/jpeg_variety.h"
#include "support/jpeg_verdict.h"
#include "support/simd_levels.h"
#include "unit/jpeg/scan_fixture.h"

namespace shardine::serial_scan_test {
namespace {

using namespace std::string_literals;

constexpr std::uint32_t kJpegs = 120;

// Decodes runs of MCUs of one row each, by segments.
class Decoding {
 public:
  Decoding(SimdLevel level, const ScanFixture& fixture)
      : level_(level), blocks_(kMaxSegmentBlocks + 1) {
    scan_.Begin(level, fixture.bytes(), fixture.frame, fixture.tables);
  }

  SerialScan& scan() { return scan_; }

  bool Decode(const Segment& segment) {
    for (CoefficientBlock& block : blocks_) block.values.fill(0);
    return scan_.Decode(segment.mcus, blocks_.front().values.data());
  }
  // A block of the last run, with the DC difference.
  NaturalBlock Block(std::size_t i) const {
    return InNaturalOrder(level_, blocks_[i].values.data());
  }

 private:
  SimdLevel level_;
  SerialScan scan_;
  AlignedCoefficients blocks_;
};

void CheckBlocks(SimdLevel level, const ScanFixture& fixture,
                 const std::vector<NaturalBlock>& expected) {
  INFO(ToString(level));
  Decoding decoding(level, fixture);
  std::size_t next = 0;
  for (const Segment& segment : fixture.segments) {
    REQUIRE(decoding.scan().Align());
    std::array<std::int32_t, kMaxComponents> dc = decoding.scan().dc();
    REQUIRE(decoding.Decode(segment));
    const std::size_t count = segment.mcus * fixture.frame.blocks_per_mcu;
    for (std::size_t i = 0; i < count; ++i, ++next) {
      const std::uint32_t component =
          fixture.frame.mcu_block[i % fixture.frame.blocks_per_mcu].component;
      NaturalBlock block = decoding.Block(i);
      dc[component] += block[0];
      block[0] = static_cast<std::int16_t>(dc[component]);
      REQUIRE((block == expected[next]));
    }
    REQUIRE(decoding.scan().dc() == dc);
  }
  CHECK(next == expected.size());
  CHECK(decoding.scan().Finish());
}

// Whether all of it can be read, by skipping or decoding.
bool Reads(SimdLevel level, const ScanFixture& fixture, bool skip) {
  Decoding decoding(level, fixture);
  for (const Segment& segment : fixture.segments) {
    const bool good =
        skip ? decoding.scan().Skip(segment.mcus) : decoding.Decode(segment);
    if (!good) {
      // The failure is permanent.
      CHECK_FALSE(decoding.scan().Skip(1));
      CHECK_FALSE(decoding.scan().Align());
      break;
    }
  }
  return decoding.scan().Finish();
}

// Both ways, at all levels: the same.
bool Reads(const std::string& jpeg) {
  const ScanFixture fixture(jpeg);
  const bool reads = Reads(SimdLevel::kPortable, fixture, true);
  for (const SimdLevel level : SimdLevels()) {
    INFO(ToString(level));
    CHECK(Reads(level, fixture, true) == reads);
    CHECK(Reads(level, fixture, false) == reads);
  }
  return reads;
}

std::size_t ScanOf(const std::string& jpeg) {
  return ScanFixture(jpeg).frame.scan;
}

}  // namespace

TEST_CASE("decoded blocks are those that libjpeg decodes", "[jpeg]") {
  for (std::uint32_t number = 0; number < kJpegs; ++number) {
    CAPTURE(number);
    const ScanFixture fixture(MakeVariedJpeg(20000 + number));
    const std::vector<NaturalBlock> expected = fixture.BlocksByLibjpeg();
    for (const SimdLevel level : SimdLevels()) {
      CheckBlocks(level, fixture, expected);
    }
  }
}

TEST_CASE("skipping ends where decoding ends, with the same predictors",
          "[jpeg]") {
  std::mt19937 random(1);
  for (std::uint32_t number = 0; number < kJpegs; ++number) {
    CAPTURE(number);
    const ScanFixture fixture(MakeVariedJpeg(21000 + number));
    for (const SimdLevel level : SimdLevels()) {
      INFO(ToString(level));
      Decoding decoded(SimdLevel::kPortable, fixture);
      Decoding skipped(level, fixture);
      Decoding mixed(level, fixture);
      for (const Segment& segment : fixture.segments) {
        REQUIRE(decoded.Decode(segment));
        REQUIRE(skipped.scan().Skip(segment.mcus));
        REQUIRE((random() % 2 == 0 ? mixed.scan().Skip(segment.mcus)
                                   : mixed.Decode(segment)));
        for (SerialScan* const scan : {&skipped.scan(), &mixed.scan()}) {
          REQUIRE(scan->position() == decoded.scan().position());
          REQUIRE(scan->dc() == decoded.scan().dc());
        }
      }
    }
  }
}

TEST_CASE("many MCUs skipped at once are those skipped one by one", "[jpeg]") {
  JpegSpec spec{.width = 300, .height = 100, .noise = 200};
  for (const unsigned interval : {0u, 1u, 7u, 19u}) {
    spec.restart_mcus = interval;
    const ScanFixture fixture(MakeJpeg(spec));
    const std::uint32_t all =
        fixture.frame.mcus_across * fixture.frame.mcus_down;
    for (std::uint32_t mcus = 0; mcus <= all; mcus += 5) {
      Decoding at_once(CurrentSimdLevel(), fixture);
      Decoding one_by_one(SimdLevel::kPortable, fixture);
      REQUIRE(at_once.scan().Skip(mcus));
      for (std::uint32_t i = 0; i < mcus; ++i) {
        REQUIRE(one_by_one.scan().Skip(1));
      }
      REQUIRE(at_once.scan().position() == one_by_one.scan().position());
      CHECK_FALSE(at_once.scan().Skip(all - mcus + 1));
    }
  }
}

TEST_CASE("a position behind a restart marker is that of the next byte",
          "[jpeg]") {
  const ScanFixture fixture(MakeJpeg({.width = 160, .restart_mcus = 1}));
  Decoding decoding(CurrentSimdLevel(), fixture);
  for (std::uint32_t i = 1; i < 10; ++i) {
    REQUIRE(decoding.scan().Skip(1));
    REQUIRE(decoding.scan().Align());
    const std::uint64_t bit = decoding.scan().position();
    REQUIRE(bit % 8 == 0);
    const std::string marker = {'\xFF', static_cast<char>(0xD0 + (i - 1) % 8)};
    CHECK(fixture.jpeg.substr(bit / 8 - 2, 2) == marker);
    CHECK(decoding.scan().dc() == std::array<std::int32_t, 3>{});
  }
}

TEST_CASE("a scan cut anywhere is not finished", "[jpeg][corruption]") {
  for (const unsigned interval : {0u, 2u}) {
    JpegSpec spec{.width = 34, .height = 20, .noise = 90};
    spec.restart_mcus = interval;
    const std::string jpeg = MakeJpeg(spec);
    CHECK(Reads(jpeg));
    for (std::size_t size = ScanOf(jpeg); size < jpeg.size(); ++size) {
      CAPTURE(size);
      const std::string cut = jpeg.substr(0, size);
      REQUIRE_FALSE(Reads(cut));
      if (size < jpeg.size() - 2) REQUIRE_FALSE(Reads(cut + "\xFF\xD9"s));
    }
  }
}

TEST_CASE("restart markers that are missing, odd or extra end a scan",
          "[jpeg][corruption]") {
  JpegSpec spec{.width = 200, .height = 30};
  spec.restart_mcus = 3;
  const std::string jpeg = MakeJpeg(spec);
  REQUIRE(Reads(jpeg));
  const std::size_t third = jpeg.find("\xFF\xD2");
  REQUIRE(third != std::string::npos);
  const auto changed = [&](auto change) {
    std::string other = jpeg;
    change(other);
    return Reads(other);
  };
  CHECK_FALSE(changed([&](std::string& s) { s.erase(third, 2); }));
  CHECK_FALSE(changed([&](std::string& s) { s[third + 1] = '\xD3'; }));
  CHECK_FALSE(changed([&](std::string& s) { s[third + 1] = '\xD9'; }));
  CHECK_FALSE(changed([&](std::string& s) { s.insert(third, "\xFF\xD1"); }));
  CHECK_FALSE(changed([&](std::string& s) { s.insert(third, 1, '\0'); }));
  CHECK_FALSE(changed([&](std::string& s) { s.insert(third, "\xFF\0"s); }));
  CHECK_FALSE(
      changed([&](std::string& s) { s.insert(s.size() - 2, "\xFF\xD3"); }));
}

TEST_CASE(
    "what a damaged scan reads as does not depend on the level, nor on "
    "whether it is skipped",
    "[jpeg][corruption]") {
  int bad = 0;
  int good = 0;
  for (std::uint32_t number = 0; number < 600; ++number) {
    const std::string whole = MakeVariedJpeg(22000 + number % 50);
    std::string jpeg = DamageJpeg(whole, number);
    // The damage is in the scan, so that the frame can be read.
    jpeg.replace(0, ScanOf(whole), whole.substr(0, ScanOf(whole)));
    CAPTURE(number);
    const bool reads = Reads(jpeg);
    const bool clean = VerdictByLibjpeg(jpeg).clean();
    // Not the other way round: libjpeg puts up with some things in silence.
    if (reads) REQUIRE(clean);
    bad += clean ? 0 : 1;
    good += reads ? 1 : 0;
  }
  CHECK(bad > 200);
  CHECK(good > 10);
}

}  // namespace shardine::serial_scan_test
