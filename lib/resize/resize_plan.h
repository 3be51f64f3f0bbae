// From ResizeOptions to the plan of a resize: the sources, the name of each
// file, and the digest of it all. Decided before an image is read.
#ifndef SHARDINE_RESIZE_RESIZE_PLAN_H_
#define SHARDINE_RESIZE_RESIZE_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/rejects.h"
#include "io/output_folder.h"
#include "io/readable_storage.h"
#include "shardine/digest.h"
#include "shardine/resize.h"
#include "shardine/status.h"
#include "source/source_set.h"

namespace shardine {

// `key` with the suffix of its file name replaced by .jpg or .png, unless it
// names the encoding: .jpg and .jpeg, or .png, in any case. A name without a
// suffix gets one.
std::string NameForEncoding(std::string_view key, Encoding encoding);

// Thread-compatible; concurrent reads are fine.
class ResizePlan {
 public:
  // Same errors as ResizeTree() about options and sources.
  static Result<ResizePlan> Make(ReadableStorage& sources,
                                 const OutputFolder& output,
                                 const ResizeOptions& options);

  const SourceSet& source() const { return source_; }
  const Digest128& digest() const { return digest_; }
  // Digest of the options alone, whatever the sources hold. Neither digest
  // covers --on-bad, which is how to go on after the first bad image.
  const Digest128& work_digest() const { return work_digest_; }
  // Hash of a sample's name: the record names the sample by it.
  std::uint64_t NameHash(std::size_t sample) const;
  // Hash of its file's size and time.
  std::uint64_t FactsHash(std::size_t sample) const;
  // Files of each sample: one per short side, in the order of the options.
  std::size_t outputs() const { return short_sides_.size(); }

  std::string SourcePath(std::size_t sample) const;
  // The sample's name in the tree: its key or NAME/key.
  std::string Name(std::size_t sample) const;
  // A reject without an action yet.
  Reject RejectOf(std::size_t sample, std::string reason,
                  std::string detail) const;
  // "sz/160", or "160", relative to OUT.
  std::string SizeFolder(std::size_t output) const;
  // "sz/160/<name>", relative to OUT.
  std::string OutputName(std::size_t sample, std::size_t output) const;

 private:
  ResizePlan() = default;
  std::string RenamedKey(std::size_t sample) const;
  Status CheckNames() const;
  Status CheckUnique() const;
  Status CheckSuspects(std::span<const std::uint64_t> suspects) const;
  Status Collision(std::size_t sample, std::size_t other) const;
  void ComputeDigest(const ResizeOptions& options);

  SourceSet source_;
  std::vector<std::uint32_t> short_sides_;
  Encoding encoding_ = Encoding::kJpeg;
  bool named_ = false;
  bool bare_sizes_ = false;
  Digest128 digest_;
  Digest128 work_digest_;
};

}  // namespace shardine

#endif  // SHARDINE_RESIZE_RESIZE_PLAN_H_
