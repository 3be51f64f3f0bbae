#include "lmdb/lmdb_reader.h"

#include <algorithm>
#include <utility>

#include "base/shown_name.h"
#include "base/status_macros.h"

namespace shardine {
namespace {

// Values mostly follow each other in the order of keys.
constexpr FileWindow::Options kWindow = {.ahead = std::uint64_t{1} << 20,
                                         .gap = std::uint64_t{1} << 18,
                                         .keeps_strays = true};

}  // namespace

Result<std::unique_ptr<LmdbReader>> LmdbReader::Walked(
    const RandomAccessFile& file) {
  auto meta = ReadLmdbMeta(file);
  if (!meta.ok()) return std::move(meta).status().At({.path = file.path()});
  std::unique_ptr<LmdbReader> reader(new LmdbReader(file, *meta));
  // The meta pages are taken, so that no node can lead there.
  SHARDINE_RETURN_IF_ERROR(reader->Visit(0, 2, 0));
  SHARDINE_RETURN_IF_ERROR(reader->Walk());
  return reader;
}

Result<std::unique_ptr<LmdbReader>> LmdbReader::Open(
    const RandomAccessFile& file, std::string_view database) {
  SHARDINE_ASSIGN_OR_RETURN(auto reader, Walked(file));
  SHARDINE_RETURN_IF_ERROR(reader->Choose(database));
  reader->walk_ = {};
  return reader;
}

Result<std::vector<std::string>> LmdbReader::DatabasesOf(
    const RandomAccessFile& file) {
  SHARDINE_ASSIGN_OR_RETURN(const auto reader, Walked(file));
  return std::move(reader->walk_.names);
}

LmdbReader::LmdbReader(const RandomAccessFile& file, const LmdbMeta& meta)
    : file_(&file), meta_(meta), pages_(file, meta), window_(file, kWindow) {
  const std::uint64_t in_file = file_->size() / meta_.page_size;
  // The last page comes from the file, whose size bounds the memory.
  walk_.visited.resize(
      static_cast<std::size_t>(std::min(meta_.last_page + 1, in_file)));
}

Status LmdbReader::Walk() {
  if (meta_.root != kLmdbNoPage) {
    SHARDINE_RETURN_IF_ERROR(
        Visit(meta_.root, 1, meta_.database_at + kLmdbRootAt));
    SHARDINE_RETURN_IF_ERROR(WalkPage(meta_.root, 1));
  }
  return CheckCounts();
}

Status LmdbReader::Choose(std::string_view database) {
  if (database.empty() && walk_.names.empty()) return {};
  if (std::ranges::find(walk_.names, database) == walk_.names.end()) {
    return SayNames(database);
  }
  SHARDINE_ASSIGN_OR_RETURN(const auto entry, Find(AsBytes(database)));
  if (!entry) return SayNames(database);
  SHARDINE_ASSIGN_OR_RETURN(const ByteView record, Value(*entry));
  auto meta = ReadNamedDatabase(*file_, meta_, record, entry->value.offset);
  if (!meta.ok()) return std::move(meta).status().At({.path = path()});
  meta_ = *meta;
  leaves_.clear();
  // The pages stay visited: no two databases share one.
  Progress fresh;
  fresh.visited = std::move(walk_.visited);
  walk_ = std::move(fresh);
  SHARDINE_RETURN_IF_ERROR(Walk());
  return walk_.names.empty() ? Status() : SayNames(database);
}

Status LmdbReader::SayNames(std::string_view asked) const {
  // Each entry of the file may be one.
  constexpr std::size_t kMostShown = 10;
  std::string names;
  for (const std::string& name : walk_.names) {
    if (&name == &walk_.names[0] + kMostShown) {
      names += ", ...";
      break;
    }
    names += (names.empty() ? "" : ", ") + ShowName(name);
  }
  std::string message = "holds named databases (" + names +
                        "); the layouts' parameter database picks one";
  if (!asked.empty()) {
    message = "has no database " + ShowName(asked) +
              (names.empty() ? "" : " but " + names);
  }
  return Status(Code::kUnsupported, std::move(message))
      .At({.path = path(), .offset = walk_.name_at});
}

// The recursion ends at the depth of the meta page, at most kLmdbMaxDepth, and
// a page that leads back to one above it fails in Visit().
Status LmdbReader::WalkPage(std::uint64_t number, std::uint16_t depth) {
  SHARDINE_ASSIGN_OR_RETURN(const LmdbPage page, pages_.Load(number));
  if (page.is_leaf() != (depth == meta_.depth)) {
    return Corrupt(number * meta_.page_size,
                   "a leaf and the depth of the tree do not agree");
  }
  return page.is_leaf() ? WalkLeaf(page, number) : WalkBranch(page, depth);
}

Status LmdbReader::WalkLeaf(const LmdbPage& page, std::uint64_t number) {
  const std::uint64_t offset = number * meta_.page_size;
  const std::string_view first = AsText(page.key(0));
  // Leaves are in order by themselves; a subtree that hangs in the wrong place
  // is seen only here, and Find() would miss its keys.
  if (first < walk_.floor || (walk_.entries > 0 && first <= walk_.last_key)) {
    return Corrupt(offset, "a leaf with keys that belong elsewhere");
  }
  walk_.last_key = AsText(page.key(page.count() - 1));
  walk_.entries += page.count();
  leaves_.push_back(number);
  for (std::size_t i = 0; i < page.count(); ++i) {
    const LmdbLeafNode node = page.leaf(i);
    if (node.database) {
      if (walk_.names.empty()) walk_.name_at = EntryOf(page, number, i).offset;
      walk_.names.emplace_back(AsText(node.key));
    }
    if (!node.overflow) continue;
    const std::uint64_t pages = ValuePages(node.size);
    walk_.value_pages += pages;
    SHARDINE_RETURN_IF_ERROR(Visit(node.page, pages, offset + node.value_at));
  }
  return {};
}

Status LmdbReader::WalkBranch(const LmdbPage& page, std::uint16_t depth) {
  // The children are copied: the page may leave the cache while its children
  // are read.
  std::vector<std::pair<std::uint64_t, std::string>> children;
  const auto at = static_cast<std::uint64_t>(
      LoadLe<std::uint64_t>(page.bytes().data()) * meta_.page_size);
  for (std::size_t i = 0; i < page.count(); ++i) {
    SHARDINE_RETURN_IF_ERROR(Visit(page.child(i), 1, at));
    children.emplace_back(page.child(i), AsText(page.key(i)));
  }
  ++walk_.branch_pages;
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (i > 0) {
      if (children[i].second <= walk_.last_key) {
        return Corrupt(at, "a branch with keys that belong elsewhere");
      }
      walk_.floor = std::move(children[i].second);
    }
    SHARDINE_RETURN_IF_ERROR(
        WalkPage(children[i].first, static_cast<std::uint16_t>(depth + 1)));
  }
  return {};
}

Status LmdbReader::Visit(std::uint64_t number, std::uint64_t count,
                         std::uint64_t from) {
  const std::uint64_t known = walk_.visited.size();
  if (number >= known || count > known - number) {
    return Corrupt(from, "page " + std::to_string(number) +
                             (count > 1 ? " and those after it lie" : " lies") +
                             " beyond the end of the file");
  }
  for (std::uint64_t i = number; i < number + count; ++i) {
    if (walk_.visited[static_cast<std::size_t>(i)]) {
      return Corrupt(from, "page " + std::to_string(i) + " is used twice");
    }
    walk_.visited[static_cast<std::size_t>(i)] = true;
  }
  return {};
}

Status LmdbReader::CheckCounts() const {
  if (walk_.entries != meta_.entries) {
    return Miscounted("entries", walk_.entries, meta_.entries, kLmdbEntriesAt);
  }
  if (leaves_.size() != meta_.leaf_pages) {
    return Miscounted("leaf pages", leaves_.size(), meta_.leaf_pages,
                      kLmdbLeafPagesAt);
  }
  if (walk_.branch_pages != meta_.branch_pages) {
    return Miscounted("branch pages", walk_.branch_pages, meta_.branch_pages,
                      kLmdbBranchPagesAt);
  }
  // A value that became smaller may keep the pages of the larger one.
  if (walk_.value_pages <= meta_.overflow_pages) return {};
  return Miscounted("overflow pages", walk_.value_pages, meta_.overflow_pages,
                    kLmdbOverflowPagesAt);
}

// Whether a page or the number is wrong cannot be told. The error names the
// number's byte, since a missing page has no offset.
Status LmdbReader::Miscounted(std::string_view what, std::uint64_t found,
                              std::uint64_t said, std::uint64_t at) const {
  return Corrupt(meta_.database_at + at,
                 "the number of " + std::string(what) + " in the tree is " +
                     std::to_string(found) + ", and the meta page says " +
                     std::to_string(said));
}

std::uint64_t LmdbReader::ValuePages(std::uint64_t size) const {
  return (kLmdbPageHeader - 1 + size) / meta_.page_size + 1;
}

Result<std::optional<LmdbEntry>> LmdbReader::FirstOf(std::size_t leaf) {
  leaf_ = leaf;
  if (leaf >= leaves_.size()) return std::optional<LmdbEntry>();
  SHARDINE_ASSIGN_OR_RETURN(const LmdbPage page, pages_.Load(leaves_[leaf]));
  return std::optional(EntryOf(page, leaves_[leaf], 0));
}

Result<std::optional<LmdbEntry>> LmdbReader::First() { return FirstOf(0); }

Result<std::optional<LmdbEntry>> LmdbReader::After(LmdbPlace place) {
  const std::uint64_t number = place / meta_.page_size;
  if (leaf_ >= leaves_.size() || leaves_[leaf_] != number) {
    leaf_ = static_cast<std::size_t>(std::ranges::find(leaves_, number) -
                                     leaves_.begin());
  }
  SHARDINE_ASSIGN_OR_RETURN(const LmdbPage page, pages_.Load(number));
  const auto next = static_cast<std::size_t>(place % meta_.page_size) + 1;
  if (!page.is_leaf() || next >= page.count()) return FirstOf(leaf_ + 1);
  return std::optional(EntryOf(page, number, next));
}

Result<LmdbEntry> LmdbReader::At(LmdbPlace place) {
  const std::uint64_t number = place / meta_.page_size;
  const auto i = static_cast<std::size_t>(place % meta_.page_size);
  SHARDINE_ASSIGN_OR_RETURN(const LmdbPage page, pages_.Load(number));
  if (!page.is_leaf() || i >= page.count()) {
    return Corrupt(number * meta_.page_size, "changed while it was read");
  }
  return EntryOf(page, number, i);
}

Result<std::optional<LmdbEntry>> LmdbReader::Find(ByteView key) {
  if (meta_.root == kLmdbNoPage) return std::optional<LmdbEntry>();
  std::uint64_t number = meta_.root;
  for (std::uint16_t depth = 1; depth <= meta_.depth; ++depth) {
    SHARDINE_ASSIGN_OR_RETURN(const LmdbPage page, pages_.Load(number));
    const std::size_t i = page.LowerBound(key);
    const bool found =
        i < page.count() && CompareLmdbKeys(page.key(i), key) == 0;
    if (page.is_leaf()) {
      if (!found) return std::optional<LmdbEntry>();
      return std::optional(EntryOf(page, number, i));
    }
    // A branch's key is the least of its child. Its first one says nothing,
    // and LowerBound passes it over.
    number = page.child(found ? i : i - 1);
  }
  return Corrupt(number * meta_.page_size, "changed while it was read");
}

LmdbEntry LmdbReader::EntryOf(const LmdbPage& page, std::uint64_t number,
                              std::size_t i) const {
  const LmdbLeafNode node = page.leaf(i);
  const std::uint64_t offset = number * meta_.page_size;
  LmdbEntry entry;
  entry.place = offset + i;
  entry.offset =
      offset +
      static_cast<std::uint64_t>(node.key.data() - page.bytes().data()) - 8;
  entry.key = node.key;
  entry.overflow_page = node.overflow ? node.page : 0;
  entry.value = {node.overflow ? node.page * meta_.page_size + kLmdbPageHeader
                               : offset + node.value_at,
                 node.size};
  return entry;
}

Result<ByteView> LmdbReader::Value(const LmdbEntry& entry) {
  if (entry.overflow_page == 0) {
    SHARDINE_ASSIGN_OR_RETURN(const LmdbPage page,
                              pages_.Load(entry.place / meta_.page_size));
    const std::size_t at = entry.value.offset % meta_.page_size;
    // An empty value may end with its page.
    return page.bytes().subspan(at,
                                static_cast<std::size_t>(entry.value.length));
  }
  const std::uint64_t offset = entry.overflow_page * meta_.page_size;
  SHARDINE_ASSIGN_OR_RETURN(
      const ByteView bytes,
      window_.Read(offset, kLmdbPageHeader + entry.value.length));
  // The walk did not read these pages, which would be all of the file, so their
  // header is checked when the value is wanted.
  const auto flags = LoadLe<std::uint16_t>(&bytes[10]);
  const auto pages = LoadLe<std::uint32_t>(&bytes[12]);
  if (LoadLe<std::uint64_t>(bytes.data()) != entry.overflow_page ||
      flags != kLmdbOverflow || pages < ValuePages(entry.value.length) ||
      pages > meta_.last_page - entry.overflow_page + 1) {
    return Corrupt(offset, "page " + std::to_string(entry.overflow_page) +
                               " does not begin the pages of a value");
  }
  return bytes.subspan(kLmdbPageHeader);
}

Status LmdbReader::Corrupt(std::uint64_t offset, std::string message) const {
  return Status(Code::kCorrupt, std::move(message))
      .At({.path = file_->path(), .offset = offset});
}

}  // namespace shardine
