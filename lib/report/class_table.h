// ClassTable: how many samples of each class a split has, and how mixed classes
// are in the order in which samples are stored.
#ifndef SHARDINE_REPORT_CLASS_TABLE_H_
#define SHARDINE_REPORT_CLASS_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "shardine/label.h"
#include "source/class_map.h"

namespace shardine {

// Thread-compatible.
class ClassTable {
 public:
  // `classes` must outlive the table.
  ClassTable(const ClassMap& classes, std::size_t splits);

  // The next sample of a split, in stored order. Returns the row of its first
  // label's class; classes().size() where it has none.
  std::size_t Add(std::size_t split, std::span<const Label> labels);

  const ClassMap& classes() const { return classes_; }
  std::size_t splits() const { return splits_.size(); }
  // Samples of a split that have a label of the class.
  std::uint64_t count(std::size_t split, std::size_t row) const {
    return splits_[split].counts[row];
  }
  // Samples of a split without a label that is a class.
  std::uint64_t without(std::size_t split) const {
    return splits_[split].without;
  }
  // Classes that other splits have samples of, and this one has not.
  std::uint64_t missing(std::size_t split) const;
  // The largest class of a split by its smallest that has samples; 0: there is
  // none.
  double imbalance(std::size_t split) const;
  // How often neighbours in stored order are of different classes, by how often
  // they are in a random order: near 0 sorted, near 1 mixed. nullopt: all are
  // of one class.
  std::optional<double> mixing(std::size_t split) const;

 private:
  struct Split {
    std::vector<std::uint64_t> counts;  // by row
    std::vector<std::uint64_t> firsts;  // the same of first labels
    std::uint64_t without = 0;
    std::uint64_t samples = 0;
    std::uint64_t changes = 0;
    std::size_t last = 0;  // row
  };

  const ClassMap& classes_;
  std::vector<Split> splits_;
};

}  // namespace shardine

#endif  // SHARDINE_REPORT_CLASS_TABLE_H_
