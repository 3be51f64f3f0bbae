// What the server was asked, for measurements.
#ifndef SHARDINE_FAULT_SERVER_REQUEST_COUNTS_H_
#define SHARDINE_FAULT_SERVER_REQUEST_COUNTS_H_

#include <cstdint>
#include <string>

namespace shardine::fault_server {

// A round is one wait after another: a request that comes when others have been
// answered may have waited for these, so it is one round behind the last of
// them.
class RequestCounts {
 public:
  // A request came; its round, from 1.
  std::uint64_t Begin();
  // It was answered to its end, or its connection went away before.
  void End(std::uint64_t round, bool complete);
  void AddBytes(std::uint64_t bytes) { bytes_ += bytes; }

  // {"requests": 3, "bytes": ..., "rounds": 2, ...} since the last call.
  std::string TakeJson();

 private:
  std::uint64_t requests_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t under_way_ = 0;
  std::uint64_t most_under_way_ = 0;
  std::uint64_t rounds_ = 0;    // of those that came
  std::uint64_t answered_ = 0;  // the last round that was answered
};

}  // namespace shardine::fault_server

#endif  // SHARDINE_FAULT_SERVER_REQUEST_COUNTS_H_
