#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/status_macros.h"
#include "dataset/dataset.h"
#include "dataset/index_walk.h"
#include "dataset/manifest_check.h"
#include "io/atomic_file.h"
#include "io/folder_lock.h"
#include "io/storage.h"
#include "shard/encoded_image.h"
#include "shardine/inspect.h"

namespace shardine {
namespace {

// A key that can be a file below a directory, whoever wrote it.
Status CheckName(const std::string& key) {
  if (!IsManifestPath(key) || key.starts_with("../")) {
    return Status(Code::kUnsupported,
                  "the key is no path inside a directory; shardine cat reads "
                  "the image");
  }
  if (IsTemporaryName(FileNameOf(key))) {
    return Status(Code::kUnsupported,
                  "the key has a name kept for unfinished files; shardine cat "
                  "reads the image");
  }
  return {};
}

// Puts files into a tree, never over something that is there.
class TreeWriter {
 public:
  explicit TreeWriter(Storage& storage) : storage_(storage) {}

  // The file has its name when it is complete. Not synced: an extracted tree
  // is a copy, and a sync per image would cost more than all the rest.
  Status Write(const std::string& path, ByteView contents) {
    const std::string directory = DirectoryOf(path);
    SHARDINE_RETURN_IF_ERROR(EnterDirectory(directory));
    if (links_.contains(path) || storage_.Stat(path).ok()) {
      return Status(Code::kAlreadyExists, "will not overwrite this file")
          .At({.path = path});
    }
    const std::string temporary = TemporaryName(path);
    Status status = WriteNew(temporary, contents);
    if (status.ok()) status = storage_.Rename(temporary, path);
    if (!status.ok()) {
      static_cast<void>(storage_.Remove(temporary).ok());
    }
    return status;
  }

 private:
  // Stat() follows links, so a dangling one looks like no file: they are
  // looked up once per directory.
  Status EnterDirectory(const std::string& directory) {
    if (!entered_.insert(directory).second) return {};
    SHARDINE_RETURN_IF_ERROR(storage_.CreateDirectories(directory));
    SHARDINE_ASSIGN_OR_RETURN(const auto entries, storage_.List(directory));
    for (const DirEntry& entry : entries) {
      if (entry.kind != FileKind::kSymlink) continue;
      links_.insert(JoinPath(directory, entry.name));
    }
    return {};
  }

  Status WriteNew(const std::string& path, ByteView contents) {
    SHARDINE_ASSIGN_OR_RETURN(const auto file, storage_.Create(path));
    SHARDINE_RETURN_IF_ERROR(file->Append(contents));
    return file->Close();
  }

  Storage& storage_;
  std::set<std::string> entered_;
  std::set<std::string> links_;
};

// Extracts shard after shard: reads are sequential.
class Extraction {
 public:
  Extraction(Storage& storage, const DatasetReader& dataset,
             const std::string& directory)
      : storage_(storage),
        dataset_(dataset),
        directory_(directory),
        tree_(storage) {}

  Status ExtractShard(const DatasetReader::ShardRef& ref) {
    SHARDINE_ASSIGN_OR_RETURN(const auto index, dataset_.OpenIndex(ref));
    SHARDINE_ASSIGN_OR_RETURN(const auto shard,
                              storage_.Open(dataset_.ShardPath(ref)));
    const std::string root = dataset_.manifest().splits.size() > 1
                                 ? JoinPath(directory_, ref.split->name)
                                 : directory_;
    return WalkIndex(*index, [&](std::uint64_t record, const IndexEntry& entry,
                                 const std::string& key) {
      return ExtractSample(*shard, entry, root, key)
          .At({.path = shard->path(), .record = record, .key = key});
    });
  }

  const ExtractResult& result() const { return result_; }

 private:
  Status ExtractSample(const RandomAccessFile& shard, IndexEntry entry,
                       const std::string& root, const std::string& key) {
    SHARDINE_RETURN_IF_ERROR(CheckName(key));
    const std::size_t fields = entry.fields.size();
    KeepFields(IsEncodedImage<IndexField>, entry);
    result_.fields_left += fields - entry.fields.size();
    SHARDINE_RETURN_IF_ERROR(ReadPayload(shard, entry, payload_));
    for (const FieldView& field : FieldsOf(entry, payload_.view())) {
      if (!IsEncodedImage(field)) {
        ++result_.fields_left;
        continue;
      }
      SHARDINE_RETURN_IF_ERROR(tree_.Write(JoinPath(root, key), field.bytes));
      ++result_.files;
      result_.bytes += field.bytes.size();
    }
    return {};
  }

  Storage& storage_;
  const DatasetReader& dataset_;
  const std::string& directory_;
  TreeWriter tree_;
  ByteBuffer payload_;
  ExtractResult result_;
};

}  // namespace

Result<ExtractResult> ExtractDataset(const std::string& dataset,
                                     const std::string& directory) {
  Storage& storage = LocalStorage();
  SHARDINE_ASSIGN_OR_RETURN(const auto reader,
                            DatasetReader::Open(storage, dataset));
  SHARDINE_ASSIGN_OR_RETURN(FolderLock lock,
                            FolderLock::Take(storage, directory));
  Extraction extraction(storage, *reader, directory);
  for (const DatasetReader::ShardRef& ref : reader->shards()) {
    SHARDINE_RETURN_IF_ERROR(extraction.ExtractShard(ref));
  }
  SHARDINE_RETURN_IF_ERROR(lock.Release());
  return extraction.result();
}

}  // namespace shardine
