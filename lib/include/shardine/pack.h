// Pack: a folder tree or list of images becomes a dataset of shards.
#ifndef SHARDINE_PACK_H_
#define SHARDINE_PACK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "shardine/digest.h"
#include "shardine/entry_points.h"
#include "shardine/image_check.h"
#include "shardine/image_kinds.h"
#include "shardine/job.h"
#include "shardine/pack_result.h"
#include "shardine/recode.h"
#include "shardine/rejects.h"
#include "shardine/source.h"
#include "shardine/status.h"
#include "shardine/variants.h"

namespace shardine {

struct PackOptions {
  SourceOptions source;
  std::string output;                        // folder
  std::string format = "recordio";           // or "recordio/mxnet"
  std::uint64_t shards = 0;                  // per split; 0: by shard_bytes
  std::uint64_t shard_bytes = 256ull << 20;  // of original image bytes
  std::uint64_t seed = 0;
  bool shuffle = true;
  // Shards are called "train-00000-of-00008", as TensorFlow's scripts have
  // them, without the format's suffix.
  bool no_suffix = false;
  // Records may hold other labels than the samples have: integers for
  // fractions, clipped ones, the first of several. The sidecar index keeps the
  // exact labels, which other programs do not read. Never decides bytes.
  bool lossy_labels = false;
  OnBad on_bad = OnBad::kFail;
  // With sizes to make, every image is decoded: kHeader is then kDecode.
  ImageCheckLevel check = ImageCheckLevel::kHeader;
  // Images of other kinds are bad ones, unless none is checked. Empty: all that
  // are decoded, but those that a complete dataset in `output` was made with.
  ImageKindNames kinds = {};
  // The images of the original variant that are encoded again, JPEGs at the
  // quality in `variants.image`. Sizes are made of the images of the source.
  RecodeOptions recode;
  VariantOptions variants;
  // All variants get them. The samples are the same whether they do or not.
  EntryPoints entry_points = EntryPoints::kAuto;
  // Fails before any work where the disk is too small for the known output.
  bool check_space = true;
  // A complete dataset in `output` gives way once the new one is made and read
  // back, with all files that its manifests list and no other file. A kill
  // before that leaves it complete; after that, the same call finishes. An
  // output that already holds the requested dataset stays. kUnsupported: the
  // shards were indexed where another program wrote them.
  bool replace = false;
  unsigned threads = 0;  // 0: this process's share. Never changes bytes
};

struct PackPlanSplit {
  std::string name;
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;
  std::uint64_t shards = 0;
};

// The plan of a pack, known before a byte moves.
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
  // An estimate for all of them with the threads of the options: as long as
  // reading and checking `estimate_images` of them took. Writing comes on top.
  double estimated_seconds = 0;
  std::uint64_t estimate_images = 0;  // at most 200; 0: there is no estimate
  Digest128 plan_digest;
  // Files that are no samples, by reason.
  std::vector<RejectedCount> ignored;
  // With `replace`: the files of a dataset in the output that would go.
  std::vector<std::string> replaced;
  std::vector<std::string> warnings;
};

// Makes the plan only. Errors as Pack's.
Result<PackPlan> PlanPack(const PackOptions& options, const Job& job = {});

// Packs. Bytes pass through untouched (into the original variant, but for
// images that `recode` encodes again) and the
// output depends on the sources, the options and the version only. Shards
// appear under their names when they are complete and were read back; the
// manifests come last, OUT's own after those of the sizes below it. After
// kCancelled, a crash or a kill, the same call finishes the work without
// redoing finished shards. So does one with another `on_bad`, `check` or
// `kinds`, or after files of the sources were removed, replaced or added: then
// shards are made again whose own samples changed, or could be judged
// otherwise, and the result equals an undisturbed run of the last call.
//
// A published dataset is a promise: a manifest, and the files that it lists,
// are never removed or replaced without `replace`, but for those that this
// unfinished work published itself. A lost or empty file of a complete variant
// is made again and compared with the manifest's digest before it gets its
// name.
//
// Under OnBad::kFail the first bad image ends the work; the rest is looked at
// without packing, and kCorrupt says how many are bad and where all are listed.
//
// A sample that is rejected in one variant is rejected in all. Under
// OnBad::kKeep a bad image from which no sizes can be made is left out.
//
// kInvalidArgument: options, or a label that would change (`lossy_labels`),
// naming the key. kCorrupt: a bad image under OnBad::kFail, or a
// shard that did not read back. kChanged: a source changed while at work, or
// the output belongs to another plan, or a file of a complete variant is
// another or is lost and the sources no longer give its bytes. kAlreadyExists:
// another pack is at work on the output, or a file that no pack of this plan
// made has the name of a shard that is to be made or to be removed; it stays.
// kUnsupported: the format cannot hold a sample, or `recode` an image. kIo
// before the first shard: the disk is too small.
Result<PackResult> Pack(const PackOptions& options, const Job& job = {});

}  // namespace shardine

#endif  // SHARDINE_PACK_H_
