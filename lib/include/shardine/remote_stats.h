// RemoteStats: the requests to servers, their times and their failures.
#ifndef SHARDINE_REMOTE_STATS_H_
#define SHARDINE_REMOTE_STATS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace shardine {

// Counts all reads of this process since it began, or since it was forked: the
// readers of a process share connections and limits, so that no request is one
// loader's alone. All zero where nothing was read from a server.
struct RemoteStats {
  std::uint64_t requests = 0;  // each is tried once or more often
  std::uint64_t tries = 0;     // with those sent twice
  std::uint64_t bytes = 0;     // of bodies that were kept
  // The bytes among these that a reader asked for; the rest lay between.
  // Prefetched bytes count, whether they are read or not.
  std::uint64_t bytes_used = 0;
  std::uint64_t under_way = 0;       // tries, now
  std::uint64_t most_under_way = 0;  // at any time
  // Seconds that the last 4,096 good answers took to their first byte, and to
  // their last; at most, for that share of them.
  double first_byte_p50 = 0, first_byte_p95 = 0, first_byte_p99 = 0;
  double whole_p50 = 0, whole_p95 = 0, whole_p99 = 0;
  // Tries that failed, by why: "503", "stalled", "wrong answer", "changed",
  // "ended early", "connection".
  std::map<std::string, std::uint64_t> failed_tries;
  std::uint64_t hedges = 0;      // second requests for late answers
  std::uint64_t hedges_won = 0;  // that came before the first
  // Asked for once more because the payload did not agree with its CRC.
  std::uint64_t asked_again = 0;
  // Connections of tries that ended: cut tries count in neither.
  std::uint64_t connections_made = 0;
  std::uint64_t connections_reused = 0;
  std::uint64_t credentials_fetched = 0;
  // Reads of shards with a cache that has a size: hits found all bytes in it
  // and asked no server; misses did not.
  std::uint64_t cache_hits = 0;
  std::uint64_t cache_hit_bytes = 0;
  std::uint64_t cache_misses = 0;
};

RemoteStats RemoteStatsOfProcess();

// One try of one request.
struct RemoteTry {
  std::chrono::steady_clock::time_point begin, end;
  double first_byte = 0;  // seconds after `begin`; 0: there was none
  std::string path;       // of the object, as it was opened
  std::uint64_t first = 0, bytes = 0;  // of the object: that were asked for
  std::uint64_t received = 0;
  int status = 0;          // 0: there was no answer, or no reader waited for it
  bool is_second = false;  // sent because another try was late
};
// From now on the last so many tries of this process are kept, or more if more
// were asked for before.
void KeepRemoteTries(std::size_t most);
// In the order of their ends.
std::vector<RemoteTry> KeptRemoteTries();

}  // namespace shardine

#endif  // SHARDINE_REMOTE_STATS_H_
