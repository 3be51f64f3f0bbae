#include "source/group_rule.h"

#include <re2/re2.h>

#include <utility>

#include "base/number.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

constexpr std::string_view kFolder = "folder:";
constexpr std::string_view kColumn = "column:";

Status BadRule(const std::string& text, const std::string& why) {
  return Status(Code::kInvalidArgument,
                "group-by \"" + EscapeBytes(text) + "\": " + why);
}

std::optional<std::string_view> FolderOf(std::string_view key,
                                         std::uint64_t number) {
  for (std::size_t end = key.find('/'); end != key.npos; end = key.find('/')) {
    if (--number == 0) {
      return end > 0 ? std::optional(key.substr(0, end)) : std::nullopt;
    }
    key.remove_prefix(end + 1);
  }
  return std::nullopt;
}

}  // namespace

Result<GroupRule> GroupRule::Parse(const std::string& text) {
  GroupRule rule;
  if (text.starts_with(kFolder)) {
    const auto number = ParseUnsigned(text.substr(kFolder.size()));
    if (number && *number > 0) {
      rule.folder_ = *number;
      return rule;
    }
  }
  if (text.starts_with(kColumn) && text.size() > kColumn.size()) {
    rule.column_ = text.substr(kColumn.size());
    return rule;
  }
  re2::RE2::Options options;
  options.set_log_errors(false);
  auto expression = std::make_shared<re2::RE2>(text, options);
  if (!expression->ok()) return BadRule(text, EscapeBytes(expression->error()));
  if (const int captures = expression->NumberOfCapturingGroups();
      captures != 1) {
    return BadRule(text, "has " + std::to_string(captures) +
                             " captures, not one; (?:...) is a group that "
                             "captures nothing");
  }
  rule.expression_ = std::move(expression);
  return rule;
}

std::optional<std::string_view> GroupRule::GroupOf(std::string_view key) const {
  if (!column_.empty()) return std::nullopt;
  if (expression_ == nullptr) return FolderOf(key, folder_);
  re2::StringPiece found[2];
  if (!expression_->Match({key.data(), key.size()}, 0, key.size(),
                          re2::RE2::UNANCHORED, found, 2) ||
      found[1].empty()) {
    return std::nullopt;
  }
  return std::string_view(found[1].data(), found[1].size());
}

}  // namespace shardine
