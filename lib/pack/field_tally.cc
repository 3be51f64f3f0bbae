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
    const auto known = left_.find(field.name);
    if (known != left_.end()) {
      ++known->second;
    } else if (left_.size() < kMostNames) {
      left_.emplace(field.name, 1);
    } else {
      ++more_;
    }
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
    for (const auto& [other, samples] : left_) {
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
  for (const auto& [name, samples] : left_) left.push_back({name, samples});
  if (more_ > 0) left.push_back({"...", more_});
  return left;
}

}  // namespace shardine
