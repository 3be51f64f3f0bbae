// LabelMatcher: which row of a list is which sample's, wherever the labels of a
// list go to samples that exist: a Dataset, relabel, index. A list of other
// samples is refused.
#ifndef SHARDINE_SOURCE_LABEL_MATCHER_H_
#define SHARDINE_SOURCE_LABEL_MATCHER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/readable_storage.h"
#include "shardine/list_match.h"
#include "shardine/status.h"
#include "source/label_table.h"

namespace shardine {

// The names by which a row can find a sample.
struct NamedSample {
  std::string_view key;             // empty: it has no key
  std::optional<std::uint64_t> id;  // nullopt: only the order of a scan
  std::uint64_t position = 0;
};

// Thread-compatible.
class LabelMatcher {
 public:
  // Reads the list. Failures as of LabelTable::Read.
  static Result<LabelMatcher> Read(ReadableStorage& storage,
                                   const std::string& path, MatchBy by,
                                   const ClassMap& classes);
  // Copies share the table.
  LabelMatcher(std::shared_ptr<LabelTable> table, std::string path, MatchBy by);

  // The row of the sample; nullopt: there is none. kInvalidArgument, with the
  // key: the row is another sample's, too, or the key has rows with different
  // labels: to take one would be a guess.
  Result<std::optional<std::size_t>> Match(const NamedSample& sample);
  // The samples of a list that did not come into the dataset.
  void MatchRejected(std::string_view key);
  // Adds the matches of a matcher with the same table. kInvalidArgument: a row
  // matches samples of both.
  Status Add(const LabelMatcher& other);

  const LabelTable& table() const { return *table_; }
  // "fix.csv: columns: path, label; header: yes"; empty: it is no table.
  std::string columns() const;
  // The table without its keys. REQUIRES: all samples are matched.
  std::shared_ptr<const LabelTable> TakeTable() {
    table_->ForgetKeys();
    return table_;
  }
  std::uint64_t matched() const { return matched_; }
  // After all samples: rows that match no sample.
  std::uint64_t strangers() const;
  // After all samples. kInvalidArgument, with the list: no row matches a
  // sample; or some do not, with their number and the first.
  Status CheckRows() const;

 private:
  Result<std::optional<std::size_t>> Find(const NamedSample& sample);
  bool IsOfSample(std::size_t row) const;
  Status IsOfSeveral(std::string_view key) const;
  std::string WithIds() const;
  std::string FirstStranger() const;

  std::shared_ptr<LabelTable> table_;
  std::string path_;
  MatchBy by_;
  std::vector<bool> used_;  // by row
  std::uint64_t samples_ = 0;
  std::uint64_t matched_ = 0;
  std::uint64_t other_keys_ = 0;  // samples whose id a row of another key has
};

// "5 of 6 samples are not in the list and keep the labels they have".
std::string KeepTheirLabels(std::uint64_t unlisted, std::uint64_t samples);

// "5 of 6 samples get a label that no class has, first 9"; empty: none does.
// Rows that the table does not have are passed over.
std::string SayNoClass(const LabelTable& table,
                       std::span<const std::uint32_t> rows,
                       const std::set<std::int64_t>& classes);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_LABEL_MATCHER_H_
