// The part of a plan's head that plans of verifications have. Layout:
// tasks/FORMAT.md, "The head of a verification".
#ifndef SHARDINE_TASKS_VERIFY_PART_H_
#define SHARDINE_TASKS_VERIFY_PART_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "shardine/digest.h"
#include "shardine/verify.h"

namespace shardine {

// The facts of a file when the work was planned.
struct FileFacts {
  static constexpr std::uint64_t kAbsent =
      std::numeric_limits<std::uint64_t>::max();

  std::uint64_t size = kAbsent;  // bytes
  std::int64_t time_ns = 0;

  friend bool operator==(const FileFacts&, const FileFacts&) = default;
};

// A dataset of the family (verify/dataset_family.h), in its order.
struct PlannedMember {
  std::string path;
  Digest128 manifest;            // XXH3-128 of its text; zero: it has none
  std::vector<FileFacts> files;  // as Manifest::files; none if it is damaged
};

struct VerifyPart {
  VerifyOptions options;  // paths as all processes have them
  std::string notes;      // folder
  std::vector<PlannedMember> members;
  FileFacts list;  // of the options' list; absent if there is none
};

}  // namespace shardine

#endif  // SHARDINE_TASKS_VERIFY_PART_H_
