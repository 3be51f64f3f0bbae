// How far a verb is.
#ifndef SHARDINE_PROGRESS_H_
#define SHARDINE_PROGRESS_H_

#include <cstdint>
#include <functional>
#include <string>

namespace shardine {

struct Progress {
  std::uint64_t samples = 0;
  std::uint64_t samples_total = 0;
  std::uint64_t bytes = 0;
  std::uint64_t bytes_total = 0;
  std::uint64_t rejected = 0;
};

// Called from one thread at a time, often: do little.
using ProgressFunction = std::function<void(const Progress&)>;

// Called from one thread, with a line to be shown once, during the work: how
// the columns of a list were read, for example.
using SayFunction = std::function<void(const std::string& line)>;

}  // namespace shardine

#endif  // SHARDINE_PROGRESS_H_
