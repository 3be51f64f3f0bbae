#include "io/s3_storage.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "io/forward_file.h"
#include "io/http_file.h"
#include "io/many_files.h"
#include "io/output_names.h"
#include "io/s3_listing.h"
#include "io/s3_place.h"
#include "io/s3_tree_listing.h"
#include "io/storages_by_environment.h"
#include "io/tree_snapshot.h"
#include "remote/s3_signer.h"
#include "remote/service_time.h"
#include "remote/url.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

// From seconds since 1970. A time later than 2262 becomes 2262.
std::int64_t NanosecondsOf(std::int64_t seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             WallTimeOf(seconds).time_since_epoch())
      .count();
}

FileInfo InfoOf(const ObjectFacts& facts) {
  FileInfo info;
  info.kind = FileKind::kRegular;
  info.size = facts.size;
  info.mtime_ns = NanosecondsOf(ParseHttpDate(facts.modified).value_or(0));
  return info;
}

// Without the right to list, an absent object is answered with 403, too.
bool MayBeAbsent(const HttpOutcome& outcome) {
  return outcome.status.code() == Code::kNotFound ||
         outcome.http_status == kHttpForbidden;
}

// Ok: there are keys below it, or it is a bucket.
Status FindFolder(const S3Settings& settings, S3Address folder,
                  const std::string& path) {
  folder.key = S3FolderKey(std::move(folder.key));
  bool is_there = folder.key.empty();
  SHARDINE_ASSIGN_OR_RETURN(
      const HttpOutcome outcome,
      ListS3(settings, folder, S3Depth::kFirst, path, [&](const auto& page) {
        is_there = is_there || !page.objects.empty();
        return Status();
      }));
  if (outcome.http_status == kHttpForbidden) {
    // A dataset is a folder, too, to users that may read and not list.
    folder.key += kManifestName;
    SHARDINE_ASSIGN_OR_RETURN(const HttpOutcome mark,
                              LookAtS3({settings, folder, path}));
    return mark.status.ok() ? Status() : outcome.status;
  }
  SHARDINE_RETURN_IF_ERROR(outcome.status);
  if (is_there) return Status();
  return Status(Code::kNotFound, "the bucket has no such object or folder")
      .At({.path = path});
}

Status TakeNames(const S3Listing& page, const S3Address& folder,
                 const std::string& path, std::vector<DirEntry>& entries) {
  // Each listed key begins with the folder's key.
  const std::size_t begin = folder.key.size();
  const auto take = [&](std::string_view name, FileKind kind) {
    // The mark of an empty folder.
    if (name.empty() && kind == FileKind::kRegular) return Status();
    if (IsFileName(name)) {
      entries.push_back({.name = std::string(name), .kind = kind});
      return Status();
    }
    return Status(Code::kUnsupported,
                  "has a key that is no name of a file: " + EscapeBytes(name))
        .At({.path = path});
  };
  for (const S3Object& object : page.objects) {
    const auto key = std::string_view(object.key);
    SHARDINE_RETURN_IF_ERROR(take(key.substr(begin), FileKind::kRegular));
  }
  for (std::string_view prefix : page.prefixes) {
    prefix.remove_prefix(begin);
    if (prefix.ends_with('/')) prefix.remove_suffix(1);
    SHARDINE_RETURN_IF_ERROR(take(prefix, FileKind::kDirectory));
  }
  return Status();
}

// Some services give an object's time in their listing, and a moment before it
// with the object (rclone): seconds that follow each other are the same time.
bool IsSameTime(std::int64_t listed_ns, std::int64_t given_ns) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const auto [earlier, later] = std::minmax(listed_ns, given_ns);
  return static_cast<std::uint64_t>(later) -
             static_cast<std::uint64_t>(earlier) <=
         kSecond;
}

Status TakeOutcome(const WholeFile& file, const HttpOutcome& outcome) {
  // An empty file has no range. Services refuse the request without a word of
  // the time (SeaweedFS), or of the size (moto, rclone); an object that still
  // has none is unchanged.
  if (file.out.empty() && outcome.http_status == kHttpNoSuchRange) {
    return Status();
  }
  SHARDINE_RETURN_IF_ERROR(outcome.status);
  const FileInfo info = InfoOf(outcome.facts);
  const bool is_time =
      !file.mtime_ns || IsSameTime(*file.mtime_ns, info.mtime_ns);
  if (info.size == file.out.size() && is_time) return Status();
  return Status(Code::kChanged, "has another size or time now")
      .At({.path = file.path});
}

class S3StorageImpl : public ReadableStorage, public ManyFiles {
 public:
  explicit S3StorageImpl(Environment environment)
      : environment_(std::move(environment)) {}

  Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) override {
    return OpenWhole(path, 0);
  }

  Result<std::unique_ptr<RandomAccessFile>> OpenForward(
      const std::string& path) override {
    SHARDINE_ASSIGN_OR_RETURN(auto file, Open(path));
    return std::unique_ptr<RandomAccessFile>(new ForwardFile(std::move(file)));
  }

  Result<std::unique_ptr<RandomAccessFile>> OpenWhole(
      const std::string& path, std::uint64_t bytes) override {
    SHARDINE_ASSIGN_OR_RETURN(const S3Address address, ParseS3Address(path));
    if (address.key.empty() || address.key.ends_with('/')) {
      return Status(Code::kUnsupported, "not a file").At({.path = path});
    }
    SHARDINE_ASSIGN_OR_RETURN(const S3Settings settings,
                              S3SettingsFor(environment_, path));
    SHARDINE_ASSIGN_OR_RETURN(HttpRequest request,
                              MakeS3Read({settings, address, path}, {}));
    return HttpFile::Open(path, std::move(request), bytes);
  }

  Result<FileInfo> Stat(const std::string& path) override {
    SHARDINE_ASSIGN_OR_RETURN(const S3Address address, ParseS3Address(path));
    SHARDINE_ASSIGN_OR_RETURN(const S3Settings settings,
                              S3SettingsFor(environment_, path));
    if (!address.key.empty() && !address.key.ends_with('/')) {
      SHARDINE_ASSIGN_OR_RETURN(const HttpOutcome found,
                                LookAtS3({settings, address, path}));
      if (found.status.ok()) return InfoOf(found.facts);
      if (!MayBeAbsent(found)) return found.status;
    }
    SHARDINE_RETURN_IF_ERROR(FindFolder(settings, address, path));
    FileInfo info;
    info.kind = FileKind::kDirectory;
    return info;
  }

  Result<std::vector<DirEntry>> List(const std::string& directory) override {
    SHARDINE_ASSIGN_OR_RETURN(S3Address folder, ParseS3Address(directory));
    SHARDINE_ASSIGN_OR_RETURN(const S3Settings settings,
                              S3SettingsFor(environment_, directory));
    folder.key = S3FolderKey(std::move(folder.key));
    bool is_there = folder.key.empty();
    std::vector<DirEntry> entries;
    SHARDINE_ASSIGN_OR_RETURN(
        const HttpOutcome outcome,
        ListS3(settings, folder, S3Depth::kBelow, directory,
               [&](const S3Listing& page) {
                 is_there = is_there || !page.objects.empty() ||
                            !page.prefixes.empty();
                 return TakeNames(page, folder, directory, entries);
               }));
    SHARDINE_RETURN_IF_ERROR(outcome.status);
    if (is_there) return entries;
    return Status(Code::kNotFound, "the bucket has no such folder")
        .At({.path = directory});
  }

  Result<std::string> AddressOf(const std::string& path) override {
    SHARDINE_ASSIGN_OR_RETURN(const S3Settings settings,
                              S3SettingsFor(environment_, path));
    const std::string& endpoint = settings.endpoint.url;
    return endpoint.empty() ? path : PrintableUrl(endpoint) + " " + path;
  }

  ManyFiles* many_files() override { return this; }

  void ReadWhole(std::span<WholeFile> files) override {
    if (files.empty()) return;
    // The service and the identity are looked up once for all files.
    const Result<S3Settings> settings =
        S3SettingsFor(environment_, files.front().path);
    std::vector<HttpRequest> requests;
    std::vector<WholeFile*> asked;
    for (WholeFile& file : files) {
      Result<HttpRequest> request =
          settings.ok() ? RequestFor(*settings, file) : settings.status();
      file.status = request.status();
      if (!request.ok()) continue;
      requests.push_back(*std::move(request));
      asked.push_back(&file);
    }
    const Result<HttpEngine*> engine = HttpEngine::OfProcess();
    if (!engine.ok()) {
      for (WholeFile* file : asked) file->status = engine.status();
      return;
    }
    const std::vector<HttpOutcome> outcomes =
        (*engine)->GetAll(std::move(requests), CurrentStop());
    for (std::size_t i = 0; i < asked.size(); ++i) {
      asked[i]->status = TakeOutcome(*asked[i], outcomes[i]);
    }
  }

  Result<std::unique_ptr<ReadableStorage>> Snapshot(
      std::span<const std::string> folders) override {
    auto snapshot = std::make_unique<TreeSnapshot>(*this);
    for (const std::string& folder : folders) {
      SHARDINE_RETURN_IF_ERROR(AddTree(folder, *snapshot));
    }
    return std::unique_ptr<ReadableStorage>(std::move(snapshot));
  }

 private:
  static Result<HttpRequest> RequestFor(const S3Settings& settings,
                                        const WholeFile& file) {
    SHARDINE_ASSIGN_OR_RETURN(const S3Address address,
                              ParseS3Address(file.path));
    return MakeS3Read({settings, address, file.path}, file.out);
  }

  Status AddTree(const std::string& folder, TreeSnapshot& snapshot) {
    SHARDINE_ASSIGN_OR_RETURN(S3Address address, ParseS3Address(folder));
    SHARDINE_ASSIGN_OR_RETURN(const S3Settings settings,
                              S3SettingsFor(environment_, folder));
    address.key = S3FolderKey(std::move(address.key));
    bool is_there = false;
    const auto take = [&](const S3Listing& page) -> Status {
      for (const S3Object& object : page.objects) {
        if (!is_there) snapshot.AddRoot(folder);
        is_there = true;
        const std::string name = object.key.substr(address.key.size());
        // Marks of folders, which many programs make.
        if (name.empty() || (name.ends_with('/') && object.size == 0)) continue;
        SHARDINE_RETURN_IF_ERROR(snapshot.AddFile(
            folder, name, object.size, NanosecondsOf(object.modified)));
      }
      return Status();
    };
    SHARDINE_ASSIGN_OR_RETURN(const HttpOutcome outcome,
                              ListS3Tree(settings, address, folder, take));
    // Stat() reports absent objects.
    const bool is_absent = outcome.status.code() == Code::kNotFound;
    return is_absent ? Status() : outcome.status;
  }

  const Environment environment_;
};

}  // namespace

ReadableStorage& S3Storage(const Environment& environment) {
  static constinit StoragesByEnvironment<S3StorageImpl> storages;
  return storages.Of(environment);
}

ReadableStorage& S3Storage() { return S3Storage(Environment::Current()); }

}  // namespace shardine
