#include "webdataset/webdataset_archive.h"

#include <array>
#include <cstddef>

#include "archive/tar_header.h"
#include "base/status_macros.h"
#include "webdataset/member_name.h"
#include "webdataset/sample_members.h"

namespace shardine {
namespace {

Result<std::string> MemberExtensionAt(const RandomAccessFile& file,
                                      std::uint64_t offset) {
  if (offset < kTarBlock) return std::string();
  std::array<std::byte, kTarBlock> block;
  SHARDINE_RETURN_IF_ERROR(file.ReadExactly(offset - kTarBlock, block));
  const auto header = ParseTarHeader(block);
  // A longer name is in a header of its own, and this one has its beginning.
  if (!header.ok() || header->name.size() >= kTarNameBytes) {
    return std::string();
  }
  const auto name = SplitMemberName(header->name);
  return name ? std::string(name->extension) : std::string();
}

}  // namespace

constexpr ArchiveFormat kWebDatasetArchive = {
    .format = "webdataset",
    .media_type = "application/x-tar",
    .member_extension_at = MemberExtensionAt,
    .label_extension = kClass};

}  // namespace shardine
