// Conversion: another dataset of the samples of one, as convert and resize make
// it, with all that is decided before a payload is read.
#ifndef SHARDINE_PACK_CONVERSION_H_
#define SHARDINE_PACK_CONVERSION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/output_folder.h"
#include "pack/convert_plan.h"
#include "pack/dataset_block.h"
#include "pack/dataset_plan.h"
#include "pack/image_policy.h"
#include "shardine/convert.h"
#include "shardine/digest.h"
#include "shardine/job.h"
#include "shardine/pack.h"
#include "shardine/pack_result.h"
#include "shardine/recode.h"
#include "shardine/resize.h"
#include "shardine/status.h"

namespace shardine {

struct Conversion {
  PlannedConversion planned;
  // How images are made; nullopt: they pass through unchanged.
  std::optional<ImagePolicy::Options> images;
  VariantOptions variants;
  // The fields that are kept beside the image; nullopt: all.
  std::optional<std::vector<std::string>> fields = std::nullopt;
  std::vector<RejectedCount> left = {};  // samples that were not asked for

  // As `images` are.
  Judgement judged() const;
};

// Plans the work of Convert(). Failures as Convert().
Result<Conversion> PlanConversion(const ConvertOptions& options,
                                  const OutputFolder& output, const Job& job);
// The same of ResizeShards() of a dataset.
Result<Conversion> PlanResizeOfDataset(const ResizeShardsOptions& options,
                                       const OutputFolder& output,
                                       const Job& job);
// Whether the source of a resize is one.
Result<bool> ResizesDataset(const ResizeShardsOptions& options, const Job& job);
// Else it is a pack, of sizes alone.
PackOptions PackOfResize(const ResizeShardsOptions& options);

struct ConversionRun {
  OutputFolder output;
  unsigned threads = 0;
  bool check_space = true;
  bool replace = false;
  Digest128 command = {};  // as MakeOptions::command
  bool dry_run = false;
};
Result<PackResult> CarryOut(const Conversion& conversion,
                            const ConversionRun& run, const Job& job);

// kInvalidArgument: a label of the sample of that key is no class.
Status NoSuchClass(const Label& label, const std::string& key);

// The check of samples that pass through as they are (ConvertOptions::check).
ImageCheckLevel PassCheck(OnBad on_bad, std::optional<ImageCheckLevel> asked);
// The images that a conversion makes.
struct MadeImages {
  std::optional<PixelOrder> pixels = {};
  RecodeOptions recode = {};
  std::optional<ArrayEncoding> encode = {};
  std::uint32_t quality = 90;     // of JPEGs made
  std::uint64_t max_payload = 0;  // bytes a record can hold
};
// How samples are judged and images made; nullopt: all pass through as they
// are, and none is looked at. Images that become arrays are all decoded.
std::optional<ImagePolicy::Options> ConversionPolicy(const OutputFolder& output,
                                                     const Judgement& judged,
                                                     EntryPoints entry_points,
                                                     const MadeImages& made);

}  // namespace shardine

#endif  // SHARDINE_PACK_CONVERSION_H_
