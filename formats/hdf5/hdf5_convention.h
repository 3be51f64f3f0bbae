// The role of each dataset of a file: images, labels, keys, fields. The
// conventions that are known: FORMAT.md, "What is read".
#ifndef SHARDINE_FORMATS_HDF5_HDF5_CONVENTION_H_
#define SHARDINE_FORMATS_HDF5_HDF5_CONVENTION_H_

#include "hdf5/hdf5_table.h"
#include "shardine/field_roles.h"
#include "shardine/status.h"

namespace shardine {

// kUnsupported, naming the datasets looked for, if there are no images in it,
// or naming the dataset that cannot be read. With `roles`: the datasets that
// they name, whose fields are called so; kInvalidArgument: there is no such
// dataset.
Result<Hdf5Content> FindContent(const Hdf5Datasets& datasets,
                                const FieldRoles& roles = {});

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_HDF5_CONVENTION_H_
