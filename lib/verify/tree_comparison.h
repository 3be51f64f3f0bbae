// Compares the images of a shard with the tree that it was packed from.
#ifndef SHARDINE_VERIFY_TREE_COMPARISON_H_
#define SHARDINE_VERIFY_TREE_COMPARISON_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "shardine/status.h"
#include "verify/verify_tree.h"

namespace shardine {

// For one thread. Where each answer of the tree's storage takes a while, images
// are held back until there are many to ask for at once.
class TreeComparison {
 public:
  // Findings, in any order, are added to `findings`. All must outlive it.
  TreeComparison(const SourceTree& tree, std::string split,
                 std::vector<Status>& findings)
      : tree_(tree), split_(std::move(split)), findings_(findings) {}

  // `where` has the record and its key.
  void Add(ByteView image, const Where& where);
  // Compares the samples that were held back.
  void Finish();

 private:
  struct DeferredImage {
    std::string path;
    Where where;
    std::string image;
    std::string file = {};  // as long
  };
  void Judge(const Status& read, ByteView file, ByteView image,
             const std::string& path, const Where& where);

  const SourceTree& tree_;
  const std::string split_;
  std::vector<Status>& findings_;
  std::vector<DeferredImage> held_;
  std::uint64_t held_bytes_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_VERIFY_TREE_COMPARISON_H_
