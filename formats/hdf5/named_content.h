// The datasets that roles name, wherever they lie in a file.
#ifndef SHARDINE_FORMATS_HDF5_NAMED_CONTENT_H_
#define SHARDINE_FORMATS_HDF5_NAMED_CONTENT_H_

#include "hdf5/hdf5_table.h"
#include "shardine/field_roles.h"
#include "shardine/status.h"

namespace shardine {

// roles.image is the path of a dataset, which has a row for each sample; the
// datasets of its group are fields. Or it is the name of a dataset that groups
// have: each of these is a sample with the group's path as its key.
// kInvalidArgument, with the datasets that there are: a named one is missing.
// REQUIRES: an image is named.
Result<Hdf5Content> FindNamedContent(const Hdf5Datasets& datasets,
                                     const FieldRoles& roles);

// Adds datasets of other groups that are named, and lists all that are left
// out. REQUIRES: one table.
Status AddNamed(const Hdf5Datasets& datasets, const FieldRoles& roles,
                Hdf5Content& content);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_NAMED_CONTENT_H_
