// LabelOverride: labels of a list file in the place of those packed.
#ifndef SHARDINE_LOAD_LABEL_OVERRIDE_H_
#define SHARDINE_LOAD_LABEL_OVERRIDE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/storage.h"
#include "shardine/sample.h"
#include "shardine/status.h"

namespace shardine {

// Immutable once read, so thread-safe.
class LabelOverride {
 public:
  // .lst (id, labels, key) or JSON list as pack takes them. With ids, by id;
  // else by key. kInvalidArgument: an id or key twice.
  static Result<LabelOverride> Read(Storage& storage, const std::string& path);

  bool by_key() const { return by_key_; }
  // nullptr: the list does not name it, its own labels stay.
  const std::vector<Label>* Find(std::uint64_t id) const;
  const std::vector<Label>* Find(std::string_view key) const;

 private:
  bool by_key_ = false;
  std::unordered_map<std::uint64_t, std::vector<Label>> by_id_;
  std::unordered_map<std::string, std::vector<Label>> by_name_;
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_LABEL_OVERRIDE_H_
