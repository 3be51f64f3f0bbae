#include "io/s3_output.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "base/status_macros.h"
#include "io/atomic_file.h"
#include "io/s3_lease.h"
#include "io/s3_place.h"
#include "io/s3_storage.h"
#include "io/s3_upload.h"
#include "io/staged_files.h"

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
  explicit ObjectFile(std::shared_ptr<StagedFile> file)
      : file_(std::move(file)) {}

  Status Append(ByteView bytes) override {
    is_sent_ = false;
    return file_->Append(bytes);
  }
  Status Sync() override {
    if (is_sent_) return Status();
    SHARDINE_ASSIGN_OR_RETURN(const S3Place place, S3PlaceOf(file_->path()));
    SHARDINE_ASSIGN_OR_RETURN(const auto bytes, OpenStaged(file_));
    SHARDINE_RETURN_IF_ERROR(UploadToS3(*bytes, place));
    is_sent_ = true;
    return Status();
  }
  Status Close() override { return Sync(); }
  const std::string& path() const override { return file_->path(); }

 private:
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
    SHARDINE_RETURN_IF_ERROR(S3PlaceOf(path).status());
    if (IsTemporary(path)) {
      SHARDINE_ASSIGN_OR_RETURN(auto file, staged_.Make(path));
      return std::unique_ptr<WritableFile>(
          std::make_unique<TemporaryFile>(std::move(file)));
    }
    SHARDINE_ASSIGN_OR_RETURN(auto file, StagedFile::Make(path));
    return std::unique_ptr<WritableFile>(
        std::make_unique<ObjectFile>(std::move(file)));
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
    const std::lock_guard lock(mutex_);
    // With those that it lies in.
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
    if (staged_.Find(from) == nullptr) return Storage::RenameNew(from, to);
    return Move(from, to, S3Replace::kNo);
  }

  Status Remove(const std::string& path) override {
    if (staged_.Remove(path)) return Status();
    SHARDINE_RETURN_IF_ERROR(CheckLeases(path));
    if (const auto lease = TakeLease(path)) return lease->Release();
    SHARDINE_ASSIGN_OR_RETURN(const FileInfo info, objects_.Stat(path));
    if (info.kind == FileKind::kDirectory) {
      return Status::FromErrno(ENOTEMPTY, "remove", path);
    }
    SHARDINE_ASSIGN_OR_RETURN(const S3Place place, S3PlaceOf(path));
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
    SHARDINE_ASSIGN_OR_RETURN(S3Place place, S3PlaceOf(path));
    SHARDINE_ASSIGN_OR_RETURN(auto lease, S3Lease::Take(std::move(place)));
    {
      const std::lock_guard lock(mutex_);
      leases_[path] = lease;
    }
    return std::unique_ptr<FileLock>(
        std::make_unique<LeaseLock>(std::move(lease)));
  }

 private:
  Status Move(const std::string& from, const std::string& to,
              S3Replace replace) {
    SHARDINE_RETURN_IF_ERROR(CheckLeases(to));
    SHARDINE_ASSIGN_OR_RETURN(const S3Place place, S3PlaceOf(to));
    if (const auto staged = staged_.Find(from)) {
      SHARDINE_ASSIGN_OR_RETURN(const auto bytes, OpenStaged(staged));
      SHARDINE_RETURN_IF_ERROR(UploadToS3(*bytes, place, replace));
      staged_.Remove(from);
      return Status();
    }
    SHARDINE_ASSIGN_OR_RETURN(const S3Place old, S3PlaceOf(from));
    SHARDINE_ASSIGN_OR_RETURN(const auto object, objects_.Open(from));
    // What the service does not copy comes here and goes back.
    const Status copied = object->size() <= kMostCopied
                              ? CopyInS3(old, place)
                              : UploadToS3(*object, place, replace);
    SHARDINE_RETURN_IF_ERROR(copied);
    return RemoveFromS3(old);
  }

  bool IsMade(const std::string& folder) const {
    const std::lock_guard lock(mutex_);
    return folders_.contains(folder);
  }

  // What lies in FOLDER, of which FOLDER/.pack/lock is held, is changed by who
  // holds it.
  Status CheckLeases(const std::string& path) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [lock_path, held] : leases_) {
      const std::string folder = DirectoryOf(DirectoryOf(lock_path)) + "/";
      const std::shared_ptr<S3Lease> lease = held.lock();
      if (lease == nullptr || !path.starts_with(folder)) continue;
      SHARDINE_RETURN_IF_ERROR(lease->Check());
    }
    return Status();
  }

  std::shared_ptr<S3Lease> TakeLease(const std::string& path) {
    const std::lock_guard lock(mutex_);
    const auto found = leases_.find(path);
    if (found == leases_.end()) return nullptr;
    auto lease = found->second.lock();
    leases_.erase(found);
    return lease;
  }

  ReadableStorage& objects_ = S3Storage();
  mutable StagedFiles staged_;
  mutable std::mutex mutex_;
  std::set<std::string> folders_;                         // that were made
  std::map<std::string, std::weak_ptr<S3Lease>> leases_;  // by their paths
};

}  // namespace

Storage& S3Output() {
  static auto* const storage = new S3OutputImpl;
  return *storage;
}

}  // namespace shardine
