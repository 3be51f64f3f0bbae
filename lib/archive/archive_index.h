// ArchiveIndex: where the files of an archive lie, by their paths. Built to
// hold 14 million of them in little more than their names.
#ifndef SHARDINE_ARCHIVE_ARCHIVE_INDEX_H_
#define SHARDINE_ARCHIVE_ARCHIVE_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "archive/tar_reader.h"
#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

// Where the contents of a member lie in the archive.
struct MemberPlace {
  std::uint64_t data = 0;    // offset of the first byte
  std::uint64_t size = 0;    // of the plain contents
  std::uint64_t stored = 0;  // bytes in the archive: of deflated ones, others
  std::uint32_t crc = 0;     // CRC-32 of the plain contents, with has_crc
  bool has_crc = false;
  bool deflated = false;
};

struct ArchiveMember {
  std::string name;  // any bytes, as the archive states it
  TarKind kind = TarKind::kFile;
  MemberPlace place = {};
  std::string link = {};     // of links: the target, any bytes
  std::uint64_t header = 0;  // byte of the archive, for errors
};

// The path of a member below the top of its archive: without "./", repeated and
// trailing slashes; empty for the top. kInvalidArgument, with a reason that
// begins with the name: it is absolute, climbs by "..", has a NUL or more than
// 4096 bytes.
Result<std::string> MemberPath(std::string_view name);

// Thread-compatible while it is filled, thread-safe afterwards.
class ArchiveIndex {
 public:
  // `repeated` files were found before.
  explicit ArchiveIndex(std::uint64_t repeated = 0) : repeated_(repeated) {}

  // Adds a member below `folder`, the path of a folder, empty for the top. The
  // targets of hard links are below it, too. Errors are MemberPath()'s with the
  // offset of the member's header.
  Status Add(const ArchiveMember& member, const std::string& folder = "");
  // Ends the filling: of files with one name the last one holds, as when they
  // are unpacked; links become the files that they lead to. kUnsupported: a
  // file that is a folder, too; a link to no file of the archive.
  Status Finish();

  // Files with a name that a later one has as well.
  std::uint64_t repeated() const { return repeated_; }

  // Null: no file has this path. REQUIRES, as for all below: Finish().
  const MemberPlace* FindFile(std::string_view path) const;
  bool HasFolder(std::string_view path) const;
  // kNotFound if HasFolder() is false.
  Result<std::vector<DirEntry>> List(std::string_view folder) const;
  // visit(path, place) of each file, in the order of the paths.
  template <typename Visit>
  Status ForEachFile(const Visit& visit) const {
    for (const Entry& entry : entries_) {
      if (entry.kind != TarKind::kFile) continue;
      const Status status = visit(NameOf(entry), entry.place);
      if (!status.ok()) return status;
    }
    return Status();
  }
  // The paths of the folders that the archive names, in order.
  std::vector<std::string> NamedFolders() const;

 private:
  struct Entry {
    std::uint64_t name = 0;  // where it begins in names_; grows with each Add
    std::uint32_t name_size = 0;
    TarKind kind = TarKind::kFile;
    MemberPlace place = {};  // of links: `data` is the number in links_
  };
  struct Link {
    std::string target;  // a path below the top
    std::uint64_t header = 0;
  };
  using Place = std::vector<Entry>::const_iterator;

  std::string_view NameOf(const Entry& entry) const {
    return std::string_view(names_).substr(static_cast<std::size_t>(entry.name),
                                           entry.name_size);
  }
  Place LowerBound(std::string_view path) const;
  void DropRepeated();
  Status CheckFolders() const;
  Status Resolve(Entry& link);

  std::string names_;
  std::vector<Entry> entries_;  // after Finish() in the order of the paths
  std::vector<Link> links_;
  std::uint64_t repeated_;
};

}  // namespace shardine

#endif  // SHARDINE_ARCHIVE_ARCHIVE_INDEX_H_
