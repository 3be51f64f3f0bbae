// The report of resize when a tree is done.
#ifndef SHARDINE_CLI_RESIZE_REPORT_H_
#define SHARDINE_CLI_RESIZE_REPORT_H_

#include <string>

#include "cli/json_text.h"
#include "shardine/resize.h"

namespace shardine {

// `seconds` is the time it took.
std::string ResizeText(const ResizeResult& result, double seconds);
Json ResizeJson(const ResizeResult& result, double seconds);

}  // namespace shardine

#endif  // SHARDINE_CLI_RESIZE_REPORT_H_
