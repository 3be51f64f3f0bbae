#include "webdataset/tar_file_writer.h"

#include "archive/pax_header.h"
#include "archive/tar_header.h"
#include "base/status_macros.h"

namespace shardine {
namespace {

// The name in Python's tarfile of the entry that is no file.
constexpr std::string_view kPaxName = "././@PaxHeader";

constexpr std::byte kZeros[2 * kTarBlock] = {};

// All header blocks of a member.
void AppendHeaders(std::string_view name, std::uint64_t size, std::string& to) {
  std::string records;
  if (name.size() > kTarNameBytes) AppendPaxRecord("path", name, records);
  if (size >= kTarSizeLimit) {
    AppendPaxRecord("size", std::to_string(size), records);
  }
  if (!records.empty()) {
    AppendTarHeader(kPaxName, records.size(), kTarPax, to);
    to += records;
    to.append(static_cast<std::size_t>(TarPadding(records.size())), '\0');
  }
  AppendTarHeader(name, size, kTarRegular, to);
}

}  // namespace

Status TarFileWriter::Append(std::string_view name, ByteView head,
                             ByteView tail) {
  const std::uint64_t size = head.size() + tail.size();
  header_.clear();
  AppendHeaders(name, size, header_);
  SHARDINE_RETURN_IF_ERROR(file_.Append(AsBytes(header_)));
  data_offset_ = file_.size();
  SHARDINE_RETURN_IF_ERROR(file_.Append(head));
  SHARDINE_RETURN_IF_ERROR(file_.Append(tail));
  return file_.Append(
      ByteView(kZeros).first(static_cast<std::size_t>(TarPadding(size))));
}

Status TarFileWriter::Finish() {
  SHARDINE_RETURN_IF_ERROR(file_.Append(kZeros));
  return file_.Finish();
}

}  // namespace shardine
