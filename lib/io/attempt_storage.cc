#include "io/attempt_storage.h"

#include <algorithm>
#include <chrono>

#include "base/status_macros.h"
#include "io/atomic_file.h"
#include "io/random_token.h"
#include "io/temporary_name.h"

namespace shardine {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr std::chrono::hours kAbandoned{1};  // after the last write

// Best effort. On servers nothing unfinished has a name.
void RemoveOldAttempts(Storage& storage, const std::string& path) {
  if (storage.many_files() != nullptr) return;
  const std::string folder = DirectoryOf(path);
  const auto entries = storage.List(folder);
  if (!entries.ok()) return;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t latest =
      std::chrono::nanoseconds(now - kAbandoned).count();
  for (const DirEntry& entry : *entries) {
    const auto stem = NameOfTemporary(entry.name);
    if (!stem || !stem->starts_with(FileNameOf(path) + ".")) continue;
    const std::string left = JoinPath(folder, entry.name);
    const auto info = storage.Stat(left);
    if (!info.ok() || info->kind != FileKind::kRegular) continue;
    if (info->mtime_ns < latest) static_cast<void>(storage.Remove(left));
  }
}

}  // namespace

Result<bool> HaveSameBytes(ReadableStorage& storage, const std::string& a,
                           const std::string& b) {
  SHARDINE_ASSIGN_OR_RETURN(const auto one, storage.OpenForward(a));
  SHARDINE_ASSIGN_OR_RETURN(const auto other, storage.OpenForward(b));
  if (one->size() != other->size()) return false;
  ByteBuffer left;
  ByteBuffer right;
  for (std::uint64_t at = 0; at < one->size(); at += kPieceBytes) {
    const auto size = static_cast<std::size_t>(
        std::min<std::uint64_t>(kPieceBytes, one->size() - at));
    left.Resize(size);
    right.Resize(size);
    SHARDINE_RETURN_IF_ERROR(one->ReadExactly(at, left.span()));
    SHARDINE_RETURN_IF_ERROR(other->ReadExactly(at, right.span()));
    if (!std::ranges::equal(left.view(), right.view())) return false;
  }
  return true;
}

OwnAttempt::OwnAttempt(Storage& storage, const std::string& path)
    : AttemptStorage(storage, RandomToken()) {
  RemoveOldAttempts(storage, path);
}

std::string AttemptStorage::OwnPath(const std::string& path) const {
  const std::string name = FileNameOf(path);
  if (!IsTemporaryName(name)) return path;
  // A name that was cut still has its first part and its digits, which will do.
  const std::string stem = NameOfTemporary(name).value_or(name.substr(1));
  return TemporaryName(JoinPath(DirectoryOf(path), stem + "." + attempt_));
}

Status AttemptStorage::Rename(const std::string& from, const std::string& to) {
  return MoveBy(&Storage::Rename, from, to);
}

Status AttemptStorage::RenameNew(const std::string& from,
                                 const std::string& to) {
  Status moved = MoveBy(&Storage::RenameNew, from, to);
  if (moved.ok() || moved.code() == Code::kCancelled) return moved;
  const std::string own = OwnPath(from);
  const Result<bool> same = HaveSameBytes(storage_, own, to);
  if (same.ok() && *same) return storage_.Remove(own);
  if (moved.code() != Code::kAlreadyExists) return moved;
  SHARDINE_RETURN_IF_ERROR(same.status());
  return Status(Code::kAlreadyExists,
                "is in the way, and holds something else than what is made "
                "here; move it away and run the same command again")
      .At({.path = to});
}

// A server may have renamed the file, and its answer have been lost: the next
// try then finds nothing under the old name. The file is known by its inode.
Status AttemptStorage::MoveBy(Move move, const std::string& from,
                              const std::string& to) {
  const std::string own = OwnPath(from);
  const auto before = storage_.Stat(own);
  Status moved = (storage_.*move)(own, to);
  if (moved.ok() || !before.ok()) return moved;
  if (storage_.Stat(own).status().code() != Code::kNotFound) return moved;
  const auto after = storage_.Stat(to);
  return after.ok() && IsSameFile(*before, *after) ? Status() : moved;
}

}  // namespace shardine
