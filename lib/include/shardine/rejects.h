// Counts of the inputs that did not become samples.
#ifndef SHARDINE_REJECTS_H_
#define SHARDINE_REJECTS_H_

#include <cstdint>
#include <string>

namespace shardine {

// A count of samples by reason and treatment.
struct RejectedCount {
  std::string reason;
  std::string action;  // "skip", "quarantine", "keep"
  std::uint64_t count = 0;
};

}  // namespace shardine

#endif  // SHARDINE_REJECTS_H_
