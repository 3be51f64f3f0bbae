// LineReader: the lines of a text file of any size through a small window.
#ifndef SHARDINE_SOURCE_LINE_READER_H_
#define SHARDINE_SOURCE_LINE_READER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

struct Line {
  std::string_view text;        // without "\n", "\r\n", a byte order mark
  std::uint64_t number = 0;     // from 1
  std::uint64_t offset = 0;     // of its first byte
  std::string_view end = "\n";  // "\r\n" where the line has that
};

// Thread-compatible. `file` must outlive it.
class LineReader {
 public:
  static constexpr std::size_t kMaxLine = std::size_t{1} << 20;  // bytes

  explicit LineReader(const RandomAccessFile& file) : file_(file) {}

  // nullopt at the end. The text is valid until the next call. The last line
  // may lack its line end. kCorrupt for a line longer than kMaxLine.
  Result<std::optional<Line>> Next();

  // kCorrupt "line N: MESSAGE" at that line of the file.
  Status Error(const Line& line, std::string_view message) const;

 private:
  Status Fill();
  Line Take(std::size_t length, std::size_t line_end);

  const RandomAccessFile& file_;
  ByteBuffer window_;
  std::size_t begin_ = 0;            // of the bytes not handed out yet
  std::uint64_t window_offset_ = 0;  // of the window in the file
  std::uint64_t number_ = 0;
  bool ended_ = false;  // the window reaches the end of the file
};

}  // namespace shardine

#endif  // SHARDINE_SOURCE_LINE_READER_H_
