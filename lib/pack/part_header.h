// What the file of a part says of its writer's options: all that parts of one
// dataset have in common, and which of them it is.
#ifndef SHARDINE_PACK_PART_HEADER_H_
#define SHARDINE_PACK_PART_HEADER_H_

#include <string>
#include <string_view>

#include "shardine/dataset_writer.h"
#include "shardine/status.h"

namespace shardine {

// One text for one set of options; output and threads are no part of it.
std::string PartHeaderText(const DatasetWriterOptions& options);

// kCorrupt: not a text of the above. What the options are worth is not looked
// at: they are those of a file that anybody may have written.
Result<DatasetWriterOptions> ParsePartHeader(std::string_view text);

// Whether parts with these options are of one dataset: empty, or what differs
// first: "format: \"tfrecord\", not \"recordio\"". Numbers of parts are not
// compared.
std::string PartDifference(const DatasetWriterOptions& part,
                           const DatasetWriterOptions& other);

}  // namespace shardine

#endif  // SHARDINE_PACK_PART_HEADER_H_
