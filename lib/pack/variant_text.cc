#include "shardine/variant_text.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>
#include <utility>

#include "shardine/escape.h"

namespace shardine {
namespace {

// The longest side of a JPEG that libjpeg writes.
constexpr std::uint64_t kMaxShortSide = 65'500;

std::vector<std::string_view> SplitAtCommas(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t comma = text.find(',');
    words.push_back(text.substr(0, comma));
    if (comma == text.npos) return words;
    text.remove_prefix(comma + 1);
  }
}

std::string Quoted(std::string_view word) {
  return "\"" + EscapeBytes(word) + "\"";
}

// 0 for anything but a number in decimal digits alone.
std::uint64_t PixelsOf(std::string_view digits) {
  std::uint64_t pixels = 0;
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, pixels);
  return read.ec == std::errc() && read.ptr == end ? pixels : 0;
}

Status AddShortSide(std::string_view number, std::string_view word,
                    std::vector<std::uint32_t>& short_sides) {
  const std::uint64_t pixels = PixelsOf(number);
  if (pixels == 0 || pixels > kMaxShortSide) {
    return Status(Code::kInvalidArgument,
                  Quoted(word) + " is no size of 1 to 65500 pixels");
  }
  const auto side = static_cast<std::uint32_t>(pixels);
  const auto at = std::ranges::lower_bound(short_sides, side);
  // A size that is named twice is more likely a slip than a wish, and the slip
  // was meant to be another size.
  if (at != short_sides.end() && *at == side) {
    return Status(Code::kInvalidArgument, Quoted(word) + " occurs twice");
  }
  short_sides.insert(at, side);
  return Status();
}

}  // namespace

Result<std::vector<std::uint32_t>> ParseShortSides(std::string_view text) {
  std::vector<std::uint32_t> short_sides;
  for (const std::string_view word : SplitAtCommas(text)) {
    const Status added = AddShortSide(word, word, short_sides);
    if (!added.ok()) return added;
  }
  return short_sides;
}

Status ParseVariants(std::string_view text, VariantOptions& variants) {
  variants.original = false;
  variants.short_sides.clear();
  for (const std::string_view word : SplitAtCommas(text)) {
    if (word == "original") {
      if (std::exchange(variants.original, true)) {
        return Status(Code::kInvalidArgument, Quoted(word) + " occurs twice");
      }
      continue;
    }
    if (!word.starts_with("sz/")) {
      return Status(Code::kInvalidArgument,
                    Quoted(word) + " is neither original nor sz/PIXELS");
    }
    const Status added =
        AddShortSide(word.substr(3), word, variants.short_sides);
    if (!added.ok()) return added;
  }
  return Status();
}

}  // namespace shardine
