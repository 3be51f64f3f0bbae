#include "source/annotation_reader.h"

#include <charconv>
#include <cmath>

#include "base/number.h"
#include "base/status_macros.h"
#include "base/utf8.h"

namespace shardine {

Result<std::string> ReadSmallFile(ReadableStorage& storage,
                                  const std::string& path, std::uint64_t most) {
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(path));
  if (file->size() > most) {
    return Status(Code::kUnsupported,
                  "a file of annotations of " + std::to_string(file->size()) +
                      " bytes; at most " + std::to_string(most) + " are read")
        .At({.path = path});
  }
  std::string text(static_cast<std::size_t>(file->size()), '\0');
  SHARDINE_RETURN_IF_ERROR(
      file->ReadExactly(0, std::as_writable_bytes(std::span(text))));
  if (!IsUtf8(text)) {
    return Status(Code::kCorrupt, "is not UTF-8").At({.path = path});
  }
  return text;
}

std::string BoxFault(const std::array<double, 4>& box) {
  for (const double side : box) {
    if (!std::isfinite(side)) return "a box with a value that is not finite";
  }
  if (box[2] > box[0] && box[3] > box[1]) return "";
  std::string fault = "a box without a size:";
  for (const double side : box) fault += " " + NumberText(side);
  return fault + " (xmin, ymin, xmax, ymax)";
}

std::optional<double> ParseFinite(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) return std::nullopt;
  text = text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
  double number = 0;
  const auto [stop, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = stop == text.data() + text.size();
  if (error != std::errc() || !is_whole || !std::isfinite(number)) {
    return std::nullopt;
  }
  return number;
}

}  // namespace shardine
