#include "fault_server/object_service.h"

#include "fault_server/object_answer.h"

namespace shardine::fault_server {

AnswerScript ObjectService::Answer(const RangeRequest& request,
                                   unsigned number) {
  if (request.path == kCountsPath)
    return WholeAnswer("200 OK", "application/json", counts_.TakeJson());
  if (!request.query.contains("list-type"))
    return AnswerFor(root_, plan_, request, number);
  const std::string bucket =
      request.path.substr(1, request.path.find('/', 1) - 1);
  if (!std::filesystem::is_directory(root_ / bucket))
    return WholeAnswer("404 Not Found", "application/xml",
                       "<Error><Code>NoSuchBucket</Code></Error>");
  AnswerScript script =
      WholeAnswer("200 OK", "application/xml", ListingOf(bucket).Page(request));
  script.steps[0].pause = delay_;
  return script;
}

const ObjectListing& ObjectService::ListingOf(const std::string& bucket) {
  return listings_.try_emplace(bucket, root_ / bucket).first->second;
}

}  // namespace shardine::fault_server
