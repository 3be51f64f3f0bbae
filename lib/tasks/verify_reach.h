// Whether a process can see all that a verification reads beside the dataset's
// shards. A file that it could not see would be noted as damage.
#ifndef SHARDINE_TASKS_VERIFY_REACH_H_
#define SHARDINE_TASKS_VERIFY_REACH_H_

#include <cstddef>
#include <memory>

#include "shardine/job.h"
#include "shardine/status.h"
#include "shardine/verify.h"
#include "tasks/verify_folder.h"
#include "verify/dataset_shards.h"

namespace shardine {

// kNotFound, or as the storage says, naming it: a folder that images are to be
// compared with is absent. Servers may have no folders and are not asked.
Status CheckTree(const VerifyOptions& options, const Job& job);

// The shards of a member of the family, which is readable. Failures are those
// of DatasetShards::Open(), and kIo, kRemote or kCancelled where the list of
// bad images that were kept could not be read; one that is damaged is a
// finding. `options`, those of the member, must outlive the result.
Result<std::unique_ptr<DatasetShards>> OpenMember(const VerifyFolder& folder,
                                                  std::size_t member,
                                                  const VerifyOptions& options,
                                                  const Job& job);

}  // namespace shardine

#endif  // SHARDINE_TASKS_VERIFY_REACH_H_
