// From datasets to the plan of another one: the decisions of convert, merge and
// relabel before they read a payload. They differ only in the new names and
// labels.
#ifndef SHARDINE_PACK_CONVERT_PLAN_H_
#define SHARDINE_PACK_CONVERT_PLAN_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataset/dataset_samples.h"
#include "dataset/rejects.h"
#include "pack/drop_keys.h"
#include "pack/key_prefix.h"
#include "pack/make_dataset.h"
#include "shardine/convert.h"
#include "shardine/job.h"
#include "shardine/recode.h"
#include "shardine/sample.h"
#include "shardine/status.h"
#include "source/class_map.h"
#include "source/split.h"

namespace shardine {

// The name and labels of a sample of the output, at first those of the input.
struct ConvertedSample {
  std::size_t dataset = 0;  // number of the input
  const std::string& split;
  std::uint64_t id = 0;
  std::string key;
  std::vector<Label> labels;
};

struct ConvertSpec {
  std::vector<std::string> inputs;
  std::string format;  // empty: as the first input
  std::uint64_t shards = 0;
  std::uint64_t shard_bytes = 0;  // both 0: keep the shards
  std::optional<std::uint64_t> reshuffle;
  SplitCut cut = {};
  bool no_suffix = false;
  bool strict = false;
  bool lossy_labels = false;
  std::string purpose = "convert";  // and all else that decides bytes
  // The command, and those of its options that are not below or above.
  Provenance made = {.command = "convert", .sources = {}, .options = {}};
  // Images become arrays of one size, as ConvertOptions::pixels says.
  std::optional<PixelOrder> pixels;
  bool pixels_if_needed = false;  // kRgb, where the format holds nothing else
  bool images_made = false;       // at other sizes, after the plan
  RecodeOptions recode = {};
  std::optional<ArrayEncoding> encode = {};
  bool names_layout = false;   // the user does, of `encode`
  std::uint32_t quality = 90;  // of JPEGs made
  KeyPrefix key_prefix = {};   // in front of keys
  EntryPoints entry_points = EntryPoints::kAuto;
  // Whether a sample is one of the output; may change its labels. May be empty.
  std::function<Result<bool>(ConvertedSample&, const IndexEntry&)> choose;
  // The fields that are kept beside the image; nullopt: all.
  std::optional<std::vector<std::string>> fields;
  // Called for each sample of the output in order, to change it. May be empty.
  std::function<Status(ConvertedSample&)> change;
  std::vector<std::string> warnings;  // of the inputs, for the result
  OnBad on_bad = OnBad::kFail;
  std::vector<Reject> lost = {};  // by scans of the inputs
  // The keys of samples that are left out; null: none are. Called before
  // `choose`.
  DropKeys* drop = nullptr;
};

struct PlannedConversion {
  // Sample i of the plan is sample i here.
  std::unique_ptr<DatasetSamples> samples;
  DatasetPlan plan;
  std::optional<PixelOrder> pixels;
  // Empty where there is no such image.
  RecodeOptions recode = {};
  std::optional<ArrayEncoding> encode = {};
  std::uint32_t quality = 90;
  std::vector<FieldLeft> fields_left = {};
  std::string fingerprint = {};  // ShardPlanOptions::fingerprint
};

// `samples` has the inputs added, and is listed here. `classes` are those of
// the output.
Result<PlannedConversion> MakeConvertPlan(
    std::unique_ptr<DatasetSamples> samples, ClassMap classes,
    const ConvertSpec& spec, const FormatRegistry& formats);

}  // namespace shardine

#endif  // SHARDINE_PACK_CONVERT_PLAN_H_
