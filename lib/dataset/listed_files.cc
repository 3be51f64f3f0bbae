#include "dataset/listed_files.h"

#include <algorithm>
#include <memory>

#include "base/status_macros.h"
#include "io/many_files.h"

namespace shardine {
namespace {

class Look {
 public:
  Look(ReadableStorage& storage, const std::string& directory)
      : storage_(&storage), directory_(directory) {}

  // Where each answer takes a while, one listing stands for all of them.
  Status Begin() {
    ManyFiles* const many = storage_->many_files();
    if (many == nullptr) return Status();
    auto snapshot = many->Snapshot({&directory_, 1});
    if (snapshot.status().code() == Code::kUnsupported) return Status();
    if (!snapshot.ok()) return snapshot.status();
    snapshot_ = *std::move(snapshot);
    storage_ = snapshot_.get();
    return Status();
  }

  Status At(const ManifestFile& file) {
    const std::string path = JoinPath(directory_, file.path);
    const auto info = storage_->Stat(path);
    if (info.status().code() == Code::kNotFound ||
        (info.ok() && info->kind == FileKind::kRegular && info->size == 0 &&
         file.bytes > 0)) {
      lost_.push_back(file.path);
      return Status();
    }
    if (!info.ok()) return info.status();
    if (info->kind == FileKind::kRegular && info->size == file.bytes) {
      return Status();
    }
    return Status(Code::kChanged,
                  "is not the file that the manifest lists; move it away, and "
                  "the same command makes the file again where it can")
        .At({.path = path});
  }

  std::vector<std::string> TakeLost() { return std::move(lost_); }

 private:
  ReadableStorage* storage_;
  const std::string& directory_;
  std::unique_ptr<ReadableStorage> snapshot_;
  std::vector<std::string> lost_;
};

}  // namespace

std::vector<const ManifestFile*> ListedFiles(const Manifest& manifest) {
  std::vector<const ManifestFile*> files;
  for (const ManifestSplit& split : manifest.splits) {
    for (const ManifestShard& shard : split.shards) {
      files.push_back(&shard.file);
      for (const ManifestFile& file : shard.companions) files.push_back(&file);
    }
  }
  for (const ManifestFile& file : manifest.files) files.push_back(&file);
  return files;
}

Result<std::vector<std::string>> FindLostFiles(ReadableStorage& storage,
                                               const std::string& directory,
                                               const Manifest& manifest) {
  Look look(storage, directory);
  SHARDINE_RETURN_IF_ERROR(look.Begin());
  for (const ManifestFile* file : ListedFiles(manifest)) {
    SHARDINE_RETURN_IF_ERROR(look.At(*file));
  }
  return look.TakeLost();
}

Result<std::vector<std::string>> FindLostShards(ReadableStorage& storage,
                                                const std::string& directory,
                                                const Manifest& manifest,
                                                std::string_view also) {
  SHARDINE_ASSIGN_OR_RETURN(auto lost,
                            FindLostFiles(storage, directory, manifest));
  for (const ManifestFile& file : manifest.files) {
    if (file.path != also && std::ranges::find(lost, file.path) != lost.end()) {
      return LostFile(JoinPath(directory, file.path));
    }
  }
  return lost;
}

Status CheckListedFiles(ReadableStorage& storage, const std::string& directory,
                        const Manifest& manifest) {
  SHARDINE_ASSIGN_OR_RETURN(const auto lost,
                            FindLostFiles(storage, directory, manifest));
  return lost.empty() ? Status() : LostFile(JoinPath(directory, lost.front()));
}

Status LostFile(const std::string& path) {
  return Status(Code::kChanged,
                "is lost: the dataset's manifest lists this file, which is "
                "absent or empty and cannot be made again here")
      .At({.path = path});
}

}  // namespace shardine
