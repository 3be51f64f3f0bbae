#include "fault_server/request_counts.h"

#include <algorithm>

namespace shardine::fault_server {

void RequestCounts::Begin() {
  ++requests_;
  most_under_way_ = std::max(most_under_way_, ++under_way_);
}

std::string RequestCounts::TakeJson() {
  const std::string json =
      "{\"requests\": " + std::to_string(requests_) +
      ", \"bytes\": " + std::to_string(bytes_) +
      ", \"most_under_way\": " + std::to_string(most_under_way_) + "}";
  requests_ = bytes_ = 0;
  most_under_way_ = under_way_;
  return json;
}

}  // namespace shardine::fault_server
