#include "io/storage_for.h"

#include <algorithm>

#include "base/status_macros.h"
#include "io/http_storage.h"
#include "io/local_storage.h"
#include "io/path_scheme.h"
#include "io/s3_output.h"
#include "io/s3_storage.h"
#include "io/scheme_storage.h"
#include "shardine/environment.h"

namespace shardine {
namespace {

// A kind of storage joins by its line here.
constexpr StorageScheme kSchemes[] = {
    {.name = "",
     .reading = []() -> ReadableStorage& { return LocalStorage(); },
     .writing = [] { return &LocalStorage(); }},
    {.name = "http", .reading = HttpStorage, .writing = nullptr},
    {.name = "https", .reading = HttpStorage, .writing = nullptr},
    {.name = "s3", .reading = S3Storage, .writing = [] { return &S3Output(); }},
    {.name = "gs", .reading = S3Storage, .writing = [] { return &S3Output(); }},
};

// A program that joins or cleans addresses as paths of files, as pathlib does,
// makes these; files for a bucket would land in a folder named s3:.
bool HasOneSlash(const std::string& path,
                 std::span<const StorageScheme> schemes) {
  return std::ranges::any_of(schemes, [&](const StorageScheme& scheme) {
    return !scheme.name.empty() && path.starts_with(scheme.name) &&
           path.compare(scheme.name.size(), 2, ":/") == 0;
  });
}

Result<const StorageScheme*> FindScheme(
    const std::string& path, std::span<const StorageScheme> schemes) {
  // For state that belongs to the process and reads the latest variables.
  if (Environment::InScope() == nullptr) Environment::Read();
  if (SchemeOf(path).empty() && HasOneSlash(path, schemes)) {
    return Status(Code::kInvalidArgument,
                  "an address has two slashes after its scheme; a folder of "
                  "this name is given with ./ before it")
        .At({.path = path});
  }
  const auto found =
      std::ranges::find(schemes, SchemeOf(path), &StorageScheme::name);
  if (found == schemes.end()) return RefuseScheme(path);
  return &*found;
}

}  // namespace

std::span<const StorageScheme> StorageSchemes() { return kSchemes; }

Result<ReadableStorage*> StorageFor(const std::string& path,
                                    std::span<const StorageScheme> schemes) {
  SHARDINE_ASSIGN_OR_RETURN(const StorageScheme* const scheme,
                            FindScheme(path, schemes));
  return &scheme->reading();
}

Result<Storage*> OutputStorageFor(const std::string& path,
                                  std::span<const StorageScheme> schemes) {
  SHARDINE_ASSIGN_OR_RETURN(const StorageScheme* const scheme,
                            FindScheme(path, schemes));
  if (scheme->writing == nullptr) {
    return Status(Code::kUnsupported, std::string(scheme->name) +
                                          ":// can be read from and not be "
                                          "written to")
        .At({.path = path});
  }
  return scheme->writing();
}

Result<ReadableStorage*> StorageForAll(const std::vector<std::string>& paths) {
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const first,
                            StorageFor(paths.front()));
  for (const std::string& path : paths) {
    SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage, StorageFor(path));
    if (storage != first) return &SchemeStorage();
  }
  return first;
}

Result<ReadableStorage*> StorageFor(const Job& job, const std::string& path) {
  if (job.storage == nullptr) return StorageFor(path);
  return job.storage;
}

Result<Storage*> OutputStorageFor(const Job& job, const std::string& path) {
  if (job.storage == nullptr) return OutputStorageFor(path);
  return job.storage;
}

Result<ReadableStorage*> StorageForAll(const Job& job,
                                       const std::vector<std::string>& paths) {
  if (job.storage == nullptr) return StorageForAll(paths);
  return job.storage;
}

}  // namespace shardine
