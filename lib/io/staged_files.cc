#include "io/staged_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/fork_mutex.h"
#include "base/status_macros.h"
#include "io/storage_for.h"
#include "shardine/environment.h"

namespace shardine {
namespace {

std::string Folder() {
  const std::string own = Environment::Latest().Of("TMPDIR");
  return own.empty() ? "/var/tmp" : own;
}

// An error of the staged file names the object that it is to become; a full
// disk has to do with neither.
Status Failed(std::string_view action, const std::string& path) {
  const int error = errno;
  Status status = Status::FromErrno(error, action, path);
  if (error != ENOSPC && error != EDQUOT) return status;
  return Status(Code::kIo, "no space left in " + Folder() +
                               ", where files are written before they are "
                               "sent; set TMPDIR to a larger disk")
      .At({.path = path});
}

class StagedReader : public RandomAccessFile {
 public:
  StagedReader(std::shared_ptr<StagedFile> staged,
               std::unique_ptr<RandomAccessFile> native)
      : staged_(std::move(staged)), native_(std::move(native)) {}

  Result<std::size_t> ReadAt(std::uint64_t offset,
                             std::span<std::byte> out) const override {
    return native_->ReadAt(offset, out);
  }
  std::uint64_t size() const override { return native_->size(); }
  const std::string& path() const override { return staged_->path(); }

 private:
  const std::shared_ptr<StagedFile> staged_;
  const std::unique_ptr<RandomAccessFile> native_;
};

}  // namespace

Result<std::shared_ptr<StagedFile>> StagedFile::Make(std::string path) {
  std::string name = Folder() + "/shardine-XXXXXX";
  const int file = mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) return Failed("create in " + Folder(), path);
  unlink(name.c_str());
  return std::shared_ptr<StagedFile>(new StagedFile(file, std::move(path)));
}

StagedFile::~StagedFile() { close(file_); }

Status StagedFile::Append(ByteView bytes) {
  SHARDINE_ASSIGN_OR_RETURN(std::uint64_t at, size());
  while (!bytes.empty()) {
    const ssize_t count =
        pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Failed("write", path_);
    at += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return Status();
}

Status StagedFile::Empty() {
  return ftruncate(file_, 0) == 0 ? Status() : Failed("truncate", path_);
}

std::string StagedFile::native_path() const {
  return "/proc/self/fd/" + std::to_string(file_);
}

Result<std::uint64_t> StagedFile::size() const {
  struct stat facts;
  if (fstat(file_, &facts) != 0) return Failed("stat", path_);
  return static_cast<std::uint64_t>(facts.st_size);
}

Result<std::unique_ptr<RandomAccessFile>> OpenStaged(
    const std::shared_ptr<StagedFile>& file) {
  const std::string path = file->native_path();
  const EnvironmentScope scope(Environment::Latest());
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage, StorageFor(path));
  SHARDINE_ASSIGN_OR_RETURN(auto native, storage->Open(path));
  return std::unique_ptr<RandomAccessFile>(
      std::make_unique<StagedReader>(file, std::move(native)));
}

Result<std::shared_ptr<StagedFile>> StagedFiles::Make(const std::string& path) {
  if (auto file = Find(path)) {
    SHARDINE_RETURN_IF_ERROR(file->Empty());
    return file;
  }
  SHARDINE_ASSIGN_OR_RETURN(auto file, StagedFile::Make(path));
  const std::lock_guard lock(ForkMutex());
  return files_.insert_or_assign(path, std::move(file)).first->second;
}

std::shared_ptr<StagedFile> StagedFiles::Find(const std::string& path) const {
  const std::lock_guard lock(ForkMutex());
  const auto found = files_.find(path);
  return found == files_.end() ? nullptr : found->second;
}

bool StagedFiles::Remove(const std::string& path) {
  const std::lock_guard lock(ForkMutex());
  return files_.erase(path) > 0;
}

std::vector<std::string> StagedFiles::NamesIn(const std::string& folder) const {
  const std::string begin = folder + "/";
  const std::lock_guard lock(ForkMutex());
  std::vector<std::string> names;
  for (auto file = files_.lower_bound(begin);
       file != files_.end() && file->first.starts_with(begin); ++file) {
    std::string name = file->first.substr(begin.size());
    if (name.find('/') == name.npos) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace shardine
