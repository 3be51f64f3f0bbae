#include "io/memory_storage.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/status_macros.h"
#include "io/memory_tree.h"

namespace shardine {
namespace {

using LastLink = MemoryTree::LastLink;
using Guard = std::lock_guard<std::mutex>;

// The files keep the tree, hence its mutex, alive.
struct OpenNode {
  std::shared_ptr<MemoryTree> tree;
  std::shared_ptr<MemoryNode> node;
  std::string path;
};

class MemoryRandomAccessFile : public RandomAccessFile {
 public:
  explicit MemoryRandomAccessFile(OpenNode open)
      : open_(std::move(open)), size_(open_.node->size()) {}

  Result<std::size_t> ReadAt(std::uint64_t offset,
                             std::span<std::byte> out) const override {
    const Guard guard(open_.tree->mutex());
    const MemoryNode& node = *open_.node;
    if (offset >= node.size()) return std::size_t{0};
    out = out.first(static_cast<std::size_t>(
        std::min<std::uint64_t>(out.size(), node.size() - offset)));
    const std::size_t zeros =
        offset >= node.zeros ? 0
                             : static_cast<std::size_t>(std::min<std::uint64_t>(
                                   out.size(), node.zeros - offset));
    std::fill_n(out.data(), zeros, std::byte{0});
    if (zeros < out.size()) {
      const auto begin = static_cast<std::size_t>(offset + zeros - node.zeros);
      std::memcpy(out.data() + zeros, node.bytes.data() + begin,
                  out.size() - zeros);
    }
    return out.size();
  }
  // The size at the moment of opening, as with the local storage, even if the
  // file grows.
  std::uint64_t size() const override { return size_; }
  const std::string& path() const override { return open_.path; }

 private:
  OpenNode open_;
  std::uint64_t size_;
};

class MemoryWritableFile : public WritableFile {
 public:
  explicit MemoryWritableFile(OpenNode open) : open_(std::move(open)) {}

  Status Append(ByteView bytes) override {
    const Guard guard(open_.tree->mutex());
    open_.node->bytes.append(AsText(bytes));
    open_.node->mtime_ns = static_cast<std::int64_t>(open_.tree->Tick());
    return Status();
  }
  Status Sync() override {
    const Guard guard(open_.tree->mutex());
    open_.node->synced_size = open_.node->size();
    return Status();
  }
  Status Close() override { return Status(); }
  const std::string& path() const override { return open_.path; }

 private:
  OpenNode open_;
};

class MemoryFileLock : public FileLock {
 public:
  explicit MemoryFileLock(OpenNode open) : open_(std::move(open)) {
    open_.node->locked = true;
  }
  ~MemoryFileLock() override {
    const Guard guard(open_.tree->mutex());
    open_.node->locked = false;
  }

 private:
  OpenNode open_;
};

// The regular file at `path`, created empty if absent.
Result<OpenNode> OpenOrCreate(const std::shared_ptr<MemoryTree>& tree,
                              const std::string& path) {
  const MemoryPlace place = tree->Resolve(path, LastLink::kFollow);
  int error = place.error;
  if (error == 0 && place.node != nullptr) {
    if (place.node->kind == FileKind::kDirectory) error = EISDIR;
    // The local storage's error for a FIFO without a reader.
    if (place.node->kind == FileKind::kOther) error = ENXIO;
  }
  if (error != 0) return Status::FromErrno(error, "open", path);
  if (place.node != nullptr) {
    // A sparse file becomes a node that stays, since the next opening must find
    // the appended bytes.
    return OpenNode{tree, place.parent().FindToChange(place.name), path};
  }
  auto node = tree->MakeNode(FileKind::kRegular);
  place.parent().Set(place.name, node);
  return OpenNode{tree, std::move(node), path};
}

// 0, or why `from` cannot be renamed to `to`.
int RenameError(const MemoryPlace& from, const MemoryPlace& to) {
  if (from.error != 0) return from.error;
  if (from.node == nullptr) return ENOENT;
  if (to.error != 0) return to.error;
  if (from.name.empty() || to.name.empty()) return EBUSY;
  const auto& above = to.ancestors;
  // A directory cannot move into itself.
  if (std::find(above.begin(), above.end(), from.node.get()) != above.end()) {
    return EINVAL;
  }
  if (to.node == nullptr) return 0;
  const bool directory = from.node->kind == FileKind::kDirectory;
  if (to.node->kind != FileKind::kDirectory) return directory ? ENOTDIR : 0;
  if (!directory) return EISDIR;
  return to.node->children->empty() ? 0 : ENOTEMPTY;
}

}  // namespace

MemoryStorage::MemoryStorage() : tree_(std::make_shared<MemoryTree>()) {}

MemoryStorage::~MemoryStorage() = default;

void MemoryStorage::Put(const std::string& path, std::string contents) {
  const Guard guard(tree_->mutex());
  tree_->DirectoryToPut(path).SetSynced(
      FileNameOf(path),
      tree_->MakeNode(FileKind::kRegular, std::move(contents)));
}

void MemoryStorage::PutSparse(const std::string& path, std::uint64_t size) {
  const Guard guard(tree_->mutex());
  tree_->DirectoryToPut(path).PutSparse(FileNameOf(path),
                                        {size, tree_->Tick()});
}

void MemoryStorage::PutSymlink(const std::string& path,
                               const std::string& target) {
  const Guard guard(tree_->mutex());
  tree_->DirectoryToPut(path).SetSynced(
      FileNameOf(path), tree_->MakeNode(FileKind::kSymlink, target));
}

void MemoryStorage::PutFifo(const std::string& path) {
  const Guard guard(tree_->mutex());
  tree_->DirectoryToPut(path).SetSynced(FileNameOf(path),
                                        tree_->MakeNode(FileKind::kOther));
}

Result<std::string> MemoryStorage::Get(const std::string& path) const {
  const Guard guard(tree_->mutex());
  const MemoryPlace place = tree_->ResolveExisting(path);
  if (place.error != 0) return Status::FromErrno(place.error, "get", path);
  return std::string(static_cast<std::size_t>(place.node->zeros), '\0') +
         place.node->bytes;
}

void MemoryStorage::LosePower() {
  const Guard guard(tree_->mutex());
  tree_->root().LosePower();
}

Result<std::unique_ptr<RandomAccessFile>> MemoryStorage::Open(
    const std::string& path) {
  const Guard guard(tree_->mutex());
  MemoryPlace place = tree_->ResolveExisting(path);
  if (place.error != 0) return Status::FromErrno(place.error, "open", path);
  if (place.node->kind != FileKind::kRegular) {
    return Status(Code::kUnsupported, "not a regular file").At({.path = path});
  }
  return std::unique_ptr<RandomAccessFile>(
      std::make_unique<MemoryRandomAccessFile>(
          OpenNode{tree_, std::move(place.node), path}));
}

Result<std::unique_ptr<WritableFile>> MemoryStorage::Create(
    const std::string& path) {
  const Guard guard(tree_->mutex());
  const MemoryPlace place = tree_->Resolve(path, LastLink::kKeep);
  const bool gives_way = place.error == 0 && !place.name.empty() &&
                         place.node != nullptr &&
                         (place.node->kind == FileKind::kRegular ||
                          place.node->kind == FileKind::kSymlink);
  // The old node goes on without a name, as an unlinked file does: open files
  // read the old bytes to their end.
  if (gives_way) place.parent().Set(place.name, nullptr);
  SHARDINE_ASSIGN_OR_RETURN(OpenNode open, OpenOrCreate(tree_, path));
  return std::unique_ptr<WritableFile>(
      std::make_unique<MemoryWritableFile>(std::move(open)));
}

Result<std::unique_ptr<WritableFile>> MemoryStorage::OpenForAppend(
    const std::string& path) {
  const Guard guard(tree_->mutex());
  SHARDINE_ASSIGN_OR_RETURN(OpenNode open, OpenOrCreate(tree_, path));
  return std::unique_ptr<WritableFile>(
      std::make_unique<MemoryWritableFile>(std::move(open)));
}

Result<FileInfo> MemoryStorage::Stat(const std::string& path) {
  const Guard guard(tree_->mutex());
  const MemoryPlace place = tree_->ResolveExisting(path);
  if (place.error != 0) return Status::FromErrno(place.error, "stat", path);
  FileInfo info;
  info.kind = place.node->kind;
  info.size = place.node->size();
  info.mtime_ns = place.node->mtime_ns;
  info.device = 1;
  info.inode = place.node->inode;
  return info;
}

Result<std::vector<DirEntry>> MemoryStorage::List(
    const std::string& directory) {
  const Guard guard(tree_->mutex());
  const MemoryPlace place = tree_->ResolveDirectory(directory);
  if (place.error != 0) {
    return Status::FromErrno(place.error, "open directory", directory);
  }
  return place.node->children->List();
}

Status MemoryStorage::CreateDirectories(const std::string& directory) {
  const Guard guard(tree_->mutex());
  const int error = tree_->CreateDirectories(directory);
  if (error == 0) return Status();
  return Status::FromErrno(error, "create directory", directory);
}

Status MemoryStorage::Rename(const std::string& from, const std::string& to) {
  const Guard guard(tree_->mutex());
  const MemoryPlace source = tree_->Resolve(from, LastLink::kKeep);
  const MemoryPlace target = tree_->Resolve(to, LastLink::kKeep);
  const int error = RenameError(source, target);
  if (error != 0) return Status::FromErrno(error, "rename to " + to, from);
  auto node = source.parent().FindToChange(source.name);
  // A file renamed to itself stays as it is, and nothing of it waits for a
  // sync.
  if (node == target.node) return Status();
  // Each of the two names is undone by itself: after a rename from one
  // directory to another, a power cut can take either until both are synced.
  source.parent().Set(source.name, nullptr);
  target.parent().Set(target.name, std::move(node));
  return Status();
}

Status MemoryStorage::Remove(const std::string& path) {
  const Guard guard(tree_->mutex());
  const MemoryPlace place = tree_->Resolve(path, LastLink::kKeep);
  int error = place.error;
  if (error == 0 && place.node == nullptr) error = ENOENT;
  if (error == 0 && place.name.empty()) error = EBUSY;
  if (error == 0 && place.node->kind == FileKind::kDirectory &&
      !place.node->children->empty()) {
    error = ENOTEMPTY;
  }
  if (error != 0) return Status::FromErrno(error, "remove", path);
  place.parent().Set(place.name, nullptr);
  return Status();
}

Status MemoryStorage::SyncDirectory(const std::string& directory) {
  const Guard guard(tree_->mutex());
  const MemoryPlace place = tree_->ResolveDirectory(directory);
  if (place.error != 0) {
    return Status::FromErrno(place.error, "open", directory);
  }
  place.node->children->Sync();
  return Status();
}

Status MemoryStorage::SyncFileSystem(const std::string& directory) {
  const Guard guard(tree_->mutex());
  const MemoryPlace place = tree_->ResolveDirectory(directory);
  if (place.error != 0) {
    return Status::FromErrno(place.error, "open", directory);
  }
  tree_->root().SyncAll();
  return Status();
}

Result<std::uint64_t> MemoryStorage::FreeBytes(const std::string&) {
  return std::uint64_t{1} << 40;
}

Result<std::unique_ptr<FileLock>> MemoryStorage::Lock(const std::string& path) {
  const Guard guard(tree_->mutex());
  SHARDINE_ASSIGN_OR_RETURN(OpenNode open, OpenOrCreate(tree_, path));
  if (open.node->locked) {
    return Status(Code::kAlreadyExists, "another process has the lock")
        .At({.path = path});
  }
  return std::unique_ptr<FileLock>(
      std::make_unique<MemoryFileLock>(std::move(open)));
}

}  // namespace shardine
