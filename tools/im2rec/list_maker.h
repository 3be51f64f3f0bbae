// im2rec.py --list: shuffles the images of a walk and writes them as lists.
#ifndef SHARDINE_IM2REC_LIST_MAKER_H_
#define SHARDINE_IM2REC_LIST_MAKER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "im2rec/image_walk.h"
#include "io/storage.h"
#include "shardine/status.h"

namespace shardine {

struct ListOptions {
  std::string prefix;
  std::uint64_t chunks = 1;  // at least 1
  // Each in [0, 1], together at most 1. A train ratio of exactly 1 writes one
  // list and ignores the test ratio.
  double train_ratio = 1.0;
  double test_ratio = 0.0;
  bool shuffle = true;
};

struct WrittenLists {
  std::vector<std::string> paths;  // in the order written
  // Images that no list has: counts round down, and without a validation list
  // nothing takes the rest.
  std::uint64_t left_over = 0;
};

// Writes PREFIX.lst, PREFIX_train.lst, PREFIX_2_val.lst, ... with the names,
// order and bytes of the original. Lists published before a failure stay.
Result<WrittenLists> WriteLists(Storage& storage, const ListOptions& options,
                                std::vector<ListedImage> images);

}  // namespace shardine

#endif  // SHARDINE_IM2REC_LIST_MAKER_H_
