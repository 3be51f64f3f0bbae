// WebDataset shards as programs see them that read archives.
#ifndef SHARDINE_FORMATS_WEBDATASET_WEBDATASET_ARCHIVE_H_
#define SHARDINE_FORMATS_WEBDATASET_WEBDATASET_ARCHIVE_H_

#include "shard/archive_format.h"

namespace shardine {

// The extension of a file is read from the header in front of it; a name that
// may be longer than a header holds has none.
extern const ArchiveFormat kWebDatasetArchive;

}  // namespace shardine

#endif  // SHARDINE_FORMATS_WEBDATASET_WEBDATASET_ARCHIVE_H_
