// Which requests fail, and how.
#ifndef SHARDINE_FAULT_SERVER_FAULT_PLAN_H_
#define SHARDINE_FAULT_SERVER_FAULT_PLAN_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "fault_server/range_request.h"

namespace shardine::fault_server {

// Names of all faults; "mix" is one of those that another try mends, drawn for
// each request that fails.
const std::vector<std::string>& FaultNames();

struct FaultOptions {
  std::string fault = "none";
  double rate = 1;                     // the share of the requests that fail
  std::uint64_t seed = 0;              // which ones
  bool always = false;                 // not only the first try of each range
  std::string only;                    // paths that end so
  std::chrono::milliseconds delay{0};  // before each answer
  double tail = 0;                     // the share of those that are late
  std::chrono::milliseconds late{0};   // by so much more
};

// How one request is answered.
struct Verdict {
  std::string fault;  // "none", "503", ...; never "mix"
  std::chrono::milliseconds delay{0};
};

// A function of the seed, of the request and of how often it came, so that a
// run can be repeated. Thread-compatible.
class FaultPlan {
 public:
  explicit FaultPlan(FaultOptions options) : options_(std::move(options)) {}

  Verdict Judge(const RangeRequest& request);
  // Which edition of the objects is served: there is a second one for
  // "replaced".
  int Edition() const;

 private:
  std::string FaultOf(const RangeRequest& request, const std::string& key,
                      unsigned tries) const;

  const FaultOptions options_;
  std::unordered_map<std::string, unsigned> tries_;
  std::uint64_t requests_ = 0;
};

}  // namespace shardine::fault_server

#endif  // SHARDINE_FAULT_SERVER_FAULT_PLAN_H_
