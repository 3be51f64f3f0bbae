// kLabelNameFile (shard/dataset_metadata.h) beside foreign shards.
#ifndef SHARDINE_PACK_LABEL_NAME_FILE_H_
#define SHARDINE_PACK_LABEL_NAME_FILE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "io/readable_storage.h"
#include "shardine/status.h"
#include "source/class_map.h"

namespace shardine {

// The path of the entry beside all of these shards under that name, be it a
// file or not; "" if there is nothing, or if they lie in several folders.
std::string LabelNameFileBeside(ReadableStorage& storage,
                                const std::vector<std::string>& shards);

// One name a line, label 0 first: anything else like a number at its end is
// part of the name. Counts zero. kCorrupt, with the line: it is empty, has a
// name that another has, or there are none. kInvalidArgument: a label has no
// line.
Result<ClassMap> ReadLabelNames(
    ReadableStorage& storage, const std::string& path,
    const std::map<std::int64_t, std::uint64_t>& label_counts);

}  // namespace shardine

#endif  // SHARDINE_PACK_LABEL_NAME_FILE_H_
