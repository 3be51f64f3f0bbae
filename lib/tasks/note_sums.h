// The sums over the notes of all shards, proved by the plan's own samples.
#ifndef SHARDINE_TASKS_NOTE_SUMS_H_
#define SHARDINE_TASKS_NOTE_SUMS_H_

#include <stop_token>
#include <vector>

#include "pack/publish_manifests.h"
#include "shardine/status.h"
#include "tasks/task_folder.h"
#include "tasks/task_note.h"

namespace shardine {

// Reads the samples of the plan, one shard after the other: ids and names are
// those of the plan, in its order, or the note is refused. `notes` are those
// that TaskFolder::FindDone() gave, by shard. kCorrupt, naming the shard: its
// note, or the list of its rejects, says something else.
Result<DatasetSums> AddNotes(const TaskFolder& folder,
                             const std::vector<TaskNote>& notes,
                             const std::stop_token& stop);

}  // namespace shardine

#endif  // SHARDINE_TASKS_NOTE_SUMS_H_
