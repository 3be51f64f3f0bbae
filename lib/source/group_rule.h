// GroupRule: which samples belong together, such as all photos of one patient.
#ifndef SHARDINE_SOURCE_GROUP_RULE_H_
#define SHARDINE_SOURCE_GROUP_RULE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "shardine/status.h"

namespace re2 {
class RE2;
}

namespace shardine {

// Immutable, so thread-safe.
class GroupRule {
 public:
  // SplitRule::group_by. kInvalidArgument: it does not parse, or it has not one
  // capture.
  static Result<GroupRule> Parse(const std::string& text);

  // The column of the list that has the groups; empty: keys have them.
  const std::string& column() const { return column_; }

  // The name of the group, a part of `key`. nullopt: the key has no such
  // folder, or the expression captures nothing in it. Takes time in proportion
  // to the key's length, whatever the expression.
  std::optional<std::string_view> GroupOf(std::string_view key) const;

 private:
  GroupRule() = default;

  std::string column_;
  std::uint64_t folder_ = 0;  // from 1; 0: `expression_` is meant
  std::shared_ptr<const re2::RE2> expression_;
};

}  // namespace shardine

#endif  // SHARDINE_SOURCE_GROUP_RULE_H_
