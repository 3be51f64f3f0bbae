#include "archive/archive_storage.h"

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "archive/plain_tar.h"
#include "archive/tar_header.h"
#include "archive/zip_index.h"
#include "base/status_macros.h"

namespace shardine {
namespace {

// A block of zstd, which decompresses as a whole, has at most 128 KiB.
constexpr std::size_t kHeadBytes = std::size_t{256} << 10;

// A path in an archive as its index has it; nullopt: it climbs.
std::optional<std::string> CleanPath(std::string_view path) {
  if (path.empty()) return std::string();
  auto clean = MemberPath(path);
  if (!clean.ok()) return std::nullopt;
  return *std::move(clean);
}

Result<std::unique_ptr<RandomAccessFile>> PlainTar(
    std::unique_ptr<RandomAccessFile> file, ArchiveKind kind,
    std::uint64_t& in_memory) {
  if (kind == ArchiveKind::kTar) return file;
  SHARDINE_ASSIGN_OR_RETURN(const Compression compression,
                            CompressionOfTar(*file));
  SHARDINE_ASSIGN_OR_RETURN(auto plain, DecompressTar(*file, compression));
  in_memory = plain->size();
  return plain;
}

}  // namespace

Result<std::optional<ArchiveKind>> KindOfArchive(const RandomAccessFile& file) {
  ByteBuffer buffer;
  buffer.Resize(static_cast<std::size_t>(
      std::min<std::uint64_t>(kHeadBytes, file.size())));
  SHARDINE_RETURN_IF_ERROR(file.ReadExactly(0, buffer.span()));
  const ByteView head = buffer.view();
  if (BeginsWithTarHeader(head)) return std::optional(ArchiveKind::kTar);
  const std::string_view text = AsText(head);
  if (text.starts_with("PK\3\4") || text.starts_with("PK\5\6")) {
    return std::optional(ArchiveKind::kZip);
  }
  SHARDINE_ASSIGN_OR_RETURN(const Compression compression,
                            CompressionOfTar(file));
  if (compression == Compression::kNone) return std::optional<ArchiveKind>();
  const ByteBuffer plain = DecompressHead(compression, head, kTarBlock);
  if (!BeginsWithTarHeader(plain.view())) return std::optional<ArchiveKind>();
  return std::optional(ArchiveKind::kCompressedTar);
}

Result<ArchiveStorage::Added> ArchiveStorage::Add(const std::string& path,
                                                  const IsWanted& is_wanted) {
  OpenArchive archive;
  SHARDINE_ASSIGN_OR_RETURN(archive.info, below_.Stat(path));
  SHARDINE_ASSIGN_OR_RETURN(auto file, below_.Open(path));
  SHARDINE_ASSIGN_OR_RETURN(const auto kind, KindOfArchive(*file));
  Added added;
  if (!kind) {
    return Status(Code::kUnsupported,
                  "is no archive that is read: tar, tar.gz, tar.zst or zip")
        .At({.path = path});
  }
  if (*kind == ArchiveKind::kZip) {
    SHARDINE_ASSIGN_OR_RETURN(ZipIndex zip, IndexZip(*file));
    archive.index = std::move(zip.index);
    archive.file = std::move(file);
    added.left_out = zip.left_out;
  } else {
    SHARDINE_ASSIGN_OR_RETURN(
        archive.file, PlainTar(std::move(file), *kind, added.in_memory));
    SHARDINE_ASSIGN_OR_RETURN(archive.index,
                              IndexTar(*archive.file, is_wanted));
  }
  added.repeated = archive.index.repeated();
  archives_[path] = std::make_shared<const OpenArchive>(std::move(archive));
  SHARDINE_RETURN_IF_ERROR(CheckUnchanged(*archives_[path]));
  return added;
}

std::optional<ArchiveStorage::Member> ArchiveStorage::Find(
    const std::string& path) const {
  for (const auto& [name, archive] : archives_) {
    if (!path.starts_with(name)) continue;
    std::string_view rest = std::string_view(path).substr(name.size());
    if (!rest.empty() && rest.front() != '/') continue;
    while (rest.starts_with('/')) rest.remove_prefix(1);
    auto member = CleanPath(rest);
    if (member) return Member{archive, *std::move(member)};
  }
  return std::nullopt;
}

Status ArchiveStorage::CheckUnchanged(const OpenArchive& archive) {
  const std::string& path = archive.file->path();
  const auto info = below_.Stat(path);
  const bool same = info.ok() && info->kind == archive.info.kind &&
                    info->size == archive.info.size &&
                    info->mtime_ns == archive.info.mtime_ns;
  if (same) return Status();
  return Status(Code::kChanged,
                "changed or vanished since its members were listed")
      .At({.path = path});
}

Result<std::unique_ptr<RandomAccessFile>> ArchiveStorage::Open(
    const std::string& path) {
  auto member = Find(path);
  if (!member) return below_.Open(path);
  const OpenArchive& archive = *member->archive;
  const MemberPlace* const place = archive.index.FindFile(member->path);
  if (place != nullptr) {
    return OpenMember(std::move(member->archive), std::move(member->path),
                      *place);
  }
  if (archive.index.HasFolder(member->path)) {
    return Status(Code::kUnsupported, "is no regular file").At({.path = path});
  }
  return Status::FromErrno(ENOENT, "open", path);
}

Result<FileInfo> ArchiveStorage::Stat(const std::string& path) {
  const auto member = Find(path);
  if (!member) return below_.Stat(path);
  const OpenArchive& archive = *member->archive;
  SHARDINE_RETURN_IF_ERROR(CheckUnchanged(archive));
  FileInfo info;
  info.mtime_ns = archive.info.mtime_ns;
  if (const auto* const place = archive.index.FindFile(member->path)) {
    info.kind = FileKind::kRegular;
    info.size = place->size;
  } else if (archive.index.HasFolder(member->path)) {
    info.kind = FileKind::kDirectory;
  } else {
    return Status::FromErrno(ENOENT, "stat", path);
  }
  return info;
}

Result<std::vector<DirEntry>> ArchiveStorage::List(
    const std::string& directory) {
  const auto member = Find(directory);
  if (!member) return below_.List(directory);
  auto listed = member->archive->index.List(member->path);
  if (listed.ok()) return listed;
  return std::move(listed).status().At({.path = directory});
}

Result<std::string> ArchiveStorage::AddressOf(const std::string& path) {
  return Find(path) ? path : below_.AddressOf(path);
}

std::optional<std::string> ArchiveStorage::NativePath(
    const std::string& path) const {
  return Find(path) ? std::nullopt : below_.NativePath(path);
}

}  // namespace shardine
