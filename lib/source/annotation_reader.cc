#include "source/annotation_reader.h"

#include <charconv>
#include <cmath>

#include "base/ascii.h"
#include "base/number.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "shardine/escape.h"

namespace shardine {

Result<std::string> ReadSmallFile(ReadableStorage& storage,
                                  const std::string& path, std::uint64_t most) {
  SHARDINE_ASSIGN_OR_RETURN(std::string text, ReadFile(storage, path, most));
  if (!IsUtf8(text)) {
    return Status(Code::kCorrupt, "is not UTF-8").At({.path = path});
  }
  return text;
}

void BoxesBeyond::Look(const AnnotatedObject& object, double width,
                       double height, std::string_view image) {
  if (width <= 0 || height <= 0) return;
  const auto& box = object.box;
  if (box[0] >= 0 && box[1] >= 0 && box[2] <= width && box[3] <= height) return;
  if (count_++ == 0) first_ = image;
}

void BoxesBeyond::AddNote(const std::string& path, const char* more,
                          std::vector<std::string>& notes) const {
  if (count_ == 0) return;
  notes.push_back(std::to_string(count_) +
                  (count_ == 1 ? " box of " : " boxes of ") +
                  EscapeBytes(path) +
                  " beyond the edge of the image, kept as they are, first of " +
                  EscapeBytes(first_) + more);
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
  text = WithoutBlanks(text);
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
