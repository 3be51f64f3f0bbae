// `verify --against SOURCE`: where the images of a dataset are in a tree, in
// several by split, or by a list, and which images of it are missing in the
// dataset.
#ifndef SHARDINE_VERIFY_VERIFY_TREE_H_
#define SHARDINE_VERIFY_VERIFY_TREE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dataset/dataset_reader.h"
#include "io/readable_storage.h"
#include "shardine/source.h"
#include "shardine/status.h"
#include "shardine/verify.h"
#include "source/source_set.h"

namespace shardine {

// The folders of "train=DIR,val=DIR"; none if `against` is one folder.
std::vector<SourceOptions::Folder> NamedFolders(const std::string& against);

// Immutable once open, so thread-safe.
class SourceTree {
 public:
  // `options.against` is a folder, or "train=DIR,val=DIR" as pack was given
  // them. A folder may have the splits as folders of their own, where there are
  // several, as `extract` writes them. With `options.list` it is the folder
  // that the list was packed from, and the list is read here: failures are
  // those of LoadSource(). `storage` is the dataset's; the folder may lie in
  // another. All must outlive the object.
  static Result<SourceTree> Open(ReadableStorage& storage,
                                 const DatasetReader& dataset,
                                 const VerifyOptions& options);

  // Where the file is that a sample came from, or would be: for the list to
  // say, if there is one, since a key may be no path (source/repeated_paths.h);
  // nullopt if it names no such sample.
  std::optional<std::string> PathOf(const std::string& split,
                                    const std::string& key) const;

  // The storage of those files.
  ReadableStorage& storage() const { return *source_; }

  // A line that counts the images of the tree or list whose key no sample has,
  // the first of them by name; empty if there is none. Rejected images are not
  // counted.
  Result<std::string> NoteMissingImages() const;

 private:
  SourceTree(ReadableStorage& storage, const DatasetReader& dataset,
             const VerifyOptions& options)
      : storage_(&storage), dataset_(&dataset), options_(&options) {}
  Status FindStorage();
  Status FindNames();

  std::string PathInFolders(const std::string& split,
                            const std::string& key) const;
  void SortListed();

  ReadableStorage* storage_;
  std::shared_ptr<ReadableStorage> source_;
  std::shared_ptr<ReadableStorage> names_;  // null: source_ is quick
  const DatasetReader* dataset_;
  const VerifyOptions* options_;
  std::optional<SourceSet> listed_;
  // Hashes of keys and where they are in listed_, in order.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_key_;
};

}  // namespace shardine

#endif  // SHARDINE_VERIFY_VERIFY_TREE_H_
