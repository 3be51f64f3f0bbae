// Zip archives byte by byte, whether they are right or not.
#ifndef SHARDINE_TESTS_UNIT_ARCHIVE_ZIP_BYTES_H_
#define SHARDINE_TESTS_UNIT_ARCHIVE_ZIP_BYTES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/crc32.h"

namespace shardine {

// A member as a program writes it; each part may be made wrong.
struct ZipFile {
  std::string name;
  std::string plain;
  std::string stored = {};  // deflated bytes; empty: `plain` is stored
  std::uint16_t flags = 0;
  std::uint32_t mode = 0100644;
  bool has_zip64 = false;  // its sizes, in the extra field
  std::int64_t size_off_by = 0;
  std::uint16_t local_extra = 0;  // stated, not written
};

inline std::string ZipOf(const std::vector<ZipFile>& files,
                         bool has_zip64 = false) {
  std::string zip;
  std::string directory;
  for (const ZipFile& file : files) {
    const std::string& data = file.stored.empty() ? file.plain : file.stored;
    const std::uint16_t method = file.stored.empty() ? 0 : 8;
    const std::uint64_t local = zip.size();
    const std::uint64_t size =
        file.plain.size() + static_cast<std::uint64_t>(file.size_off_by);
    const auto sizes = [&](std::string& to) {
      AppendLe(Crc32(AsBytes(file.plain)), to);
      AppendLe(file.has_zip64 ? 0xffffffffu
                              : static_cast<std::uint32_t>(data.size()),
               to);
      AppendLe(file.has_zip64 ? 0xffffffffu : static_cast<std::uint32_t>(size),
               to);
      AppendLe(static_cast<std::uint16_t>(file.name.size()), to);
    };
    AppendLe(0x04034b50u, zip);
    AppendLe(std::uint16_t{20}, zip);
    AppendLe(file.flags, zip);
    AppendLe(method, zip);
    AppendLe(std::uint32_t{0}, zip);
    sizes(zip);
    AppendLe(file.local_extra, zip);
    zip += file.name + data;
    std::string extra;
    if (file.has_zip64) {
      AppendLe(std::uint16_t{1}, extra);
      AppendLe(std::uint16_t{16}, extra);
      AppendLe(size, extra);
      AppendLe(std::uint64_t{data.size()}, extra);
    }
    AppendLe(0x02014b50u, directory);
    AppendLe(std::uint16_t{0x031e}, directory);  // by a program of Unix
    AppendLe(std::uint16_t{20}, directory);
    AppendLe(file.flags, directory);
    AppendLe(method, directory);
    AppendLe(std::uint32_t{0}, directory);
    sizes(directory);
    AppendLe(static_cast<std::uint16_t>(extra.size()), directory);
    AppendLe(std::uint32_t{0}, directory);
    AppendLe(std::uint16_t{0}, directory);
    AppendLe(file.mode << 16, directory);
    AppendLe(static_cast<std::uint32_t>(local), directory);
    directory += file.name + extra;
  }
  const std::uint64_t at = zip.size();
  zip += directory;
  const auto count = static_cast<std::uint16_t>(files.size());
  if (has_zip64) {
    const std::uint64_t record = zip.size();
    AppendLe(0x06064b50u, zip);
    AppendLe(std::uint64_t{44}, zip);
    AppendLe(std::uint32_t{45 | 45 << 16}, zip);
    AppendLe(std::uint64_t{0}, zip);
    AppendLe(std::uint64_t{count}, zip);
    AppendLe(std::uint64_t{count}, zip);
    AppendLe(std::uint64_t{directory.size()}, zip);
    AppendLe(at, zip);
    AppendLe(0x07064b50u, zip);
    AppendLe(std::uint32_t{0}, zip);
    AppendLe(record, zip);
    AppendLe(std::uint32_t{1}, zip);
  }
  AppendLe(0x06054b50u, zip);
  AppendLe(std::uint32_t{0}, zip);
  AppendLe(has_zip64 ? std::uint16_t{0xffff} : count, zip);
  AppendLe(has_zip64 ? std::uint16_t{0xffff} : count, zip);
  AppendLe(static_cast<std::uint32_t>(directory.size()), zip);
  AppendLe(has_zip64 ? 0xffffffffu : static_cast<std::uint32_t>(at), zip);
  AppendLe(std::uint16_t{0}, zip);
  return zip;
}

// Deflate's stored blocks: any inflater takes them.
inline std::string Deflated(const std::string& plain) {
  std::string data(1, '\1');
  AppendLe(static_cast<std::uint16_t>(plain.size()), data);
  AppendLe(static_cast<std::uint16_t>(~plain.size()), data);
  return data + plain;
}

inline std::string Gzipped(const std::string& plain) {
  std::string file("\x1f\x8b\x08\0\0\0\0\0\0\3", 10);
  file += Deflated(plain);
  AppendLe(Crc32(AsBytes(plain)), file);
  AppendLe(static_cast<std::uint32_t>(plain.size()), file);
  return file;
}

// A frame of one raw block. REQUIRES: 256 to 65535 bytes.
inline std::string OfZstd(const std::string& plain) {
  std::string file;
  AppendLe(0xfd2fb528u, file);
  file += '\x60';
  AppendLe(static_cast<std::uint16_t>(plain.size() - 256), file);
  AppendLe(static_cast<std::uint32_t>(plain.size() << 3 | 1), file);
  file.pop_back();
  return file + plain;
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_ARCHIVE_ZIP_BYTES_H_
