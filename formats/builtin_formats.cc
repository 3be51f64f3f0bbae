#include "hdf5/hdf5_format.h"
#include "lmdb/lmdb_format.h"
#include "recordio/recordio_format.h"
#include "shard/archive_format.h"
#include "shard/format_registry.h"
#include "shardine/format.h"
#include "tfrecord/tfrecord_format.h"
#include "webdataset/webdataset_archive.h"
#include "webdataset/webdataset_format.h"

namespace shardine {

const FormatRegistry& BuiltinFormats() {
  static constexpr const Format* kFormats[] = {
      &kRecordIoFormat, &kTfRecordFormat, &kLmdbFormat, &kHdf5Format,
      &kWebDatasetFormat};
  static constexpr FormatRegistry kRegistry(kFormats);
  return kRegistry;
}

const ArchiveFormat* FindArchiveFormat(std::string_view format) {
  return format == kWebDatasetArchive.format ? &kWebDatasetArchive : nullptr;
}

}  // namespace shardine
