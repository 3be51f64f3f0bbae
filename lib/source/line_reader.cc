#include "source/line_reader.h"

#include <cstring>

#include "base/status_macros.h"

namespace shardine {
namespace {

constexpr std::size_t kWindow = std::size_t{256} << 10;
// Spreadsheets begin a text with it, and it would be part of the first name.
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

Result<std::optional<Line>> LineReader::Next() {
  std::size_t searched = 0;
  while (true) {
    const std::string_view rest = AsText(window_.view()).substr(begin_);
    const std::size_t end = rest.find('\n', searched);
    const std::size_t length =
        end == std::string_view::npos ? rest.size() : end;
    if (length > kMaxLine) {
      const Line line{
          .text = {}, .number = number_ + 1, .offset = window_offset_ + begin_};
      return Error(line, "longer than " + std::to_string(kMaxLine) + " bytes");
    }
    if (end != std::string_view::npos) return std::optional(Take(end, 1));
    if (ended_) {
      if (rest.empty()) return std::optional<Line>();
      return std::optional(Take(rest.size(), 0));
    }
    searched = rest.size();
    SHARDINE_RETURN_IF_ERROR(Fill());
  }
}

Line LineReader::Take(std::size_t length, std::size_t line_end) {
  Line line{.text = AsText(window_.view()).substr(begin_, length),
            .number = ++number_,
            .offset = window_offset_ + begin_};
  if (line.text.ends_with('\r')) {
    line.text.remove_suffix(1);
    line.end = "\r\n";
  }
  if (line.number == 1 && line.text.starts_with(kByteOrderMark)) {
    line.text.remove_prefix(kByteOrderMark.size());
  }
  begin_ += length + line_end;
  return line;
}

Status LineReader::Fill() {
  const std::size_t kept = window_.size() - begin_;
  if (kept > 0) {
    std::memmove(window_.data(), window_.data() + begin_, kept);
  }
  window_offset_ += begin_;
  begin_ = 0;
  window_.Resize(kept + kWindow);
  const auto read =
      file_.ReadAt(window_offset_ + kept, window_.span().subspan(kept));
  window_.Resize(kept + (read.ok() ? *read : 0));
  ended_ = read.ok() && *read < kWindow;
  return read.status();
}

Status LineReader::Error(const Line& line, std::string_view message) const {
  return Status(Code::kCorrupt, "line " + std::to_string(line.number) + ": " +
                                    std::string(message))
      .At({.path = file_.path(), .offset = line.offset});
}

}  // namespace shardine
