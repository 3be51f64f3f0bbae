#include "pack/block.h"

#include <utility>

#include "shard/encoded_image.h"
#include "source/field_file.h"

namespace shardine {
namespace {

// Small enough for the second-level cache of one processor and for progress,
// large enough that handing over costs nothing.
constexpr std::uint64_t kBlockBytes = std::uint64_t{2} << 20;
constexpr std::uint64_t kBlockSamples = 256;

}  // namespace

std::vector<PlannedBlock> CutBlocks(const ShardPlan& plan,
                                    const std::vector<std::size_t>& shards,
                                    std::uint64_t made_per_sample) {
  std::vector<PlannedBlock> blocks;
  for (const std::size_t number : shards) {
    const PlannedShard& shard = plan.shards()[number];
    PlannedBlock block{.shard = number};
    for (std::uint64_t i = 0; i < shard.count; ++i) {
      const std::size_t source = plan.SampleAt(shard, i);
      const std::uint64_t size = plan.source().samples.facts(source).size;
      const std::uint64_t weight =
          size + FieldFileBytes(plan.source(), source) + made_per_sample;
      if (block.count > 0 && (block.count == kBlockSamples ||
                              block.weight + weight > kBlockBytes)) {
        blocks.push_back(block);
        block = {.shard = number, .first = i};
      }
      ++block.count;
      block.bytes += size;
      block.weight += weight;
    }
    if (block.count > 0) blocks.push_back(block);
  }
  return blocks;
}

std::size_t PreparedBlock::weight() const {
  std::size_t bytes = 0;
  for (const PreparedVariant& variant : variants) {
    bytes += variant.bytes.size();
  }
  return bytes;
}

PreparedBlock BeginBlock(const PlannedBlock& planned, std::size_t variants,
                         PreparedBlock used) {
  PreparedBlock block = std::move(used);
  block.planned = planned;
  block.samples.clear();
  block.samples.reserve(planned.count);
  block.variants.resize(variants);
  for (PreparedVariant& variant : block.variants) {
    variant.bytes.Resize(0);
    variant.payloads.clear();
    variant.payloads.reserve(planned.count);
  }
  block.status = Status();
  block.bad.reset();
  return block;
}

std::vector<FieldView> FieldsOf(const PreparedVariant& variant,
                                const PreparedPayload& payload) {
  ByteView bytes = variant.bytes.view().subspan(payload.offset, payload.size);
  std::vector<FieldView> fields;
  if (!payload.fields) {
    fields.push_back({kImageField, kBytesDtype, {}, bytes});
    return fields;
  }
  for (const PreparedField& field : *payload.fields) {
    fields.push_back(
        {field.name, field.dtype, field.shape, bytes.first(field.size)});
    bytes = bytes.subspan(field.size);
  }
  return fields;
}

std::optional<FieldView> ImageFieldOf(const PreparedVariant& variant,
                                      const PreparedPayload& payload) {
  for (const FieldView& field : FieldsOf(variant, payload)) {
    if (field.name == kImageField) return field;
  }
  return std::nullopt;
}

std::optional<ByteView> ImageOf(const PreparedVariant& variant,
                                const PreparedPayload& payload) {
  const auto fields = FieldsOf(variant, payload);
  const FieldView* image = FindEncodedImage(fields);
  if (image == nullptr) return std::nullopt;
  return image->bytes;
}

}  // namespace shardine
