// Datasets around shard files that exist already.
#ifndef SHARDINE_INDEX_H_
#define SHARDINE_INDEX_H_

#include <string>
#include <vector>

#include "shardine/field_roles.h"
#include "shardine/job.h"
#include "shardine/list_match.h"
#include "shardine/pack_result.h"
#include "shardine/status.h"

namespace shardine {

// A dataset around existing shard files, which stay where they are and are
// not written to.
struct IndexOptions {
  std::vector<std::string> files;  // in the order they are to have
  std::string output;              // folder for manifest and sidecars
  // The split of all files; empty: the one that each file names, else "train".
  std::string split;
  // The split of each file, in their order; empty: `split` holds for all.
  std::vector<std::string> splits;
  // .lst with keys and labels; empty: each FILE's own .lst, if it has one.
  std::string list;
  // How options.list is matched. A list beside a FILE is matched by key alone,
  // or by the ids that its records hold.
  MatchBy list_by = MatchBy::kKey;
  std::string format;  // with layout; empty: as the files' contents say
  FieldRoles roles;    // of the records' fields
  // File: "name label" or "name" lines, JSON {"0": "name"}, or a .lst whose
  // keys have a folder for each label; empty: classes are named as the records
  // name them, or else as lines of label.labels.txt beside the files do, or
  // else the folders in their keys, where these are so.
  std::string class_names;
  unsigned threads = 0;
};

// Scans each shard once. Ids come from the records where they are unique over
// all files, else scan order, which `warnings` says. Disagreement between a
// shard and its native index or list goes to `warnings`. Where the output is
// complete with these files, nothing is done; kChanged if the output belongs to
// other files.
//
// A file may name splits (HDF5 of Fuel): one that names one split is that,
// unless another is asked for; of one that names several those samples alone
// are of the dataset whose split is asked for, which `warnings` says, and it is
// kInvalidArgument to ask for none. kInvalidArgument also: a label without a
// name in options.class_names; no record of a file has a field that
// options.roles names.
//
// A row of a list matches the record with its key; without keys, the record
// with its id. Records without either match no row unless matching by position
// is asked for. A row names no record that has a name, labels a record without
// a label, and gives exactly the numbers that a record holds rounded. Where a
// record has another label, the one of options.list counts, and `warnings` says
// so; of a list beside a FILE the record's does. kInvalidArgument: a row of
// options.list matches no record, or several.
Result<PackResult> IndexShards(const IndexOptions& options,
                               const Job& job = {});

}  // namespace shardine

#endif  // SHARDINE_INDEX_H_
