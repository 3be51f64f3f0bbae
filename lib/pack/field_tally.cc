#include "pack/field_tally.h"

#include "shardine/escape.h"

namespace shardine {

bool FieldTally::Keep(std::vector<IndexField>& fields) {
  if (samples_.keeps_all_fields()) return true;
  const auto is_left = [&](const IndexField& field) {
    if (samples_.Keeps(field.name)) {
      if (!kept_.contains(field.name)) kept_.insert(field.name);
      return false;
    }
    left_.Add(field.name);
    return true;
  };
  return std::erase_if(fields, is_left) == 0;
}

Status FieldTally::CheckNames(
    const std::optional<std::vector<std::string>>& asked) const {
  if (!asked) return Status();
  for (const std::string& name : *asked) {
    if (kept_.contains(name)) continue;
    std::string others;
    for (const auto& [other, samples] : left_.counts()) {
      others += (others.empty() ? "; there are: " : ", ") + EscapeBytes(other);
    }
    return Status(
        Code::kInvalidArgument,
        "no sample has a field \"" + EscapeBytes(name) + "\"" + others);
  }
  return Status();
}

std::vector<FieldLeft> FieldTally::left() const {
  std::vector<FieldLeft> left;
  for (const auto& [name, samples] : left_.counts()) {
    left.push_back({name, samples});
  }
  if (left_.others() > 0) left.push_back({"...", left_.others()});
  return left;
}

}  // namespace shardine
