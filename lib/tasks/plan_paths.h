// Paths as a plan has them, for processes on other machines.
#ifndef SHARDINE_TASKS_PLAN_PATHS_H_
#define SHARDINE_TASKS_PLAN_PATHS_H_

#include <string>
#include <string_view>

#include "shardine/job.h"
#include "shardine/status.h"

namespace shardine {

// Other processes have other working folders: a path that is not on a server
// becomes absolute. In a storage of the job's own all paths are whole. ".." is
// left to the system: a folder before it may be a link.
std::string PathForAll(const Job& job, std::string path);

// kInvalidArgument: `path`, of "the plan", lies in that folder, of "the
// output". Every verification would report a foreign file in a dataset. Both
// are as PathForAll() gives them.
Status CheckPlace(const std::string& path, const std::string& folder,
                  std::string_view what, std::string_view where);

}  // namespace shardine

#endif  // SHARDINE_TASKS_PLAN_PATHS_H_
