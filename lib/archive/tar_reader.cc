#include "archive/tar_reader.h"

#include <algorithm>
#include <utility>

#include "base/decompressor.h"
#include "base/shown_name.h"
#include "base/status_macros.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

constexpr std::uint64_t kEndMarker = 2 * kTarBlock;
// Such a header is a name or a few records; a larger one aims at memory, not a
// name.
constexpr std::uint64_t kMaxExtra = std::uint64_t{1} << 20;
// Headers alone are read: one, its pax header and the records of that.
constexpr std::uint64_t kHeaderWindow = std::uint64_t{4} << 10;
constexpr std::uint64_t kTailStep = std::uint64_t{1} << 20;

bool IsRegular(char type) {
  return type == kTarRegular || type == kTarOldRegular ||
         type == kTarContiguous;
}

// Before POSIX a directory was a file whose name ends so.
bool IsDirectory(const TarHeader& header) {
  return header.type == kTarDirectory ||
         (header.type == kTarOldRegular && header.name.ends_with('/'));
}

std::string NameOfType(char type) {
  switch (type) {
    case kTarHardLink:
      return "a hard link";
    case kTarSymbolicLink:
      return "a symbolic link";
    case '3':
    case '4':
      return "a device";
    case '6':
      return "a FIFO";
    case 'S':
      return "a sparse file";
    case 'M':
      return "the rest of a file of another volume";
    default:
      return "a member of type '" + EscapeBytes({&type, 1}) + "'";
  }
}

}  // namespace

Result<Compression> CompressionOfTar(const RandomAccessFile& file) {
  std::byte head[kTarBlock];
  SHARDINE_ASSIGN_OR_RETURN(const std::size_t size, file.ReadAt(0, head));
  const ByteView read = ByteView(head).first(size);
  // The name of the first file may begin with any magic number. A right
  // checksum tells more.
  if (BeginsWithTarHeader(read)) return Compression::kNone;
  const Compression compression = SniffCompression(read);
  // zlib has no magic number, and no program makes such archives.
  return compression == Compression::kZlib ? Compression::kNone : compression;
}

TarReader::TarReader(const RandomAccessFile& file, Compression compression,
                     Members members)
    : file_(file),
      members_(members),
      stream_(file, compression,
              members == Members::kAll ? kHeaderWindow
                                       : ByteStream::kWindowBytes) {}

// nullopt: it is no member that Next() returns.
std::optional<TarKind> TarReader::KindOf(const TarHeader& header) const {
  if (IsDirectory(header)) return TarKind::kFolder;
  if (IsRegular(header.type)) return TarKind::kFile;
  if (members_ == Members::kFiles) return std::nullopt;
  if (header.type == kTarHardLink) return TarKind::kHardLink;
  if (header.type == kTarSymbolicLink) return TarKind::kSymbolicLink;
  return std::nullopt;
}

Result<std::optional<TarMember>> TarReader::Next() {
  Extra extra;
  for (std::uint64_t offset = next_;;) {
    SHARDINE_ASSIGN_OR_RETURN(auto header, ReadHeader(offset));
    if (!header) {
      if (offset == next_) return std::optional<TarMember>();
      return Error(Code::kCorrupt, offset,
                   "the end marker follows a header that belongs to a file");
    }
    TarMember member{.name = {},
                     .header = next_,
                     .data = offset + kTarBlock,
                     .size = header->size};
    const std::optional<TarKind> kind = KindOf(*header);
    if (kind && (kind == TarKind::kFile || members_ == Members::kAll)) {
      member.kind = *kind;
      SHARDINE_RETURN_IF_ERROR(
          Fill(*std::move(header), std::move(extra), member));
      next_ = member.end();
      return std::optional<TarMember>(std::move(member));
    }
    if (kind) {  // a folder has no data, whatever its size says
      next_ = offset = member.data;
      extra = Extra();
      continue;
    }
    SHARDINE_RETURN_IF_ERROR(ReadExtra(*header, offset, extra));
    // A global header belongs to no file, unless it stands among the headers of
    // one: a seek to that file needs the headers before it.
    const bool is_alone = header->type == kTarPaxGlobal && offset == next_;
    offset = member.end();
    if (is_alone) next_ = offset;
  }
}

Result<std::optional<TarHeader>> TarReader::ReadHeader(std::uint64_t offset) {
  SHARDINE_ASSIGN_OR_RETURN(const ByteView block, PeekAt(offset, kTarBlock));
  if (block.size() < kTarBlock) {
    return Error(Code::kCorrupt, offset,
                 block.empty() ? "the archive ends without its end marker"
                               : "the archive ends inside a header");
  }
  if (!IsZeroBlock(block)) {
    auto header = ParseTarHeader(block);
    if (header.ok()) return std::optional<TarHeader>(*std::move(header));
    return Error(header.status().code(), offset, header.status().message());
  }
  SHARDINE_ASSIGN_OR_RETURN(const ByteView end, PeekAt(offset, kEndMarker));
  if (end.size() < kEndMarker || !IsZeroBlock(end)) {
    return Error(Code::kCorrupt, offset, "half of an end marker");
  }
  return std::optional<TarHeader>();
}

Status TarReader::ReadExtra(const TarHeader& header, std::uint64_t offset,
                            Extra& extra) {
  switch (header.type) {
    case kTarPax:
    case kTarSolarisPax:
    case kTarPaxGlobal:
    case kTarGnuLongName:
    case kTarGnuLongLink:
      break;
    default:
      return Error(
          Code::kUnsupported, offset,
          NameOfType(header.type) + " (" + ShowName(header.name) +
              ") in the archive; only files" +
              (members_ == Members::kAll ? ", links" : "") +
              " and folders are read" +
              (header.type == 'S' ? "; tar without -S makes them" : ""));
  }
  if (header.size > kMaxExtra) {
    return Error(Code::kUnsupported, offset,
                 "a header of " + std::to_string(header.size) +
                     " bytes: at most 1 MiB is read");
  }
  SHARDINE_RETURN_IF_ERROR(CheckSize(offset, header.size));
  SHARDINE_ASSIGN_OR_RETURN(const ByteView bytes,
                            PeekAt(offset + kTarBlock, header.size));
  if (bytes.size() < header.size) {
    return Error(Code::kCorrupt, offset, "the archive ends inside a header");
  }
  const std::string_view text = AsText(bytes);
  if (header.type == kTarGnuLongLink) {
    extra.long_link = text.substr(0, text.find('\0'));
    return Status();
  }
  if (header.type == kTarGnuLongName) {
    extra.long_name = text.substr(0, text.find('\0'));
    return Status();
  }
  const bool global = header.type == kTarPaxGlobal;
  const Status parsed = ParsePaxRecords(text, global ? global_ : extra.pax);
  return parsed.ok() ? parsed : Error(parsed.code(), offset, parsed.message());
}

// The header nearer to the file holds: its pax header before GNU's long name,
// the global pax header before the ustar header alone.
Status TarReader::Fill(TarHeader header, Extra extra, TarMember& member) {
  if (global_.size && !extra.pax.takes_back_size) member.size = *global_.size;
  if (extra.pax.size) member.size = *extra.pax.size;
  const std::uint64_t at = member.data - kTarBlock;
  if (member.kind == TarKind::kFolder) member.size = 0;
  SHARDINE_RETURN_IF_ERROR(CheckSize(at, member.size));
  if (member.kind != TarKind::kFile && member.size > 0) {
    return Error(Code::kUnsupported, at,
                 ShowName(header.name) + " is a link with contents");
  }
  member.link = extra.pax.link    ? *std::move(extra.pax.link)
                : extra.long_link ? *std::move(extra.long_link)
                                  : std::move(header.link);
  member.name = std::move(header.name);
  if (extra.pax.path) {
    member.name = *std::move(extra.pax.path);
  } else if (extra.long_name) {
    member.name = *std::move(extra.long_name);
  } else if (global_.path && !extra.pax.takes_back_path) {
    // A name for all files is invalid, and each would have a copy of it.
    if (std::exchange(global_path_used_, true)) {
      return Error(Code::kUnsupported, at,
                   "a global pax header that gives several files one path");
    }
    member.name = *global_.path;
  }
  return Status();
}

// The end of a compressed archive is not known before it comes; ByteStream
// bounds the held bytes.
Status TarReader::CheckSize(std::uint64_t header, std::uint64_t size) const {
  constexpr std::uint64_t kAnySize = std::uint64_t{1} << 62;
  const std::uint64_t end = compressed() ? kAnySize : file_.size();
  const std::uint64_t data = header + kTarBlock;
  if (data <= end && size <= end - data &&
      TarPadding(size) <= end - data - size) {
    return Status();
  }
  return Error(Code::kCorrupt, header,
               "a file of " + std::to_string(size) +
                   " bytes reaches beyond the end of the archive");
}

Status TarReader::Release(std::uint64_t offset) {
  SHARDINE_ASSIGN_OR_RETURN(const bool all,
                            stream_.Skip(offset - stream_.position()));
  if (all) return Status();
  return Error(Code::kCorrupt, stream_.position(),
               "the archive ends inside a file");
}

Result<ByteView> TarReader::PeekAt(std::uint64_t offset, std::uint64_t size) {
  // Bytes from the last Release() on are held, since a sample is read as a
  // whole and its extent begins with its first header.
  const std::uint64_t skip = offset - stream_.position();
  if (skip + size > kMaxHeld) {
    return Error(Code::kUnsupported, stream_.position(),
                 "a sample of more than 2 GiB, with what lies between its "
                 "files: so much is not held at once");
  }
  SHARDINE_ASSIGN_OR_RETURN(const ByteView bytes, stream_.Peek(skip + size));
  return bytes.size() <= skip ? ByteView()
                              : bytes.subspan(static_cast<std::size_t>(skip));
}

Result<ByteView> TarReader::View(std::uint64_t offset, std::uint64_t size) {
  SHARDINE_ASSIGN_OR_RETURN(const ByteView bytes, PeekAt(offset, size));
  if (bytes.size() == size) return bytes;
  return Error(Code::kCorrupt, offset, "the archive ends inside a file");
}

Status TarReader::FinishTail() {
  // Some programs fill the archive up, and bytes other than zeros there may be
  // a second archive, whose samples would be lost unnoticed.
  SHARDINE_RETURN_IF_ERROR(Release(next_ + kEndMarker));
  for (;;) {
    const std::uint64_t offset = stream_.position();
    SHARDINE_ASSIGN_OR_RETURN(const ByteView bytes, stream_.Read(kTailStep));
    if (bytes.empty()) return Status();
    if (IsZeroBlock(bytes)) continue;
    const auto first = std::ranges::find_if(
        bytes, [](std::byte byte) { return byte != std::byte{}; });
    return Error(Code::kCorrupt,
                 offset + static_cast<std::uint64_t>(first - bytes.begin()),
                 "something follows the end marker of the archive");
  }
}

Status TarReader::Error(Code code, std::uint64_t offset,
                        std::string message) const {
  if (compressed()) message += " (bytes of the decompressed archive)";
  return Status(code, std::move(message))
      .At({.path = file_.path(), .offset = offset});
}

}  // namespace shardine
