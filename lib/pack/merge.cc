#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "pack/conversion.h"
#include "pack/convert_inputs.h"
#include "pack/convert_plan.h"
#include "pack/drop_keys.h"
#include "pack/key_prefix.h"
#include "pack/provenance_of.h"
#include "pack/replacement.h"
#include "shardine/convert.h"
#include "shardine/describe.h"
#include "shardine/pack_words.h"
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
      // dataset they could not be told from class numbers.
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

// The names of all inputs may be equal; their numbers are not, and no ids of
// one input are.
Status RefuseTwice(const SourceList& list, std::size_t twice,
                   const KeyPrefix& prefix) {
  const bool by_number = FindKeyTwice(list, KeyScope::kInput) == std::nullopt;
  std::string why = "two samples of a split have this key";
  if (by_number && !prefix.has_number() && !prefix.has_id()) {
    why +=
        "; the names or numbers of their inputs before the keys would tell "
        "them apart";
  } else if (!prefix.has_number() || !prefix.has_id()) {
    why +=
        "; the numbers of their inputs and their ids there before the keys "
        "would tell them apart";
  }
  return Status(Code::kInvalidArgument, std::move(why))
      .At({.key = std::string(list.key(twice))});
}

ConvertSpec SpecOf(const MergeOptions& options) {
  ConvertSpec spec;
  spec.inputs = options.inputs;
  spec.format = options.format;
  spec.cut = {options.split_shares, 0, options.seed, options.split_rule};
  spec.lossy_labels = options.lossy_labels;
  spec.entry_points = options.entry_points;
  spec.on_bad = options.on_bad;
  if (!options.drop_keys.empty()) spec.purpose += " drop-keys";
  spec.made.command = "merge";
  spec.made.options = RecordedOptions(options);
  return spec;
}

// The command of the user.
Provenance CommandOf(const MergeOptions& options) {
  Provenance command = ProvenanceOf(SpecOf(options), options.format, {});
  command.options["on-bad"] = WordOf(options.on_bad);
  if (options.check) command.options["check"] = WordOf(*options.check);
  return command;
}

}  // namespace

Result<PackResult> Merge(const MergeOptions& options, const Job& job) {
  const StopScope scope(job.stop);
  if (options.inputs.size() < 2) {
    return Status(Code::kInvalidArgument, "a merge needs two datasets or more");
  }
  SHARDINE_ASSIGN_OR_RETURN(const OutputFolder output,
                            OutputFolder::Of(job, options.output));
  ConvertSpec spec = SpecOf(options);
  SHARDINE_RETURN_IF_ERROR(CheckCut(spec.cut));
  Replacement::Earlier earlier;
  if (options.replace && !options.dry_run) {
    SHARDINE_ASSIGN_OR_RETURN(
        earlier, Replacement::FinishEarlier(output, CommandOf(options), job));
    if (earlier.made) return *std::move(earlier.made);
  }
  SHARDINE_ASSIGN_OR_RETURN(OpenedInputs opened,
                            OpenInputs(options.inputs, options.on_bad, job));
  std::unique_ptr<DatasetSamples> samples = std::move(opened.samples);
  SHARDINE_ASSIGN_OR_RETURN(spec.key_prefix,
                            KeyPrefix::Parse(options.key_prefix));
  SHARDINE_ASSIGN_OR_RETURN(const ClassUnion united,
                            ClassUnion::Make(*samples));
  spec.warnings = std::move(opened.warnings);
  spec.lost = std::move(opened.lost);
  SHARDINE_ASSIGN_OR_RETURN(std::optional<DropKeys> drop,
                            ReadDropKeys(options.drop_keys, job));
  if (drop) spec.drop = &*drop;
  std::uint64_t next_id = 0;
  spec.change = [&](ConvertedSample& sample) {
    // Inputs have the same ids, mostly from 0 on. Samples are visited in the
    // order of the inputs, so the new ids depend on the plan alone.
    sample.id = next_id++;
    return united.Renumber(sample);
  };
  SHARDINE_ASSIGN_OR_RETURN(
      PlannedConversion planned,
      MakeConvertPlan(std::move(samples), united.classes(), spec, job.formats));
  const SourceList& list = planned.plan.plan.source().samples;
  // Keys are compared here for all formats, those as well that could hold a key
  // twice: a sample is asked for by its key.
  if (const auto twice = FindKeyTwice(list)) {
    return RefuseTwice(list, *twice, spec.key_prefix);
  }
  std::optional<ImagePolicy::Options> images = ConversionPolicy(
      output, {options.on_bad, PassCheck(options.on_bad, options.check)},
      options.entry_points, {});
  return CarryOut(Conversion{.planned = std::move(planned),
                             .images = std::move(images),
                             .variants = {}},
                  {.output = output,
                   .threads = options.threads,
                   .check_space = options.check_space,
                   .replace = options.replace,
                   .command = earlier.command,
                   .dry_run = options.dry_run},
                  job);
}

}  // namespace shardine
