// Companions for those who read the samples of a dataset, and do not look for
// damage of its files.
#ifndef SHARDINE_DATASET_KEPT_COMPANIONS_H_
#define SHARDINE_DATASET_KEPT_COMPANIONS_H_

#include "dataset/dataset_reader.h"

namespace shardine {

// Of a dataset on a server: its companions come as a whole from now on, out of
// the user's cache folder where they are kept. REQUIRES: nobody else uses the
// reader yet.
void KeepCompanions(DatasetReader& reader);

}  // namespace shardine

#endif  // SHARDINE_DATASET_KEPT_COMPANIONS_H_
