// How many images of one split another split has as well.
#ifndef SHARDINE_SPLIT_COPIES_H_
#define SHARDINE_SPLIT_COPIES_H_

#include <cstdint>
#include <string>

namespace shardine {

struct SplitCopies {
  std::string split;  // with fewer samples; of several datasets "PATH:NAME"
  std::string other;
  std::uint64_t samples = 0;    // of `split`
  std::uint64_t copies = 0;     // of them, have their image in `other`, too
  std::uint64_t conflicts = 0;  // of those, with other labels there

  friend bool operator==(const SplitCopies&, const SplitCopies&) = default;
};

// "3 of 40 val samples are in train, 1 with another label".
std::string ToString(const SplitCopies& copies);

}  // namespace shardine

#endif  // SHARDINE_SPLIT_COPIES_H_
