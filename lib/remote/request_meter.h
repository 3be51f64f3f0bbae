// RequestMeter: counts the events of the engine's thread, for any reader.
#ifndef SHARDINE_REMOTE_REQUEST_METER_H_
#define SHARDINE_REMOTE_REQUEST_METER_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "shardine/remote_stats.h"

namespace shardine {

// libcurl's measurements of a try that ended.
struct TryFacts {
  double first_byte = 0;  // seconds since it was sent
  double whole = 0;
  std::uint64_t connections = 0;  // that were made for it
  bool was_connected = false;
};

// Thread-safe.
class RequestMeter {
 public:
  // A request with its first try: no reader sees the one without the other.
  void AddRequest(bool again);
  // A later try of a request.
  void AddTry(bool is_hedge);
  void EndTry();
  void AddGood(const TryFacts& facts, std::uint64_t bytes, std::uint64_t used,
               bool is_hedge);
  void AddFailed(const std::string& why, const TryFacts& facts);
  RemoteStats stats() const;

 private:
  // The last kKept, in no order.
  struct Times {
    std::vector<double> last;
    std::size_t next = 0;
    void Add(double seconds);
    double At(double share) const;
  };

  // These need mutex_.
  void BeginTry();
  void AddConnections(const TryFacts& facts);

  mutable std::mutex mutex_;
  // Guarded by mutex_.
  RemoteStats stats_;
  Times first_byte_;
  Times whole_;
};

}  // namespace shardine

#endif  // SHARDINE_REMOTE_REQUEST_METER_H_
