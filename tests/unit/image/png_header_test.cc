#include "image/png_header.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "image/png_check.h"
#include "support/jpeg_maker.h"
#include "support/png_maker.h"

namespace shardine::png_header_test {
namespace {

using namespace std::string_literals;

ProbeResult Probe(std::string_view png) { return ProbeImage(AsBytes(png)); }

std::string WithHeaderByte(std::size_t at, int value) {
  std::string png = MakePng();
  png[16 + at] = static_cast<char>(value);
  return png;
}

TEST_CASE("ProbePng reads size, components and bits", "[png][probe]") {
  PngSpec spec;
  spec.width = 300;
  spec.height = 2;
  const ProbeResult result = Probe(MakePng(spec));
  CHECK(result.problem == ImageProblem::kNone);
  CHECK(result.facts == ImageFacts{.kind = ImageKind::kPng,
                                   .coding = ImageCoding::kPng,
                                   .width = 300,
                                   .height = 2,
                                   .components = 3,
                                   .bits = 8,
                                   .orientation = 0});
}

TEST_CASE("ProbePng knows which color types go with which bits",
          "[png][probe]") {
  const std::vector<std::pair<int, std::vector<int>>> allowed = {
      {0, {1, 2, 4, 8, 16}},
      {2, {8, 16}},
      {3, {1, 2, 4, 8}},
      {4, {8, 16}},
      {6, {8, 16}},
      {1, {}},
      {5, {}},
      {7, {}},
      {255, {}}};
  const std::vector<int> components = {1, 0, 3, 1, 2, 0, 4, 0};
  for (const auto& [color, bits_allowed] : allowed) {
    for (int bits = 0; bits <= 32; ++bits) {
      std::string png = WithHeaderByte(8, bits);
      png[16 + 9] = static_cast<char>(color);
      const bool good = std::find(bits_allowed.begin(), bits_allowed.end(),
                                  bits) != bits_allowed.end();
      CAPTURE(color, bits);
      const ProbeResult result = Probe(png);
      CHECK(result.problem ==
            (good ? ImageProblem::kNone : ImageProblem::kBadHeader));
      if (good) {
        CHECK(result.facts.components ==
              components[static_cast<std::size_t>(color)]);
      }
    }
  }
}

TEST_CASE("ProbePng refuses an IHDR that cannot be",
          "[png][probe][corruption]") {
  const std::vector<std::string> damaged = {
      WithHeaderByte(3, 0),     // width
      WithHeaderByte(7, 0),     // height
      WithHeaderByte(0, 0x80),  // width
      WithHeaderByte(10, 1),    // compression
      WithHeaderByte(11, 1),    // filter
      WithHeaderByte(12, 2),    // interlace
      PngSignature() + MakePngChunk("IHDR", std::string(12, '\1')),
      PngSignature() + MakePngChunk("IDAT", std::string(13, '\1')),
  };
  for (const std::string& png : damaged) {
    const ProbeResult result = Probe(png);
    CHECK(result.problem == ImageProblem::kBadHeader);
    CHECK(result.offset == 8);
    CHECK_FALSE(result.detail.empty());
  }
}

TEST_CASE("ProbePng reads the eXIf chunk before and after the pixels",
          "[png][probe][exif]") {
  const std::string exif = MakePngChunk("eXIf", TiffWithOrientation(6, true));
  const std::string png = MakePng();
  std::string before = png;
  before.insert(8 + 25, exif);
  std::string after = png;
  after.insert(png.size() - 12, exif);
  CHECK(Probe(before).facts.orientation == 6);
  CHECK(Probe(after).facts.orientation == 6);
  CHECK(Probe(after).problem == ImageProblem::kNone);
  std::string malformed = png;
  malformed.insert(8 + 25, MakePngChunk("eXIf", "MM\0"s));
  CHECK(Probe(malformed).facts.orientation == 0);
  CHECK(Probe(malformed).problem == ImageProblem::kNone);
}

TEST_CASE("ProbePng accepts bytes behind IEND", "[png][probe]") {
  CHECK(Probe(MakePng() + std::string(100000, 'x')).problem ==
        ImageProblem::kNone);
}

TEST_CASE("ProbePng refuses chunk types and lengths that cannot be",
          "[png][probe][corruption]") {
  const std::string png = MakePng();
  const std::size_t idat = 8 + 25;
  std::string type = png;
  type[idat + 5] = '1';
  CHECK(Probe(type).problem == ImageProblem::kBadHeader);
  CHECK(Probe(type).offset == idat);
  std::string length = png;
  length[idat] = '\x80';
  CHECK(Probe(length).problem == ImageProblem::kBadHeader);
  length[idat] = '\x7F';
  CHECK(Probe(length).problem == ImageProblem::kNoEndMarker);
}

// Does a chunk end there, after the first of pixels?
bool IsAfterPixels(std::string_view png, std::size_t size) {
  PngChunkReader reader(AsBytes(png));
  PngChunk chunk;
  ProbeResult problem;
  bool pixels = false;
  while (reader.position() < size && reader.Next(chunk, problem)) {
    pixels = pixels || chunk.type == "IDAT";
  }
  return pixels && reader.position() == size;
}

TEST_CASE("ProbePng finds a PNG cut at every length",
          "[png][probe][corruption]") {
  PngSpec spec;
  spec.idat_size = 50;
  const std::string png = MakePng(spec);
  for (std::size_t size = 8; size < png.size(); ++size) {
    const std::vector<char> cut(png.data(), png.data() + size);
    const ProbeResult result = Probe({cut.data(), cut.size()});
    // After a whole chunk of pixels, decoding tells whether all are there.
    if (IsAfterPixels(png, size)) {
      CHECK(result.problem == ImageProblem::kNone);
      CHECK_FALSE(result.end_marker);
      CHECK(CheckPng(AsBytes(std::string_view(cut.data(), size)), {}).ok() ==
            (size == png.size() - 12));
      continue;
    }
    if (result.problem != ImageProblem::kNoEndMarker || result.offset != size) {
      FAIL("cut at " << size << ": " << ToString(result.problem));
    }
  }
  CHECK(Probe(png).problem == ImageProblem::kNone);
}

TEST_CASE("ProbePng sees a profile, the end and what lies behind it",
          "[png][probe]") {
  const std::string png = MakePng();
  const ProbeResult plain = ProbeImage(AsBytes(png));
  CHECK_FALSE(plain.icc);
  CHECK(plain.end_marker);
  CHECK(plain.trailing_bytes == 0);
  const std::string more =
      std::string(png).insert(33, MakePngChunk("iCCP", "x")) + "behind";
  const ProbeResult result = ProbeImage(AsBytes(more));
  CHECK(result.icc);
  CHECK(result.trailing_bytes == 6);
  CHECK(TrailingBytes(AsBytes(more)) == 6);
  const std::string cut = png.substr(0, png.size() - 1);
  CHECK_FALSE(ProbeImage(AsBytes(cut)).end_marker);
  CHECK(TrailingBytes(AsBytes(cut)) == 0);
}

}  // namespace
}  // namespace shardine::png_header_test
