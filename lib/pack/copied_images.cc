#include "pack/copied_images.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "dataset/index_walk.h"
#include "shard/payload.h"
#include "source/compared_images.h"
#include "source/server_threads.h"

namespace shardine {
namespace {

// Calls `visit` with the image. False: the sample has none.
Result<bool> VisitImage(const DatasetSamples& samples, std::uint64_t sample,
                        const std::function<Status(const FieldView&)>& visit) {
  const DatasetSamples::Location place = samples.Find(sample);
  SHARDINE_ASSIGN_OR_RETURN(const auto shard, samples.Open(place.shard));
  std::vector<IndexEntry> entries;
  SHARDINE_RETURN_IF_ERROR(shard->index->Entries(place.record, 1, entries));
  KeepFields([](const IndexField& field) { return field.name == kImageField; },
             entries.front());
  ByteBuffer payload;
  SHARDINE_RETURN_IF_ERROR(ReadPayload(*shard->file, entries.front(), payload));
  for (const FieldView& field : FieldsOf(entries.front(), payload.view())) {
    if (field.name != kImageField) continue;
    SHARDINE_RETURN_IF_ERROR(visit(field));
    return true;
  }
  return false;
}

// The images of samples that are in one split.
class SampleImages : public ComparedImages {
 public:
  SampleImages(const DatasetSamples& samples, std::uint64_t size)
      : samples_(samples), size_(size) {}

  std::uint64_t size() const override { return size_; }

  std::vector<bool> InSmallSplits(std::uint64_t most) const override {
    return std::vector<bool>(static_cast<std::size_t>(size_), size_ <= most);
  }

  Status Read(std::span<const std::uint64_t> positions, ImageUse /*use*/,
              const Visit& visit, const Failed& failed) const override {
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const auto found =
          VisitImage(samples_, positions[i],
                     [&](const FieldView& image) { return visit(i, image); });
      if (!found.ok()) {
        if (!IsOfImage(found.status())) return found.status();
        failed(i, found.status());
      } else if (!*found) {
        failed(i, Status(Code::kUnsupported, "the sample has no image"));
      }
    }
    return Status();
  }

 private:
  const DatasetSamples& samples_;
  const std::uint64_t size_;
};

unsigned ThreadsFor(const DatasetSamples& samples) {
  return samples.is_remote() ? kServerBlocks : ServerThreads("", 0, 1);
}

}  // namespace

void CopiedImages::Add(const IndexEntry& entry) {
  const std::uint32_t sample = samples_++;
  const IndexField* const image = ImageFieldOf(entry);
  if (image == nullptr) return;
  Xxh3Stream likeness;
  likeness.UpdateLe(FieldBytes(*image));
  // Without a checksum the others have to do.
  if (const auto crc = ImageCrcOf(entry, *image)) likeness.UpdateLe(*crc);
  likeness.UpdateLe(entry.facts.width);
  likeness.UpdateLe(entry.facts.height);
  candidates_.push_back({likeness.Digest(), sample});
}

Result<std::vector<Likeness>> CopiedImages::Find(
    const DatasetSamples& samples) {
  return TwinsOf(std::move(candidates_), ThreadsFor(samples),
                 [&](std::uint32_t sample) -> Result<Digest128> {
                   Digest128 digest{.low = sample, .high = ~std::uint64_t{0}};
                   SHARDINE_RETURN_IF_ERROR(
                       VisitImage(samples, sample, [&](const FieldView& image) {
                         digest = Xxh3_128(image.bytes);
                         return Status();
                       }).status());
                   return digest;
                 });
}

Result<AlikeSamples> CopiedImages::FindAlike(
    const DatasetSamples& samples) const {
  return shardine::FindAlike(SampleImages(samples, samples_),
                             ThreadsFor(samples));
}

}  // namespace shardine
