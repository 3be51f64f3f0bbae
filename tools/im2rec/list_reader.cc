#include "im2rec/list_reader.h"

#include <algorithm>
#include <span>

#include "base/check.h"
#include "base/checksum.h"
#include "base/status_macros.h"

namespace shardine {

namespace {

constexpr std::string_view kLineEnds = "\r\n";
constexpr std::size_t kBlock = 1 << 18;

// Calls visit(byte) for the bytes from `offset` until it returns false or the
// file ends; returns the offset of the byte at which it stopped.
template <typename Visit>
Result<std::uint64_t> Scan(const RandomAccessFile& file, std::uint64_t offset,
                           Visit visit) {
  std::string block(kBlock, '\0');
  for (;;) {
    SHARDINE_ASSIGN_OR_RETURN(
        const std::size_t size,
        file.ReadAt(offset, std::as_writable_bytes(std::span(block))));
    for (std::size_t i = 0; i < size; ++i) {
      if (!visit(block[i])) return offset + i;
    }
    offset += size;
    if (size < block.size()) return offset;
  }
}

bool IsLineEnd(char c) { return c == '\n' || c == '\r'; }

// A cut inside of a line moves to the next one: the line belongs to the part
// that it begins in. Both parts compute the same place from the same byte.
Result<std::uint64_t> LineAfter(const RandomAccessFile& file,
                                std::uint64_t offset) {
  bool ended = false;
  return Scan(file, offset, [&](char c) {
    if (IsLineEnd(c)) return ended = true;
    return !ended;
  });
}

bool IsBlankByte(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

bool IsBlank(std::string_view line) {
  return std::ranges::all_of(line, IsBlankByte);
}

}  // namespace

Result<ByteRange> ListPart(const RandomAccessFile& file, std::uint64_t part,
                           std::uint64_t nsplit) {
  SHARDINE_CHECK(part < nsplit);
  const std::uint64_t size = file.size();
  const std::uint64_t step = size / nsplit + (size % nsplit != 0 ? 1 : 0);
  const auto cut = [&](std::uint64_t index) -> Result<std::uint64_t> {
    if (index == 0) return std::uint64_t{0};
    // index * step without overflow: step is at least size / nsplit.
    if (step == 0 || index > size / step) return size;
    return LineAfter(file, index * step);
  };
  ByteRange range;
  SHARDINE_ASSIGN_OR_RETURN(range.begin, cut(part));
  SHARDINE_ASSIGN_OR_RETURN(range.end, cut(part + 1));
  return range;
}

Result<ListContents> LookThrough(const RandomAccessFile& file,
                                 ByteRange range) {
  ListContents contents;
  Xxh3Stream hash;
  std::string block(kBlock, '\0');
  bool blank = true;  // the line so far
  for (std::uint64_t at = range.begin; at < range.end; at += block.size()) {
    block.resize(static_cast<std::size_t>(
        std::min<std::uint64_t>(kBlock, range.end - at)));
    SHARDINE_RETURN_IF_ERROR(
        file.ReadExactly(at, std::as_writable_bytes(std::span(block))));
    hash.Update(AsBytes(block));
    for (const char c : block) {
      if (IsLineEnd(c)) {
        contents.lines += blank ? 0 : 1;
        blank = true;
      } else {
        blank = blank && IsBlankByte(c);
      }
    }
  }
  contents.lines += blank ? 0 : 1;
  contents.digest = hash.Digest();
  return contents;
}

Result<std::uint64_t> LineCounter::NumberAt(std::uint64_t offset) {
  if (offset < at_) {
    at_ = 0;
    number_ = 1;
  }
  char previous = '\0';
  std::uint64_t at = at_;
  SHARDINE_RETURN_IF_ERROR(Scan(file_, at_, [&](char c) {
                             if (at++ == offset) return false;
                             const bool crlf = previous == '\r' && c == '\n';
                             if (IsLineEnd(c) && !crlf) ++number_;
                             previous = c;
                             return true;
                           }).status());
  at_ = offset;
  return number_;
}

Status ImageListReader::Fill() {
  // The beginning of a line that goes on in the next block is kept; the view
  // that was returned before ends here.
  buffer_.erase(0, used_);
  used_ = 0;
  const std::size_t kept = buffer_.size();
  const auto wanted =
      static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, end_ - at_));
  buffer_.resize(kept + wanted);
  SHARDINE_RETURN_IF_ERROR(file_.ReadExactly(
      at_, std::as_writable_bytes(std::span(buffer_).subspan(kept))));
  at_ += wanted;
  return {};
}

Result<std::optional<ImageListReader::Line>> ImageListReader::Next() {
  for (;;) {
    const std::size_t stop = buffer_.find_first_of(kLineEnds, used_);
    const std::size_t size = std::min(stop, buffer_.size()) - used_;
    const std::uint64_t offset = at_ - (buffer_.size() - used_);
    // A file that is no list may have no line end for gigabytes. The check
    // comes before more is read, so that the buffer stays within a line and a
    // block.
    if (size > kMaxLine) {
      return Status(Code::kCorrupt, "a line of more than 1 MiB: not a list")
          .At({.path = file_.path(), .offset = offset});
    }
    if (stop == std::string::npos && at_ < end_) {
      SHARDINE_RETURN_IF_ERROR(Fill());
      continue;
    }
    const Line line{std::string_view(buffer_).substr(used_, size), offset};
    // The \n of \r\n is left as a line without text, which is skipped as blank.
    used_ = std::min(used_ + size + 1, buffer_.size());
    if (!IsBlank(line.text)) return std::optional<Line>(line);
    if (stop == std::string::npos) return std::optional<Line>();
  }
}

}  // namespace shardine
