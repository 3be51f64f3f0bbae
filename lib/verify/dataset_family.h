// DatasetFamily: datasets that are verified as one: the dataset of a folder
// and, below it, the variants that its manifest lists.
#ifndef SHARDINE_VERIFY_DATASET_FAMILY_H_
#define SHARDINE_VERIFY_DATASET_FAMILY_H_

#include <memory>
#include <string>
#include <vector>

#include "dataset/dataset_reader.h"
#include "io/readable_storage.h"
#include "shard/format_registry.h"
#include "shardine/status.h"
#include "shardine/verify.h"

namespace shardine {

// Immutable once open, so thread-safe.
class DatasetFamily {
 public:
  struct Member {
    std::string path;  // "sz/160" below the root, which is ""
    // The root's entry of a variant.
    const ManifestChild* child = nullptr;
    // Null: it cannot be read, and `missing` says why.
    std::unique_ptr<DatasetReader> reader = {};
    Status missing = {};
  };

  // `options.target` is the folder. Failures: those of DatasetReader::Open() of
  // the root. A listed variant that is damaged or gone is damage of this
  // dataset, and no failure. kInvalidArgument: images at another size are to
  // be compared with a tree. `storage` must outlive the family.
  static Result<DatasetFamily> Open(ReadableStorage& storage,
                                    const VerifyOptions& options);

  const DatasetReader& root() const { return *members_.front().reader; }
  // The root first.
  const std::vector<Member>& members() const { return members_; }

 private:
  std::vector<Member> members_;
};

// The options of a member: the images of a size are no files of the tree, and
// their other samples are compared with the original's.
VerifyOptions OptionsOfMember(VerifyOptions options,
                              const DatasetFamily::Member& member);

// kInvalidArgument: options that contradict each other.
Status CheckVerifyOptions(const VerifyOptions& options);

// The shard file that `options.target` is, by itself or as a folder that is a
// record file, as an LMDB is; empty: it is a dataset. One that has a manifest
// as well, which knows more about it, is that. kNotFound: there is none.
// kInvalidArgument: one shard file is to be compared with a tree.
Result<std::string> FindShardFile(ReadableStorage& storage,
                                  const FormatRegistry& formats,
                                  const VerifyOptions& options);

}  // namespace shardine

#endif  // SHARDINE_VERIFY_DATASET_FAMILY_H_
