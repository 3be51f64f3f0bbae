// Reads the members of a tar archive one after the other, whatever their names
// mean. Byte layout, and which kinds of member are refused:
// formats/webdataset/FORMAT.md.
#ifndef SHARDINE_ARCHIVE_TAR_READER_H_
#define SHARDINE_ARCHIVE_TAR_READER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "archive/pax_header.h"
#include "archive/tar_header.h"
#include "base/bytes.h"
#include "io/byte_stream.h"
#include "io/storage.h"
#include "shardine/status.h"

namespace shardine {

// How the archive as a whole is compressed, by its first bytes.
Result<Compression> CompressionOfTar(const RandomAccessFile& file);

enum class TarKind : std::uint8_t { kFile, kFolder, kHardLink, kSymbolicLink };

// A member of the archive. Offsets are in the plain archive.
struct TarMember {
  std::string name;          // any bytes; never a path to open
  std::uint64_t header = 0;  // of its first header block, pax or long
                             // name included
  std::uint64_t data = 0;
  std::uint64_t size = 0;
  TarKind kind = TarKind::kFile;
  std::string link = {};  // of links: the target, any bytes

  std::uint64_t end() const { return data + size + TarPadding(size); }
};

// Strict: checksums, sizes against the file before any allocation, the end
// marker, nothing but zeros after it. Errors carry path and byte (of the plain
// archive, which the message says where it is compressed); the caller, which
// counts records, adds theirs. Thread-compatible. The file must outlive it.
class TarReader {
 public:
  // The bytes that may be held at a time: a sample from its first header on,
  // and the bytes between its files. A sparse archive of 1 KiB can have one of
  // any size.
  static constexpr std::uint64_t kMaxHeld = std::uint64_t{2} << 30;

  // Next() returns files alone, and refuses links, or folders and links as
  // well: then small reads take the headers and leave out the contents.
  enum class Members : std::uint8_t { kFiles, kAll };

  TarReader(const RandomAccessFile& file, Compression compression,
            Members members = Members::kFiles);

  bool compressed() const { return stream_.compressed(); }

  // The next regular file, or member of any kind. nullopt at the end marker,
  // both blocks of which have been seen.
  Result<std::optional<TarMember>> Next();

  // Drops everything in front of this byte. The bytes after it are held.
  // REQUIRES: at most the end of the member that Next() returned last.
  Status Release(std::uint64_t offset);

  // Bytes that are held. Valid until the next call of anything. REQUIRES: they
  // lie between the last Release and the end of the last member.
  Result<ByteView> View(std::uint64_t offset, std::uint64_t size);

  // Reads on after the end marker, where only zeros may be. REQUIRES: Next()
  // returned nullopt. Releases all.
  Status FinishTail();

  // An error at this byte of the plain archive.
  Status Error(Code code, std::uint64_t offset, std::string message) const;

 private:
  struct Extra {  // extensions in front of a header
    PaxValues pax;
    std::optional<std::string> long_name;
    std::optional<std::string> long_link;
  };

  // nullopt: two blocks of zeros.
  Result<std::optional<TarHeader>> ReadHeader(std::uint64_t offset);
  Status ReadExtra(const TarHeader& header, std::uint64_t offset, Extra& extra);
  Status Fill(TarHeader header, Extra extra, TarMember& member);
  std::optional<TarKind> KindOf(const TarHeader& header) const;
  // kUnsupported beyond kMaxHeld. REQUIRES: the bytes in front of it are held.
  Result<ByteView> PeekAt(std::uint64_t offset, std::uint64_t size);
  Status CheckSize(std::uint64_t header, std::uint64_t size) const;

  const RandomAccessFile& file_;
  const Members members_;
  ByteStream stream_;
  PaxValues global_;
  bool global_path_used_ = false;
  std::uint64_t next_ = 0;  // of the next header
};

}  // namespace shardine

#endif  // SHARDINE_ARCHIVE_TAR_READER_H_
