// The message about the bad images that end a run.
#ifndef SHARDINE_DATASET_BAD_IMAGES_H_
#define SHARDINE_DATASET_BAD_IMAGES_H_

#include <string>
#include <vector>

#include "dataset/rejects.h"
#include "io/storage.h"
#include "shardine/status.h"

namespace shardine {

// The failure `first`, of the first of these bad images, with all of them
// named: they are listed in the file `path`, and `looked` says why there may be
// more.
Status SayOthers(Storage& storage, const std::string& path,
                 std::vector<Reject> bad, const Status& looked,
                 const Status& first);

}  // namespace shardine

#endif  // SHARDINE_DATASET_BAD_IMAGES_H_
