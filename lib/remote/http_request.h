// A request for bytes of an object on a server, and where they go.
#ifndef SHARDINE_REMOTE_HTTP_REQUEST_H_
#define SHARDINE_REMOTE_HTTP_REQUEST_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "remote/http_answer.h"

namespace shardine {

// Where bytes of an object go.
struct BodySegment {
  std::uint64_t offset = 0;  // in the object
  std::span<std::byte> out;
};

struct HttpRequest {
  std::string url;   // Url::text()
  std::string name;  // of the object, for people
  HttpQuestion question;
  // In order, apart from each other, within the question's range.
  std::vector<BodySegment> segments;
};

}  // namespace shardine

#endif  // SHARDINE_REMOTE_HTTP_REQUEST_H_
