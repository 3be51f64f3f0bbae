#include "dataset/card_seal.h"

#include <cstddef>

#include "base/checksum.h"
#include "io/output_names.h"
#include "shardine/card.h"

namespace shardine {
namespace {

constexpr std::string_view kSealBegin = "\n<!-- card of shardine:";
constexpr std::string_view kSealEnd = " -->\n";
constexpr std::size_t kDigits = 32;

}  // namespace

std::string SealLine(const CardSeal& seal) {
  std::string line(kSealBegin);
  for (const auto& [name, digest] : seal) {
    line.append(" ").append(name).append(" ").append(digest);
  }
  return line.append(kSealEnd);
}

std::optional<CardSeal> SealOf(std::string_view page) {
  const std::size_t begin = page.rfind(kSealBegin);
  if (begin == page.npos || !page.ends_with(kSealEnd)) return std::nullopt;
  std::string_view line = page.substr(begin + kSealBegin.size());
  line.remove_suffix(kSealEnd.size());
  CardSeal seal;
  for (const std::string_view name :
       {std::string_view(kCardName), std::string_view(kCroissantName),
        std::string_view(kChecksumsName), std::string_view(kManifestName)}) {
    const std::size_t at = line.find(" " + std::string(name) + " ");
    if (at != line.npos) {
      seal.emplace(name, line.substr(at + name.size() + 2, kDigits));
    } else if (name != kManifestName) {
      return std::nullopt;
    }
  }
  return SealLine(seal) == page.substr(begin) ? std::optional(seal)
                                              : std::nullopt;
}

bool IsSealed(std::string_view page, const CardSeal& seal) {
  const std::string_view text = page.substr(0, page.rfind(kSealBegin));
  return Xxh3_128(AsBytes(text)).ToHex() == seal.at(kCardName);
}

}  // namespace shardine
