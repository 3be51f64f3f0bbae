#include "shardine/convert.h"

#include <utility>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/rejects.h"
#include "pack/convert_inputs.h"
#include "pack/convert_plan.h"
#include "pack/dataset_block.h"
#include "pack/image_policy.h"
#include "pack/making_of.h"
#include "pack/sample_chooser.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

// Escaped, so that no name can look like two.
std::string Join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ",") + EscapeBytes(name);
  }
  return text;
}

std::string FieldsText(const std::vector<std::string>& fields) {
  return fields.empty() ? "none" : Join(fields);
}

ConvertSpec SpecOf(const ConvertOptions& options, SampleChooser& chooser) {
  ConvertSpec spec;
  spec.format = options.format;
  spec.shards = options.shards;
  spec.shard_bytes = options.shard_bytes;
  spec.reshuffle = options.reshuffle;
  spec.no_suffix = options.no_suffix;
  spec.strict = options.strict;
  spec.pixels = options.pixels;
  spec.pixels_if_needed = true;
  spec.entry_points = options.entry_points;
  spec.fields = options.fields;
  AddIfGiven("class-names", options.class_names, spec.made.options);
  AddIfGiven("split", Join(options.splits), spec.made.options);
  AddIfGiven("where", options.where, spec.made.options);
  AddIfGiven("label-map", options.label_map, spec.made.options);
  if (options.limit > 0) {
    spec.made.options["limit"] = std::to_string(options.limit);
  }
  spec.purpose += chooser.Describe();
  if (options.fields) {
    const std::string fields = FieldsText(*options.fields);
    spec.made.options["fields"] = fields;
    spec.purpose += " fields=" + fields;
  }
  if (chooser.chooses()) {
    spec.choose = [&chooser](ConvertedSample& sample, const IndexEntry& entry) {
      return chooser.Take(sample, entry);
    };
  }
  return spec;
}

Result<PackResult> CarryOutPixels(const PlannedConversion& planned,
                                  const ConvertOptions& options,
                                  MakeOptions make, const Job& job) {
  const ShardPlan& plan = planned.plan.plan;
  make.judged = {options.on_bad, ImageCheckLevel::kDecode};
  ImagePolicy::Options judge{.output = make.output,
                             .on_bad = options.on_bad,
                             .check = make.judged.check,
                             .short_sides = {},
                             .image = {},
                             .pixels = planned.pixels};
  const ImagePolicy policy(plan, judge);
  const DatasetBlockPreparer preparer(*planned.samples, plan, policy);
  judge.on_bad = OnBad::kSkip;
  const ImagePolicy rejecting(plan, judge);
  const DatasetBlockPreparer looker(*planned.samples, plan, rejecting);
  make.looker = &looker;
  return MakeDataset(planned.plan, preparer, make, job);
}

Result<PackResult> CarryOutConversion(const PlannedConversion& planned,
                                      const ConvertOptions& options,
                                      const MakeOptions& make, const Job& job) {
  if (planned.pixels) return CarryOutPixels(planned, options, make, job);
  if (options.on_bad != OnBad::kFail) {
    return Status(Code::kInvalidArgument,
                  "what to do with bad images is asked where they are decoded "
                  "to arrays; these pass through as they are");
  }
  return CarryOut(planned, make, job);
}

}  // namespace

Result<PackResult> Convert(const ConvertOptions& options, const Job& job) {
  const StopScope scope(job.stop);
  SHARDINE_ASSIGN_OR_RETURN(OpenedInputs opened, OpenInput(options, job));
  SHARDINE_ASSIGN_OR_RETURN(const OutputFolder output,
                            OutputFolder::Of(job, options.output));
  SHARDINE_ASSIGN_OR_RETURN(
      SampleChooser chooser,
      SampleChooser::Make(options, opened.samples->dataset(0).manifest(), job));
  ConvertSpec spec = SpecOf(options, chooser);
  spec.inputs = std::move(opened.sources);
  spec.warnings = std::move(opened.warnings);
  SHARDINE_ASSIGN_OR_RETURN(
      const PlannedConversion planned,
      MakeConvertPlan(std::move(opened.samples), chooser.classes(), spec,
                      job.formats));
  SHARDINE_ASSIGN_OR_RETURN(
      PackResult result,
      CarryOutConversion(planned, options,
                         {.output = output,
                          .threads = options.threads,
                          .check_space = options.check_space},
                         job));
  result.fields_left = planned.fields_left;
  result.ignored = chooser.left();
  return result;
}

}  // namespace shardine
