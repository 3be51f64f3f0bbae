#include "hdf5/hdf5_format.h"
#include "lmdb/lmdb_format.h"
#include "recordio/recordio_format.h"
#include "recordio/recordio_index.h"
#include "shard/format_registry.h"
#include "shard/native_indexer.h"
#include "shardine/format.h"
#include "tfrecord/tfrecord_format.h"
#include "tfrecord/tfrecord_index.h"
#include "webdataset/webdataset_format.h"
#include "webdataset/webdataset_index.h"

namespace shardine {

const FormatRegistry& BuiltinFormats() {
  static constexpr const Format* kFormats[] = {
      &kRecordIoFormat, &kTfRecordFormat, &kLmdbFormat, &kHdf5Format,
      &kWebDatasetFormat};
  static constexpr FormatRegistry kRegistry(kFormats);
  return kRegistry;
}

std::span<const NativeIndexer> NativeIndexers() {
  static const NativeIndexer kIndexers[] = {
      {kRecordIoFormat.name, IdxOf},
      {kTfRecordFormat.name, TfRecordIndexOf},
      {kWebDatasetFormat.name, WdsIndexOf}};
  return kIndexers;
}

}  // namespace shardine
