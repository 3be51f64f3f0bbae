#include "image/jpeg_header.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/jpeg_maker.h"

namespace shardine::jpeg_header_test {
namespace {

using namespace std::string_literals;

ProbeResult Probe(std::string_view jpeg) { return ProbeImage(AsBytes(jpeg)); }

std::string WithFrameByte(std::string jpeg, std::size_t at, int value) {
  jpeg[FindJpegFrame(jpeg).offset + at] = static_cast<char>(value);
  return jpeg;
}

// Offsets in the frame header, from its FF.
constexpr std::size_t kMarker = 1, kLength = 3, kBits = 4, kHeight = 5,
                      kWidth = 7, kComponents = 9, kSampling = 11;

TEST_CASE("ProbeJpeg reads size, components and bits", "[jpeg][probe]") {
  JpegSpec spec;
  spec.width = 300;
  spec.height = 2;
  const ProbeResult result = Probe(MakeJpeg(spec));
  CHECK(result.problem == ImageProblem::kNone);
  CHECK(result.detail.empty());
  CHECK(result.facts == ImageFacts{.kind = ImageKind::kJpeg,
                                   .coding = ImageCoding::kBaseline,
                                   .width = 300,
                                   .height = 2,
                                   .components = 3,
                                   .bits = 8,
                                   .orientation = 0});
}

TEST_CASE("ProbeJpeg counts the components of gray and CMYK", "[jpeg][probe]") {
  const std::vector<std::pair<JpegColor, int>> cases = {{JpegColor::kGray, 1},
                                                        {JpegColor::kRgb, 3},
                                                        {JpegColor::kCmyk, 4},
                                                        {JpegColor::kYcck, 4}};
  for (const auto& [color, components] : cases) {
    JpegSpec spec;
    spec.color = color;
    const ProbeResult result = Probe(MakeJpeg(spec));
    CHECK(result.problem == ImageProblem::kNone);
    CHECK(result.facts.components == components);
  }
}

TEST_CASE("ProbeJpeg tells the processes that are decoded", "[jpeg][probe]") {
  JpegSpec progressive;
  progressive.progressive = true;
  JpegSpec arithmetic;
  arithmetic.arithmetic = true;
  JpegSpec both;
  both.progressive = true;
  both.arithmetic = true;
  const std::vector<std::pair<std::string, ImageCoding>> cases = {
      {MakeJpeg(), ImageCoding::kBaseline},
      {WithFrameByte(MakeJpeg(), kMarker, 0xC1), ImageCoding::kExtended},
      {MakeJpeg(progressive), ImageCoding::kProgressive},
      {MakeJpeg(arithmetic), ImageCoding::kArithmetic},
      {MakeJpeg(both), ImageCoding::kArithmetic},
  };
  for (const auto& [jpeg, coding] : cases) {
    const ProbeResult result = Probe(jpeg);
    CHECK(result.problem == ImageProblem::kNone);
    CHECK(result.facts.coding == coding);
  }
}

TEST_CASE("ProbeJpeg calls lossless and hierarchical frames unsupported",
          "[jpeg][probe]") {
  for (const int sof : {0xC3, 0xC5, 0xC6, 0xC7, 0xCB, 0xCD, 0xCE, 0xCF}) {
    CAPTURE(sof);
    const ProbeResult result = Probe(WithFrameByte(MakeJpeg(), kMarker, sof));
    CHECK(result.problem == ImageProblem::kUnsupported);
    CHECK(result.facts.coding == ImageCoding::kLossless);
    CHECK(result.facts.width == 33);
  }
}

TEST_CASE("ProbeJpeg calls 12 bits unsupported, and impossible in baseline",
          "[jpeg][probe]") {
  const std::string extended = WithFrameByte(MakeJpeg(), kMarker, 0xC1);
  const ProbeResult twelve = Probe(WithFrameByte(extended, kBits, 12));
  CHECK(twelve.problem == ImageProblem::kUnsupported);
  CHECK(twelve.facts.bits == 12);
  CHECK(Probe(WithFrameByte(MakeJpeg(), kBits, 12)).problem ==
        ImageProblem::kBadHeader);
  CHECK(Probe(WithFrameByte(extended, kBits, 9)).problem ==
        ImageProblem::kBadHeader);
}

TEST_CASE("ProbeJpeg refuses a frame header whose numbers cannot be",
          "[jpeg][probe][corruption]") {
  const std::string jpeg = MakeJpeg();
  const auto frame = FindJpegFrame(jpeg);
  const std::vector<std::pair<std::size_t, int>> patches = {
      {kHeight + 1, 0}, {kWidth + 1, 0},   {kComponents, 0},  {kComponents, 2},
      {kComponents, 4}, {kSampling, 0x02}, {kSampling, 0x20}, {kSampling, 0x15},
      {kLength, 16},    {kLength, 7},      {kLength, 2}};
  for (const auto& [at, value] : patches) {
    CAPTURE(at, value);
    const ProbeResult result = Probe(WithFrameByte(jpeg, at, value));
    CHECK(result.problem == ImageProblem::kBadHeader);
    CHECK(result.offset == frame.offset);
    CHECK_FALSE(result.detail.empty());
  }
}

TEST_CASE("ProbeJpeg says that height 0 was left to a DNL marker",
          "[jpeg][probe]") {
  const ProbeResult result = Probe(WithFrameByte(MakeJpeg(), kHeight + 1, 0));
  CHECK(result.detail == "height 0 (left to a DNL marker)");
}

TEST_CASE("ProbeJpeg calls sides that libjpeg does not decode unsupported",
          "[jpeg][probe]") {
  std::string jpeg = WithFrameByte(MakeJpeg(), kWidth, 0xFF);
  jpeg = WithFrameByte(jpeg, kWidth + 1, 0xDC);  // 65500
  CHECK(Probe(jpeg).problem == ImageProblem::kNone);
  jpeg = WithFrameByte(jpeg, kWidth + 1, 0xDD);
  CHECK(Probe(jpeg).problem == ImageProblem::kUnsupported);
  CHECK(Probe(jpeg).facts.width == 65501);
}

TEST_CASE("ProbeJpeg calls two components unsupported", "[jpeg][probe]") {
  std::string jpeg = WithFrameByte(MakeJpeg(), kComponents, 2);
  const auto frame = FindJpegFrame(jpeg);
  jpeg[frame.offset + kLength] = 14;
  jpeg.erase(frame.offset + frame.size - 3, 3);
  CHECK(Probe(jpeg).problem == ImageProblem::kUnsupported);
}

TEST_CASE("ProbeJpeg refuses a second frame, a second SOI and an early EOI",
          "[jpeg][probe][corruption]") {
  const std::string jpeg = MakeJpeg();
  const auto frame = FindJpegFrame(jpeg);
  std::string twice = jpeg;
  twice.insert(frame.offset, jpeg.substr(frame.offset, frame.size));
  const ProbeResult result = Probe(twice);
  CHECK(result.problem == ImageProblem::kBadHeader);
  CHECK(result.offset == frame.offset + frame.size);
  CHECK(result.detail == "a second frame header");
  for (const std::string marker :
       {"\xFF\xD8", "\xFF\xD9", "\xFF\x02", "\xFF\xBF", "\xFF\xC8"}) {
    CHECK(Probe(InsertAfterSoi(jpeg, marker)).problem ==
          ImageProblem::kBadHeader);
  }
  CHECK(Probe(InsertAfterSoi(jpeg, "\xFF\0"s)).problem ==
        ImageProblem::kBadHeader);
  CHECK(Probe("\xFF\xD8\xFF\xD9").problem == ImageProblem::kBadHeader);
}

TEST_CASE("ProbeJpeg refuses a scan that does not fit the frame",
          "[jpeg][probe][corruption]") {
  const std::string jpeg = MakeJpeg();
  const auto scan = FindJpegMarker(jpeg, 0xDA);
  const auto frame = FindJpegFrame(jpeg);
  std::string none = jpeg;
  none.erase(frame.offset, frame.size);
  CHECK(Probe(none).detail == "a scan before the frame header");
  for (const int count : {0, 2, 4, 255}) {
    std::string patched = jpeg;
    patched[scan.offset + 4] = static_cast<char>(count);
    const ProbeResult result = Probe(patched);
    CHECK(result.problem == ImageProblem::kBadHeader);
    CHECK(result.offset == scan.offset);
  }
}

TEST_CASE("ProbeJpeg accepts fill bytes and markers without a segment",
          "[jpeg][probe]") {
  const std::string jpeg = MakeJpeg();
  for (const std::string extra :
       {"\xFF", "\xFF\xFF\xFF\xFF", "\xFF\x01", "\xFF\xD0", "\xFF\xFF\xD7"}) {
    CAPTURE(extra);
    CHECK(Probe(InsertAfterSoi(jpeg, extra)).problem == ImageProblem::kNone);
  }
}

TEST_CASE("ProbeJpeg refuses bytes between segments", "[jpeg][probe]") {
  const std::string jpeg = MakeJpeg();
  const auto second = JpegMarkers(jpeg).at(2);
  std::string damaged = jpeg;
  damaged.insert(second.offset, 1, '\0');
  const ProbeResult result = Probe(damaged);
  CHECK(result.problem == ImageProblem::kBadHeader);
  CHECK(result.offset == second.offset);
}

TEST_CASE("ProbeJpeg calls JPEG extension markers unsupported",
          "[jpeg][probe]") {
  for (const int marker : {0xF0, 0xF7, 0xFD}) {
    const auto segment = JpegSegment(static_cast<std::uint8_t>(marker), "x");
    CHECK(Probe(InsertAfterSoi(MakeJpeg(), segment)).problem ==
          ImageProblem::kUnsupported);
  }
}

TEST_CASE("ProbeJpeg walks over segments of the greatest length",
          "[jpeg][probe]") {
  std::string jpeg = MakeJpeg();
  for (const int marker : {0xE0, 0xE1, 0xE2, 0xEF, 0xFE, 0xDC}) {
    jpeg = InsertAfterSoi(jpeg, JpegSegment(static_cast<std::uint8_t>(marker),
                                            std::string(65533, '\xFF')));
  }
  const ProbeResult result = Probe(jpeg);
  CHECK(result.problem == ImageProblem::kNone);
  CHECK(result.facts.width == 33);
}

TEST_CASE("ProbeJpeg refuses segment lengths below two",
          "[jpeg][probe][corruption]") {
  for (const char length : {'\0', '\1'}) {
    const std::string segment = "\xFF\xFE\0"s + length;
    const ProbeResult result = Probe(InsertAfterSoi(MakeJpeg(), segment));
    CHECK(result.problem == ImageProblem::kBadHeader);
    CHECK(result.offset == 2);
  }
}

TEST_CASE("ProbeJpeg reads the EXIF orientation in both byte orders",
          "[jpeg][probe][exif]") {
  for (const bool big_endian : {false, true}) {
    for (int value = 1; value <= 8; ++value) {
      CAPTURE(big_endian, value);
      const ProbeResult result =
          Probe(InsertAfterSoi(MakeJpeg(), ExifSegment(value, big_endian)));
      CHECK(result.problem == ImageProblem::kNone);
      CHECK(result.facts.orientation == value);
    }
  }
}

TEST_CASE("ProbeJpeg takes the first Exif segment and no other APP1",
          "[jpeg][probe][exif]") {
  std::string jpeg = InsertAfterSoi(MakeJpeg(), ExifSegment(3, false));
  jpeg = InsertAfterSoi(jpeg, ExifSegment(6, true));
  jpeg = InsertAfterSoi(
      jpeg, JpegSegment(0xE1, "http://ns.adobe.com/xap/1.0/\0<x/>"s));
  CHECK(Probe(jpeg).facts.orientation == 6);
}

TEST_CASE("ProbeJpeg takes malformed EXIF as no orientation",
          "[jpeg][probe][exif][corruption]") {
  const std::string whole = "Exif\0\0"s + TiffWithOrientation(6, false);
  for (std::size_t size = 0; size < 28; ++size) {
    CAPTURE(size);
    const ProbeResult result = Probe(
        InsertAfterSoi(MakeJpeg(), JpegSegment(0xE1, whole.substr(0, size))));
    CHECK(result.problem == ImageProblem::kNone);
    CHECK(result.facts.orientation == 0);
  }
}

TEST_CASE("ProbeJpeg accepts any number of bytes behind the end marker",
          "[jpeg][probe]") {
  const std::string jpeg = MakeJpeg();
  for (const char filler : {'\0', '\xFF', '\xD9'}) {
    for (const std::size_t size : {1U, 65534U, 65535U, 1U << 20}) {
      const ProbeResult far = Probe(jpeg + std::string(size, filler));
      CHECK(far.problem == ImageProblem::kNone);
      CHECK(far.end_marker);
    }
  }
  const std::string cut = jpeg.substr(0, jpeg.size() - 2);
  const ProbeResult none = Probe(cut + std::string(1 << 20, '\0'));
  CHECK(none.problem == ImageProblem::kNoEndMarker);
  CHECK(none.offset == cut.size() + (1 << 20));
}

TEST_CASE("ProbeJpeg refuses what belongs to a hierarchical JPEG",
          "[jpeg][probe]") {
  for (const std::uint8_t marker : {std::uint8_t{0xDE}, std::uint8_t{0xDF}}) {
    const std::string segment = JpegSegment(marker, "\x11");
    CHECK(Probe(InsertAfterSoi(MakeJpeg(), segment)).problem ==
          ImageProblem::kUnsupported);
  }
}

TEST_CASE("ProbeJpeg does not take a thumbnail's end for the image's",
          "[jpeg][probe]") {
  const std::string thumbnail = JpegSegment(0xE1, MakeJpeg());
  std::string jpeg = InsertAfterSoi(MakeJpeg(), thumbnail);
  jpeg.resize(jpeg.size() - 2);
  CHECK(Probe(jpeg).problem == ImageProblem::kNoEndMarker);
}

TEST_CASE("ProbeJpeg finds a JPEG of every process cut at every length",
          "[jpeg][probe][corruption]") {
  JpegSpec progressive;
  progressive.progressive = true;
  progressive.restart_rows = 1;
  JpegSpec arithmetic;
  arithmetic.arithmetic = true;
  JpegSpec cmyk;
  cmyk.color = JpegColor::kCmyk;
  for (JpegSpec spec : {JpegSpec(), progressive, arithmetic, cmyk}) {
    spec.width = 17;
    spec.height = 9;
    const std::string jpeg =
        InsertAfterSoi(MakeJpeg(spec), ExifSegment(6, true));
    for (std::size_t size = 0; size < jpeg.size(); ++size) {
      // A buffer of exactly that size, so that a sanitizer sees a read past
      // its end.
      const std::vector<char> cut(jpeg.data(), jpeg.data() + size);
      const ProbeResult result = Probe({cut.data(), cut.size()});
      const ImageProblem expected = size == 0  ? ImageProblem::kEmpty
                                    : size < 3 ? ImageProblem::kNotAnImage
                                               : ImageProblem::kNoEndMarker;
      if (result.problem != expected || (size >= 3 && result.offset != size)) {
        FAIL("cut at " << size << ": " << ToString(result.problem));
      }
    }
    CHECK(Probe(jpeg).problem == ImageProblem::kNone);
  }
}

TEST_CASE("ProbeJpeg stays inside for every changed byte of the header",
          "[jpeg][probe][corruption]") {
  const std::string jpeg = InsertAfterSoi(MakeJpeg(), ExifSegment(6, false));
  const std::size_t end = FindJpegMarker(jpeg, 0xDA).offset + 14;
  for (std::size_t at = 0; at < end; ++at) {
    for (const int value : {0x00, 0x01, 0x7F, 0xD9, 0xFF}) {
      std::string damaged = jpeg;
      damaged[at] = static_cast<char>(value);
      const ProbeResult result = Probe(damaged);
      const bool good = result.problem == ImageProblem::kNone;
      if (good != result.detail.empty() || result.offset > jpeg.size() ||
          (good && (result.facts.width == 0 || result.facts.height == 0))) {
        FAIL("byte " << at << " = " << value);
      }
    }
  }
}

TEST_CASE("ProbeJpeg names the chroma sampling", "[jpeg][probe]") {
  struct Row {
    int across, down;
    const char* name;
  };
  for (const auto& [across, down, name] :
       {Row{1, 1, "4:4:4"}, Row{2, 1, "4:2:2"}, Row{2, 2, "4:2:0"},
        Row{1, 2, "4:4:0"}, Row{4, 1, "4:1:1"}, Row{4, 2, "4:1:0"},
        Row{1, 4, "other"}}) {
    JpegSpec spec;
    spec.across = across;
    spec.down = down;
    CHECK(ToString(Probe(MakeJpeg(spec)).chroma) == std::string(name));
  }
  // 4 of 3, and chroma components that differ.
  CHECK(Probe(WithFrameByte(MakeJpeg(), kSampling + 3, 0x13)).chroma ==
        ChromaSampling::kOther);
  CHECK(Probe(WithFrameByte(MakeJpeg(), kSampling + 3, 0x12)).chroma ==
        ChromaSampling::kOther);
  JpegSpec gray;
  gray.color = JpegColor::kGray;
  CHECK(Probe(MakeJpeg(gray)).chroma == ChromaSampling::kNone);
  JpegSpec cmyk;
  cmyk.color = JpegColor::kCmyk;
  CHECK(Probe(MakeJpeg(cmyk)).chroma == ChromaSampling::k444);
}

TEST_CASE(
    "ProbeJpeg reads Adobe's marker, the restart interval and the ICC "
    "mark",
    "[jpeg][probe]") {
  const ProbeResult plain = Probe(MakeJpeg());
  CHECK_FALSE(plain.adobe_transform.has_value());
  CHECK(plain.restart_interval == 0);
  CHECK_FALSE(plain.icc);
  JpegSpec spec;
  spec.restart_rows = 2;
  CHECK(Probe(MakeJpeg(spec)).restart_interval == 2 * 3);
  spec.color = JpegColor::kCmyk;
  CHECK(Probe(MakeJpeg(spec)).adobe_transform == 0);
  spec.color = JpegColor::kYcck;
  CHECK(Probe(MakeJpeg(spec)).adobe_transform == 2);
  const std::string jpeg = MakeJpeg();
  CHECK(Probe(InsertAfterSoi(jpeg, JpegSegment(0xE2, "ICC_PROFILE\0\1\1x"s)))
            .icc);
  CHECK_FALSE(Probe(InsertAfterSoi(jpeg, JpegSegment(0xE2, "ICC_"))).icc);
  CHECK_FALSE(
      Probe(InsertAfterSoi(jpeg, JpegSegment(0xEE, "Adobe\0d\0\0\0\0"s)))
          .adobe_transform.has_value());
  CHECK(Probe(InsertAfterSoi(jpeg, JpegSegment(0xDD, "\1"))).restart_interval ==
        0);
}

TEST_CASE("ProbeJpeg counts the bytes behind the last end marker",
          "[jpeg][probe]") {
  const std::string jpeg = MakeJpeg();
  CHECK(Probe(jpeg).end_marker);
  CHECK(Probe(jpeg).trailing_bytes == 0);
  CHECK(Probe(jpeg + "zip").trailing_bytes == 3);
  CHECK(Probe(jpeg + "\xD9\xD9").trailing_bytes == 2);
  CHECK(Probe(jpeg + jpeg).trailing_bytes == 0);
  const ProbeResult cut = Probe(jpeg.substr(0, jpeg.size() - 1));
  CHECK_FALSE(cut.end_marker);
  CHECK(cut.trailing_bytes == 0);
}

TEST_CASE("TrailingBytes counts what lies behind the first end marker",
          "[jpeg][probe]") {
  JpegSpec progressive;
  progressive.progressive = true;
  progressive.restart_rows = 1;
  for (const std::string& jpeg :
       {MakeJpeg(), MakeJpeg(progressive),
        InsertAfterSoi(MakeJpeg(), JpegSegment(0xE1, "thumb \xFF\xD9"))}) {
    for (const std::string& trail :
         {""s, "\0"s, "\xFF"s, jpeg, std::string(70000, '\xD9')}) {
      CHECK(TrailingBytes(AsBytes(jpeg + trail)) == trail.size());
    }
    for (std::size_t size = 0; size < jpeg.size(); ++size) {
      if (TrailingBytes(AsBytes(jpeg.substr(0, size))) != 0) {
        FAIL("cut at " << size);
      }
    }
  }
  CHECK(TrailingBytes(AsBytes("GIF89a")) == 0);
}

}  // namespace
}  // namespace shardine::jpeg_header_test
