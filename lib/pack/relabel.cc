#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/ignored.h"
#include "dataset/listed_samples.h"
#include "dataset/rejects.h"
#include "io/storage_for.h"
#include "pack/conversion.h"
#include "pack/convert_inputs.h"
#include "pack/convert_plan.h"
#include "shardine/convert.h"
#include "shardine/describe.h"
#include "shardine/pack_words.h"
#include "source/label_matcher.h"

namespace shardine {
namespace {

// Gives each sample the labels of its row.
class Relabeller {
 public:
  Relabeller(LabelMatcher matcher, const ListedSamples& listed,
             ClassMap classes)
      : matcher_(std::move(matcher)),
        listed_(listed),
        classes_(std::move(classes)) {}

  Status Relabel(ConvertedSample& sample) {
    SHARDINE_ASSIGN_OR_RETURN(
        const auto row,
        matcher_.Match(listed_(sample.key, sample.id, samples_++)));
    if (!row) return Status();
    const auto labels = matcher_.table().labels(*row);
    sample.labels.assign(labels.begin(), labels.end());
    // The class map goes into the new manifest as it is. A label outside its
    // classes would make a dataset whose class counts do not add up.
    const Label* const stranger =
        classes_.empty() ? nullptr : FindNoClass(classes_, sample.labels);
    return stranger == nullptr ? Status() : NoSuchClass(*stranger, sample.key);
  }

  // A row of that key is for a file that the pack ignored.
  void PassOver(const std::string& key) { matcher_.MatchRejected(key); }

  // Planning has visited every sample, and nothing is written yet: a list that
  // was meant for another dataset leaves the output untouched.
  Status Check(const std::vector<Reject>& rejects) {
    for (const Reject& reject : rejects) matcher_.MatchRejected(reject.key);
    return matcher_.CheckRows();
  }

  std::uint64_t samples() const { return samples_; }
  std::uint64_t unlisted() const { return samples_ - matcher_.matched(); }

 private:
  LabelMatcher matcher_;
  const ListedSamples listed_;
  ClassMap classes_;
  std::uint64_t samples_ = 0;
};

// None if there is no such list.
std::vector<Reject> RejectsOf(const DatasetReader& input) {
  auto read =
      ReadRejects(input.storage(), JoinPath(input.directory(), kRejectedName));
  return read.ok() ? *std::move(read) : std::vector<Reject>();
}

}  // namespace

Result<PackResult> Relabel(const RelabelOptions& options, const Job& job) {
  const StopScope scope(job.stop);
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const of_list,
                            StorageFor(job, options.list));
  ConvertSpec spec;
  spec.inputs = {options.input};
  spec.lossy_labels = options.lossy_labels;
  spec.entry_points = options.entry_points;
  spec.on_bad = options.on_bad;
  spec.made.command = "relabel";
  spec.made.options = RecordedOptions(options);
  spec.made.options["list"] = options.list;
  SHARDINE_ASSIGN_OR_RETURN(OpenedInputs opened,
                            OpenInputs(spec.inputs, spec.on_bad, job));
  spec.warnings = std::move(opened.warnings);
  spec.lost = std::move(opened.lost);
  SHARDINE_ASSIGN_OR_RETURN(const OutputFolder output,
                            OutputFolder::Of(job, options.output));
  const DatasetReader& input = opened.samples->dataset(0);
  ClassMap classes = input.manifest().classes;
  SHARDINE_ASSIGN_OR_RETURN(
      LabelMatcher matcher,
      LabelMatcher::Read(*of_list, options.list, options.by, classes));
  if (job.say && !matcher.columns().empty()) job.say(matcher.columns());
  if (options.by == MatchBy::kPosition && input.manifest().splits.size() > 1) {
    return Status(Code::kInvalidArgument,
                  "by position, a list is of one split, and these are several")
        .At({.path = options.input});
  }
  const std::vector<Reject> rejects = RejectsOf(input);
  Relabeller relabeller(std::move(matcher),
                        ListedSamples::Of(input.manifest(), job.formats),
                        classes);
  spec.change = [&](ConvertedSample& sample) {
    return relabeller.Relabel(sample);
  };
  SHARDINE_ASSIGN_OR_RETURN(
      PlannedConversion planned,
      MakeConvertPlan(std::move(opened.samples), classes, spec, job.formats));
  static_cast<void>(ForIgnoredKeys(
      input.storage(), JoinPath(input.directory(), kIgnoredName),
      [&](const std::string& key) { relabeller.PassOver(key); }));
  SHARDINE_RETURN_IF_ERROR(relabeller.Check(rejects));
  if (relabeller.unlisted() > 0) {
    planned.plan.warnings.push_back(
        KeepTheirLabels(relabeller.unlisted(), relabeller.samples()));
  }
  std::optional<ImagePolicy::Options> images = ConversionPolicy(
      output, {options.on_bad, PassCheck(options.on_bad, options.check)},
      options.entry_points, {});
  return CarryOut(Conversion{.planned = std::move(planned),
                             .images = std::move(images),
                             .variants = {}},
                  {.output = output,
                   .threads = options.threads,
                   .check_space = options.check_space},
                  job);
}

}  // namespace shardine
