// Which images the lines of a file of boxes are about.
#ifndef SHARDINE_SOURCE_BOX_MATCH_H_
#define SHARDINE_SOURCE_BOX_MATCH_H_

#include <string>

#include "io/readable_storage.h"
#include "shardine/status.h"
#include "source/source_set.h"

namespace shardine {

// Reads set.boxes of the file `path`. A line is about the image whose path it
// begins with, or else about the one whose file has that name. Lines without an
// image go to set.ignored ("box-unmatched") and are counted in set.notes.
// kInvalidArgument: no line matches an image, or one matches several.
Status MatchBoxes(ReadableStorage& storage, const std::string& path,
                  SourceSet& set);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_BOX_MATCH_H_
