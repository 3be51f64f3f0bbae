// Answers to requests: an object, a listing, or the server's own counts.
#ifndef SHARDINE_FAULT_SERVER_OBJECT_SERVICE_H_
#define SHARDINE_FAULT_SERVER_OBJECT_SERVICE_H_

#include <filesystem>
#include <map>

#include "fault_server/answer_script.h"
#include "fault_server/fault_plan.h"
#include "fault_server/object_listing.h"
#include "fault_server/range_request.h"
#include "fault_server/request_counts.h"

namespace shardine::fault_server {

// Thread-compatible.
class ObjectService {
 public:
  // Not counted, answered at once: the counts since they were asked for last.
  static constexpr char kCountsPath[] = "/-/counts";

  ObjectService(std::filesystem::path root, FaultOptions options)
      : root_(std::move(root)),
        delay_(options.delay),
        plan_(std::move(options)) {}

  // `number`: of the request on its connection, from 0.
  AnswerScript Answer(const RangeRequest& request, unsigned number);
  RequestCounts& counts() { return counts_; }

 private:
  const ObjectListing& ListingOf(const std::string& bucket);

  const std::filesystem::path root_;
  const Milliseconds delay_;
  FaultPlan plan_;
  RequestCounts counts_;
  std::map<std::string, ObjectListing> listings_;
};

}  // namespace shardine::fault_server

#endif  // SHARDINE_FAULT_SERVER_OBJECT_SERVICE_H_
