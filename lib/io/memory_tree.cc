#include "io/memory_tree.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/check.h"

namespace shardine {
namespace {

// The limits equal Linux's, so that a test fails here where a run on a disk
// would: NAME_MAX, and the links that a lookup follows.
constexpr std::size_t kMaxNameSize = 255;
constexpr int kMaxLinks = 40;

std::shared_ptr<MemoryNode> NodeOf(const SparseTable::Entry& entry) {
  auto node = std::make_shared<MemoryNode>();
  node->inode = entry.serial;
  node->mtime_ns = static_cast<std::int64_t>(entry.serial);
  node->zeros = entry.size;
  node->synced_size = entry.size;
  return node;
}

// Splits the first component off `path`; empty when there is none left.
std::string_view TakeComponent(std::string_view& path) {
  const std::size_t begin = path.find_first_not_of('/');
  if (begin == std::string_view::npos) {
    path = {};
    return {};
  }
  const std::size_t end = std::min(path.find('/', begin), path.size());
  const std::string_view component = path.substr(begin, end - begin);
  path.remove_prefix(end);
  if (path.find_first_not_of('/') == std::string_view::npos) path = {};
  return component;
}

}  // namespace

// Only a node that a caller may change is stored. Listing or reading millions
// of sparse files costs no memory for each.
std::shared_ptr<MemoryNode> MemoryDirectory::Find(std::string_view name) const {
  const auto found = nodes_.find(name);
  if (found != nodes_.end()) return found->second;
  const auto entry = sparse_.Find(name);
  return entry ? NodeOf(*entry) : nullptr;
}

std::shared_ptr<MemoryNode> MemoryDirectory::FindToChange(
    std::string_view name) {
  auto node = Find(name);
  if (node != nullptr) Assign(name, node);
  return node;
}

std::vector<DirEntry> MemoryDirectory::List() const {
  std::vector<DirEntry> entries;
  for (const auto& [name, node] : nodes_) entries.push_back({name, node->kind});
  for (std::string& name : sparse_.Names()) {
    entries.push_back({std::move(name), FileKind::kRegular});
  }
  return entries;
}

void MemoryDirectory::Assign(std::string_view name,
                             std::shared_ptr<MemoryNode> node) {
  sparse_.Erase(name);
  if (node == nullptr) {
    const auto found = nodes_.find(name);
    if (found != nodes_.end()) nodes_.erase(found);
  } else {
    nodes_[std::string(name)] = std::move(node);
  }
}

void MemoryDirectory::Set(std::string_view name,
                          std::shared_ptr<MemoryNode> node) {
  // The node of the last Sync counts: a second change of the same name must not
  // replace it with one that was never on the disk.
  unsynced_.try_emplace(std::string(name), FindToChange(name));
  Assign(name, std::move(node));
}

void MemoryDirectory::SetSynced(std::string_view name,
                                std::shared_ptr<MemoryNode> node) {
  unsynced_.erase(std::string(name));
  Assign(name, std::move(node));
}

void MemoryDirectory::PutSparse(std::string_view name,
                                SparseTable::Entry entry) {
  SetSynced(name, nullptr);
  sparse_.Put(name, entry);
}

void MemoryDirectory::SyncAll() {
  Sync();
  for (auto& [name, node] : nodes_) {
    if (node->children != nullptr) node->children->SyncAll();
    node->synced_size = node->size();
  }
}

void MemoryDirectory::LosePower() {
  // The names come first, so that files which return to this directory lose
  // their unsynced bytes in the loop after it.
  for (auto& [name, node] : std::exchange(unsynced_, {})) Assign(name, node);
  for (auto& [name, node] : nodes_) {
    if (node->children != nullptr) node->children->LosePower();
    if (node->size() > node->synced_size) {
      node->bytes.resize(
          static_cast<std::size_t>(node->synced_size - node->zeros));
    }
  }
}

MemoryTree::MemoryTree() : root_(MakeNode(FileKind::kDirectory)) {}

std::shared_ptr<MemoryNode> MemoryTree::MakeNode(FileKind kind,
                                                 std::string contents) {
  auto node = std::make_shared<MemoryNode>();
  node->kind = kind;
  node->inode = Tick();
  node->mtime_ns = static_cast<std::int64_t>(node->inode);
  node->bytes = std::move(contents);
  node->synced_size = node->bytes.size();
  if (kind == FileKind::kDirectory) {
    node->children = std::make_unique<MemoryDirectory>();
  }
  return node;
}

MemoryPlace MemoryTree::Resolve(std::string_view path, LastLink last) const {
  if (path.empty() || path.find('\0') != path.npos) return {.error = ENOENT};
  MemoryPlace place{.ancestors = {root_.get()}};
  std::string expanded;  // owns the rest of the path once a link was followed
  int links = 0;
  for (;;) {
    const std::string_view name = TakeComponent(path);
    if (name == ".." && place.ancestors.size() > 1) place.ancestors.pop_back();
    const bool stays = name.empty() || name == "." || name == "..";
    if (stays && !path.empty()) continue;
    if (stays) break;
    if (name.size() > kMaxNameSize) return {.error = ENAMETOOLONG};
    auto node = place.parent().Find(name);
    if (node != nullptr && node->kind == FileKind::kSymlink &&
        (!path.empty() || last == LastLink::kFollow)) {
      if (++links > kMaxLinks) return {.error = ELOOP};
      if (node->bytes.starts_with('/')) place.ancestors.resize(1);
      // A link that is not absolute starts from the directory that it lies in,
      // which is the last of the ancestors. `path` may be a view of `expanded`,
      // hence the copy.
      expanded = node->bytes + "/" + std::string(path);
      path = expanded;
      continue;
    }
    if (path.empty()) {
      place.name = name;
      place.node = std::move(node);
      return place;
    }
    if (node == nullptr) return {.error = ENOENT};
    if (node->kind != FileKind::kDirectory) return {.error = ENOTDIR};
    place.ancestors.push_back(node.get());
  }
  MemoryNode* const directory = place.ancestors.back();
  if (place.ancestors.size() > 1) place.ancestors.pop_back();
  // The ancestors are plain pointers: the root owns them all, and the mutex
  // keeps the tree as it is for as long as a place is in use.
  place.node = std::shared_ptr<MemoryNode>(root_, directory);
  return place;
}

MemoryPlace MemoryTree::ResolveExisting(std::string_view path) const {
  MemoryPlace place = Resolve(path, LastLink::kFollow);
  if (place.error == 0 && place.node == nullptr) return {.error = ENOENT};
  return place;
}

MemoryPlace MemoryTree::ResolveDirectory(std::string_view path) const {
  MemoryPlace place = ResolveExisting(path);
  if (place.error == 0 && place.node->kind != FileKind::kDirectory) {
    return {.error = ENOTDIR};
  }
  return place;
}

MemoryDirectory& MemoryTree::DirectoryToPut(const std::string& path) {
  const std::string above = DirectoryOf(path);
  MemoryPlace place = ResolveDirectory(above);
  if (place.error != 0) {
    SHARDINE_CHECK(CreateDirectories(above) == 0);
    place = ResolveDirectory(above);
  }
  MemoryDirectory& directory = *place.node->children;
  const auto old = directory.Find(FileNameOf(path));
  SHARDINE_CHECK(old == nullptr || old->kind != FileKind::kDirectory);
  return directory;
}

// Links are kept at first: mkdir makes no directory through a link that leads
// nowhere. A link to a directory counts as one, as with `mkdir -p`.
int MemoryTree::CreateDirectories(const std::string& path) {
  MemoryPlace place = Resolve(path, LastLink::kKeep);
  const std::string above = DirectoryOf(path);
  if (place.error == ENOENT && above != path) {
    const int error = CreateDirectories(above);
    if (error != 0) return error;
    place = Resolve(path, LastLink::kKeep);
  }
  if (place.error != 0) return place.error;
  if (place.node == nullptr) {
    place.parent().SetSynced(place.name, MakeNode(FileKind::kDirectory));
    return 0;
  }
  place = Resolve(path, LastLink::kFollow);
  const bool exists =
      place.node != nullptr && place.node->kind == FileKind::kDirectory;
  return exists ? 0 : EEXIST;
}

}  // namespace shardine
