// RestoreLost: the tasks of a dataset that is complete but for lost files make
// the shards of these again. The plan proves the sources; a file gets its name
// only with the bytes that the manifest lists.
#ifndef SHARDINE_TASKS_RESTORE_LOST_H_
#define SHARDINE_TASKS_RESTORE_LOST_H_

#include "shardine/job.h"
#include "shardine/status.h"
#include "shardine/tasks.h"
#include "tasks/task_folder.h"

namespace shardine {

// Makes the files that the tasks of `options` lack, under the output's lock;
// waits for another attempt that has it. `run` gets the work done. REQUIRES:
// all manifests are there.
//
// kChanged, naming the lost file: the sources are others, or give other bytes;
// the file stays lost then. kAlreadyExists: the lock is held for long.
Status RestoreLost(const TaskFolder& folder, const TaskRunOptions& options,
                   const Job& job, TaskRun& run);

}  // namespace shardine

#endif  // SHARDINE_TASKS_RESTORE_LOST_H_
