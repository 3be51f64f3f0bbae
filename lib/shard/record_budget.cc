#include "shard/record_budget.h"

#include <algorithm>
#include <limits>

namespace shardine {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

// Sizes are the file's own words, so no sum may wrap.
std::uint64_t Limit(std::uint64_t bytes, std::uint64_t times,
                    std::uint64_t more) {
  return bytes > (kMost - more) / times ? kMost : bytes * times + more;
}

bool Take(std::uint64_t amount, std::uint64_t limit, std::uint64_t& taken) {
  if (taken > limit || amount > limit - taken) return false;
  taken += amount;
  return true;
}

}  // namespace

void RecordBudget::Begin(std::uint64_t record_bytes) {
  record_bytes_ = record_bytes;
  held_ = copied_ = shown_ = steps_ = 0;
}

bool RecordBudget::Hold(std::uint64_t bytes) {
  return Take(bytes, most_held_, held_);
}

std::uint64_t RecordBudget::copies_left() const {
  const std::uint64_t limit = Limit(record_bytes_, kCopiesPerByte, kMoreCopies);
  return std::min(limit - copied_, most_held_ - held_);
}

bool RecordBudget::Copy(std::uint64_t bytes) {
  return Take(bytes, Limit(record_bytes_, kCopiesPerByte, kMoreCopies),
              copied_) &&
         Hold(bytes);
}

bool RecordBudget::Show(std::uint64_t bytes) {
  return Take(bytes, record_bytes_, shown_);
}

bool RecordBudget::Step(std::uint64_t count) {
  return Take(count, Limit(record_bytes_, kStepsPerByte, kMoreSteps), steps_);
}

}  // namespace shardine
