#include "io/s3_listing.h"

#include <utility>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "remote/s3_signer.h"
#include "remote/sigv4.h"

namespace shardine {
namespace {

constexpr std::uint64_t kMaxPage = 16 << 20;

// Sorted by name, as signing wants it.
std::string QueryFor(const std::string& prefix, S3Depth depth,
                     const std::string& token) {
  std::string query;
  if (!token.empty()) {
    query = "continuation-token=" + EncodeForSigning(token, false) + "&";
  }
  if (depth == S3Depth::kBelow) query += "delimiter=%2F&";
  query += "encoding-type=url&list-type=2&";
  if (depth == S3Depth::kFirst) query += "max-keys=1&";
  return query + "prefix=" + EncodeForSigning(prefix, false);
}

}  // namespace

std::string S3FolderKey(std::string key) {
  if (!key.empty() && !key.ends_with('/')) key += '/';
  return key;
}

Result<HttpOutcome> AskS3(HttpRequest request, const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(HttpEngine* const engine, HttpEngine::OfProcess());
  request.name = path;
  return engine->Get(std::move(request), CurrentStop());
}

Result<HttpOutcome> ListS3(
    const S3Settings& settings, const S3Address& prefix, S3Depth depth,
    const std::string& path,
    const std::function<Status(const S3Listing& page)>& take) {
  std::string token;
  for (;;) {
    SHARDINE_ASSIGN_OR_RETURN(
        HttpRequest request,
        MakeS3Request(settings, {.bucket = prefix.bucket, .key = {}},
                      {.query = QueryFor(prefix.key, depth, token)}));
    request.question = {.ask = Ask::kWhole, .first = 0, .size = kMaxPage};
    SHARDINE_ASSIGN_OR_RETURN(HttpOutcome outcome,
                              AskS3(std::move(request), path));
    if (!outcome.status.ok()) return outcome;
    Result<S3Listing> page = ParseS3Listing(outcome.body, prefix.key);
    if (!page.ok()) return std::move(page).status().At({.path = path});
    SHARDINE_RETURN_IF_ERROR(take(*page));
    if (page->next.empty() || depth == S3Depth::kFirst) return outcome;
    if (page->next == token) {
      return Status(Code::kRemote, "a listing that does not go on")
          .At({.path = path});
    }
    token = std::move(page->next);
  }
}

}  // namespace shardine
