// The digest of a command that replaces the dataset that it reads. After a kill
// the same command finds the new dataset as its input, so no plan tells that
// the work is done: the record of the replacement has this digest for that.
#ifndef SHARDINE_PACK_REPLACING_COMMAND_H_
#define SHARDINE_PACK_REPLACING_COMMAND_H_

#include "io/output_folder.h"
#include "shardine/digest.h"
#include "shardine/job.h"
#include "shardine/provenance.h"
#include "shardine/status.h"

namespace shardine {

// XXH3-128 over the command, its options and, of each source and file that an
// option names, the path and the present contents. The dataset in `output`
// counts by its name alone. Zero: no source is that dataset.
Result<Digest128> DigestOfCommand(const Provenance& command,
                                  const OutputFolder& output, const Job& job);

}  // namespace shardine

#endif  // SHARDINE_PACK_REPLACING_COMMAND_H_
