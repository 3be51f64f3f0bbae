// ListObjectsV2, as clients of S3 ask for it.
#ifndef SHARDINE_FAULT_SERVER_OBJECT_LISTING_H_
#define SHARDINE_FAULT_SERVER_OBJECT_LISTING_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "fault_server/range_request.h"

namespace shardine::fault_server {

// The files of one bucket as they were when it was listed first. Keys are their
// paths below the bucket's folder.
class ObjectListing {
 public:
  explicit ObjectListing(const std::filesystem::path& bucket);

  // The page that the request asks for: prefix, delimiter, max-keys and
  // continuation-token, which is the last key of the page before.
  std::string Page(const RangeRequest& request) const;

 private:
  struct Object {
    std::uint64_t size = 0;
    std::string modified;
  };

  std::map<std::string, Object> objects_;
};

}  // namespace shardine::fault_server

#endif  // SHARDINE_FAULT_SERVER_OBJECT_LISTING_H_
