#include "jpeg/jpeg_frame.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "support/jpeg_maker.h"
#include "support/jpeg_verdict.h"

namespace shardine::jpeg_frame_test {
namespace {

using namespace std::string_literals;

bool Reads(const std::string& jpeg) {
  JpegFrame frame;
  return ReadJpegFrame(AsBytes(jpeg), frame);
}

// Read, and taken by libjpeg without a warning.
bool ReadsRightly(const std::string& jpeg) {
  return Reads(jpeg) && HeaderByLibjpeg(jpeg).clean();
}

JpegFrame Read(const std::string& jpeg) {
  JpegFrame frame;
  REQUIRE(ReadJpegFrame(AsBytes(jpeg), frame));
  return frame;
}

// `at` bytes behind the FF of the marker.
std::string WithByte(std::string jpeg, std::uint8_t marker, std::size_t at,
                     int value) {
  jpeg[FindJpegMarker(jpeg, marker).offset + at] = static_cast<char>(value);
  return jpeg;
}

std::string Without(std::string jpeg, std::uint8_t marker) {
  const JpegMarkerPlace place = FindJpegMarker(jpeg, marker);
  return jpeg.erase(place.offset, place.size);
}

std::string Before(std::string jpeg, std::uint8_t marker,
                   const std::string& bytes) {
  return jpeg.insert(FindJpegMarker(jpeg, marker).offset, bytes);
}

std::string Adobe(int transform) {
  return JpegSegment(0xEE,
                     "Adobe\0\x64\0\0\0\0"s + static_cast<char>(transform));
}

std::string Jfif(int major) {
  return JpegSegment(
      0xE0, "JFIF\0"s + static_cast<char>(major) + "\x01\0\0\x01\0\x01\0\0"s);
}

std::string WithIds(std::string jpeg, const std::string& ids) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    jpeg = WithByte(jpeg, 0xC0, 10 + 3 * i, ids[i]);
    jpeg = WithByte(jpeg, 0xDA, 5 + 2 * i, ids[i]);
  }
  return jpeg;
}

constexpr std::uint8_t kSof0 = 0xC0;
constexpr std::uint8_t kDht = 0xC4;
constexpr std::uint8_t kSos = 0xDA;
constexpr std::uint8_t kDqt = 0xDB;
constexpr std::uint8_t kApp0 = 0xE0;

}  // namespace

TEST_CASE("a frame tells how blocks make up the image", "[jpeg]") {
  JpegSpec spec;
  spec.width = 33;
  spec.height = 21;
  spec.restart_mcus = 2;
  const std::string jpeg = MakeJpeg(spec);
  const JpegFrame frame = Read(jpeg);
  CHECK(frame.width == 33);
  CHECK(frame.height == 21);
  CHECK(frame.components == 3);
  CHECK(frame.max_h == 2);
  CHECK(frame.max_v == 2);
  CHECK(frame.mcus_across == 3);
  CHECK(frame.mcus_down == 2);
  CHECK(frame.blocks_per_mcu == 6);
  CHECK(frame.restart_interval == 2);
  CHECK(frame.component[0].width == 33);
  CHECK(frame.component[1].width == 17);
  CHECK(frame.component[1].height == 11);
  CHECK(frame.component[1].quant_table == 1);
  CHECK(frame.component[2].ac_table == 1);
  const auto places = JpegMarkers(jpeg);
  CHECK(frame.scan == places.back().offset + places.back().size);
  const std::array<std::array<int, 3>, 6> blocks = {
      {{0, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 1}, {1, 0, 0}, {2, 0, 0}}};
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    CHECK(frame.mcu_block[i].component == blocks[i][0]);
    CHECK(frame.mcu_block[i].x == blocks[i][1]);
    CHECK(frame.mcu_block[i].y == blocks[i][2]);
  }
}

TEST_CASE("frames in all samplings that photos have are read", "[jpeg]") {
  for (const int across : {1, 2}) {
    for (const int down : {1, 2}) {
      JpegSpec spec;
      spec.across = across;
      spec.down = down;
      const JpegFrame frame = Read(MakeJpeg(spec));
      CHECK(static_cast<int>(frame.max_h) == across);
      CHECK(static_cast<int>(frame.max_v) == down);
      CHECK(static_cast<int>(frame.blocks_per_mcu) == across * down + 2);
    }
  }
  JpegSpec wide;
  wide.across = 4;
  CHECK_FALSE(Reads(MakeJpeg(wide)));
}

TEST_CASE("of a gray frame the sampling factors mean nothing", "[jpeg]") {
  JpegSpec spec;
  spec.color = JpegColor::kGray;
  const std::string jpeg = MakeJpeg(spec);
  for (const int factors : {0x11, 0x22, 0x13, 0x41}) {
    const JpegFrame frame = Read(WithByte(jpeg, kSof0, 11, factors));
    CHECK(frame.blocks_per_mcu == 1);
    CHECK(frame.mcus_across == 5);
    CHECK(frame.component[0].h == 1);
    CHECK(frame.component[0].width == 33);
  }
  CHECK_FALSE(Reads(WithByte(jpeg, kSof0, 11, 0x51)));
  CHECK_FALSE(Reads(WithByte(jpeg, kSof0, 11, 0x10)));
}

TEST_CASE("processes that are not decoded here are no frames", "[jpeg]") {
  JpegSpec spec;
  const std::string jpeg = MakeJpeg(spec);
  CHECK(ReadsRightly(WithByte(jpeg, kSof0, 1, 0xC1)));
  for (const int marker : {0xC2, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCF}) {
    CHECK_FALSE(Reads(WithByte(jpeg, kSof0, 1, marker)));
  }
  CHECK_FALSE(Reads(WithByte(jpeg, kSof0, 4, 12)));
  spec.color = JpegColor::kCmyk;
  CHECK_FALSE(Reads(MakeJpeg(spec)));
  spec.color = JpegColor::kRgb;
  CHECK_FALSE(Reads(MakeJpeg(spec)));
  spec = {};
  spec.progressive = true;
  CHECK_FALSE(Reads(MakeJpeg(spec)));
  spec = {};
  spec.arithmetic = true;
  CHECK_FALSE(Reads(MakeJpeg(spec)));
}

TEST_CASE("colours are what libjpeg takes them for", "[jpeg]") {
  const std::string jfif = MakeJpeg({});
  const std::string bare = Without(jfif, kApp0);
  CHECK(ReadsRightly(bare));
  CHECK(ReadsRightly(Before(bare, kDqt, Adobe(1))));
  CHECK_FALSE(Reads(Before(bare, kDqt, Adobe(0))));
  CHECK_FALSE(Reads(Before(bare, kDqt, Adobe(2))));
  CHECK(ReadsRightly(Before(bare, kDqt, Adobe(0) + Adobe(1))));
  CHECK_FALSE(Reads(Before(bare, kDqt, Adobe(1) + Adobe(0))));
  CHECK(ReadsRightly(Before(jfif, kDqt, Adobe(0))));
  CHECK(ReadsRightly(Before(jfif, kDqt, Adobe(2))));
  CHECK_FALSE(Reads(WithIds(bare, "RGB")));
  CHECK(ReadsRightly(WithIds(jfif, "RGB")));
  CHECK(ReadsRightly(WithIds(bare, "\0\1\2"s)));
  CHECK_FALSE(Reads(WithIds(jfif, "\1\2\2")));
  CHECK_FALSE(Reads(Before(bare, kDqt, Jfif(2))));
  CHECK_FALSE(HeaderByLibjpeg(Before(bare, kDqt, Jfif(2))).clean());
  // Too short to be JFIF to libjpeg.
  const std::string stub = JpegSegment(0xE0, "JFIF\0\2\1"s);
  CHECK(ReadsRightly(Before(bare, kDqt, stub)));
  CHECK_FALSE(Reads(Before(WithIds(bare, "RGB"), kDqt, stub)));
}

TEST_CASE("only FFs may stand between segments", "[jpeg]") {
  const std::string jpeg = MakeJpeg({});
  CHECK(ReadsRightly(Before(jpeg, kDht, "\xFF\xFF\xFF")));
  CHECK(Read(Before(jpeg, kSos, "\xFF\xFF")).scan == Read(jpeg).scan + 2);
  CHECK_FALSE(Reads(Before(jpeg, kDht, "\0"s)));
  CHECK_FALSE(Reads(Before(jpeg, kDht, "\xFF\0"s)));
  CHECK_FALSE(Reads("\xFF"s + jpeg));
  for (const int marker : {0x01, 0xD0, 0xD8, 0xD9, 0xDC, 0xDE, 0xDF, 0xF0, 0xCC,
                           0xC8, 0x02, 0xBF}) {
    const std::string segment =
        JpegSegment(static_cast<std::uint8_t>(marker), "\0\0"s);
    CHECK_FALSE(Reads(Before(jpeg, kDht, segment)));
  }
  CHECK(ReadsRightly(Before(jpeg, kDht, JpegSegment(0xFE, ""))));
}

TEST_CASE("sizes that libjpeg refuses are no frames", "[jpeg]") {
  const std::string jpeg = MakeJpeg({});
  const auto sized = [&](int height, int width) {
    std::string changed = jpeg;
    for (const auto& [at, value] : {std::pair{5u, height >> 8},
                                    {6u, height},
                                    {7u, width >> 8},
                                    {8u, width}}) {
      changed = WithByte(changed, kSof0, at, value & 255);
    }
    return changed;
  };
  CHECK(ReadsRightly(sized(65500, 65500)));
  CHECK_FALSE(Reads(sized(65501, 1)));
  CHECK_FALSE(Reads(sized(1, 65501)));
  CHECK_FALSE(Reads(sized(0, 8)));
  CHECK_FALSE(Reads(sized(8, 0)));
}

TEST_CASE("the last table of a number before the scan counts", "[jpeg]") {
  const std::string jpeg = MakeJpeg({});
  const std::string other = MakeJpeg({.quality = 30});
  const JpegMarkerPlace place = FindJpegMarker(other, kDqt);
  const std::string table = other.substr(place.offset, place.size);
  CHECK(Read(Before(jpeg, kDqt, table)).quant[0] == Read(jpeg).quant[0]);
  CHECK(Read(Before(jpeg, kSos, table)).quant[0] == Read(other).quant[0]);
}

TEST_CASE("quantisation tables may have 16 bits", "[jpeg]") {
  const std::string jpeg = MakeJpeg({});
  std::string steps = "\x10"s;
  for (int i = 0; i < 64; ++i) steps += "\x01"s + static_cast<char>(i);
  const JpegFrame frame = Read(Before(jpeg, kSos, JpegSegment(kDqt, steps)));
  CHECK(frame.quant[0][0] == 256);
  CHECK(frame.quant[0][63] == 256 + 63);
  CHECK(frame.quant[1] == Read(jpeg).quant[1]);
  steps[0] = 0x20;
  CHECK_FALSE(Reads(Before(jpeg, kSos, JpegSegment(kDqt, steps))));
  steps[0] = 0x04;
  CHECK_FALSE(Reads(Before(jpeg, kSos, JpegSegment(kDqt, steps))));
  CHECK_FALSE(Reads(Without(jpeg, kDqt)));
}

TEST_CASE("a Huffman table that a scan uses obeys libjpeg's rules", "[jpeg]") {
  const std::string jpeg = MakeJpeg({});
  const auto with = [&](int head, std::string counts,
                        const std::string& symbols) {
    counts.resize(16);
    return Before(
        jpeg, kSos,
        JpegSegment(kDht, static_cast<char>(head) + counts + symbols));
  };
  CHECK(ReadsRightly(with(0x00, "\1", "\0"s)));
  CHECK_FALSE(Reads(with(0x00, "\2", "\0\1"s)));  // a code of nothing but ones
  CHECK_FALSE(Reads(with(0x00, "\1\2", "\0\1\2"s)));
  CHECK(ReadsRightly(with(0x00, "\1\1\1", "\0\1\x0F"s)));
  CHECK_FALSE(Reads(with(0x00, "\1\1\1", "\0\1\x10"s)));
  CHECK(ReadsRightly(with(0x10, "\1\1\1", "\0\1\x10"s)));
  CHECK_FALSE(Reads(with(0x10, "\1\4", "\0\1\2\3\4"s)));
  CHECK_FALSE(Reads(with(0x10, "", "")));
  CHECK_FALSE(Reads(with(0x10, "\1", "\0\1"s)));  // bytes left over
  CHECK_FALSE(Reads(with(0x14, "\1", "\0"s)));
  CHECK_FALSE(Reads(with(0x20, "\1", "\0"s)));
  // A table that no component uses is not looked at.
  CHECK(ReadsRightly(with(0x13, "\2", "\0\1"s)));
  CHECK_FALSE(Reads(WithByte(jpeg, kSos, 6, 0x03)));
  CHECK_FALSE(Reads(WithByte(jpeg, kSos, 6, 0x20)));
  const std::string bare = Without(jpeg, kDht);
  CHECK_FALSE(Reads(bare));
}

TEST_CASE("a scan has all components, in order, and all coefficients",
          "[jpeg]") {
  const std::string jpeg = MakeJpeg({});
  CHECK_FALSE(Reads(WithByte(jpeg, kSos, 4, 2)));
  CHECK_FALSE(Reads(WithByte(jpeg, kSos, 5, 2)));
  CHECK_FALSE(Reads(WithByte(jpeg, kSos, 11, 1)));
  CHECK_FALSE(Reads(WithByte(jpeg, kSos, 12, 62)));
  CHECK_FALSE(Reads(WithByte(jpeg, kSos, 13, 1)));
  const JpegMarkerPlace frame = FindJpegMarker(jpeg, kSof0);
  const std::string again = jpeg.substr(frame.offset, frame.size);
  CHECK_FALSE(Reads(Before(jpeg, kSos, again)));
  CHECK_FALSE(Reads(Without(jpeg, kSof0)));
}

TEST_CASE("a header cut anywhere is no frame", "[jpeg]") {
  const std::string jpeg = MakeJpeg({});
  const std::size_t scan = Read(jpeg).scan;
  for (std::size_t size = 0; size < scan; ++size) {
    REQUIRE_FALSE(Reads(jpeg.substr(0, size)));
  }
  CHECK(Reads(jpeg.substr(0, scan)));
}

TEST_CASE(
    "of damaged headers none is read that libjpeg would mind or take "
    "otherwise",
    "[jpeg][corruption]") {
  std::mt19937 random(5);
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    JpegSpec spec;
    spec.color = i % 3 == 0 ? JpegColor::kGray : JpegColor::kYcc;
    spec.across = 1 + i % 2;
    spec.optimize = i % 5 == 0;
    std::string jpeg = MakeJpeg(spec);
    const std::size_t scan = Read(jpeg).scan;
    for (std::size_t k = 1 + random() % 3; k > 0; --k) {
      jpeg[random() % scan] =
          static_cast<char>(random() % 4 == 0   ? 0xFF
                            : random() % 4 == 1 ? random() % 4
                                                : random() % 256);
    }
    JpegFrame frame;
    if (!ReadJpegFrame(AsBytes(jpeg), frame)) continue;
    ++read;
    const JpegVerdict verdict = HeaderByLibjpeg(jpeg);
    REQUIRE(verdict.clean());
    REQUIRE(verdict.ycc_or_gray);
    REQUIRE(verdict.width == frame.width);
    REQUIRE(verdict.height == frame.height);
    REQUIRE(verdict.components == frame.components);
  }
  CHECK(read > 1000);
}

}  // namespace shardine::jpeg_frame_test
