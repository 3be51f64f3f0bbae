// One 512-byte header block of a tar archive: ustar, GNU or the old v7 form.
// Byte layout: formats/webdataset/FORMAT.md, "Headers".
#ifndef SHARDINE_ARCHIVE_TAR_HEADER_H_
#define SHARDINE_ARCHIVE_TAR_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "shardine/status.h"

namespace shardine {

inline constexpr std::size_t kTarBlock = 512;
inline constexpr std::size_t kTarNameBytes = 100;
// The first size that eleven octal digits cannot write: 8 GiB.
inline constexpr std::uint64_t kTarSizeLimit = std::uint64_t{1} << 33;

// Type flags that something is done about; all others are refused.
inline constexpr char kTarRegular = '0';
inline constexpr char kTarOldRegular = '\0';
inline constexpr char kTarHardLink = '1';
inline constexpr char kTarSymbolicLink = '2';
inline constexpr char kTarDirectory = '5';
inline constexpr char kTarContiguous = '7';
inline constexpr char kTarPax = 'x';
inline constexpr char kTarSolarisPax = 'X';
inline constexpr char kTarPaxGlobal = 'g';
inline constexpr char kTarGnuLongName = 'L';
inline constexpr char kTarGnuLongLink = 'K';

struct TarHeader {
  std::string name;  // any bytes, with the prefix where there is one
  std::string link;  // any bytes: the target of a link
  std::uint64_t size = 0;
  char type = kTarRegular;
};

// The zeros that fill a file up to whole blocks.
constexpr std::uint64_t TarPadding(std::uint64_t size) {
  return (kTarBlock - size % kTarBlock) % kTarBlock;
}

// Is a block of any size all zeros?
bool IsZeroBlock(ByteView block);

// Could `head` be the beginning of an archive: is its first block a header
// whose checksum is right?
bool BeginsWithTarHeader(ByteView head);

// kCorrupt if the checksum (of unsigned bytes, or as some old programs have
// it, of signed ones) is wrong, or the size is no number below 2^63.
// REQUIRES: one block.
Result<TarHeader> ParseTarHeader(ByteView block);

// A ustar header of a file with mode 0644, owner 0, time 0, so that equal
// members are equal bytes. A value that does not fit (a name of more than
// kTarNameBytes, a size from kTarSizeLimit on) is cut or zero: a pax header in
// front holds it.
void AppendTarHeader(std::string_view name, std::uint64_t size, char type,
                     std::string& to);

}  // namespace shardine

#endif  // SHARDINE_ARCHIVE_TAR_HEADER_H_
