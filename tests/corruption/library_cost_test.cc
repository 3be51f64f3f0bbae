// Allocations of libjpeg, libpng, zlib and zstd for small files that stand for
// much: malloc is counted (support/peak_memory.h).
#include <zlib.h>

#include "base/compress.h"
#include "corruption/doubling.h"
#include "image/check_image.h"
#include "support/jpeg_maker.h"
#include "support/png_maker.h"
#include "support/sanitized.h"
#include "unit/webdataset/tar_bytes.h"

namespace shardine::library_cost_test {
namespace {

TEST_CASE("What libraries allocate is counted", "[cost]") {
  ResetPeak();
  z_stream stream = {};
  REQUIRE(deflateInit(&stream, 9) == Z_OK);
  deflateEnd(&stream);
  if (!kSanitized) CHECK(PeakBytes() > 100'000);
}

// `window`: 15 of zlib's own form, 31 of gzip's.
std::string Deflated(const std::string& plain, int window) {
  z_stream stream = {};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) ==
          Z_OK);
  std::string out(deflateBound(&stream, plain.size()), '\0');
  std::string in = plain;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

Status CheckIt(const std::string& image) {
  const ImageVerdict verdict = CheckImage(AsBytes(image), ImageCheck::kDecode);
  return verdict.good() ? Status() : Status(Code::kCorrupt, verdict.reason);
}

TEST_CASE("Small images of many pixels cost what limits say", "[cost][image]") {
  // One color, so that 1,000 bytes of rows take one.
  for (const bool interlaced : {false, true}) {
    CheckDoubling(
        16, "OK",
        [&](std::size_t size) {
          const PngSpec spec{.width = 1024,
                             .height = static_cast<std::uint32_t>(size),
                             .interlaced = interlaced};
          const std::string rows(PngPixelData(spec).size(), '\0');
          return PngSignature() + PngHeaderChunk(spec) +
                 MakePngChunk("IDAT", Deflated(rows, 15)) +
                 MakePngChunk("IEND", "");
        },
        CheckIt);
  }
  CheckDoubling(
      4, "OK",
      [](std::size_t size) {
        return MakePng({.width = 19, .height = 13}).substr(0, 33) +
               MakePngChunk("iCCP",
                            std::string("p\0\0", 3) +
                                Deflated(std::string(9000 * size, 'p'), 15)) +
               MakePng({.width = 19, .height = 13}).substr(33);
      },
      CheckIt);
  // The coefficients of a progressive JPEG are held.
  CheckDoubling(
      8, "OK",
      [](std::size_t size) {
        return MakeJpeg({.width = 1024,
                         .height = static_cast<std::uint32_t>(size),
                         .progressive = true,
                         .noise = 0});
      },
      CheckIt);
}

TEST_CASE("Small archives of long members cost what limits say",
          "[cost][tar]") {
  for (const bool gzip : {false, true}) {
    const auto archive = [&](const std::string& tar) {
      return gzip ? Deflated(tar, 31) : ZstdCompress(AsBytes(tar));
    };
    CheckDoubling("webdataset", 10, "OK", [&](std::size_t size) {
      return archive(TarFile("1.jpg", std::string(1000 * size, 'j')) +
                     TarFile("1.cls", "3") + kTarEnd);
    });
    CheckDoubling("webdataset", 10, "OK", [&](std::size_t size) {
      return archive(Each(size,
                          [](std::size_t i) {
                            return TarFile(Name(i) + ".jpg",
                                           std::string(2000, 'j'));
                          }) +
                     kTarEnd);
    });
  }
}

}  // namespace
}  // namespace shardine::library_cost_test
