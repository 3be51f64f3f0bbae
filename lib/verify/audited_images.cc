#include "verify/audited_images.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "pixels/pdq_hash.h"
#include "shard/payload.h"

namespace shardine {
namespace {

// The folder of the smallest that does; empty: none.
std::string SmallVariant(const DatasetReader& dataset) {
  const Manifest& manifest = dataset.manifest();
  std::string found;
  std::uint32_t least = 0;
  for (const ManifestChild& child : manifest.variants) {
    const std::string folder = JoinPath(dataset.directory(), child.path);
    const auto reader = DatasetReader::Open(dataset.storage(), folder);
    if (!reader.ok()) continue;
    const Manifest& own = (*reader)->manifest();
    const std::uint32_t side = own.variant.short_side;
    if (side < kPdqSide || (least != 0 && side >= least) ||
        own.content_digest() != child.content_digest ||
        own.variant.parent_digest != manifest.content_digest() ||
        own.order_digest() != manifest.order_digest()) {
      continue;
    }
    least = side;
    found = folder;
  }
  return found;
}

}  // namespace

Result<std::unique_ptr<AuditedImages>> AuditedImages::Open(
    std::span<const DatasetReader* const> datasets, const Job& job) {
  std::unique_ptr<AuditedImages> images(new AuditedImages);
  for (const DatasetReader* dataset : datasets) {
    const auto open = [&](const std::string& folder,
                          const ManifestSplit& split) {
      return SampleSource::Open(dataset->storage(), folder,
                                {.split = split.name}, job.stop, job.formats);
    };
    const std::string variant = SmallVariant(*dataset);
    for (const ManifestSplit& split : dataset->manifest().splits) {
      SHARDINE_ASSIGN_OR_RETURN(auto samples,
                                open(dataset->directory(), split));
      const std::uint64_t count = samples->size();
      Part part{images->size_, count, std::move(samples)};
      if (!variant.empty()) {
        SHARDINE_ASSIGN_OR_RETURN(part.small, open(variant, split));
        if (part.small->size() != count) part.small = nullptr;
      }
      images->parts_.push_back(std::move(part));
      images->size_ += count;
    }
  }
  return images;
}

bool AuditedImages::has_variant(std::uint64_t position) const {
  const auto behind =
      std::ranges::upper_bound(parts_, position, {}, &Part::first);
  return behind != parts_.begin() && std::prev(behind)->small != nullptr;
}

std::vector<bool> AuditedImages::InSmallSplits(std::uint64_t most) const {
  std::vector<std::uint64_t> counts;
  for (const Part& part : parts_) counts.push_back(part.count);
  const std::vector<bool> is_small = SmallestOf(counts, most);
  std::vector<bool> flags;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    flags.insert(flags.end(), static_cast<std::size_t>(counts[k]), is_small[k]);
  }
  return flags;
}

Status AuditedImages::Read(std::span<const std::uint64_t> positions,
                           ImageUse use, const Visit& visit,
                           const Failed& failed) const {
  std::size_t begin = 0;
  std::vector<std::uint64_t> own;
  for (const Part& part : parts_) {
    std::size_t end = begin;
    own.clear();
    while (end < positions.size() && positions[end] < part.first + part.count) {
      own.push_back(positions[end++] - part.first);
    }
    if (end == begin) continue;
    const bool is_small = use == ImageUse::kSmall && part.small != nullptr;
    SHARDINE_RETURN_IF_ERROR(ReadPart(is_small ? *part.small : *part.samples,
                                      own, begin, visit, failed));
    begin = end;
  }
  return Status();
}

Status AuditedImages::ReadPart(const SampleSource& samples,
                               std::span<const std::uint64_t> own,
                               std::size_t offset, const Visit& visit,
                               const Failed& failed) {
  const std::vector<std::string> wanted = {std::string(kImageField)};
  std::vector<SampleRead> reads(own.size());
  for (SampleRead& read : reads) read.wanted = &wanted;
  std::vector<Status> statuses(own.size());
  samples.ReadMany(own, EntryPointUse::kSkip, reads, statuses);
  for (std::size_t i = 0; i < own.size(); ++i) {
    Status status = statuses[i];
    if (!status.ok() && !IsOfImage(status)) return status;
    if (status.ok()) {
      status = Status(Code::kUnsupported, "the sample has no image");
      for (const FieldView& field :
           FieldsOf(reads[i].entry, reads[i].payload)) {
        if (field.name == kImageField) status = visit(offset + i, field);
      }
    }
    if (status.ok()) continue;
    failed(offset + i, status.Annotate(samples.WhereIs(own[i])));
  }
  return Status();
}

}  // namespace shardine
