#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "pack/convert_inputs.h"
#include "pack/convert_plan.h"
#include "pack/making_of.h"
#include "pack/replacement.h"
#include "shardine/convert.h"
#include "shardine/describe.h"
#include "shardine/escape.h"
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
            .At({.path = samples.path(i)});
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

  // Takes labels from the numbers in their own dataset to those in the union.
  Status Renumber(ConvertedSample& sample) const {
    if (classes_.empty()) return Status();
    const auto& numbers = numbers_[sample.dataset];
    for (Label& label : sample.labels) {
      const auto found =
          label.is_integer() ? numbers.find(label.integer()) : numbers.end();
      // A sample whose label names no class would get the number of another
      // dataset's class if it kept its own.
      if (found == numbers.end()) return NoSuchClass(label, sample.key);
      label = Label(found->second);
    }
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

// What the keys of each input get in front.
Result<std::vector<std::string>> Prefixes(const std::string& text,
                                          const DatasetSamples& samples) {
  constexpr std::string_view kName = "{name}";
  constexpr std::string_view kNumber = "{n}";
  std::vector<std::string> prefixes(samples.datasets());
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    for (std::string_view rest = text; !rest.empty();) {
      if (rest.starts_with(kName)) {
        prefixes[i] += LastPart(samples.path(i));
        rest.remove_prefix(kName.size());
      } else if (rest.starts_with(kNumber)) {
        prefixes[i] += std::to_string(i);
        rest.remove_prefix(kNumber.size());
      } else if (rest.front() == '{') {
        // Written to each key it would be found after hours.
        return Status(Code::kInvalidArgument,
                      "the prefix \"" + EscapeBytes(text) +
                          "\" has a { that is neither {name} nor {n}");
      } else {
        prefixes[i] += rest.front();
        rest.remove_prefix(1);
      }
    }
  }
  return prefixes;
}

// The names of all inputs may be equal; their numbers are not.
Status RefuseTwice(std::string_view key, const MergeOptions& options) {
  const bool numbered = options.key_prefix.find("{n}") != std::string::npos;
  return Status(Code::kInvalidArgument,
                numbered ? "two samples of a split have this key"
                         : "two samples of a split have this key; the names "
                           "or numbers of their inputs before the keys would "
                           "tell them apart")
      .At({.key = std::string(key)});
}

ConvertSpec SpecOf(const MergeOptions& options) {
  ConvertSpec spec;
  spec.inputs = options.inputs;
  spec.format = options.format;
  spec.lossy_labels = options.lossy_labels;
  spec.entry_points = options.entry_points;
  spec.made.command = "merge";
  spec.made.options = RecordedOptions(options);
  return spec;
}

}  // namespace

Result<PackResult> Merge(const MergeOptions& options, const Job& job) {
  const StopScope scope(job.stop);
  if (options.inputs.size() < 2) {
    return Status(Code::kInvalidArgument, "a merge needs two datasets or more");
  }
  SHARDINE_ASSIGN_OR_RETURN(OutputFolder output,
                            OutputFolder::Of(job, options.output));
  ConvertSpec spec = SpecOf(options);
  Replacement::Earlier earlier;
  if (options.replace && !options.dry_run) {
    SHARDINE_ASSIGN_OR_RETURN(
        earlier, Replacement::FinishEarlier(
                     output, MakingOf(spec, options.format, {}), job));
    if (earlier.made) return *std::move(earlier.made);
  }
  SHARDINE_ASSIGN_OR_RETURN(OpenedInputs opened,
                            OpenInputs(options.inputs, job));
  std::unique_ptr<DatasetSamples> samples = std::move(opened.samples);
  SHARDINE_ASSIGN_OR_RETURN(spec.key_prefixes,
                            Prefixes(options.key_prefix, *samples));
  SHARDINE_ASSIGN_OR_RETURN(const ClassUnion united,
                            ClassUnion::Make(*samples));
  spec.warnings = std::move(opened.warnings);
  std::uint64_t next_id = 0;
  spec.change = [&](ConvertedSample& sample) {
    // Inputs have the same ids, mostly from 0 on. Samples are visited in the
    // order of the inputs, so the new ids depend on the plan alone.
    sample.id = next_id++;
    return united.Renumber(sample);
  };
  SHARDINE_ASSIGN_OR_RETURN(
      const PlannedConversion planned,
      MakeConvertPlan(std::move(samples), united.classes(), spec, job.formats));
  const SourceList& list = planned.plan.plan.source().samples;
  // Keys are compared here for all formats, those as well that could hold a key
  // twice: a sample is asked for by its key.
  if (const auto twice = FindKeyTwice(list)) {
    return RefuseTwice(list.key(*twice), options);
  }
  return CarryOut(planned,
                  {.output = std::move(output),
                   .threads = options.threads,
                   .check_space = options.check_space,
                   .replace = options.replace,
                   .command = earlier.command,
                   .dry_run = options.dry_run},
                  job);
}

}  // namespace shardine
