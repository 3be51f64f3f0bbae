#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "io/storage_for.h"
#include "pack/convert_inputs.h"
#include "pack/convert_plan.h"
#include "shardine/convert.h"
#include "shardine/pack_words.h"
#include "source/label_table.h"

namespace shardine {
namespace {

// The labels of a list, and which of its rows were used.
class LabelList {
 public:
  static Result<LabelList> Read(ReadableStorage& storage,
                                const RelabelOptions& options) {
    const auto by = options.by == RelabelBy::kId ? LabelTable::By::kId
                                                 : LabelTable::By::kKey;
    SHARDINE_ASSIGN_OR_RETURN(LabelTable table,
                              LabelTable::ReadLst(storage, options.list, by));
    return LabelList(std::move(table));
  }

  Status Relabel(ConvertedSample& sample) {
    SHARDINE_ASSIGN_OR_RETURN(const auto row, Find(sample));
    if (!row) {
      ++unlisted_;
      return Status();
    }
    // Keys are unique within a split only. A row that matches a second sample
    // is ambiguous, and giving both its labels would be a guess.
    if (used_[*row]) {
      return Status(Code::kInvalidArgument,
                    "samples of several splits have this key; relabel by id")
          .At({.key = sample.key});
    }
    used_[*row] = true;
    const auto labels = table_.labels(*row);
    sample.labels.assign(labels.begin(), labels.end());
    return Status();
  }

  // kInvalidArgument naming a row that is no sample's.
  Status CheckAllUsed(const std::string& path) const {
    const auto unused = std::ranges::find(used_, false);
    if (unused == used_.end()) return Status();
    const auto row = static_cast<std::size_t>(unused - used_.begin());
    return Status(Code::kInvalidArgument,
                  "line " + std::to_string(table_.line(row)) +
                      ": the dataset has no such sample")
        .At({.path = path});
  }

  std::uint64_t unlisted() const { return unlisted_; }

 private:
  explicit LabelList(LabelTable table)
      : table_(std::move(table)), used_(table_.size()) {}

  Result<std::optional<std::size_t>> Find(const ConvertedSample& sample) const {
    if (table_.by() == LabelTable::By::kId) return table_.FindId(sample.id);
    return table_.FindKey(sample.key);
  }

  LabelTable table_;
  std::vector<bool> used_;  // by row
  std::uint64_t unlisted_ = 0;
};

}  // namespace

Result<PackResult> Relabel(const RelabelOptions& options, const Job& job) {
  const StopScope scope(job.stop);
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const of_list,
                            StorageFor(job, options.list));
  SHARDINE_ASSIGN_OR_RETURN(LabelList list, LabelList::Read(*of_list, options));
  ConvertSpec spec;
  spec.inputs = {options.input};
  spec.entry_points = options.entry_points;
  spec.made.command = "relabel";
  spec.made.options["list"] = options.list;
  spec.made.options["by"] = WordOf(options.by);
  SHARDINE_ASSIGN_OR_RETURN(OpenedInputs opened, OpenInputs(spec.inputs, job));
  spec.warnings = std::move(opened.warnings);
  SHARDINE_ASSIGN_OR_RETURN(OutputFolder output,
                            OutputFolder::Of(job, options.output));
  ClassMap classes = opened.samples->dataset(0).manifest().classes;
  spec.change = [&](ConvertedSample& sample) {
    SHARDINE_RETURN_IF_ERROR(list.Relabel(sample));
    // The class map goes into the new manifest as it is. A label that names
    // none of its classes would make a dataset whose class counts do not add
    // up.
    const bool is_class = classes.empty() || sample.labels.empty() ||
                          FindClass(classes, sample.labels) != nullptr;
    return is_class ? Status() : NoSuchClass(sample.labels, sample.key);
  };
  SHARDINE_ASSIGN_OR_RETURN(
      PlannedConversion planned,
      MakeConvertPlan(std::move(opened.samples), classes, spec, job.formats));
  // Planning has visited every sample, and nothing is written yet: a list that
  // was meant for another dataset leaves the output untouched.
  SHARDINE_RETURN_IF_ERROR(list.CheckAllUsed(options.list));
  if (list.unlisted() > 0) {
    planned.plan.warnings.push_back(std::to_string(list.unlisted()) +
                                    " samples are not in the list and keep "
                                    "their labels");
  }
  return CarryOut(planned,
                  {.output = std::move(output),
                   .threads = options.threads,
                   .check_space = options.check_space},
                  job);
}

}  // namespace shardine
