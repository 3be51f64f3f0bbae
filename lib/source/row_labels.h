// Labels that rows of metadata files give images, beside those of class
// folders.
#ifndef SHARDINE_SOURCE_ROW_LABELS_H_
#define SHARDINE_SOURCE_ROW_LABELS_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shardine/label.h"
#include "shardine/source.h"
#include "shardine/status.h"
#include "source/class_map.h"
#include "source/class_numbers.h"
#include "source/sample_table.h"
#include "source/source_set.h"

namespace shardine {

// Thread-compatible. The set must outlive it.
class RowLabels {
 public:
  // `numbers` are those of the class folders. Their labels stand where there
  // are several classes, a label map or validation labels. Else rows with
  // labels make their own classes.
  RowLabels(const SourceOptions& options, const ClassNumbers& numbers,
            SourceSet& set);

  // The labels of the row that names a sample. An error of the row: labels
  // that stand are others; a label that is no class; names beside numbers.
  Status Take(const TableSample& row, std::size_t sample);

  // After all rows. Numbers their names as `asked` does; `numbers` become those
  // of the classes that there are then.
  Status Finish(const ClassNumbers& asked, ClassNumbers& numbers);

 private:
  void Replace(std::size_t sample, std::span<const Label> labels);
  std::string NameOf(const Label& label) const;
  Status Compare(const TableSample& row, std::size_t sample);
  Status Contradiction(const TableSample& row, std::size_t sample,
                       const std::vector<Label>& before,
                       std::string_view name) const;

  const ClassMap classes_;  // of the folders
  const ClassNumbers numbers_;
  const bool stand_;  // labels of folders do
  SourceSet& set_;
  std::unordered_map<std::string, std::size_t> names_;
  std::vector<bool> has_row_;  // by sample: one with labels
  bool has_names_ = false;
  bool has_numbers_ = false;
};

}  // namespace shardine

#endif  // SHARDINE_SOURCE_ROW_LABELS_H_
