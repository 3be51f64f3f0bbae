// Counts of the requests to the server, for measurements.
#ifndef SHARDINE_FAULT_SERVER_REQUEST_COUNTS_H_
#define SHARDINE_FAULT_SERVER_REQUEST_COUNTS_H_

#include <cstdint>
#include <string>

namespace shardine::fault_server {

class RequestCounts {
 public:
  void Begin();
  void End() { --under_way_; }
  void AddBytes(std::uint64_t bytes) { bytes_ += bytes; }

  // {"requests": 3, "bytes": ..., "most_under_way": 2} since the last call.
  std::string TakeJson();

 private:
  std::uint64_t requests_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t under_way_ = 0;
  std::uint64_t most_under_way_ = 0;
};

}  // namespace shardine::fault_server

#endif  // SHARDINE_FAULT_SERVER_REQUEST_COUNTS_H_
