#include "pack/copied_images.h"

#include <utility>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "dataset/index_walk.h"
#include "shard/payload.h"
#include "source/server_threads.h"

namespace shardine {

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
  const unsigned threads =
      samples.is_remote() ? kServerBlocks : ServerThreads("", 0, 1);
  return TwinsOf(
      std::move(candidates_), threads,
      [&](std::uint32_t sample) -> Result<Digest128> {
        const DatasetSamples::Location place = samples.Find(sample);
        SHARDINE_ASSIGN_OR_RETURN(const auto shard, samples.Open(place.shard));
        std::vector<IndexEntry> entries;
        SHARDINE_RETURN_IF_ERROR(
            shard->index->Entries(place.record, 1, entries));
        KeepFields(
            [](const IndexField& field) { return field.name == kImageField; },
            entries.front());
        ByteBuffer payload;
        SHARDINE_RETURN_IF_ERROR(
            ReadPayload(*shard->file, entries.front(), payload));
        for (const FieldView& field :
             FieldsOf(entries.front(), payload.view())) {
          if (field.name == kImageField) return Xxh3_128(field.bytes);
        }
        return Digest128{.low = sample, .high = ~std::uint64_t{0}};
      });
}

}  // namespace shardine
