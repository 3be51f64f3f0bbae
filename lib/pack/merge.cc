#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/status_macros.h"
#include "pack/convert_plan.h"
#include "shardine/convert.h"
#include "source/unique_samples.h"

namespace shardine {
namespace {

// The classes of several datasets, united by name.
class ClassUnion {
 public:
  static Result<ClassUnion> Make(const DatasetSamples& samples) {
    ClassUnion classes;
    std::map<std::string, std::string> texts;  // by name
    std::optional<bool> classless;
    for (std::size_t i = 0; i < samples.datasets(); ++i) {
      const Manifest& manifest = samples.dataset(i).manifest();
      const ClassMap& own = manifest.classes;
      // A dataset of empty shards has no labels that could be mistaken.
      if (own.empty() && manifest.samples() == 0) continue;
      // Labels of a dataset without classes are numbers of its own kind. In one
      // dataset with class numbers nobody could tell which is which.
      if (classless.value_or(own.empty()) != own.empty()) {
        return Status(Code::kInvalidArgument,
                      own.empty() ? "has no classes, the inputs before have"
                                  : "has classes, the inputs before have none")
            .At({.path = samples.dataset(i).directory()});
      }
      classless = own.empty();
      for (const ClassInfo& info : own) {
        std::string& text = texts[info.name];
        // Texts are for people: of two for one class the first input's is
        // taken, and the difference is no reason to refuse.
        if (text.empty()) text = info.text;
      }
    }
    // New numbers follow the order of the names, so that they do not depend on
    // the order in which the inputs are given.
    for (auto& [name, text] : texts) {
      const auto label = static_cast<std::int64_t>(classes.classes_.size());
      classes.classes_.push_back({name, label, 0, text});
    }
    classes.Number(samples);
    return classes;
  }

  const ClassMap& classes() const { return classes_; }

  // Takes a label from the number in its own dataset to the one in the union.
  Status Renumber(ConvertedSample& sample) const {
    if (classes_.empty() || sample.labels.empty()) return Status();
    const auto& numbers = numbers_[sample.dataset];
    const bool is_class =
        sample.labels.size() == 1 && sample.labels[0].is_integer();
    const auto found =
        is_class ? numbers.find(sample.labels[0].integer()) : numbers.end();
    // A sample whose label names no class would get the number of another
    // dataset's class if it kept its own.
    if (found == numbers.end()) return NoSuchClass(sample.labels, sample.key);
    sample.labels = {Label(found->second)};
    return Status();
  }

 private:
  void Number(const DatasetSamples& samples) {
    for (std::size_t i = 0; i < samples.datasets(); ++i) {
      auto& numbers = numbers_.emplace_back();
      for (const ClassInfo& info : samples.dataset(i).manifest().classes) {
        const auto united =
            std::ranges::find(classes_, info.name, &ClassInfo::name);
        numbers[info.label] = united->label;
      }
    }
  }

  ClassMap classes_;
  std::vector<std::map<std::int64_t, std::int64_t>> numbers_;  // by dataset
};

// "DIR/imagenet/" -> "imagenet".
std::string LastPart(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return FileNameOf(path);
}

}  // namespace

Result<PackResult> Merge(const MergeOptions& options, const Job& job) {
  if (options.inputs.size() < 2) {
    return Status(Code::kInvalidArgument, "a merge needs two datasets or more");
  }
  SHARDINE_ASSIGN_OR_RETURN(auto samples, OpenInputs(options.inputs, job));
  SHARDINE_ASSIGN_OR_RETURN(OutputFolder output,
                            OutputFolder::Of(job, options.output));
  SHARDINE_ASSIGN_OR_RETURN(const ClassUnion united,
                            ClassUnion::Make(*samples));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < options.inputs.size(); ++i) {
    names.push_back(LastPart(samples->dataset(i).directory()));
  }
  ConvertSpec spec;
  spec.inputs = options.inputs;
  spec.format = options.format;
  spec.entry_points = options.entry_points;
  spec.made.command = "merge";
  if (options.prefix) spec.made.options["prefix"] = "";
  std::uint64_t next_id = 0;
  spec.change = [&](ConvertedSample& sample) {
    // Inputs have the same ids, mostly from 0 on. Samples are visited in the
    // order of the inputs, so the new ids depend on the plan alone.
    sample.id = next_id++;
    if (options.prefix) {
      sample.key = names[sample.dataset] + "/" + sample.key;
    }
    return united.Renumber(sample);
  };
  SHARDINE_ASSIGN_OR_RETURN(
      const PlannedConversion planned,
      MakeConvertPlan(std::move(samples), united.classes(), spec, job.formats));
  const SourceList& list = planned.plan.plan.source().samples;
  // Keys are compared here for all formats, those as well that could hold a key
  // twice: a sample is asked for by its key.
  if (const auto twice = FindKeyTwice(list)) {
    return Status(Code::kInvalidArgument,
                  options.prefix ? "two samples of a split have this key"
                                 : "two samples of a split have this key; the "
                                   "names of their inputs before the keys "
                                   "would tell them apart")
        .At({.key = std::string(list.key(*twice))});
  }
  return CarryOut(planned,
                  {.output = std::move(output),
                   .threads = options.threads,
                   .check_space = options.check_space},
                  job);
}

}  // namespace shardine
