#include "archive/zip_index.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/decompressor.h"
#include "base/shown_name.h"
#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "io/file_window.h"

namespace shardine {
namespace {

constexpr std::uint32_t kEndMagic = 0x06054b50;
constexpr std::uint32_t kEnd64Magic = 0x06064b50;
constexpr std::uint32_t kLocatorMagic = 0x07064b50;
constexpr std::uint32_t kEntryMagic = 0x02014b50;
constexpr std::uint32_t kLocalMagic = 0x04034b50;
constexpr std::uint64_t kEndBytes = 22;
constexpr std::uint64_t kEnd64Bytes = 56;
constexpr std::uint64_t kLocatorBytes = 20;
constexpr std::uint64_t kEntryBytes = 46;
constexpr std::uint64_t kLocalBytes = 30;
constexpr std::uint32_t kIn64 = 0xffffffff;  // the number is a zip64 one
constexpr std::uint64_t kMostTarget = 4096;
constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kDeflated = 8;

// An entry of the directory, and where its member begins.
struct ZipEntry {
  ArchiveMember member = {};
  std::uint64_t local = 0;
  std::uint16_t method = 0;
};

template <typename T>
T At(ByteView bytes, std::size_t offset) {
  return LoadLe<T>(bytes.data() + offset);
}

bool IsEncrypted(std::uint16_t flags) {
  return (flags & 1) != 0 || (flags & (1 << 6)) != 0 ||
         (flags & (1 << 13)) != 0;
}

class ZipReader {
 public:
  explicit ZipReader(const RandomAccessFile& file)
      : file_(file), window_(file, {.ahead = std::uint64_t{64} << 10}) {}

  Result<ZipIndex> Read() {
    SHARDINE_RETURN_IF_ERROR(FindDirectory());
    SHARDINE_RETURN_IF_ERROR(ReadEntries());
    SHARDINE_RETURN_IF_ERROR(FindContents());
    ZipIndex zip;
    for (ZipEntry& entry : entries_) {
      ArchiveMember& member = entry.member;
      if (member.name.starts_with("__MACOSX/")) {
        zip.left_out += member.kind == TarKind::kFolder ? 0 : 1;
        continue;
      }
      Status added = zip.index.Add(member);
      if (!added.ok()) return std::move(added).At({.path = file_.path()});
    }
    entries_.clear();
    SHARDINE_RETURN_IF_ERROR(zip.index.Finish().At({.path = file_.path()}));
    return zip;
  }

 private:
  Status Error(Code code, std::uint64_t offset, std::string message) const {
    return Status(code, std::move(message))
        .At({.path = file_.path(), .offset = offset});
  }
  Status Refuse(const ZipEntry& entry, Code code, const char* reason) const {
    return Error(code, entry.member.header,
                 "member " + ShowName(entry.member.name) + ": " + reason);
  }

  Status FindDirectory();
  Status TakeEnd64(std::uint64_t end, ByteView record);
  Status ReadEntries();
  Result<std::uint64_t> ReadEntry(std::uint64_t at);
  Status TakeExtra(ByteView extra, ZipEntry& entry) const;
  Status CheckEntry(const ZipEntry& entry, std::uint16_t flags) const;
  Status FindContents();
  Result<std::uint64_t> FindData(ZipEntry& entry);
  Status ReadTarget(ZipEntry& entry) const;

  const RandomAccessFile& file_;
  FileWindow window_;
  std::uint64_t directory_ = 0;
  std::uint64_t directory_end_ = 0;
  std::uint64_t count_ = 0;
  std::vector<ZipEntry> entries_;
};

// The end record lies behind all, with a comment of at most 64 KiB after it.
Status ZipReader::FindDirectory() {
  const std::uint64_t tail =
      std::min<std::uint64_t>(file_.size(), kEndBytes + 0xffff);
  ByteBuffer bytes;
  bytes.Resize(static_cast<std::size_t>(tail));
  const std::uint64_t begin = file_.size() - tail;
  SHARDINE_RETURN_IF_ERROR(file_.ReadExactly(begin, bytes.span()));
  for (std::uint64_t back = kEndBytes; back <= tail; ++back) {
    const ByteView record =
        bytes.view().subspan(static_cast<std::size_t>(tail - back));
    if (At<std::uint32_t>(record, 0) != kEndMagic ||
        At<std::uint16_t>(record, 20) != back - kEndBytes) {
      continue;
    }
    return TakeEnd64(file_.size() - back, record);
  }
  return Error(Code::kCorrupt, file_.size(),
               "a zip archive without the record that ends it; the file is "
               "cut off, or is part of a larger one");
}

Status ZipReader::TakeEnd64(std::uint64_t end, ByteView record) {
  const bool several = At<std::uint16_t>(record, 4) % 0xffff != 0 ||
                       At<std::uint16_t>(record, 6) % 0xffff != 0;
  count_ = At<std::uint16_t>(record, 10);
  std::uint64_t size = At<std::uint32_t>(record, 12);
  directory_ = At<std::uint32_t>(record, 16);
  directory_end_ = end;
  const bool is_large =
      count_ == 0xffff || size == kIn64 || directory_ == kIn64;
  if (end >= kLocatorBytes + kEnd64Bytes) {
    std::byte locator[kLocatorBytes];
    SHARDINE_RETURN_IF_ERROR(file_.ReadExactly(end - kLocatorBytes, locator));
    if (At<std::uint32_t>(locator, 0) == kLocatorMagic && is_large) {
      directory_end_ = At<std::uint64_t>(locator, 8);
      if (directory_end_ > end - kLocatorBytes - kEnd64Bytes) {
        return Error(Code::kCorrupt, end - kLocatorBytes,
                     "the end record of zip64 lies outside of the file");
      }
      std::byte large[kEnd64Bytes];
      SHARDINE_RETURN_IF_ERROR(file_.ReadExactly(directory_end_, large));
      if (At<std::uint32_t>(large, 0) != kEnd64Magic) {
        return Error(Code::kCorrupt, directory_end_,
                     "no end record of zip64, where one should be");
      }
      count_ = At<std::uint64_t>(large, 32);
      size = At<std::uint64_t>(large, 40);
      directory_ = At<std::uint64_t>(large, 48);
    }
  }
  if (several) {
    return Error(Code::kUnsupported, end, "a zip archive of several files");
  }
  if (directory_ > directory_end_ || directory_end_ - directory_ != size) {
    return Error(Code::kCorrupt, end,
                 "the directory of the archive does not end at its end "
                 "record; bytes were put before it, or are missing");
  }
  return Status();
}

Status ZipReader::ReadEntries() {
  for (std::uint64_t at = directory_; at < directory_end_;) {
    SHARDINE_ASSIGN_OR_RETURN(at, ReadEntry(at));
  }
  if (entries_.size() == count_) return Status();
  return Error(Code::kCorrupt, directory_,
               "the directory has " + std::to_string(entries_.size()) +
                   " members, and its end record says " +
                   std::to_string(count_));
}

// Returns where the next one is.
Result<std::uint64_t> ZipReader::ReadEntry(std::uint64_t at) {
  const auto cut_off = [&] {
    return Error(Code::kCorrupt, at, "an entry of the directory is cut off");
  };
  if (directory_end_ - at < kEntryBytes) return cut_off();
  SHARDINE_ASSIGN_OR_RETURN(ByteView head, window_.Read(at, kEntryBytes));
  if (At<std::uint32_t>(head, 0) != kEntryMagic) {
    return Error(Code::kCorrupt, at, "no entry of the directory");
  }
  const std::uint16_t name_size = At<std::uint16_t>(head, 28);
  const std::uint16_t extra_size = At<std::uint16_t>(head, 30);
  const std::uint64_t size =
      kEntryBytes + name_size + extra_size + At<std::uint16_t>(head, 32);
  if (directory_end_ - at < size) return cut_off();
  SHARDINE_ASSIGN_OR_RETURN(head, window_.Read(at, size));
  ZipEntry entry{.method = At<std::uint16_t>(head, 10)};
  entry.local = At<std::uint32_t>(head, 42);
  ArchiveMember& member = entry.member;
  member.header = at;
  member.name = AsText(head.subspan(kEntryBytes, name_size));
  member.place = {.size = At<std::uint32_t>(head, 24),
                  .stored = At<std::uint32_t>(head, 20),
                  .crc = At<std::uint32_t>(head, 16),
                  .has_crc = true,
                  .deflated = entry.method == kDeflated};
  const bool is_unix = At<std::uint8_t>(head, 5) == 3;
  const std::uint32_t mode = At<std::uint32_t>(head, 38) >> 16;
  if (member.name.ends_with('/')) {
    member.kind = TarKind::kFolder;
  } else if (is_unix && (mode & 0170000) == 0120000) {
    member.kind = TarKind::kSymbolicLink;
  }
  const std::uint16_t flags = At<std::uint16_t>(head, 8);
  SHARDINE_RETURN_IF_ERROR(
      TakeExtra(head.subspan(kEntryBytes + name_size, extra_size), entry));
  SHARDINE_RETURN_IF_ERROR(CheckEntry(entry, flags));
  // Programs of other systems write these for folders, and unpackers differ.
  if (!is_unix && member.name.find('\\') != std::string::npos) {
    return Refuse(entry, Code::kUnsupported,
                  "a backslash in its name, which may stand for a folder");
  }
  entries_.push_back(std::move(entry));
  return at + size;
}

// The numbers of zip64 stand in this order, those alone that have no room.
Status ZipReader::TakeExtra(ByteView extra, ZipEntry& entry) const {
  MemberPlace& place = entry.member.place;
  ByteCursor cursor(extra);
  std::uint16_t kind = 0;
  std::uint16_t size = 0;
  while (cursor.Read(kind) && cursor.Read(size)) {
    ByteView field;
    if (!cursor.ReadBytes(size, field)) break;
    if (kind != 1) continue;
    ByteCursor numbers(field);
    for (std::uint64_t* const number :
         {&place.size, &place.stored, &entry.local}) {
      if (*number == kIn64 && !numbers.Read(*number)) {
        return Refuse(entry, Code::kCorrupt, "its zip64 numbers are cut off");
      }
    }
    break;
  }
  return Status();
}

Status ZipReader::CheckEntry(const ZipEntry& entry, std::uint16_t flags) const {
  const MemberPlace& place = entry.member.place;
  if (IsEncrypted(flags) || entry.method == 99) {
    return Refuse(entry, Code::kUnsupported,
                  "is encrypted; make the archive without a password");
  }
  if (entry.method != kStored && entry.method != kDeflated) {
    return Refuse(entry, Code::kUnsupported,
                  "neither stored nor deflated; make the archive with "
                  "either");
  }
  // Deflate makes at most 1032 bytes of one, and few more of incompressible
  // ones.
  const bool fits = place.deflated ? place.size / 1032 <= place.stored &&
                                         place.stored / 2 <= place.size + 4096
                                   : place.size == place.stored;
  if (!fits) {
    return Refuse(entry, Code::kCorrupt, "its sizes contradict each other");
  }
  return Status();
}

Status ZipReader::FindContents() {
  std::ranges::sort(entries_, {}, &ZipEntry::local);
  std::uint64_t end = 0;  // of the member before
  for (ZipEntry& entry : entries_) {
    if (CurrentStop().stop_requested()) {
      return Status(Code::kCancelled, "interrupted");
    }
    if (entry.local < end) {
      return Refuse(entry, Code::kCorrupt, "shares bytes with another member");
    }
    SHARDINE_ASSIGN_OR_RETURN(end, FindData(entry));
    if (entry.member.kind == TarKind::kSymbolicLink) {
      SHARDINE_RETURN_IF_ERROR(ReadTarget(entry));
    }
  }
  // The last member of a name in the directory holds.
  std::ranges::sort(entries_, {},
                    [](const ZipEntry& entry) { return entry.member.header; });
  return Status();
}

// Returns where the contents end.
Result<std::uint64_t> ZipReader::FindData(ZipEntry& entry) {
  const std::string& name = entry.member.name;
  MemberPlace& place = entry.member.place;
  const std::uint64_t size = kLocalBytes + name.size();
  if (entry.local > directory_ || directory_ - entry.local < size) {
    return Refuse(entry, Code::kCorrupt, "lies outside of the archive");
  }
  ByteBuffer bytes;
  bytes.Resize(static_cast<std::size_t>(size));
  SHARDINE_RETURN_IF_ERROR(file_.ReadExactly(entry.local, bytes.span()));
  const ByteView head = bytes.view();
  if (At<std::uint32_t>(head, 0) != kLocalMagic ||
      At<std::uint16_t>(head, 26) != name.size() ||
      AsText(head.subspan(kLocalBytes)) != name ||
      At<std::uint16_t>(head, 8) != entry.method ||
      IsEncrypted(At<std::uint16_t>(head, 6))) {
    return Refuse(entry, Code::kCorrupt,
                  "its own header contradicts the directory");
  }
  place.data = entry.local + size + At<std::uint16_t>(head, 28);
  if (place.data > directory_ || directory_ - place.data < place.stored) {
    return Refuse(entry, Code::kCorrupt, "reaches beyond the directory");
  }
  return place.data + place.stored;
}

// The contents of a symbolic link are its target.
Status ZipReader::ReadTarget(ZipEntry& entry) const {
  const MemberPlace& place = entry.member.place;
  if (place.size > kMostTarget || place.stored > 2 * kMostTarget) {
    return Refuse(entry, Code::kUnsupported, "a link of more than 4096 bytes");
  }
  ByteBuffer bytes;
  bytes.Resize(static_cast<std::size_t>(place.stored));
  SHARDINE_RETURN_IF_ERROR(file_.ReadExactly(place.data, bytes.span()));
  if (place.deflated) {
    bytes = DecompressHead(Compression::kDeflate, bytes.view(),
                           static_cast<std::size_t>(place.size));
  }
  if (bytes.size() != place.size) {
    return Refuse(entry, Code::kCorrupt, "a link that does not inflate");
  }
  entry.member.link = AsText(bytes.view());
  return Status();
}

}  // namespace

Result<ZipIndex> IndexZip(const RandomAccessFile& file) {
  return ZipReader(file).Read();
}

}  // namespace shardine
