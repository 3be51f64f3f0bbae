#include "io/s3_listing.h"

#include <utility>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "remote/s3_signer.h"
#include "remote/sigv4.h"

namespace shardine {
namespace {

constexpr std::uint64_t kMaxPage = 16 << 20;
// A service that looks through removed versions gives some pages of nothing.
constexpr unsigned kMostEmptyPages = 100;
constexpr std::uint64_t kMostKeys = 50'000'000;

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

Result<HttpRequest> MakeS3PageRequest(const S3Settings& settings,
                                      const S3PageQuery& query,
                                      const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(
      HttpRequest request,
      MakeS3Request(
          settings, {.bucket = query.prefix.bucket, .key = {}},
          {.query = QueryFor(query.prefix.key, query.depth, query.token)}));
  request.question = {.ask = Ask::kWhole, .first = 0, .size = kMaxPage};
  request.name = path;
  return request;
}

Result<S3Listing> TakeS3Page(const HttpOutcome& outcome,
                             const S3PageQuery& query,
                             const std::string& path) {
  Result<S3Listing> page = ParseS3Listing(outcome.body, query.prefix.key);
  if (!page.ok()) return std::move(page).status().At({.path = path});
  if (!page->next.empty() && page->next == query.token) {
    return Status(Code::kRemote, "a listing that does not go on")
        .At({.path = path});
  }
  return page;
}

Status S3ListingBounds::Add(const S3Listing& page, const std::string& path) {
  const std::size_t keys = page.objects.size() + page.prefixes.size();
  keys_ += keys;
  empty_ = keys == 0 && !page.next.empty() ? empty_ + 1 : 0;
  if (empty_ > kMostEmptyPages) {
    return Status(Code::kRemote,
                  "a listing that does not go on: " + std::to_string(empty_) +
                      " pages in a row have no key")
        .At({.path = path});
  }
  if (keys_ <= kMostKeys) return Status();
  return Status(Code::kRemote,
                "a listing of more than " + std::to_string(kMostKeys) + " keys")
      .At({.path = path});
}

Result<HttpOutcome> ListS3(
    const S3Settings& settings, const S3Address& prefix, S3Depth depth,
    const std::string& path,
    const std::function<Status(const S3Listing& page)>& take) {
  S3PageQuery query{prefix, depth};
  S3ListingBounds bounds;
  for (;;) {
    SHARDINE_ASSIGN_OR_RETURN(HttpRequest request,
                              MakeS3PageRequest(settings, query, path));
    SHARDINE_ASSIGN_OR_RETURN(HttpOutcome outcome,
                              AskS3(std::move(request), path));
    if (!outcome.status.ok()) return outcome;
    SHARDINE_ASSIGN_OR_RETURN(S3Listing page, TakeS3Page(outcome, query, path));
    SHARDINE_RETURN_IF_ERROR(bounds.Add(page, path));
    SHARDINE_RETURN_IF_ERROR(take(page));
    if (page.next.empty() || depth == S3Depth::kFirst) return outcome;
    query.token = std::move(page.next);
  }
}

}  // namespace shardine
