#include "source/alike_samples.h"

#include <cstdint>

#include "base/status_macros.h"
#include "source/near_copies.h"

namespace shardine {
namespace {

constexpr std::uint64_t kNear = 0x6e6561725f736574;  // no digest of bytes

std::string NoteOf(const NearCopies& copies, const UnreadImages& unread) {
  std::string text;
  const auto add = [&](std::uint64_t count, const char* why) {
    if (count == 0) return;
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + why;
  };
  add(unread.count(), "that cannot be decoded");
  add(unread.unsupported(), "of kinds that are not decoded");
  add(copies.plain, "nearly blank");
  if (!text.empty()) text = "images that were compared with no other: " + text;
  if (copies.cut > 0) {
    text.append(text.empty() ? "" : "; ").append(std::to_string(copies.cut));
    text += " images have more candidates than are compared";
  }
  return text;
}

}  // namespace

Result<AlikeSamples> FindAlike(const ComparedImages& images, unsigned threads) {
  UnreadImages unread;
  SHARDINE_ASSIGN_OR_RETURN(
      const NearCopies copies,
      FindNearCopies(images, {.threads = threads}, unread, {}));
  AlikeSamples alike{.pairs = {}, .note = NoteOf(copies, unread)};
  for (const LikePair& pair : copies.pairs) {
    const Digest128 of{.low = alike.pairs.size(), .high = kNear};
    alike.pairs.push_back({of, static_cast<std::uint32_t>(pair.first)});
    alike.pairs.push_back({of, static_cast<std::uint32_t>(pair.second)});
  }
  return alike;
}

}  // namespace shardine
