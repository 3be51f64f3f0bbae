// A request for an object or a part of it, as it came.
#ifndef SHARDINE_FAULT_SERVER_RANGE_REQUEST_H_
#define SHARDINE_FAULT_SERVER_RANGE_REQUEST_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace shardine::fault_server {

// Bytes from `first` to before `end`.
struct Span {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};

struct RangeRequest {
  std::string method;
  std::string path;                            // decoded, begins with '/'
  std::map<std::string, std::string> query;    // decoded
  std::map<std::string, std::string> headers;  // names in lower case

  // Returns "" where there is no such header.
  std::string Header(const std::string& name) const;
  // Which bytes of an object of that size it asks for: all without a Range.
  // nullopt: no byte of it, or no such header.
  std::optional<Span> SpanOf(std::uint64_t size) const;
};

// A head without the empty line behind it. nullopt: that is no HTTP.
std::optional<RangeRequest> ParseRequest(std::string_view head);

}  // namespace shardine::fault_server

#endif  // SHARDINE_FAULT_SERVER_RANGE_REQUEST_H_
