#include "io/scheme_storage.h"

#include <utility>

#include "base/status_macros.h"
#include "io/storage_for.h"
#include "io/storages_by_environment.h"
#include "shardine/environment.h"

namespace shardine {
namespace {

class SchemeStorageImpl : public ReadableStorage {
 public:
  explicit SchemeStorageImpl(Environment environment)
      : environment_(std::move(environment)) {}

  Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) override {
    SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const own, Own(path));
    return own->Open(path);
  }

  Result<std::unique_ptr<RandomAccessFile>> OpenWhole(
      const std::string& path, std::uint64_t bytes) override {
    SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const own, Own(path));
    return own->OpenWhole(path, bytes);
  }

  Result<std::unique_ptr<RandomAccessFile>> OpenForward(
      const std::string& path) override {
    SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const own, Own(path));
    return own->OpenForward(path);
  }

  Result<FileInfo> Stat(const std::string& path) override {
    SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const own, Own(path));
    return own->Stat(path);
  }

  Result<std::vector<DirEntry>> List(const std::string& directory) override {
    SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const own, Own(directory));
    return own->List(directory);
  }

  Result<std::string> AddressOf(const std::string& path) override {
    SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const own, Own(path));
    return own->AddressOf(path);
  }

  std::optional<std::string> NativePath(
      const std::string& path) const override {
    const Result<ReadableStorage*> own = Own(path);
    return own.ok() ? (*own)->NativePath(path) : std::nullopt;
  }

 private:
  Result<ReadableStorage*> Own(const std::string& path) const {
    const EnvironmentScope scope(environment_);
    return StorageFor(path);
  }

  const Environment environment_;
};

}  // namespace

ReadableStorage& SchemeStorage() {
  static constinit StoragesByEnvironment<SchemeStorageImpl> storages;
  return storages.Of(Environment::Current());
}

}  // namespace shardine
