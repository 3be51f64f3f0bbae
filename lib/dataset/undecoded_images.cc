#include "dataset/undecoded_images.h"

#include <algorithm>
#include <utility>

#include "dataset/index_walk.h"
#include "image/undecoded_kind.h"
#include "shard/image_array.h"
#include "shardine/escape.h"

namespace shardine {

std::string_view UndecodedKindOf(const IndexEntry& entry, ArrayLayout layout) {
  // The header says it of all but arrays, without a look at the fields.
  const std::string_view kind = UndecodedKind(entry.facts);
  if (!kind.empty() || entry.facts.kind != ImageKind::kUnknown) return kind;
  const IndexField* const image = ImageFieldOf(entry);
  if (image == nullptr || image->dtype == kBytesDtype ||
      ImageArrayOf(image->dtype, image->shape, layout)) {
    return {};
  }
  return "array";
}

void AddKind(std::string_view kind, std::uint64_t count,
             std::vector<ManifestKind>& counts) {
  if (kind.empty() || count == 0) return;
  const auto at = std::ranges::lower_bound(
      counts, kind, {},
      [](const ManifestKind& each) { return std::string_view(each.kind); });
  if (at != counts.end() && at->kind == kind) {
    at->count += count;
  } else {
    counts.insert(at, {std::string(kind), count});
  }
}

void AddKinds(const std::vector<ManifestKind>& more,
              std::vector<ManifestKind>& counts) {
  for (const auto& [kind, count] : more) AddKind(kind, count, counts);
}

std::uint64_t CountOf(const std::vector<ManifestKind>& counts) {
  std::uint64_t sum = 0;
  for (const ManifestKind& kind : counts) sum += kind.count;
  return sum;
}

std::string Describe(const std::vector<ManifestKind>& counts) {
  std::vector<ManifestKind> sorted = counts;
  std::ranges::stable_sort(sorted, std::ranges::greater(),
                           &ManifestKind::count);
  std::string text;
  for (const auto& [kind, count] : sorted) {
    text += (text.empty() ? "" : ", ") + EscapeBytes(kind) + " (" +
            std::to_string(count) + ")";
  }
  return text;
}

std::string UndecodedWarning(const std::vector<ManifestKind>& counts,
                             std::uint64_t samples) {
  const std::uint64_t count = CountOf(counts);
  if (count == 0) return {};
  return std::to_string(count) + " of " + std::to_string(samples) +
         " samples have an image of a kind that is not decoded: " +
         Describe(counts) +
         "; loaders refuse them, or leave them out by unsupported \"drop\"";
}

std::vector<ManifestKind> UndecodedOf(const Manifest& manifest) {
  std::vector<ManifestKind> counts;
  for (const ManifestSplit& split : manifest.splits) {
    AddKinds(split.unsupported, counts);
  }
  return counts;
}

}  // namespace shardine
