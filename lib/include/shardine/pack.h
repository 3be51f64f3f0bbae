// Pack: a folder tree or list of images becomes a dataset of shards.
#ifndef SHARDINE_PACK_H_
#define SHARDINE_PACK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "shardine/digest.h"
#include "shardine/entry_points.h"
#include "shardine/image.h"
#include "shardine/job.h"
#include "shardine/source.h"
#include "shardine/status.h"

namespace shardine {

// What to do with an image that fails its check.
enum class OnBad : std::uint8_t {
  kFail,        // stop; nothing of the unfinished shard is published
  kSkip,        // leave it out
  kQuarantine,  // leave it out, copy it to OUT/quarantine/<split>/<key>
  kKeep,        // pack it as it is
};

// What makes an image bad.
enum class ImageCheckLevel : std::uint8_t {
  kNone,    // nothing
  kHeader,  // kind, header, end marker
  kDecode,  // also any error or warning while decoding
};

// The sizes that are made of each image, by one read and one decode.
struct VariantOptions {
  bool original = true;  // the bytes as they are, in OUT itself
  // Pixels, ascending; of each comes a dataset OUT/sz/<pixels> with the same
  // ids, keys, labels, order and shards. REQUIRES: not empty without original.
  std::vector<std::uint32_t> short_sides;
  ImageOptions image;  // of the images at these sizes
};

struct PackOptions {
  SourceOptions source;
  std::string output;                        // folder
  std::string format = "recordio";           // or "recordio/mxnet"
  std::uint64_t shards = 0;                  // per split; 0: by shard_bytes
  std::uint64_t shard_bytes = 256ull << 20;  // of original image bytes
  std::uint64_t seed = 0;
  bool shuffle = true;
  OnBad on_bad = OnBad::kFail;
  // With sizes to make, every image is decoded: kHeader is then kDecode.
  ImageCheckLevel check = ImageCheckLevel::kHeader;
  VariantOptions variants;
  // Of all variants. The samples are the same whether they are found or not.
  EntryPoints entry_points = EntryPoints::kAuto;
  // Nothing is begun where the disk is too small for what is known to come.
  bool check_space = true;
  unsigned threads = 0;  // 0: this process's share. Never changes bytes
};

// A count of samples by reason and what was done with them.
struct RejectedCount {
  std::string reason;
  std::string action;  // "skip", "quarantine", "keep"
  std::uint64_t count = 0;
};

struct PackPlanSplit {
  std::string name;
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;
  std::uint64_t shards = 0;
};

// What a pack would do, known before a byte moves.
struct PackPlan {
  std::string format;  // with layout
  std::vector<PackPlanSplit> splits;
  std::vector<std::string> variants;  // "original", "sz/160"
  std::string image_options;          // of the sizes; empty if there are none
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;        // of images
  std::uint64_t disk_needed = 0;  // estimate, with framing and sidecars
  std::uint64_t disk_known = 0;   // of it, all but images yet to be made
  std::uint64_t disk_free = 0;
  std::uint64_t classes = 0;
  Digest128 plan_digest;
  // Not samples: reported, by reason.
  std::vector<RejectedCount> ignored;
  std::vector<std::string> warnings;
};

// What became of the images at one size.
struct SizeResult {
  std::string path;  // "sz/160"
  std::uint64_t bytes = 0;
  std::uint64_t upscaled = 0;  // were smaller and have grown
  std::uint64_t kept = 0;      // were small enough and are as they were
  EntryPointCounts entry_points;
  Digest128 content_digest;
};

// A list that an index of shard files was made with.
struct UsedList {
  std::string path;
  std::string shard;           // that it was used for
  std::string by;              // "key", "id" or "position"
  std::uint64_t records = 0;   // of the shard
  std::uint64_t matched = 0;   // of those
  std::uint64_t labelled = 0;  // had no label, and have the list's
};

struct PackResult {
  std::string output;
  std::string format;
  std::uint64_t samples = 0;
  std::uint64_t classes = 0;
  std::uint64_t shards = 0;         // of each variant
  std::uint64_t shards_reused = 0;  // finished by an interrupted run before
  std::uint64_t bytes = 0;          // of the original images packed
  bool nothing_to_do = false;       // complete, by names and sizes
  EntryPointCounts entry_points;    // of OUT itself, not of the sizes
  Digest128 content_digest;         // of the source samples
  std::vector<SizeResult> sizes;    // by short side
  std::vector<RejectedCount> rejected;
  std::vector<RejectedCount> ignored;
  std::vector<UsedList> lists;  // of IndexShards
  std::vector<std::string> warnings;
};

// Makes the plan only (--dry-run). Errors as Pack's.
Result<PackPlan> PlanPack(const PackOptions& options, const Job& job = {});

// Packs. Bytes pass through untouched (into the original variant) and the
// output depends on the sources, the options and the version only. Shards
// appear under their names when they are complete and were read back; the
// manifests come last, that of OUT itself after those of the sizes below it.
// After kCancelled, a crash or a kill, the same call finishes the work without
// redoing finished shards. So does one with another `on_bad` or `check`, or
// after files of the sources were removed, replaced or added: then shards are
// made again whose own samples are not what they were, or could be judged
// otherwise, and the result is that of an undisturbed run of the last call.
//
// Under OnBad::kFail the first bad image ends the work; the rest is looked at
// without packing, and kCorrupt says how many are bad and where all are listed.
//
// A sample that is rejected in one variant is rejected in all. Under
// OnBad::kKeep a bad image of which no sizes can be made is left out.
//
// kInvalidArgument: options. kCorrupt: a bad image under OnBad::kFail, or a
// shard that did not read back. kChanged: a source changed while at work, or
// the output belongs to another plan. kAlreadyExists: another pack is at work
// on the output. kUnsupported: the format cannot hold a sample. kIo before
// the first shard: the disk is too small.
Result<PackResult> Pack(const PackOptions& options, const Job& job = {});

}  // namespace shardine

#endif  // SHARDINE_PACK_H_
