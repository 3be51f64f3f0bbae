// The nodes of MemoryStorage: directories, files and links, how a path leads to
// them, and the state that a power cut would leave.
#ifndef SHARDINE_IO_MEMORY_TREE_H_
#define SHARDINE_IO_MEMORY_TREE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "io/sparse_table.h"
#include "io/storage.h"

namespace shardine {

class MemoryDirectory;

// A file of `zeros` zero bytes followed by `bytes`, a link to `bytes`, a
// directory of `children`, or a FIFO.
struct MemoryNode {
  FileKind kind = FileKind::kRegular;
  std::uint64_t inode = 0;
  std::int64_t mtime_ns = 0;
  std::uint64_t zeros = 0;
  std::string bytes = {};
  std::uint64_t synced_size = 0;
  bool locked = false;
  std::unique_ptr<MemoryDirectory> children = {};

  std::uint64_t size() const { return zeros + bytes.size(); }
};

// Thread-compatible.
class MemoryDirectory {
 public:
  // Null if absent. A sparse file comes as a node made for this call.
  std::shared_ptr<MemoryNode> Find(std::string_view name) const;
  // As Find, but a sparse file becomes a node that stays.
  std::shared_ptr<MemoryNode> FindToChange(std::string_view name);
  bool empty() const { return nodes_.empty() && sparse_.empty(); }
  std::vector<DirEntry> List() const;

  // Sets or, with null, removes an entry; undone by LosePower() until Sync().
  void Set(std::string_view name, std::shared_ptr<MemoryNode> node);
  // The same as if synced at once.
  void SetSynced(std::string_view name, std::shared_ptr<MemoryNode> node);
  void PutSparse(std::string_view name, SparseTable::Entry entry);
  void Sync() { unsynced_.clear(); }
  // With the files, here and below.
  void SyncAll();
  // Here and below.
  void LosePower();

 private:
  using Nodes = std::map<std::string, std::shared_ptr<MemoryNode>, std::less<>>;

  void Assign(std::string_view name, std::shared_ptr<MemoryNode> node);

  Nodes nodes_;
  SparseTable sparse_;
  Nodes unsynced_;  // of the last Sync(), for names set since; null: none
};

// Where a path leads. If `name` is empty it names the directory `node` itself
// ("/", "..").
struct MemoryPlace {
  int error = 0;  // errno: no place; the rest is empty
  std::vector<MemoryNode*> ancestors = {};  // from the root; last: the parent
  std::string name = {};
  std::shared_ptr<MemoryNode> node = {};  // null: nothing there (yet)

  MemoryDirectory& parent() const { return *ancestors.back()->children; }
};

// The tree and the one mutex that guards all of it: REQUIRES: hold mutex() in
// every call, and to touch a node or a directory.
class MemoryTree {
 public:
  enum class LastLink { kFollow, kKeep };

  MemoryTree();

  std::mutex& mutex() { return mutex_; }
  MemoryDirectory& root() { return *root_->children; }

  // Relative paths start at the root, too.
  MemoryPlace Resolve(std::string_view path, LastLink last) const;
  // As Resolve, following links; ENOENT or ENOTDIR if there is no such thing.
  MemoryPlace ResolveExisting(std::string_view path) const;
  MemoryPlace ResolveDirectory(std::string_view path) const;
  // The directory in which to put `path`, made if absent. REQUIRES: it can be,
  // and `path` is no directory.
  MemoryDirectory& DirectoryToPut(const std::string& path);
  // 0, or errno. New directories are synced.
  int CreateDirectories(const std::string& path);

  // 1, 2, ...: serves as inode number and as time.
  std::uint64_t Tick() { return ++clock_; }
  // A new node, modified now, its first `contents` synced.
  std::shared_ptr<MemoryNode> MakeNode(FileKind kind,
                                       std::string contents = {});

 private:
  std::mutex mutex_;
  std::uint64_t clock_ = 0;
  std::shared_ptr<MemoryNode> root_;
};

}  // namespace shardine

#endif  // SHARDINE_IO_MEMORY_TREE_H_
