#include "io/s3_output.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "base/fork_mutex.h"
#include "base/status_macros.h"
#include "io/atomic_file.h"
#include "io/output_names.h"
#include "io/s3_lease.h"
#include "io/s3_place.h"
#include "io/s3_storage.h"
#include "io/s3_upload.h"
#include "io/staged_files.h"
#include "io/storages_by_environment.h"
#include "shardine/environment.h"

namespace shardine {
namespace {

// Stays on this machine: it is sent under another name.
class TemporaryFile : public WritableFile {
 public:
  explicit TemporaryFile(std::shared_ptr<StagedFile> file)
      : file_(std::move(file)) {}

  Status Append(ByteView bytes) override { return file_->Append(bytes); }
  Status Sync() override { return Status(); }
  Status Close() override { return Status(); }
  const std::string& path() const override { return file_->path(); }

 private:
  const std::shared_ptr<StagedFile> file_;
};

// Sent as it is whenever it is to be safe.
class ObjectFile : public WritableFile {
 public:
  ObjectFile(const Environment& environment, std::shared_ptr<StagedFile> file)
      : environment_(environment), file_(std::move(file)) {}

  Status Append(ByteView bytes) override {
    is_sent_ = false;
    return file_->Append(bytes);
  }
  Status Sync() override {
    if (is_sent_) return Status();
    SHARDINE_ASSIGN_OR_RETURN(const S3Place place,
                              S3PlaceOf(environment_, file_->path()));
    SHARDINE_ASSIGN_OR_RETURN(const auto bytes, OpenStaged(file_));
    SHARDINE_RETURN_IF_ERROR(UploadToS3(*bytes, place));
    is_sent_ = true;
    return Status();
  }
  Status Close() override { return Sync(); }
  const std::string& path() const override { return file_->path(); }

 private:
  const Environment environment_;
  const std::shared_ptr<StagedFile> file_;
  bool is_sent_ = false;
};

class LeaseLock : public FileLock {
 public:
  explicit LeaseLock(std::shared_ptr<S3Lease> lease)
      : lease_(std::move(lease)) {}

  std::string weakness() const override { return lease_->weakness(); }

 private:
  const std::shared_ptr<S3Lease> lease_;
};

bool IsTemporary(const std::string& path) {
  return IsTemporaryName(FileNameOf(path));
}

class S3OutputImpl : public Storage {
 public:
  explicit S3OutputImpl(const Environment& environment)
      : environment_(environment) {}

  Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) override {
    if (const auto staged = staged_.Find(path)) return OpenStaged(staged);
    return objects_.Open(path);
  }

  Result<FileInfo> Stat(const std::string& path) override {
    if (const auto staged = staged_.Find(path)) {
      FileInfo info;
      info.kind = FileKind::kRegular;
      SHARDINE_ASSIGN_OR_RETURN(info.size, staged->size());
      return info;
    }
    Result<FileInfo> info = objects_.Stat(path);
    if (info.status().code() == Code::kNotFound && IsMade(path)) {
      FileInfo folder;
      folder.kind = FileKind::kDirectory;
      return folder;
    }
    return info;
  }

  Result<std::vector<DirEntry>> List(const std::string& directory) override {
    Result<std::vector<DirEntry>> entries = objects_.List(directory);
    const std::vector<std::string> names = staged_.NamesIn(directory);
    if (entries.status().code() == Code::kNotFound &&
        (IsMade(directory) || !names.empty())) {
      entries = std::vector<DirEntry>();
    }
    if (!entries.ok()) return entries;
    for (const std::string& name : names) {
      entries->push_back({.name = name, .kind = FileKind::kRegular});
    }
    return entries;
  }

  Result<std::string> AddressOf(const std::string& path) override {
    return objects_.AddressOf(path);
  }
  ManyFiles* many_files() override { return objects_.many_files(); }

  // A library makes the file itself, so it has to be there.
  std::optional<std::string> NativePath(
      const std::string& path) const override {
    if (!IsTemporary(path)) return std::nullopt;
    auto staged = staged_.Find(path);
    if (staged == nullptr) {
      auto made = staged_.Make(path);
      if (!made.ok()) return std::nullopt;
      staged = *made;
    }
    return staged->native_path();
  }

  Result<std::unique_ptr<WritableFile>> Create(
      const std::string& path) override {
    SHARDINE_RETURN_IF_ERROR(S3PlaceOf(environment_, path).status());
    if (IsTemporary(path)) {
      SHARDINE_ASSIGN_OR_RETURN(auto file, staged_.Make(path));
      return std::unique_ptr<WritableFile>(
          std::make_unique<TemporaryFile>(std::move(file)));
    }
    SHARDINE_ASSIGN_OR_RETURN(auto file, StagedFile::Make(path));
    return std::unique_ptr<WritableFile>(
        std::make_unique<ObjectFile>(environment_, std::move(file)));
  }

  Result<std::unique_ptr<WritableFile>> OpenForAppend(
      const std::string& path) override {
    return Status(Code::kUnsupported,
                  "objects of S3 cannot be appended to, as this needs to be; "
                  "write to a local folder and copy that there")
        .At({.path = path});
  }

  bool can_append() const override { return false; }
  // It is copied.
  bool renames_keep_times() const override { return false; }

  Status CreateDirectories(const std::string& directory) override {
    const std::lock_guard lock(ForkMutex());
    // The new folder, and the folders that it lies in.
    for (std::string path = directory; !folders_.contains(path);
         path = DirectoryOf(path)) {
      folders_.insert(path);
    }
    return Status();
  }

  Status Rename(const std::string& from, const std::string& to) override {
    return Move(from, to, S3Replace::kYes);
  }
  Status RenameNew(const std::string& from, const std::string& to) override {
    // A service may copy without a look at the condition.
    if (staged_.Find(from) == nullptr && objects_.Stat(to).ok()) {
      return Status(Code::kAlreadyExists, "another object has the name already")
          .At({.path = to});
    }
    return Move(from, to, S3Replace::kNo);
  }

  Status Remove(const std::string& path) override {
    if (staged_.Remove(path)) return Status();
    if (const auto lease = TakeLease(path)) return lease->Release();
    SHARDINE_RETURN_IF_ERROR(CheckLeases(path).status());
    SHARDINE_ASSIGN_OR_RETURN(const FileInfo info, objects_.Stat(path));
    if (info.kind == FileKind::kDirectory) {
      return Status::FromErrno(ENOTEMPTY, "remove", path);
    }
    SHARDINE_ASSIGN_OR_RETURN(const S3Place place,
                              S3PlaceOf(environment_, path));
    return RemoveFromS3(place);
  }

  Status SyncDirectory(const std::string& /*directory*/) override {
    return Status();
  }
  Status SyncFileSystem(const std::string& /*directory*/) override {
    return Status();
  }

  Result<std::uint64_t> FreeBytes(const std::string& path) override {
    return Status(Code::kUnsupported, "a bucket has no end").At({.path = path});
  }

  Result<std::unique_ptr<FileLock>> Lock(const std::string& path) override {
    SHARDINE_ASSIGN_OR_RETURN(S3Place place, S3PlaceOf(environment_, path));
    SHARDINE_ASSIGN_OR_RETURN(auto lease, S3Lease::Take(std::move(place)));
    {
      const std::lock_guard lock(ForkMutex());
      leases_[path] = lease;
    }
    return std::unique_ptr<FileLock>(
        std::make_unique<LeaseLock>(std::move(lease)));
  }

 private:
  Status Move(const std::string& from, const std::string& to,
              S3Replace replace) {
    SHARDINE_ASSIGN_OR_RETURN(const bool has_lease, CheckLeases(to));
    const auto unfinished =
        has_lease ? S3Unfinished::kEndAll : S3Unfinished::kEndOld;
    SHARDINE_ASSIGN_OR_RETURN(const S3Place place, S3PlaceOf(environment_, to));
    if (const auto staged = staged_.Find(from)) {
      SHARDINE_ASSIGN_OR_RETURN(const auto bytes, OpenStaged(staged));
      SHARDINE_RETURN_IF_ERROR(UploadToS3(*bytes, place, replace, unfinished));
      staged_.Remove(from);
      return Status();
    }
    SHARDINE_ASSIGN_OR_RETURN(const S3Place old, S3PlaceOf(environment_, from));
    SHARDINE_ASSIGN_OR_RETURN(const auto object, objects_.Open(from));
    // An object too large for the service to copy comes here and goes back.
    SHARDINE_RETURN_IF_ERROR(
        object->size() <= kMostCopied
            ? CopyInS3(old, place, replace)
            : UploadToS3(*object, place, replace, unfinished));
    // The bytes are there: an object left under the old name does no harm.
    static_cast<void>(RemoveFromS3(old).ok());
    return Status();
  }

  bool IsMade(const std::string& folder) const {
    const std::lock_guard lock(ForkMutex());
    return folders_.contains(folder);
  }

  std::vector<std::shared_ptr<S3Lease>> LeasesOver(
      const std::string& path) const {
    std::vector<std::shared_ptr<S3Lease>> leases;
    const std::lock_guard lock(ForkMutex());
    for (const auto& [lock_path, held] : leases_) {
      const std::string folder = DirectoryOf(DirectoryOf(lock_path)) + "/";
      if (path.starts_with(folder)) leases.push_back(held.lock());
    }
    std::erase(leases, nullptr);
    return leases;
  }

  // While FOLDER/.pack/lock is held, its holder alone changes the files in
  // FOLDER; before a manifest, which ends the work, the holder asks the service
  // again. Whether there is such a lock.
  Result<bool> CheckLeases(const std::string& path) const {
    const auto leases = LeasesOver(path);
    for (const auto& lease : leases) {
      SHARDINE_RETURN_IF_ERROR(FileNameOf(path) == kManifestName
                                   ? lease->Confirm()
                                   : lease->Check());
    }
    return !leases.empty();
  }

  std::shared_ptr<S3Lease> TakeLease(const std::string& path) {
    const std::lock_guard lock(ForkMutex());
    const auto found = leases_.find(path);
    if (found == leases_.end()) return nullptr;
    auto lease = found->second.lock();
    leases_.erase(found);
    return lease;
  }

  const Environment environment_;
  ReadableStorage& objects_ = S3Storage(environment_);
  mutable StagedFiles staged_;
  // ForkMutex() guards this and all members below.
  std::set<std::string> folders_;                         // that were made
  std::map<std::string, std::weak_ptr<S3Lease>> leases_;  // by their paths
};

}  // namespace

Storage& S3Output() {
  static constinit StoragesByEnvironment<S3OutputImpl> storages;
  return storages.Of(Environment::Current());
}

}  // namespace shardine
