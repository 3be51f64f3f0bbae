#include "load/still_fields.h"

#include <algorithm>
#include <optional>
#include <string>

#include "image/probe.h"
#include "load/follow_check.h"
#include "shard/image_array.h"
#include "shard/payload.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

// Rows and columns, channels before or after them or none.
bool HasSize(std::span<const std::uint64_t> shape, PixelSize size) {
  const auto at = [&](std::size_t first) {
    return shape.size() > first + 1 && shape[first] == size.height &&
           shape[first + 1] == size.width;
  };
  return shape.size() <= 3 && (at(0) || at(1));
}

std::optional<PixelSize> ProbedSize(const std::vector<FieldView>& fields,
                                    const std::string& name) {
  const auto field = std::ranges::find(fields, name, &FieldView::name);
  if (field == fields.end() || field->dtype != kBytesDtype) return {};
  const ImageFacts facts = ProbeImage(field->bytes).facts;
  if (facts.width == 0 || facts.height == 0) return {};
  return PixelSize{facts.width, facts.height};
}

Status Stays(const std::string& name, PixelSize size) {
  return Status(
      Code::kInvalidArgument,
      "fields: \"" + EscapeBytes(name) +
          "\" has the height and width of the image, " +
          std::to_string(size.height) + " x " + std::to_string(size.width) +
          ", and would stay as it is while the transform moves the "
          "image; follow names it, or follow={} says that this is meant");
}

}  // namespace

Status RefuseStillFields(const SampleSource& source, std::uint64_t position,
                         const IndexEntry& entry, const LoaderOptions& options,
                         const std::vector<FieldSpec>& fields) {
  const auto is_bytes = [](const FieldSpec& spec) { return spec.is_bytes(); };
  SampleRead sample;
  std::vector<FieldView> read;
  if (std::ranges::any_of(fields, is_bytes) &&
      source.Read(position, EntryPointUse::kSkip, sample).ok()) {
    read = FieldsOf(sample.entry, sample.payload);
  }
  std::optional<PixelSize> size = ProbedSize(read, options.image);
  const auto image =
      std::ranges::find(entry.fields, options.image, &IndexField::name);
  if (!size && image != entry.fields.end()) {
    const auto array =
        ImageArrayOf(image->dtype, image->shape, options.image_layout);
    if (array) size = array->size;
  }
  if (!size && options.image == kImageField && entry.facts.width > 0) {
    size = PixelSize{entry.facts.width, entry.facts.height};
  }
  if (!size) return {};
  for (const FieldSpec& spec : fields) {
    if (spec.name == options.image) continue;
    if (FollowedOf(options.follow, spec.name) != nullptr) continue;
    const bool lies_over_it = spec.is_bytes()
                                  ? ProbedSize(read, spec.name) == size
                                  : HasSize(spec.shape, *size);
    if (lies_over_it) return Stays(spec.name, *size);
  }
  return {};
}

}  // namespace shardine
