#include "image/image_kind.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/ascii.h"

namespace shardine {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::size_t kTextWindow = 1024;

struct Signature {
  std::string_view start;
  ImageKind kind;
};

// Each is long enough that no other kind begins with it, so the order does not
// matter. TIFF is there in both byte orders, with `+` as BigTIFF.
constexpr std::array kSignatures = {
    Signature{"\xFF\xD8\xFF"sv, ImageKind::kJpeg},
    Signature{"\x89PNG\r\n\x1A\n"sv, ImageKind::kPng},
    Signature{"GIF87a"sv, ImageKind::kGif},
    Signature{"GIF89a"sv, ImageKind::kGif},
    Signature{"II*\0"sv, ImageKind::kTiff},
    Signature{"MM\0*"sv, ImageKind::kTiff},
    Signature{"II+\0"sv, ImageKind::kTiff},
    Signature{"MM\0+"sv, ImageKind::kTiff},
    Signature{"version https://git-lfs"sv, ImageKind::kGitLfsPointer},
    Signature{"\xFF\x0A"sv, ImageKind::kJpegXl},
    Signature{"\0\0\0\x0CJXL \r\n\x87\n"sv, ImageKind::kJpegXl},
};

constexpr std::array kHeifBrands = {"heic"sv, "heix"sv, "hevc"sv, "hevx"sv,
                                    "heim"sv, "heis"sv, "hevm"sv, "hevs"sv,
                                    "mif1"sv, "msf1"sv};

// A server that has no such image answers with a page, and downloaders store it
// under the image's name.
constexpr std::array kHtmlStarts = {"<!doctype html"sv, "<html"sv,  "<head"sv,
                                    "<body"sv,          "<title"sv, "<script"sv,
                                    "<meta"sv};

bool IsWebp(std::string_view text) {
  return text.size() >= 12 && text.starts_with("RIFF") &&
         text.substr(8, 4) == "WEBP";
}

// The kind by the major brand of a file type box, and by the compatible brands
// where the major one is the general mif1 or msf1.
ImageKind KindOfBox(std::string_view text) {
  if (text.size() < 12 || text.substr(4, 4) != "ftyp") {
    return ImageKind::kUnknown;
  }
  const auto is_avif = [](std::string_view brand) {
    return brand == "avif" || brand == "avis";
  };
  const std::string_view brand = text.substr(8, 4);
  if (is_avif(brand)) return ImageKind::kAvif;
  if (std::ranges::find(kHeifBrands, brand) == kHeifBrands.end()) {
    return ImageKind::kUnknown;
  }
  std::size_t end = std::to_integer<std::size_t>(AsBytes(text)[3]);
  end = std::min(end, text.size());
  for (std::size_t at = 16; brand.ends_with("f1") && at + 4 <= end; at += 4) {
    if (is_avif(text.substr(at, 4))) return ImageKind::kAvif;
  }
  return ImageKind::kHeic;
}

// "BM" alone starts many a text, so the size of the second header must be
// one that exists.
bool IsBmp(std::string_view text) {
  if (text.size() < 18 || !text.starts_with("BM")) return false;
  const auto size = LoadLe<std::uint32_t>(AsBytes(text).data() + 14);
  constexpr std::array<std::uint32_t, 8> kSizes = {12, 16, 40,  52,
                                                   56, 64, 108, 124};
  return std::ranges::find(kSizes, size) != kSizes.end();
}

// The first characters in lower case, without byte order mark and white space.
std::string StartOfText(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  text = text.substr(0, kTextWindow);
  const std::size_t start = text.find_first_not_of(" \t\r\n\f\v");
  if (start == std::string_view::npos || text[start] != '<') return {};
  return LowerAscii(text.substr(start));
}

ImageKind MarkupKind(const std::string& text) {
  if (text.empty()) return ImageKind::kUnknown;
  const auto starts = [&](std::string_view with) {
    return text.starts_with(with);
  };
  if (starts("<svg") || starts("<!doctype svg")) return ImageKind::kSvg;
  if (std::ranges::any_of(kHtmlStarts, starts)) return ImageKind::kHtml;
  if (!starts("<?xml") && !starts("<!--")) return ImageKind::kUnknown;
  // An XML prologue or a comment may precede either kind: the first of the two
  // elements decides.
  const std::size_t svg = text.find("<svg");
  const std::size_t html = text.find("<html");
  // Both are npos, or they could not be equal.
  if (svg == html) return ImageKind::kUnknown;
  return svg < html ? ImageKind::kSvg : ImageKind::kHtml;
}

}  // namespace

ImageKind DetectImageKind(ByteView bytes) {
  const std::string_view text = AsText(bytes);
  for (const Signature& signature : kSignatures) {
    if (text.starts_with(signature.start)) return signature.kind;
  }
  if (IsWebp(text)) return ImageKind::kWebp;
  if (const ImageKind kind = KindOfBox(text); kind != ImageKind::kUnknown) {
    return kind;
  }
  if (IsBmp(text)) return ImageKind::kBmp;
  return MarkupKind(StartOfText(text));
}

}  // namespace shardine
