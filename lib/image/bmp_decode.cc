#include "image/bmp_decode.h"

#include <climits>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "image/library_image.h"

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_NO_STDIO
#define STBI_ONLY_BMP
#include <stb_image.h>

namespace shardine {
namespace {

constexpr std::uint32_t kOldHeader = 12;  // BITMAPCOREHEADER
constexpr std::size_t kFileHeader = 14;

struct BmpHeader {
  std::uint32_t pixels_at = 0;
  std::uint32_t size = 0;  // of the second header
  std::int64_t width = 0;
  std::int64_t height = 0;  // negative: the first row is the top one
  std::uint16_t bits = 0;   // per pixel
  std::uint32_t compression = 0;
};

ProbeResult BmpProblem(ProbeResult result, ImageProblem problem,
                       std::string detail) {
  result.problem = problem;
  result.detail = std::move(detail);
  return result;
}

// False: the bytes end inside the header.
bool ReadBmpHeader(ByteView bmp, BmpHeader& header) {
  if (bmp.size() < kFileHeader + kOldHeader) return false;
  const std::byte* const at = bmp.data();
  header.pixels_at = LoadLe<std::uint32_t>(at + 10);
  header.size = LoadLe<std::uint32_t>(at + kFileHeader);
  if (bmp.size() < kFileHeader + header.size) return false;
  if (header.size == kOldHeader) {
    header.width = LoadLe<std::uint16_t>(at + 18);
    header.height = LoadLe<std::uint16_t>(at + 20);
    header.bits = LoadLe<std::uint16_t>(at + 24);
    return true;
  }
  if (header.size < 40) return true;
  header.width = LoadLe<std::int32_t>(at + 18);
  header.height = LoadLe<std::int32_t>(at + 22);
  header.bits = LoadLe<std::uint16_t>(at + 28);
  header.compression = LoadLe<std::uint32_t>(at + 30);
  return true;
}

// Why no decoder here reads the form of BMP; empty: it is read.
std::string UnreadForm(const BmpHeader& header) {
  const bool known = header.size == kOldHeader || header.size == 40 ||
                     header.size == 56 || header.size == 108 ||
                     header.size == 124;
  if (!known) {
    return "a BMP with a header of " + std::to_string(header.size) +
           " bytes, which is not decoded";
  }
  if (header.compression == 1 || header.compression == 2) {
    return "a run-length coded BMP, which is not decoded";
  }
  if (header.compression != 0 && header.compression != 3) {
    return "a BMP of compression " + std::to_string(header.compression) +
           ", which is not decoded";
  }
  return {};
}

bool IsBmpDepth(std::uint16_t bits) {
  return bits == 1 || bits == 4 || bits == 8 || bits == 16 || bits == 24 ||
         bits == 32;
}

}  // namespace

ProbeResult ProbeBmp(ByteView bmp) {
  ProbeResult result;
  result.facts.kind = ImageKind::kBmp;
  result.facts.bits = 8;
  BmpHeader header;
  if (!ReadBmpHeader(bmp, header)) {
    return BmpProblem(std::move(result), ImageProblem::kNoEndMarker,
                      "ends inside its header");
  }
  if (std::string form = UnreadForm(header); !form.empty()) {
    result.facts.bits = 0;
    return BmpProblem(std::move(result), ImageProblem::kUnsupported,
                      std::move(form));
  }
  const std::int64_t height =
      header.height < 0 ? -header.height : header.height;
  if (header.width <= 0 || height == 0 || height > INT32_MAX) {
    return BmpProblem(std::move(result), ImageProblem::kBadHeader,
                      "has no pixels");
  }
  result.facts.width = static_cast<std::uint32_t>(header.width);
  result.facts.height = static_cast<std::uint32_t>(height);
  result.facts.components = 3;
  if (!IsBmpDepth(header.bits)) {
    return BmpProblem(std::move(result), ImageProblem::kBadHeader,
                      std::to_string(header.bits) + " bits a pixel");
  }
  const std::uint64_t row =
      (static_cast<std::uint64_t>(header.width) * header.bits + 31) / 32 * 4;
  if (header.pixels_at > bmp.size() ||
      row > (bmp.size() - header.pixels_at) /
                static_cast<std::uint64_t>(height)) {
    return BmpProblem(std::move(result), ImageProblem::kNoEndMarker,
                      "ends before its last row");
  }
  result.end_marker = true;
  return result;
}

Status DecodeBmp(ByteView bmp, const DecodeLimits& limits,
                 PixelBuffer& pixels) {
  const ProbeResult probe = ProbeBmp(bmp);
  if (probe.problem != ImageProblem::kNone) {
    const bool unread = probe.problem == ImageProblem::kUnsupported;
    return Status(unread ? Code::kUnsupported : Code::kCorrupt, probe.detail);
  }
  const PixelSize size = {probe.facts.width, probe.facts.height};
  // The library has one copy of four channels and one of three.
  SHARDINE_RETURN_IF_ERROR(
      CheckPixelCost(size, {.memory_bytes = 10}, bmp.size(), limits));
  if (bmp.size() > INT_MAX) {
    return Status(Code::kUnsupported, "a BMP of 2 GiB or more");
  }
  int width = 0;
  int height = 0;
  int channels = 0;
  stbi_uc* const rgb = stbi_load_from_memory(
      reinterpret_cast<const stbi_uc*>(bmp.data()),
      static_cast<int>(bmp.size()), &width, &height, &channels, 3);
  if (rgb == nullptr) {
    return Status(Code::kCorrupt, std::string("BMP: ") + stbi_failure_reason());
  }
  pixels.Reset(size, 3);
  const bool fits =
      std::cmp_equal(width, size.width) && std::cmp_equal(height, size.height);
  if (fits) std::memcpy(pixels.data(), rgb, pixels.stride() * size.height);
  stbi_image_free(rgb);
  return fits ? Status() : Status(Code::kCorrupt, "BMP of another size");
}

}  // namespace shardine
