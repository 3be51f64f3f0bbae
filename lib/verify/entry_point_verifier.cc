#include "verify/entry_point_verifier.h"

#include <utility>

#include "dataset/dataset_summary.h"
#include "dataset/shard_entry_points.h"

namespace shardine {
Status EntryPointVerifier::Open(const ShardIndex& index) {
  auto points = dataset_.OpenEntryPoints(ref_, index);
  if (points.ok()) {
    points_ = *std::move(points);
    return Status();
  }
  // Whoever looks at the sizes of all files finds that.
  if (points.status().code() == Code::kNotFound) return Status();
  return std::move(points).status();
}

Status EntryPointVerifier::CheckFile(const ShardIndex& index) {
  if (points_ == nullptr) return Status();
  const ManifestFile& listed = *DatasetReader::EntryPointsOf(*ref_.shard);
  Status status = CheckEntryPoints(*points_, index);
  if (status.ok()) {
    const auto found =
        DescribeFile(storage_, dataset_.directory(), listed.path);
    status = found.status();
    if (found.ok() && *found != listed) {
      status = Status(Code::kCorrupt, "digest differs from the manifest's")
                   .At({.path = points_->path()});
    }
  }
  if (!status.ok()) points_.reset();
  return status;
}

Status EntryPointVerifier::CheckImage(std::uint64_t record,
                                      std::uint32_t payload_crc,
                                      const std::string& found) {
  if (points_ == nullptr || record >= points_->size()) return Status();
  Status status = points_->Read(record, payload_crc, stored_);
  if (!status.ok()) {
    points_.reset();
    return status;
  }
  if (AsText(stored_.view()) == found) return Status();
  return Status(Code::kCorrupt,
                "entry points: not those of the image; crops decoded by them "
                "are wrong")
      .At({.path = points_->path(), .record = record});
}

EntryPointCounts EntryPointVerifier::counts() const {
  return points_ == nullptr ? EntryPointCounts() : points_->counts();
}

}  // namespace shardine
