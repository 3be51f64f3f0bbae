#include "shardine/convert.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "pack/conversion.h"
#include "pack/convert_inputs.h"
#include "pack/provenance_of.h"
#include "pack/replacement.h"
#include "pack/sample_chooser.h"
#include "shardine/describe.h"
#include "shardine/escape.h"
#include "shardine/pack_words.h"

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

// Without the values that the samples of the input decide.
ConvertSpec SpecOf(const ConvertOptions& options) {
  ConvertSpec spec;
  spec.format = options.format;
  spec.shards = options.shards;
  spec.shard_bytes = options.shard_bytes;
  spec.reshuffle = options.reshuffle;
  spec.cut = {options.split_shares, options.hold_out, options.seed,
              options.split_rule};
  spec.no_suffix = options.no_suffix;
  spec.strict = options.strict;
  spec.lossy_labels = options.lossy_labels;
  spec.pixels = options.pixels;
  spec.pixels_if_needed = true;
  spec.recode = options.recode;
  if (options.encode) {
    spec.encode = {*options.encode,
                   options.image_layout.value_or(ArrayLayout::kHwc),
                   options.recode.to_8_bits};
    spec.names_layout = options.image_layout.has_value();
  }
  spec.quality = options.quality;
  spec.entry_points = options.entry_points;
  spec.fields = options.fields;
  spec.on_bad = options.on_bad;
  if (!options.drop_keys.empty()) spec.purpose += " drop-keys";
  spec.made.options = RecordedOptions(options);
  return spec;
}

void Choose(const ConvertOptions& options, SampleChooser& chooser,
            ConvertSpec& spec) {
  spec.purpose += chooser.Describe();
  if (options.fields) {
    spec.purpose += " fields=" + FieldsText(*options.fields);
  }
  if (chooser.chooses()) {
    spec.choose = [&chooser](ConvertedSample& sample, const IndexEntry& entry) {
      return chooser.Take(sample, entry);
    };
  }
}

Status CheckCutOptions(const ConvertOptions& options, const SplitCut& cut) {
  if (cut.is_made() || options.seed == 0) return CheckCut(cut);
  return Status(Code::kInvalidArgument,
                "a seed is of splits that are cut; a new order has its own");
}

// The command as the user gave it.
Provenance CommandOf(const ConvertOptions& options) {
  ConvertSpec spec = SpecOf(options);
  spec.inputs = options.files.empty() ? std::vector<std::string>{options.input}
                                      : options.files;
  if (!options.file_splits.empty()) {
    spec.made.options["file-splits"] = Join(options.file_splits);
  }
  spec.made.options["on-bad"] = WordOf(options.on_bad);
  if (options.check) spec.made.options["check"] = WordOf(*options.check);
  return ProvenanceOf(spec, options.format, options.pixels);
}

}  // namespace

Result<Conversion> PlanConversion(const ConvertOptions& options,
                                  const OutputFolder& output, const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(OpenedInputs opened, OpenInput(options, job));
  SHARDINE_ASSIGN_OR_RETURN(
      SampleChooser chooser,
      SampleChooser::Make(options, opened.samples->dataset(0).manifest(), job));
  ConvertSpec spec = SpecOf(options);
  SHARDINE_RETURN_IF_ERROR(CheckCutOptions(options, spec.cut));
  SHARDINE_ASSIGN_OR_RETURN(spec.key_prefix,
                            KeyPrefix::Parse(options.key_prefix));
  Choose(options, chooser, spec);
  spec.inputs = std::move(opened.sources);
  spec.warnings = std::move(opened.warnings);
  spec.lost = std::move(opened.lost);
  SHARDINE_ASSIGN_OR_RETURN(std::optional<DropKeys> drop,
                            ReadDropKeys(options.drop_keys, job));
  if (drop) spec.drop = &*drop;
  SHARDINE_ASSIGN_OR_RETURN(
      PlannedConversion planned,
      MakeConvertPlan(std::move(opened.samples), chooser.classes(), spec,
                      job.formats));
  if (planned.pixels && options.check.value_or(ImageCheckLevel::kDecode) !=
                            ImageCheckLevel::kDecode) {
    return Status(Code::kInvalidArgument,
                  "check: images that become arrays are decoded");
  }
  std::optional<ImagePolicy::Options> images = ConversionPolicy(
      output, {options.on_bad, PassCheck(options.on_bad, options.check)},
      options.entry_points,
      {planned.pixels, planned.recode, planned.encode, planned.quality,
       planned.plan.format.limits().max_payload});
  return Conversion{.planned = std::move(planned),
                    .images = std::move(images),
                    .variants = {},
                    .fields = options.fields,
                    .left = chooser.left()};
}

Result<PackResult> Convert(const ConvertOptions& options, const Job& job) {
  const StopScope scope(job.stop);
  SHARDINE_ASSIGN_OR_RETURN(const OutputFolder output,
                            OutputFolder::Of(job, options.output));
  Replacement::Earlier earlier;
  if (options.replace && !options.dry_run) {
    SHARDINE_ASSIGN_OR_RETURN(
        earlier, Replacement::FinishEarlier(output, CommandOf(options), job));
    if (earlier.made) return *std::move(earlier.made);
  }
  SHARDINE_ASSIGN_OR_RETURN(const Conversion conversion,
                            PlanConversion(options, output, job));
  SHARDINE_ASSIGN_OR_RETURN(PackResult result,
                            CarryOut(conversion,
                                     {.output = output,
                                      .threads = options.threads,
                                      .check_space = options.check_space,
                                      .replace = options.replace,
                                      .command = earlier.command,
                                      .dry_run = options.dry_run},
                                     job));
  result.fields_left = conversion.planned.fields_left;
  std::ranges::copy(conversion.left, std::back_inserter(result.ignored));
  return result;
}

}  // namespace shardine
