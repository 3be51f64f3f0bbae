// Resize: every image of a source, in one or several sizes, as files of a tree
// again or as shards.
#ifndef SHARDINE_RESIZE_H_
#define SHARDINE_RESIZE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shardine/entry_points.h"
#include "shardine/image.h"
#include "shardine/image_check.h"
#include "shardine/job.h"
#include "shardine/pack_result.h"
#include "shardine/rejects.h"
#include "shardine/source.h"
#include "shardine/status.h"

namespace shardine {

struct ResizeOptions {
  // Uses only `folders`, `list` and `blacklist`; a tree has no classes or
  // splits, so that the others mean nothing here. Without a list: every file
  // below the folders that has an image's suffix and no hidden part, and does
  // not lie in `output`.
  SourceOptions source;
  // Files of each source go below its name: for sources given as NAME=DIR.
  bool named = false;
  std::string output;                      // folder
  std::vector<std::uint32_t> short_sides;  // pixels, at least 1, each once
  // Folders of sizes are OUT/160 instead of OUT/sz/160.
  bool bare_sizes = false;
  ImageOptions image;
  OnBad on_bad = OnBad::kFail;
  unsigned threads = 0;  // 0: this process's share. Never changes bytes
};

struct ResizeResult {
  std::string output;
  std::uint64_t samples = 0;  // images that the tree has
  // Files of the tree.
  std::uint64_t made = 0;      // by this run
  std::uint64_t reused = 0;    // by an earlier one
  std::uint64_t bytes = 0;     // of both
  std::uint64_t upscaled = 0;  // larger than their source
  std::uint64_t kept = 0;      // hold their source's bytes
  bool nothing_to_do = false;  // the tree was complete already
  std::vector<RejectedCount> rejected;
  std::vector<RejectedCount> ignored;
  std::vector<std::string> warnings;  // of the images that this run read
};

// Makes OUT/sz/<short side>/<key> of each image, where the key is relative to
// its source's folder, with its suffix replaced where it does not name the
// encoding (.jpg, .jpeg or .png in any case). An image is read once and decoded
// once for all sizes. The tree depends on the sources, the options and the
// versions only. Rejected images are listed in OUT/rejected.jsonl and, under
// OnBad::kQuarantine, copied to OUT/quarantine; OnBad::kKeep makes the images
// that can be made in spite of their damage and leaves the others out.
//
// A file appears under its name when it is complete and on stable storage.
// OUT/.resize records the source of each file, with the file's size: after
// kCancelled, a crash or a kill, the same call resumes; files of the tree that
// are missing or have another size are made again, the others kept. So it is
// after another `on_bad`, and after files of the sources were replaced or
// added, or bad ones removed: files made of unchanged samples are kept. A
// complete tree costs a look at its folders.
//
// kInvalidArgument: options; two images that would have one name. kCorrupt: a
// bad image under OnBad::kFail, the first; the others are counted and listed
// there. kChanged: the output holds the tree of other sources or options, files
// of images that the source no longer has, or files with names of this tree
// that no record lists; a source changed while at work. kAlreadyExists: another
// resize is at work on the output.
Result<ResizeResult> ResizeTree(const ResizeOptions& options,
                                const Job& job = {});

struct ResizeShardsOptions {
  // The sources as for Pack(); or a folder that holds a dataset, and nothing
  // else set.
  SourceOptions source;
  std::string output;                      // folder
  std::vector<std::uint32_t> short_sides;  // pixels, each once, ascending
  ImageOptions image;
  std::string format;  // with layout; empty: the dataset's, or recordio
  // In each split. Both 0: the dataset's shards, or shards of 256 MiB.
  std::uint64_t shards = 0;
  std::uint64_t shard_bytes = 0;
  // The seed of the order; a dataset's own order is kept.
  std::uint64_t seed = 0;
  bool shuffle = true;
  bool lossy_labels = false;  // as PackOptions::lossy_labels
  OnBad on_bad = OnBad::kFail;
  EntryPoints entry_points = EntryPoints::kAuto;
  bool replace = false;  // as those of ConvertOptions
  bool dry_run = false;
  unsigned threads = 0;  // 0: this process's share. Never changes bytes
};

// Makes the datasets OUT/sz/<short side>, each complete by itself; OUT holds no
// manifest. An image is read once and decoded once for all sizes. Resumed,
// atomic and deterministic as Pack(), whose errors these are.
//
// An image of a dataset that is an array (|u1 of height x width, or height x
// width x 1 or 3) becomes an array again, of the same channels and axes: of
// ImageOptions those that are about pixels count, and nothing is encoded.
// kUnsupported: a sample has no image, one that is another array, or an array
// where other colors are asked for.
Result<PackResult> ResizeShards(const ResizeShardsOptions& options,
                                const Job& job = {});

enum class ResizeTarget : std::uint8_t { kTree, kShards };

// Images and folders that another program is used to.
enum class ResizePreset : std::uint8_t {
  // The files of imagenet18's resize_images.py, by Pillow: bilinear, RGB,
  // JPEG of quality 75 and 4:2:0, short sides of 160 and 320 pixels, OUT/160.
  kImagenet18,
};

// The request of a front end, with the options of both targets.
struct ResizeRequest {
  ResizeShardsOptions resize;
  bool named = false;  // as ResizeOptions::named
  ResizeTarget to = ResizeTarget::kTree;
  std::optional<ResizePreset> preset = {};
};

// The options of the tree that is asked for, by its preset where it has one.
ResizeOptions TreeOptions(const ResizeRequest& request);

}  // namespace shardine

#endif  // SHARDINE_RESIZE_H_
