// A file that names samples to leave out.
#ifndef SHARDINE_SOURCE_BLACKLIST_H_
#define SHARDINE_SOURCE_BLACKLIST_H_

#include <string>

#include "io/readable_storage.h"
#include "shardine/status.h"
#include "source/source_set.h"

namespace shardine {

// Each line of the file `path` names samples in one of four ways. A key, or the
// path of a file, matches all samples of it. A file name without a folder
// matches in all folders. A number alone means ImageNet's validation image of
// that number. Matching samples and bad files move to ignored ("blacklisted");
// lines that match nothing are listed there, too ("blacklist-unmatched"), and
// set.notes counts them and those that match several. Nothing is renumbered.
// kInvalidArgument: no line matches.
Status ApplyBlacklist(ReadableStorage& storage, const std::string& path,
                      SourceSet& set);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_BLACKLIST_H_
