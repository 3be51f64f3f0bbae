#include "io/scheme_storage.h"

#include "base/status_macros.h"
#include "io/storage_for.h"

namespace shardine {
namespace {

class SchemeStorageImpl : public ReadableStorage {
 public:
  Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) override {
    SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const own, StorageFor(path));
    return own->Open(path);
  }

  Result<std::unique_ptr<RandomAccessFile>> OpenWhole(
      const std::string& path, std::uint64_t bytes) override {
    SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const own, StorageFor(path));
    return own->OpenWhole(path, bytes);
  }

  Result<std::unique_ptr<RandomAccessFile>> OpenForward(
      const std::string& path) override {
    SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const own, StorageFor(path));
    return own->OpenForward(path);
  }

  Result<FileInfo> Stat(const std::string& path) override {
    SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const own, StorageFor(path));
    return own->Stat(path);
  }

  Result<std::vector<DirEntry>> List(const std::string& directory) override {
    SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const own,
                              StorageFor(directory));
    return own->List(directory);
  }

  std::optional<std::string> NativePath(
      const std::string& path) const override {
    const Result<ReadableStorage*> own = StorageFor(path);
    return own.ok() ? (*own)->NativePath(path) : std::nullopt;
  }
};

}  // namespace

ReadableStorage& SchemeStorage() {
  static auto* const storage = new SchemeStorageImpl;
  return *storage;
}

}  // namespace shardine
