// The bodies of answers from services that speak S3.
#ifndef SHARDINE_REMOTE_S3_ANSWER_H_
#define SHARDINE_REMOTE_S3_ANSWER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shardine/status.h"

namespace shardine {

struct S3Object {
  std::string key;
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // seconds since 1970
};

// One page of ListObjectsV2.
struct S3Listing {
  std::vector<S3Object> objects;
  std::vector<std::string> prefixes;  // each ends with the delimiter
  std::string next;  // where the next page begins; empty: this was the last
};
// kRemote: no such answer, a key outside `prefix`, or a page that says that
// there are more and not where they begin.
Result<S3Listing> ParseS3Listing(std::string_view xml,
                                 const std::string& prefix);

// The id that the service gave an upload in parts. kRemote: no such answer.
Result<std::string> ParseS3UploadId(std::string_view xml);

// Uploads in parts that were not ended, as ListMultipartUploads gives them.
struct S3Upload {
  std::string key;
  std::string id;
  // Seconds since 1970; nullopt: the answer does not say it.
  std::optional<std::int64_t> initiated = {};
};
// One page; uploads of longer keys that begin with `key` are left out. kRemote:
// no such answer.
Result<std::vector<S3Upload>> ParseS3Uploads(std::string_view xml,
                                             const std::string& key);

// Each part is empty where the answer does not say it.
struct S3Error {
  std::string code;  // "NoSuchKey"
  std::string message;
  std::string region;  // where the bucket is
  std::string request_id;
};
// Nothing in it where `body` is no such answer.
S3Error ParseS3Error(std::string_view body);

}  // namespace shardine

#endif  // SHARDINE_REMOTE_S3_ANSWER_H_
