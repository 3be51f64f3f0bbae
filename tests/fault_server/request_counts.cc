#include "fault_server/request_counts.h"

#include <algorithm>

namespace shardine::fault_server {

std::uint64_t RequestCounts::Begin() {
  ++requests_;
  most_under_way_ = std::max(most_under_way_, ++under_way_);
  rounds_ = std::max(rounds_, answered_ + 1);
  return answered_ + 1;
}

void RequestCounts::End(std::uint64_t round, bool complete) {
  --under_way_;
  if (complete) answered_ = std::max(answered_, round);
}

std::string RequestCounts::TakeJson() {
  const std::string json =
      "{\"requests\": " + std::to_string(requests_) +
      ", \"bytes\": " + std::to_string(bytes_) +
      ", \"rounds\": " + std::to_string(rounds_) +
      ", \"most_under_way\": " + std::to_string(most_under_way_) + "}";
  const std::uint64_t under_way = under_way_;
  *this = {};
  under_way_ = under_way;
  return json;
}

}  // namespace shardine::fault_server
