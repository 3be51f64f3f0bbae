// The pattern of a path that belongs to an image's: "masks/{class}/{stem}.png".
#ifndef SHARDINE_SOURCE_PAIR_PATTERN_H_
#define SHARDINE_SOURCE_PAIR_PATTERN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardine/status.h"

namespace shardine {

class PairPattern {
 public:
  // kInvalidArgument: a word in braces other than {stem}, {stem-TEXT},
  // {class} and {dir}, or more than four; no {stem}; a relative path with a
  // part "..", since that lies outside of the source.
  static Result<PairPattern> Parse(std::string_view text);

  // nullopt: the image's path lacks a part that the pattern has.
  std::optional<std::string> PathFor(std::string_view image_path) const;
  // Whether PathFor() can give this path. Absolute patterns give no path below
  // the source.
  bool Gives(std::string_view path) const;
  bool is_absolute() const { return is_absolute_; }
  // The first folder, if it has no braces.
  const std::string& top() const { return top_; }

 private:
  enum class Kind : std::uint8_t { kText, kStem, kClass, kFolders };
  struct Part {
    Kind kind = Kind::kText;
    std::string text;  // of a stem what is cut off its end
  };

  bool GivesRest(std::string_view path, std::size_t part) const;

  std::vector<Part> parts_;
  bool is_absolute_ = false;
  std::string top_;
};

}  // namespace shardine

#endif  // SHARDINE_SOURCE_PAIR_PATTERN_H_
