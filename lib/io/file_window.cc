#include "io/file_window.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/status_macros.h"

namespace shardine {

bool FileWindow::Piece::Holds(std::uint64_t from, std::uint64_t length) const {
  return from >= offset && from <= end() && length <= end() - from;
}

bool FileWindow::IsNear(const Piece& piece, std::uint64_t from) const {
  return from >= piece.offset && from <= piece.end() + options_.gap;
}

Result<ByteView> FileWindow::Read(std::uint64_t offset, std::uint64_t length) {
  if (offset > file_->size() || length > file_->size() - offset) {
    return Status(Code::kCorrupt,
                  std::to_string(length) +
                      " bytes here reach beyond the end of the file")
        .At({.path = file_->path(), .offset = offset});
  }
  if (length == 0) return ByteView();
  const Piece* piece = &forward_;
  if (!forward_.Holds(offset, length)) {
    SHARDINE_ASSIGN_OR_RETURN(piece, Move(offset, length));
  }
  return piece->bytes.view().subspan(
      static_cast<std::size_t>(offset - piece->offset),
      static_cast<std::size_t>(length));
}

Result<const FileWindow::Piece*> FileWindow::Move(std::uint64_t offset,
                                                  std::uint64_t length) {
  Piece* piece = &forward_;
  std::uint64_t ahead = options_.ahead;
  if (stray_.Holds(offset, length)) {
    return static_cast<const Piece*>(&stray_);
  }
  if (!IsNear(forward_, offset)) {
    if (options_.keeps_strays && stray_.bytes.size() > 0 &&
        IsNear(stray_, offset)) {
      // Reading goes on where it strayed to.
      std::swap(forward_, stray_);
    } else {
      if (options_.keeps_strays) {
        piece = &stray_;
        ahead = 0;
      }
      piece->bytes.Resize(0);
      piece->offset = offset;
    }
  }
  SHARDINE_RETURN_IF_ERROR(Advance(*piece, offset, length, ahead));
  return static_cast<const Piece*>(piece);
}

Status FileWindow::Advance(Piece& piece, std::uint64_t offset,
                           std::uint64_t length, std::uint64_t ahead) {
  const std::uint64_t old_end = piece.end();
  const std::uint64_t begin = std::min(offset, old_end);
  const auto kept = static_cast<std::size_t>(old_end - begin);
  if (kept > 0 && begin > piece.offset) {
    std::memmove(piece.bytes.data(),
                 piece.bytes.data() + (begin - piece.offset), kept);
  }
  const std::uint64_t wanted = std::max(offset + length - begin, ahead);
  const std::uint64_t size = std::min(wanted, file_->size() - begin);
  piece.bytes.Resize(static_cast<std::size_t>(size));
  piece.offset = begin;
  Status status =
      file_->ReadExactly(begin + kept, piece.bytes.span().subspan(kept));
  // Nothing of it may be taken for the file's.
  if (!status.ok()) piece.bytes.Resize(0);
  return std::move(status).At({.path = file_->path(), .offset = begin + kept});
}

}  // namespace shardine
