// Several names in one argument: "boxes,masks".
#ifndef SHARDINE_TOOLS_CLI_NAME_LIST_H_
#define SHARDINE_TOOLS_CLI_NAME_LIST_H_

#include <string>
#include <vector>

#include "shardine/status.h"

namespace shardine {

// The names between the commas, in the notation of text output: a comma in a
// name is \x2C. kInvalidArgument, quoting it: an empty name, one that comes
// twice, or a malformed escape.
Result<std::vector<std::string>> ParseNameList(const std::string& text);

}  // namespace shardine

#endif  // SHARDINE_TOOLS_CLI_NAME_LIST_H_
