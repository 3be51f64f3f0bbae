// Answers to requests for files below a folder, good ones and bad ones.
#ifndef SHARDINE_FAULT_SERVER_OBJECT_ANSWER_H_
#define SHARDINE_FAULT_SERVER_OBJECT_ANSWER_H_

#include <filesystem>
#include <string>

#include "fault_server/answer_script.h"
#include "fault_server/fault_plan.h"
#include "fault_server/range_request.h"

namespace shardine::fault_server {

// Serves GET and HEAD, whole objects and ranges, If-Match. `number` counts the
// requests of a connection, from 0.
AnswerScript AnswerFor(const std::filesystem::path& root, FaultPlan& plan,
                       const RangeRequest& request, unsigned number);

// A body as a whole, with that status: "200 OK".
AnswerScript WholeAnswer(const std::string& status, const std::string& type,
                         std::string body);

}  // namespace shardine::fault_server

#endif  // SHARDINE_FAULT_SERVER_OBJECT_ANSWER_H_
