// The keys below a key, page by page.
#ifndef SHARDINE_IO_S3_LISTING_H_
#define SHARDINE_IO_S3_LISTING_H_

#include <functional>
#include <string>

#include "remote/http_engine.h"
#include "remote/s3_address.h"
#include "remote/s3_answer.h"
#include "remote/s3_settings.h"
#include "shardine/status.h"

namespace shardine {

enum class S3Depth : std::uint8_t {
  kBelow,  // keys right below, deeper ones by their prefix
  kAll,
  kFirst,  // of all, one at most
};

// A page of a listing: of the keys that begin with `prefix.key` those from
// `token` on, which the page before gave; empty: the first.
struct S3PageQuery {
  S3Address prefix;
  S3Depth depth = S3Depth::kAll;
  std::string token = {};
};
// A request for that page; its errors name `path`.
Result<HttpRequest> MakeS3PageRequest(const S3Settings& settings,
                                      const S3PageQuery& query,
                                      const std::string& path);
// The listing in an answer without failure. kRemote: it is no page, or the next
// one would be this one again.
Result<S3Listing> TakeS3Page(const HttpOutcome& outcome,
                             const S3PageQuery& query, const std::string& path);

// The bounds of a listing, so that one which a service never ends does end
// here. Thread-compatible.
class S3ListingBounds {
 public:
  // kRemote: too many pages in a row had nothing, or too many keys came.
  Status Add(const S3Listing& page, const std::string& path);

 private:
  unsigned empty_ = 0;  // pages in a row
  std::uint64_t keys_ = 0;
};

// `request` with the stop of this thread's work; its errors name `path`.
Result<HttpOutcome> AskS3(HttpRequest request, const std::string& path);

// Calls `take` for each page of the keys that begin with `prefix.key`, in
// order; ends with its failure. The outcome of the last page asked for says why
// there is none.
Result<HttpOutcome> ListS3(
    const S3Settings& settings, const S3Address& prefix, S3Depth depth,
    const std::string& path,
    const std::function<Status(const S3Listing& page)>& take);

// "a/b" -> "a/b/"; of the bucket itself nothing.
std::string S3FolderKey(std::string key);

}  // namespace shardine

#endif  // SHARDINE_IO_S3_LISTING_H_
