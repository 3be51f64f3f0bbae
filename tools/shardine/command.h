// The `shardine` command: finds the verb, reads its options, runs it, says how
// it went.
#ifndef SHARDINE_SHARDINE_COMMAND_H_
#define SHARDINE_SHARDINE_COMMAND_H_

#include <string>
#include <vector>

namespace shardine {

// The exit code. `arguments` without the name of the program.
int RunShardine(const std::vector<std::string>& arguments);

}  // namespace shardine

#endif  // SHARDINE_SHARDINE_COMMAND_H_
