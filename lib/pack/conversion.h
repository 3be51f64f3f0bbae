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
// How those samples are judged; nullopt: not at all.
std::optional<ImagePolicy::Options> PassPolicy(const OutputFolder& output,
                                               const Judgement& judged,
                                               EntryPoints entry_points);
// How images become arrays of pixels, or the sizes that `planned` has of them.
ImagePolicy::Options PixelsPolicy(const OutputFolder& output, OnBad on_bad,
                                  PixelOrder pixels);

}  // namespace shardine

#endif  // SHARDINE_PACK_CONVERSION_H_
