// A part file's header of the writer's options: those that all parts of one
// dataset share, and the number of the part.
#ifndef SHARDINE_PACK_PART_HEADER_H_
#define SHARDINE_PACK_PART_HEADER_H_

#include <string>
#include <string_view>

#include "shardine/dataset_writer.h"
#include "shardine/status.h"

namespace shardine {

// One text for one set of options; output and threads are no part of it.
std::string PartHeaderText(const DatasetWriterOptions& options);

// kCorrupt: not a text of the above. Does not check that the options are valid:
// anybody may have written the file.
Result<DatasetWriterOptions> ParsePartHeader(std::string_view text);

// Whether parts with these options are of one dataset: empty, or the first
// difference: "format: \"tfrecord\", not \"recordio\"". Numbers of parts are
// not compared.
std::string PartDifference(const DatasetWriterOptions& part,
                           const DatasetWriterOptions& other);

}  // namespace shardine

#endif  // SHARDINE_PACK_PART_HEADER_H_
