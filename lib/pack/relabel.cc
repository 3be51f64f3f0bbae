#include <map>
#include <utility>

#include "base/status_macros.h"
#include "pack/convert_plan.h"
#include "shardine/convert.h"
#include "source/list_file.h"

namespace shardine {
namespace {

// The labels of a list, and which of its rows were used.
class LabelList {
 public:
  static Result<LabelList> Read(Storage& storage,
                                const RelabelOptions& options) {
    LabelList list;
    list.by_ = options.by;
    SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(options.list));
    ListReader reader(*file);
    ListEntry entry;
    while (true) {
      SHARDINE_ASSIGN_OR_RETURN(const bool more, reader.Next(entry));
      if (!more) return list;
      Row row{entry.labels, entry.line.number};
      const bool is_new =
          options.by == RelabelBy::kId
              ? list.by_id_.try_emplace(entry.id, std::move(row)).second
              : list.by_key_
                    .try_emplace(std::string(entry.path), std::move(row))
                    .second;
      if (!is_new) return reader.Error(entry, "is there twice");
    }
  }

  Status Relabel(ConvertedSample& sample) {
    Row* const row = by_ == RelabelBy::kId ? Find(by_id_, sample.id)
                                           : Find(by_key_, sample.key);
    if (row == nullptr) {
      ++unlisted_;
      return Status();
    }
    if (row->used) {
      return Status(Code::kInvalidArgument,
                    "samples of several splits have this key; relabel by id")
          .At({.key = sample.key});
    }
    row->used = true;
    sample.labels = row->labels;
    return Status();
  }

  // kInvalidArgument naming a row that is no sample's.
  Status CheckAllUsed(const std::string& path) const {
    const auto unused = [&](const auto& rows) -> const Row* {
      for (const auto& [name, row] : rows) {
        if (!row.used) return &row;
      }
      return nullptr;
    };
    const Row* row = unused(by_id_);
    if (row == nullptr) row = unused(by_key_);
    if (row == nullptr) return Status();
    return Status(Code::kInvalidArgument,
                  "line " + std::to_string(row->line) +
                      ": the dataset has no such sample")
        .At({.path = path});
  }

  std::uint64_t unlisted() const { return unlisted_; }

 private:
  struct Row {
    std::vector<Label> labels;
    std::uint64_t line = 0;
    bool used = false;
  };

  template <typename Rows, typename Name>
  static Row* Find(Rows& rows, const Name& name) {
    const auto found = rows.find(name);
    return found == rows.end() ? nullptr : &found->second;
  }

  RelabelBy by_ = RelabelBy::kId;
  std::map<std::uint64_t, Row> by_id_;
  std::map<std::string, Row> by_key_;
  std::uint64_t unlisted_ = 0;
};

}  // namespace

Result<PackResult> Relabel(const RelabelOptions& options, const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(LabelList list,
                            LabelList::Read(job.storage, options));
  ConvertSpec spec;
  spec.inputs = {options.input};
  spec.entry_points = options.entry_points;
  spec.made.command = "relabel";
  spec.made.options["list"] = options.list;
  spec.made.options["by"] = options.by == RelabelBy::kId ? "id" : "key";
  SHARDINE_ASSIGN_OR_RETURN(auto samples,
                            OpenInputs(job.storage, spec.inputs, job.formats));
  ClassMap classes = samples->dataset(0).manifest().classes;
  spec.change = [&](ConvertedSample& sample) {
    SHARDINE_RETURN_IF_ERROR(list.Relabel(sample));
    const bool is_class = classes.empty() || sample.labels.empty() ||
                          FindClass(classes, sample.labels) != nullptr;
    return is_class ? Status() : NoSuchClass(sample.labels, sample.key);
  };
  SHARDINE_ASSIGN_OR_RETURN(PlannedConversion planned,
                            MakeConvertPlan(job.storage, std::move(samples),
                                            classes, spec, job.formats));
  SHARDINE_RETURN_IF_ERROR(list.CheckAllUsed(options.list));
  if (list.unlisted() > 0) {
    planned.plan.warnings.push_back(std::to_string(list.unlisted()) +
                                    " samples are not in the list and keep "
                                    "their labels");
  }
  return CarryOut(planned,
                  {.output = options.output,
                   .threads = options.threads,
                   .check_space = options.check_space},
                  job);
}

}  // namespace shardine
