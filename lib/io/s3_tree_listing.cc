#include "io/s3_tree_listing.h"

#include <algorithm>
#include <deque>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/stop_scope.h"

namespace shardine {
namespace {

constexpr std::size_t kAtOnce = 64;
// The limit for a page, which has up to 1,000 keys. Each folder costs a
// request, so that with more of them the pages of all keys are fewer by far.
constexpr std::size_t kFoldersOfPage = 20;

std::size_t CountFolders(const S3Listing& page) {
  std::set<std::string_view> folders;
  for (const S3Object& object : page.objects) {
    const std::string_view key = object.key;
    folders.insert(key.substr(0, key.rfind('/') + 1));
  }
  return folders.size();
}

class TreeListing {
 public:
  TreeListing(const S3Settings& settings, const S3Address& prefix,
              const std::string& path,
              const std::function<Status(const S3Listing& page)>& take)
      : settings_(settings), prefix_(prefix), path_(path), take_(take) {}

  Result<HttpOutcome> Run() {
    S3PageQuery all{prefix_, S3Depth::kAll};
    SHARDINE_ASSIGN_OR_RETURN(HttpRequest request,
                              MakeS3PageRequest(settings_, all, path_));
    SHARDINE_ASSIGN_OR_RETURN(HttpOutcome outcome,
                              AskS3(std::move(request), path_));
    if (!outcome.status.ok()) return outcome;
    SHARDINE_ASSIGN_OR_RETURN(S3Listing first, TakeS3Page(outcome, all, path_));
    if (!first.next.empty() && CountFolders(first) <= kFoldersOfPage) {
      // The keys of this page come again, with their folders.
      pending_.push_back({prefix_, S3Depth::kBelow});
    } else {
      SHARDINE_RETURN_IF_ERROR(take_(first));
      all.token = std::move(first.next);
      if (!all.token.empty()) pending_.push_back(std::move(all));
    }
    while (!pending_.empty() && outcome.status.ok()) {
      SHARDINE_ASSIGN_OR_RETURN(outcome, AskForSome());
    }
    return outcome;
  }

 private:
  // Pages of the first waiting queries. Returns the outcome of the first that
  // failed.
  Result<HttpOutcome> AskForSome() {
    SHARDINE_ASSIGN_OR_RETURN(HttpEngine* const engine,
                              HttpEngine::OfProcess());
    std::vector<S3PageQuery> queries;
    std::vector<HttpRequest> requests;
    while (!pending_.empty() && queries.size() < kAtOnce) {
      queries.push_back(std::move(pending_.front()));
      pending_.pop_front();
      SHARDINE_ASSIGN_OR_RETURN(
          HttpRequest request,
          MakeS3PageRequest(settings_, queries.back(), path_));
      requests.push_back(std::move(request));
    }
    std::vector<HttpOutcome> outcomes =
        engine->GetAll(std::move(requests), CurrentStop());
    for (std::size_t i = 0; i < queries.size(); ++i) {
      if (!outcomes[i].status.ok()) return std::move(outcomes[i]);
      SHARDINE_RETURN_IF_ERROR(Take(outcomes[i], std::move(queries[i])));
    }
    return std::move(outcomes.back());
  }

  Status Take(const HttpOutcome& outcome, S3PageQuery query) {
    SHARDINE_ASSIGN_OR_RETURN(S3Listing page,
                              TakeS3Page(outcome, query, path_));
    SHARDINE_RETURN_IF_ERROR(bounds_.Add(page, path_));
    SHARDINE_RETURN_IF_ERROR(take_(page));
    // Folders of folders are looked into while there is too little to ask for.
    const bool enough = pending_.size() + page.prefixes.size() >= kAtOnce;
    for (std::string& folder : page.prefixes) {
      // A folder that leads back to itself would never end.
      if (folder.size() <= query.prefix.key.size()) {
        return Status(Code::kRemote, "a listing of a folder in itself")
            .At({.path = path_});
      }
      pending_.push_back({{.bucket = prefix_.bucket, .key = std::move(folder)},
                          enough ? S3Depth::kAll : S3Depth::kBelow});
    }
    if (page.next.empty()) return Status();
    query.token = std::move(page.next);
    // The longest come first, so that none is left alone at the end.
    pending_.push_front(std::move(query));
    return Status();
  }

  const S3Settings& settings_;
  const S3Address& prefix_;
  const std::string& path_;
  const std::function<Status(const S3Listing& page)>& take_;
  std::deque<S3PageQuery> pending_;
  S3ListingBounds bounds_;
};

}  // namespace

Result<HttpOutcome> ListS3Tree(
    const S3Settings& settings, const S3Address& prefix,
    const std::string& path,
    const std::function<Status(const S3Listing& page)>& take) {
  return TreeListing(settings, prefix, path, take).Run();
}

}  // namespace shardine
