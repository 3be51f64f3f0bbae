// The rest of a resize: the plan, less the files that are both in the record
// and on the disk.
#ifndef SHARDINE_RESIZE_RESIZE_WORK_H_
#define SHARDINE_RESIZE_RESIZE_WORK_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/output_folder.h"
#include "resize/resize_plan.h"
#include "resize/resize_record.h"
#include "shardine/status.h"

namespace shardine {

struct ResizeWork {
  std::vector<std::uint32_t> samples;  // ascending
  std::vector<bool> missing;           // by position in `samples` and output
  std::uint64_t reused = 0;            // files that are there and whole
  // One folder of each file system that the files lie on.
  std::vector<std::string> folders;
};

// Looks at every file that the plan names and that may be there; if there is
// something to do, makes the folders it takes, and removes the temporary files
// in them if an earlier run may have left some.
//
// kChanged: one of the files is there and the record does not know of it, or
// it is no regular file; or there is a dataset where the tree is to be.
Result<ResizeWork> FindResizeWork(const OutputFolder& output,
                                  const ResizePlan& plan,
                                  const ResizeRecord& record);

}  // namespace shardine

#endif  // SHARDINE_RESIZE_RESIZE_WORK_H_
