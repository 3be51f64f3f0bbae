#include "io/native_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/status_macros.h"

namespace shardine {
namespace {

constexpr std::size_t kCopyBytes = std::size_t{1} << 20;

}  // namespace

Result<NativeFile> NativeFile::Create(Storage& storage, std::string path) {
  auto native = storage.NativePath(path);
  if (native) {
    // Truncates the file that an earlier, killed run left under the name.
    SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Create(path));
    SHARDINE_RETURN_IF_ERROR(file->Close());
    return NativeFile(storage, std::move(path), *std::move(native), -1);
  }
  const int memory = memfd_create("shardine", MFD_CLOEXEC);
  if (memory < 0) {
    return Status::FromErrno(errno, "create in memory", path);
  }
  return NativeFile(storage, std::move(path),
                    "/proc/self/fd/" + std::to_string(memory), memory);
}

NativeFile::NativeFile(Storage& storage, std::string path,
                       std::string native_path, int memory)
    : storage_(&storage),
      path_(std::move(path)),
      native_path_(std::move(native_path)),
      memory_(memory) {}

NativeFile::NativeFile(NativeFile&& other) noexcept
    : storage_(other.storage_),
      path_(std::move(other.path_)),
      native_path_(std::move(other.native_path_)),
      memory_(std::exchange(other.memory_, -1)) {}

NativeFile& NativeFile::operator=(NativeFile&& other) noexcept {
  std::swap(storage_, other.storage_);
  std::swap(path_, other.path_);
  std::swap(native_path_, other.native_path_);
  std::swap(memory_, other.memory_);
  return *this;
}

NativeFile::~NativeFile() {
  if (memory_ >= 0) close(memory_);
}

Status NativeFile::Commit() {
  if (memory_ >= 0) return CopyFromMemory();
  const int file = open(native_path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Status::FromErrno(errno, "open", path_);
  const int error = fsync(file) == 0 ? 0 : errno;
  close(file);
  return error == 0 ? Status() : Status::FromErrno(error, "sync", path_);
}

Status NativeFile::CopyFromMemory() {
  SHARDINE_ASSIGN_OR_RETURN(const auto to, storage_->Create(path_));
  ByteBuffer buffer;
  for (off_t offset = 0;;) {
    buffer.Resize(kCopyBytes);
    const ssize_t count = pread(memory_, buffer.data(), kCopyBytes, offset);
    if (count < 0) return Status::FromErrno(errno, "read from memory", path_);
    if (count == 0) break;
    buffer.Resize(static_cast<std::size_t>(count));
    SHARDINE_RETURN_IF_ERROR(to->Append(buffer.view()));
    offset += count;
  }
  SHARDINE_RETURN_IF_ERROR(to->Sync());
  return to->Close();
}

}  // namespace shardine
