// Lines of a list file, or of the part of it that one of several machines
// packs. Lines end at \n, \r or \r\n, as in both originals; white space alone
// is no line.
#ifndef SHARDINE_IM2REC_LIST_READER_H_
#define SHARDINE_IM2REC_LIST_READER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/storage.h"
#include "shardine/digest.h"
#include "shardine/status.h"

namespace shardine {

// [begin, end) of a file.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// The lines of part `part` of `nsplit` as dmlc's InputSplit deals them out:
// the bytes are cut into nsplit equal steps, and each cut moves on to the
// first line that begins after it. Every line is in exactly one part.
// REQUIRES: part < nsplit.
Result<ByteRange> ListPart(const RandomAccessFile& file, std::uint64_t part,
                           std::uint64_t nsplit);

// The contents of a range of a file, whatever its lines are.
struct ListContents {
  Digest128 digest;         // XXH3-128 of its bytes
  std::uint64_t lines = 0;  // that are not blank
};

// REQUIRES: `range` begins and ends at line boundaries of `file`.
Result<ListContents> LookThrough(const RandomAccessFile& file, ByteRange range);

// The numbers of lines, for messages, counted only when they are asked for: a
// part of a list begins in its middle, and its reader does not know how many
// are before. Thread-compatible. `file` must outlive it.
class LineCounter {
 public:
  explicit LineCounter(const RandomAccessFile& file) : file_(file) {}

  // The number, from 1, of the line that begins at `offset` and is not blank.
  // Reads on from the line asked for before, if that is not after this one.
  Result<std::uint64_t> NumberAt(std::uint64_t offset);

 private:
  const RandomAccessFile& file_;
  std::uint64_t at_ = 0;
  std::uint64_t number_ = 1;
};

// Thread-compatible. `file` must outlive the reader.
class ImageListReader {
 public:
  // Longer lines are refused.
  static constexpr std::size_t kMaxLine = 1 << 20;

  // REQUIRES: `range` begins and ends at line boundaries of `file`.
  ImageListReader(const RandomAccessFile& file, ByteRange range)
      : file_(file), at_(range.begin), end_(range.end) {}

  struct Line {
    std::string_view text;     // valid until the next call
    std::uint64_t offset = 0;  // of its first byte in the file
  };
  // nullopt at the end.
  Result<std::optional<Line>> Next();

 private:
  Status Fill();

  const RandomAccessFile& file_;
  std::uint64_t at_;  // where the unread bytes of the file begin
  std::uint64_t end_;
  std::string buffer_;
  std::size_t used_ = 0;  // bytes of buffer_ already returned
};

}  // namespace shardine

#endif  // SHARDINE_IM2REC_LIST_READER_H_
