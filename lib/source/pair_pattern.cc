#include "source/pair_pattern.h"

#include <algorithm>
#include <utility>

#include "io/path_scheme.h"
#include "shardine/escape.h"
#include "source/list_path.h"
#include "source/source_file.h"

namespace shardine {
namespace {

constexpr std::size_t kMostWords = 4;

Status BadPattern(std::string_view pattern, const std::string& why) {
  return Status(Code::kInvalidArgument,
                "\"" + EscapeBytes(pattern) + "\": " + why);
}

}  // namespace

Result<PairPattern> PairPattern::Parse(std::string_view text) {
  PairPattern pattern;
  std::size_t words = 0;
  bool has_stem = false;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t brace = std::min(rest.find('{'), rest.size());
    if (brace > 0) {
      pattern.parts_.push_back(
          {Kind::kText, std::string(rest.substr(0, brace))});
      rest.remove_prefix(brace);
      continue;
    }
    const std::size_t end = rest.find('}');
    if (end == rest.npos) return BadPattern(text, "a { without its }");
    const std::string_view word = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    Part part;
    if (word == "class") {
      part.kind = Kind::kClass;
    } else if (word == "dir") {
      part.kind = Kind::kFolders;
    } else if (word == "stem" || word.starts_with("stem-")) {
      part = {Kind::kStem,
              std::string(word.substr(std::min<std::size_t>(word.size(), 5)))};
      has_stem = true;
    } else {
      return BadPattern(text,
                        "{" + EscapeBytes(word) +
                            "} is none of {stem}, {stem-TEXT}, {class} and "
                            "{dir}");
    }
    if (++words > kMostWords) return BadPattern(text, "more than four braces");
    pattern.parts_.push_back(std::move(part));
  }
  if (!has_stem)
    return BadPattern(text, "no {stem}, which names a file per image");
  pattern.is_absolute_ = text.starts_with('/') || !SchemeOf(text).empty();
  if (!pattern.is_absolute_ && HasDotDot(text)) {
    return BadPattern(
        text,
        "a pattern below the source has no \"..\"; a tree elsewhere "
        "is named by its whole path");
  }
  const std::string_view top =
      text.substr(0, std::min(text.find('/'), text.size()));
  if (top.size() < text.size() && top.find('{') == top.npos) pattern.top_ = top;
  return pattern;
}

std::optional<std::string> PairPattern::PathFor(
    std::string_view image_path) const {
  const std::size_t slash = image_path.rfind('/');
  const std::string_view folders = slash == image_path.npos
                                       ? std::string_view()
                                       : image_path.substr(0, slash);
  std::string_view stem = StemOf(image_path);
  if (slash != image_path.npos) stem.remove_prefix(slash + 1);
  std::string path;
  for (const Part& part : parts_) {
    switch (part.kind) {
      case Kind::kText: {
        // An image without folders has no slash after them.
        const bool is_double =
            part.text.starts_with('/') && folders.empty() &&
            (path.empty() ? !is_absolute_ : path.ends_with('/'));
        path += std::string_view(part.text).substr(is_double ? 1 : 0);
        break;
      }
      case Kind::kStem:
        if (!stem.ends_with(part.text)) return std::nullopt;
        path += stem.substr(0, stem.size() - part.text.size());
        break;
      case Kind::kClass:
        if (folders.empty()) return std::nullopt;
        path += folders.substr(0, std::min(folders.find('/'), folders.size()));
        break;
      case Kind::kFolders:
        path += folders;
    }
  }
  return path;
}

bool PairPattern::Gives(std::string_view path) const {
  return !is_absolute_ && GivesRest(path, 0);
}

bool PairPattern::GivesRest(std::string_view path, std::size_t part) const {
  if (part == parts_.size()) return path.empty();
  const Part& next = parts_[part];
  if (next.kind == Kind::kText) {
    if (path.starts_with(next.text)) {
      return GivesRest(path.substr(next.text.size()), part + 1);
    }
    return part > 0 && parts_[part - 1].kind == Kind::kFolders &&
           next.text.starts_with('/') &&
           path.starts_with(std::string_view(next.text).substr(1)) &&
           GivesRest(path.substr(next.text.size() - 1), part + 1);
  }
  const std::size_t most = next.kind == Kind::kFolders
                               ? path.size()
                               : std::min(path.find('/'), path.size());
  const std::size_t least = next.kind == Kind::kFolders ? 0 : 1;
  for (std::size_t size = least; size <= most; ++size) {
    if (GivesRest(path.substr(size), part + 1)) return true;
  }
  return false;
}

}  // namespace shardine
