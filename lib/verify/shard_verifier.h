// ShardVerifier: checks one shard of a dataset, bit for bit, against its
// sidecar and the manifest. Each finding names its place as well as it can: the
// record and key, or the byte of a file that belongs to no record.
#ifndef SHARDINE_VERIFY_SHARD_VERIFIER_H_
#define SHARDINE_VERIFY_SHARD_VERIFIER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "dataset/dataset_reader.h"
#include "dataset/kept_images.h"
#include "image/image_checker.h"
#include "io/readable_storage.h"
#include "shard/format_registry.h"
#include "shard/shard_index.h"
#include "shardine/verify.h"
#include "verify/entry_point_verifier.h"
#include "verify/shard_outcome.h"
#include "verify/tree_comparison.h"
#include "verify/verify_tree.h"

namespace shardine {

// Used once, by one thread; several may work on one dataset.
class ShardVerifier {
 public:
  struct Options {
    VerifyLevel level = VerifyLevel::kFull;
    const SourceTree* against = nullptr;  // to compare with; outlives it
    // Their images may be bad: that is no finding. Outlives the verifier.
    const KeptImages* kept = nullptr;  // none
    // Called after each record with its size in bytes.
    std::function<void(std::uint64_t)> on_record;
  };

  // All references must outlive the verifier.
  ShardVerifier(ReadableStorage& storage, const DatasetReader& dataset,
                const DatasetReader::ShardRef& shard,
                const FormatAndLayout& format, const Options& options);

  // Damage goes to findings(). A failure is a stop request only.
  Status Run(const std::stop_token& stop);

  const std::vector<Status>& findings() const { return findings_; }
  const ShardSums& sums() const { return sums_; }
  // Bad images that were kept when they were packed, by reason.
  const std::map<std::string, std::uint64_t>& kept() const { return kept_; }

 private:
  void CheckSizes();
  void OpenShard();
  void CheckSidecarDigest(const ManifestFile& sidecar);
  void OpenIndex();
  void OpenEntryPoints();
  Status CheckRecords(const std::stop_token& stop);
  Status ScanRecords(const RandomAccessFile& file, const std::stop_token& stop);
  void CheckRecord(const ScannedSample& scanned);
  void CheckContent(const ScannedSample& scanned, const IndexEntry& entry,
                    const std::string& key);
  // REQUIRES: `where` names record and key.
  void CheckImage(ByteView image, const IndexEntry& entry, const Where& where);
  Status CheckByExtents(const RandomAccessFile& file,
                        const std::stop_token& stop);
  void CheckDigest(const RandomAccessFile& file, const Digest128& digest);
  void CheckCompanion();
  bool LoadRow(std::uint64_t record);
  void Find(Status finding, const std::string& path);

  ReadableStorage& storage_;
  const DatasetReader& dataset_;
  const DatasetReader::ShardRef& shard_;
  const FormatAndLayout& format_;
  const Options& options_;

  const std::string path_;
  // To be read from its start to its end; none until it was opened.
  std::optional<Result<std::unique_ptr<RandomAccessFile>>> file_;
  std::vector<Status> findings_;
  std::optional<TreeComparison> comparison_;
  std::unique_ptr<ShardIndex> index_;  // null if unusable
  EntryPointVerifier entry_points_;
  ImageChecker checker_;
  // Rows [rows_first_, rows_first_ + entries_.size()) of the index.
  std::uint64_t rows_first_ = 0;
  std::vector<IndexEntry> entries_;
  std::vector<std::string> keys_;
  std::vector<std::uint64_t> offsets_;  // of the records scanned
  std::vector<std::uint64_t> ids_;      // as the records have them
  ShardSums sums_;
  std::map<std::string, std::uint64_t> kept_;
};

}  // namespace shardine

#endif  // SHARDINE_VERIFY_SHARD_VERIFIER_H_
