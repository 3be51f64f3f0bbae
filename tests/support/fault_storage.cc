#include "support/fault_storage.h"

#include <array>
#include <mutex>
#include <new>
#include <utility>

#include "base/status_macros.h"

namespace shardine {
namespace {

constexpr std::size_t kKinds = static_cast<std::size_t>(Operation::kAny);

std::string_view NameOf(Operation operation) {
  constexpr std::array<std::string_view, kKinds> kNames = {
      "open",   "read",           "create",
      "write",  "fsync",          "close",
      "stat",   "read directory", "create directory",
      "rename", "remove",         "fsync directory",
      "lock"};
  return kNames[static_cast<std::size_t>(operation)];
}

}  // namespace

// Thread-safe.
class FaultStorage::State {
 public:
  explicit State(Fault fault) : fault_(fault) {}

  // Counts one call. The effect it suffers, or nullopt if it may pass.
  std::optional<Fault::Effect> Count(Operation operation) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t of_kind = calls_[static_cast<std::size_t>(operation)]++;
    const std::uint64_t of_all = total_++;
    if (crashed_) return Fault::Effect::kCrash;
    const bool any = fault_.operation == Operation::kAny;
    if (!any && fault_.operation != operation) return std::nullopt;
    if ((any ? of_all : of_kind) != fault_.call) return std::nullopt;
    struck_ = true;
    crashed_ = fault_.effect == Fault::Effect::kCrash;
    if (fault_.effect == Fault::Effect::kNoMemory) throw std::bad_alloc();
    return fault_.effect;
  }

  Status Failure(Operation operation, const std::string& path) const {
    return Status::FromErrno(fault_.error, NameOf(operation), path);
  }

  // Checks calls that can only pass or fail.
  Status Check(Operation operation, const std::string& path) {
    return Count(operation) ? Failure(operation, path) : Status();
  }

  // Checks syncs: false if the call is to be lost.
  Result<bool> CheckSync(Operation operation, const std::string& path) {
    const auto effect = Count(operation);
    if (effect == Fault::Effect::kLostSync) return false;
    if (effect) return Failure(operation, path);
    return true;
  }

  std::uint64_t calls(Operation operation) const {
    const std::lock_guard lock(mutex_);
    if (operation == Operation::kAny) return total_;
    return calls_[static_cast<std::size_t>(operation)];
  }
  bool struck() const {
    const std::lock_guard lock(mutex_);
    return struck_;
  }

 private:
  const Fault fault_;
  mutable std::mutex mutex_;
  std::array<std::uint64_t, kKinds> calls_ = {};  // guarded by mutex_
  std::uint64_t total_ = 0;                       // guarded by mutex_
  bool struck_ = false;                           // guarded by mutex_
  bool crashed_ = false;                          // guarded by mutex_
};

class FaultStorage::ReadableFile : public RandomAccessFile {
 public:
  ReadableFile(std::unique_ptr<RandomAccessFile> below,
               std::shared_ptr<State> state)
      : below_(std::move(below)), state_(std::move(state)) {}

  Result<std::size_t> ReadAt(std::uint64_t offset,
                             std::span<std::byte> out) const override {
    SHARDINE_RETURN_IF_ERROR(
        state_->Check(Operation::kRead, path()).At({.offset = offset}));
    return below_->ReadAt(offset, out);
  }
  std::uint64_t size() const override { return below_->size(); }
  const std::string& path() const override { return below_->path(); }

 private:
  std::unique_ptr<RandomAccessFile> below_;
  std::shared_ptr<State> state_;
};

class FaultStorage::AppendedFile : public WritableFile {
 public:
  AppendedFile(std::unique_ptr<WritableFile> below,
               std::shared_ptr<State> state)
      : below_(std::move(below)), state_(std::move(state)) {}

  Status Append(ByteView bytes) override {
    const auto effect = state_->Count(Operation::kWrite);
    if (!effect) return below_->Append(bytes);
    if (effect == Fault::Effect::kShortWrite) {
      SHARDINE_RETURN_IF_ERROR(below_->Append(bytes.first(bytes.size() / 2)));
    }
    return state_->Failure(Operation::kWrite, path());
  }
  Status Sync() override {
    SHARDINE_ASSIGN_OR_RETURN(const bool real,
                              state_->CheckSync(Operation::kSync, path()));
    return real ? below_->Sync() : Status();
  }
  Status Close() override {
    SHARDINE_RETURN_IF_ERROR(state_->Check(Operation::kClose, path()));
    return below_->Close();
  }
  const std::string& path() const override { return below_->path(); }

 private:
  std::unique_ptr<WritableFile> below_;
  std::shared_ptr<State> state_;
};

FaultStorage::FaultStorage(Storage& below, Fault fault)
    : below_(below), state_(std::make_shared<State>(fault)) {}

FaultStorage::~FaultStorage() = default;

std::uint64_t FaultStorage::calls(Operation operation) const {
  return state_->calls(operation);
}

bool FaultStorage::struck() const { return state_->struck(); }

Result<std::unique_ptr<RandomAccessFile>> FaultStorage::Open(
    const std::string& path) {
  SHARDINE_RETURN_IF_ERROR(state_->Check(Operation::kOpen, path));
  SHARDINE_ASSIGN_OR_RETURN(auto file, below_.Open(path));
  return std::unique_ptr<RandomAccessFile>(
      std::make_unique<ReadableFile>(std::move(file), state_));
}

Result<std::unique_ptr<WritableFile>> FaultStorage::Create(
    const std::string& path) {
  SHARDINE_RETURN_IF_ERROR(state_->Check(Operation::kCreate, path));
  SHARDINE_ASSIGN_OR_RETURN(auto file, below_.Create(path));
  return std::unique_ptr<WritableFile>(
      std::make_unique<AppendedFile>(std::move(file), state_));
}

Result<std::unique_ptr<WritableFile>> FaultStorage::OpenForAppend(
    const std::string& path) {
  SHARDINE_RETURN_IF_ERROR(state_->Check(Operation::kCreate, path));
  SHARDINE_ASSIGN_OR_RETURN(auto file, below_.OpenForAppend(path));
  return std::unique_ptr<WritableFile>(
      std::make_unique<AppendedFile>(std::move(file), state_));
}

Result<FileInfo> FaultStorage::Stat(const std::string& path) {
  SHARDINE_RETURN_IF_ERROR(state_->Check(Operation::kStat, path));
  return below_.Stat(path);
}

Result<std::vector<DirEntry>> FaultStorage::List(const std::string& directory) {
  SHARDINE_RETURN_IF_ERROR(state_->Check(Operation::kList, directory));
  return below_.List(directory);
}

Status FaultStorage::CreateDirectories(const std::string& directory) {
  SHARDINE_RETURN_IF_ERROR(state_->Check(Operation::kMakeDirectory, directory));
  return below_.CreateDirectories(directory);
}

Status FaultStorage::Rename(const std::string& from, const std::string& to) {
  SHARDINE_RETURN_IF_ERROR(state_->Check(Operation::kRename, from));
  return below_.Rename(from, to);
}

Status FaultStorage::Remove(const std::string& path) {
  SHARDINE_RETURN_IF_ERROR(state_->Check(Operation::kRemove, path));
  return below_.Remove(path);
}

Status FaultStorage::SyncDirectory(const std::string& directory) {
  SHARDINE_ASSIGN_OR_RETURN(
      const bool real, state_->CheckSync(Operation::kSyncDirectory, directory));
  return real ? below_.SyncDirectory(directory) : Status();
}

Status FaultStorage::SyncFileSystem(const std::string& directory) {
  SHARDINE_ASSIGN_OR_RETURN(const bool real,
                            state_->CheckSync(Operation::kSync, directory));
  return real ? below_.SyncFileSystem(directory) : Status();
}

Result<std::uint64_t> FaultStorage::FreeBytes(const std::string& path) {
  SHARDINE_RETURN_IF_ERROR(state_->Check(Operation::kStat, path));
  return below_.FreeBytes(path);
}

Result<std::unique_ptr<FileLock>> FaultStorage::Lock(const std::string& path) {
  SHARDINE_RETURN_IF_ERROR(state_->Check(Operation::kLock, path));
  return below_.Lock(path);
}

}  // namespace shardine
