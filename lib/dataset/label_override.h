// LabelOverride: labels of a list file in the place of those packed.
#ifndef SHARDINE_DATASET_LABEL_OVERRIDE_H_
#define SHARDINE_DATASET_LABEL_OVERRIDE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/storage.h"
#include "shardine/sample.h"
#include "shardine/status.h"

namespace shardine {

// About 40 bytes per sample with one label; by key, the keys besides. Immutable
// once read, so thread-safe.
class LabelOverride {
 public:
  // .lst (id, labels, key) or, where the name ends in ".json", a JSON list, as
  // pack takes them. With ids, by id; else by key. kInvalidArgument: an id or
  // key twice, an entry of a JSON list without labels, or ids in some only.
  static Result<LabelOverride> Read(Storage& storage, const std::string& path);

  bool by_key() const { return by_key_; }
  // The row of the list; nullopt: the list does not name it.
  std::optional<std::size_t> Find(std::uint64_t id) const;
  std::optional<std::size_t> Find(std::string_view key) const;
  // For whoever has looked up all that there are.
  void ForgetKeys() { by_name_ = {}; }
  // REQUIRES: a row that was found. A view of this.
  std::span<const Label> labels(std::size_t row) const {
    return std::span(labels_).subspan(rows_[row].begin, rows_[row].count);
  }

 private:
  struct Row {
    std::uint64_t id = 0;
    std::size_t begin = 0;  // in labels_
    std::uint32_t count = 0;
  };

  void Add(std::uint64_t id, std::span<const Label> labels) {
    rows_.push_back(
        {id, labels_.size(), static_cast<std::uint32_t>(labels.size())});
    labels_.insert(labels_.end(), labels.begin(), labels.end());
  }
  Status ReadLst(Storage& storage, const std::string& path);
  Status ReadJson(Storage& storage, const std::string& path);
  Status SortById();

  bool by_key_ = false;
  std::vector<Row> rows_;  // by id, or in the order of the list
  std::vector<Label> labels_;
  std::unordered_map<std::string, std::size_t> by_name_;
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_LABEL_OVERRIDE_H_
