#include "load/image_sizes.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/status_macros.h"
#include "load/chosen_entries.h"
#include "pixels/orientation.h"
#include "shard/dtype.h"
#include "shard/image_array.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

// Read at a time.
constexpr std::uint64_t kEntriesRead = 4096;

// An array has the size in its shape, an encoded image the one in the header
// facts, which belong to the field "image" alone.
Result<PixelSize> DecodedSize(const IndexEntry& entry,
                              const LoaderOptions& options,
                              const char* purpose) {
  const auto image =
      std::ranges::find(entry.fields, options.image, &IndexField::name);
  // A sample without its image is a bad one, when its turn comes.
  if (image == entry.fields.end()) return PixelSize();
  if (image->dtype != kBytesDtype) {
    const auto array =
        ImageArrayOf(image->dtype, image->shape, options.image_layout);
    return array ? array->size : PixelSize();
  }
  if (options.image != kImageField) {
    return Status(Code::kUnsupported,
                  std::string(purpose) +
                      ", but indexes know the sizes of encoded images in the "
                      "field \"image\" alone, not in \"" +
                      EscapeBytes(options.image) + "\"");
  }
  const ImageFacts& facts = entry.facts;
  const bool turned =
      options.pixels.apply_exif && SwapsSides(facts.orientation);
  return turned ? PixelSize{facts.height, facts.width}
                : PixelSize{facts.width, facts.height};
}

}  // namespace

Status ForEachImageSize(const SampleSource& source, const SampleChoice& choice,
                        const LoaderOptions& options, const char* purpose,
                        const TakeSize& take, const std::stop_token& stop) {
  std::vector<IndexEntry> entries;
  for (std::uint64_t next = 0; next < choice.size();) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    SHARDINE_RETURN_IF_ERROR(
        ChosenEntries(source, choice, next,
                      std::min(kEntriesRead, choice.size() - next), entries));
    for (const IndexEntry& entry : entries) {
      SHARDINE_ASSIGN_OR_RETURN(const PixelSize size,
                                DecodedSize(entry, options, purpose));
      SHARDINE_RETURN_IF_ERROR(take(next++, entry, size));
    }
  }
  return {};
}

}  // namespace shardine
