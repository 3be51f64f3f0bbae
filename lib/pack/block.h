// Blocks: the unit of work that pack's workers prepare. A block is a run of
// neighbouring samples of one shard, read into memory, checked, and made in the
// sizes that are wanted.
#ifndef SHARDINE_PACK_BLOCK_H_
#define SHARDINE_PACK_BLOCK_H_

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "dataset/rejects.h"
#include "image/deep_image.h"
#include "image/image_facts.h"
#include "shardine/digest.h"
#include "shardine/sample.h"
#include "shardine/status.h"
#include "source/shard_plan.h"

namespace shardine {

struct PlannedBlock {
  std::size_t shard = 0;    // into ShardPlan::shards()
  std::uint64_t first = 0;  // offset of its first sample in the shard
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;   // of its files
  std::uint64_t weight = 0;  // bytes it will take in memory: an estimate
};

// Cuts the shards with these numbers into blocks of about 2 MiB. The images
// made of a sample are taken to weigh `made_per_sample` bytes.
std::vector<PlannedBlock> CutBlocks(const ShardPlan& plan,
                                    const std::vector<std::size_t>& shards,
                                    std::uint64_t made_per_sample = 0);

struct PreparedField {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::size_t size = 0;  // bytes
};

// An image that was encoded again, at its own size.
struct NewEncoding {
  // The kind before, a constant: "webp", "array"; empty: the image is as it
  // was.
  std::string_view from = {};
  bool scaled = false;   // from 16 bits a channel to 8
  bool dropped = false;  // alpha, or the fourth color of CMYK
};

// The payload of a sample in one variant.
struct PreparedPayload {
  std::size_t offset = 0;  // of its bytes in PreparedVariant::bytes
  std::size_t size = 0;    // of all fields
  // By ascending name, their bytes one after the other. nullopt: all bytes are
  // the encoded image.
  std::optional<std::vector<PreparedField>> fields;
  ImageFacts facts;
  Digest128 digest;  // content digest
  bool upscaled = false;
  bool kept = false;                  // a size, and yet the source's bytes
  DeepImage deep = DeepImage::kNone;  // the image that was read
  std::string entry_points;           // packed; empty: none
  bool damaged = false;               // that is why it has none
  NewEncoding encoding = {};
};

struct PreparedVariant {
  ByteBuffer bytes;
  std::vector<PreparedPayload> payloads;  // as PreparedBlock::samples
};

struct PreparedSample {
  std::size_t source = 0;  // into SourceSet::samples
  std::optional<Reject> reject = {};
  bool packed = true;  // false: left out, and without payload
};

struct PreparedBlock {
  PlannedBlock planned;
  std::vector<PreparedSample> samples;  // in order, up to the failure if any
  // The samples as they were read, then one for each short side.
  std::vector<PreparedVariant> variants;
  Status status;
  // The sample whose bad image is the failure, if one is.
  std::optional<Reject> bad;

  // Bytes of all payloads.
  std::size_t weight() const;
};

// A block without samples yet, in the memory of one that was used before.
PreparedBlock BeginBlock(const PlannedBlock& planned, std::size_t variants,
                         PreparedBlock used);

// The fields of a sample. Views of both.
std::vector<FieldView> FieldsOf(const PreparedVariant& variant,
                                const PreparedPayload& payload);
// The field "image" among them, encoded or an array, if there is one.
std::optional<FieldView> ImageFieldOf(const PreparedVariant& variant,
                                      const PreparedPayload& payload);
// The encoded image among them, if there is one.
std::optional<ByteView> ImageOf(const PreparedVariant& variant,
                                const PreparedPayload& payload);

// Where the samples of a plan come from: reads, checks and digests those of a
// block. Thread-safe.
class BlockPreparer {
 public:
  virtual ~BlockPreparer() = default;

  // `used` is a block whose memory may be taken.
  virtual PreparedBlock Prepare(const PlannedBlock& planned, PreparedBlock used,
                                const std::stop_token& stop) const = 0;
  // How many threads can be at work before blocks are better prepared one
  // after the other.
  virtual unsigned max_threads() const = 0;
  // More than there are processors, where Prepare() mostly waits.
  virtual unsigned min_threads() const { return 1; }
};

}  // namespace shardine

#endif  // SHARDINE_PACK_BLOCK_H_
