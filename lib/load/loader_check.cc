#include "load/loader_check.h"

#include <algorithm>
#include <string>
#include <variant>

#include "base/status_macros.h"
#include "load/crop_plan.h"
#include "load/follow_check.h"
#include "load/mix_draws.h"
#include "load/nearest_bucket.h"
#include "load/one_hot.h"
#include "load/operation_check.h"
#include "load/pixel_pipeline.h"
#include "load/sample_draws.h"
#include "pixels/normalizer.h"
#include "pixels/record_normalizer.h"

namespace shardine {
namespace {

Status Invalid(const std::string& option, const std::string& why) {
  return Status(Code::kInvalidArgument, option + ": " + why);
}

Status CheckTransform(const Transform& transform, const PixelFormat& pixels) {
  SHARDINE_RETURN_IF_ERROR(CheckOperations(transform));
  const Normalize normalize = NormalizeOf(transform);
  SHARDINE_RETURN_IF_ERROR(CheckNormalize(pixels, normalize));
  SHARDINE_RETURN_IF_ERROR(CheckMeanAndStd(pixels, normalize));
  if (const auto* const record = RecordNormalizeOf(transform)) {
    SHARDINE_RETURN_IF_ERROR(
        CheckRecordNormalize(pixels, *record, TargetSize(transform.geometry)));
  }
  return CheckGeometry(transform.geometry);
}

Status CheckViews(const LoaderOptions& options) {
  if (!options.transform) {
    if (options.more_views.empty()) return {};
    return Invalid("more_views", "need a transform, which is the first view");
  }
  const std::size_t views = 1 + options.more_views.size();
  if (views > SampleDraws::kViews) {
    return Invalid("more_views", std::to_string(views) +
                                     " views of a sample; there may be " +
                                     std::to_string(SampleDraws::kViews));
  }
  SHARDINE_RETURN_IF_ERROR(CheckTransform(*options.transform, options.pixels));
  for (std::size_t i = 1; i < views; ++i) {
    const Status status =
        CheckTransform(options.more_views[i - 1], options.pixels);
    if (status.ok()) continue;
    return Status(status.code(),
                  "view " + std::to_string(i) + ": " + status.message());
  }
  return {};
}

Status CheckMix(const LoaderOptions& options) {
  SHARDINE_RETURN_IF_ERROR(CheckOneHot(options.one_hot));
  if (options.mix.choices.empty()) return {};
  if (!options.transform) {
    return Invalid("mix", "needs a transform, which makes the pixels");
  }
  if (!options.more_views.empty()) {
    return Invalid("mix", "is of one view of each sample, not of several");
  }
  return CheckMixChoices(options.mix);
}

Status CheckRatioOrder(const LoaderOptions& options) {
  if (options.order.order != SampleOrder::kRatio) return {};
  const CenterCrop* const crop =
      options.transform ? std::get_if<CenterCrop>(&options.transform->geometry)
                        : nullptr;
  if (!options.more_views.empty()) {
    return Invalid("more_views",
                   "by ratio, batches have the one view whose sides change");
  }
  if (crop != nullptr && crop->width == crop->height) return {};
  return Invalid("order",
                 "by ratio, the transform must be a CenterCrop to a square, "
                 "whose sides become those of each batch");
}

Status CheckNodes(const LoaderOptions& options) {
  const std::uint32_t nodes = options.order.nodes;
  if (nodes == 1) return {};
  if (nodes == 0 || options.world % nodes != 0) {
    return Invalid("nodes", std::to_string(nodes) + "; the world of " +
                                std::to_string(options.world) +
                                " ranks is no multiple of it");
  }
  if (options.order.order != SampleOrder::kBlocks &&
      options.order.order != SampleOrder::kSequential) {
    return Invalid("nodes",
                   "parts of their own have the orders \"blocks\" and "
                   "\"sequential\" alone: of others each reads all shards");
  }
  if (options.sampling != Sampling(RepeatedSampling())) {
    return Invalid("nodes", "share epochs that have each sample once");
  }
  if (options.last_batch != LastBatch::kRoll) return {};
  return Invalid("nodes",
                 "not with last_batch \"roll\": its steps begin anywhere in "
                 "an epoch");
}

// The size of a geometry that takes the size of each bucket.
Result<PixelSize> BucketedSize(const Geometry& geometry) {
  if (const auto* const crop = std::get_if<CenterCrop>(&geometry)) {
    if (crop->resize != std::min(crop->width, crop->height)) {
      return Invalid("buckets",
                     "images are resized until they cover the bucket: the "
                     "CenterCrop's `resize` must be its own shorter side, " +
                         std::to_string(std::min(crop->width, crop->height)) +
                         ", and is " + std::to_string(crop->resize));
    }
  } else if (!std::holds_alternative<RandomResizedCrop>(geometry) &&
             !std::holds_alternative<Resize>(geometry)) {
    return Invalid("buckets",
                   "the transform must be a RandomResizedCrop, a CenterCrop or "
                   "a Resize, whose size becomes that of each bucket");
  }
  return TargetSize(geometry);
}

Status CheckBucketedTransform(const LoaderOptions& options) {
  if (!options.transform) {
    return Invalid("buckets", "need a transform, which shapes the pixels");
  }
  if (!options.more_views.empty()) {
    return Invalid("more_views", "of buckets, batches have one view");
  }
  SHARDINE_ASSIGN_OR_RETURN(const PixelSize size,
                            BucketedSize(options.transform->geometry));
  const Bucket own{size.height, size.width};
  if (std::ranges::find(options.buckets, own) == options.buckets.end()) {
    return Invalid("buckets", "the transform's size, " + BucketName(own) +
                                  " (height x width), is of none of them");
  }
  const auto* const record = RecordNormalizeOf(*options.transform);
  if (record == nullptr || record->mean_image == nullptr) return {};
  return Invalid("buckets", "a mean image has one shape");
}

Status CheckBuckets(const LoaderOptions& options) {
  if (options.buckets.empty()) return {};
  SHARDINE_RETURN_IF_ERROR(NearestBucket::Check(options.buckets));
  SHARDINE_RETURN_IF_ERROR(CheckBucketedTransform(options));
  if (options.order.order == SampleOrder::kRatio) {
    return Invalid("buckets", "not in the order \"ratio\"");
  }
  if (options.order.nodes != 1) {
    return Invalid("buckets", "not with nodes that read parts of their own");
  }
  if (options.sampling != Sampling(RepeatedSampling())) {
    return Invalid("buckets", "not with a sampling: each sample comes once");
  }
  if (std::uint64_t{options.world} * options.batch_size >> 32 == 0) return {};
  return Invalid("world", "times batch_size is beyond 2^32 in buckets");
}

// More than a machine has processors, or a server answers at a time.
Status CheckThreads(const char* name, std::uint64_t count) {
  constexpr std::uint64_t kMost = 4096;
  if (count <= kMost) return {};
  return Invalid(
      name, std::to_string(count) + " of at most " + std::to_string(kMost));
}

}  // namespace

Status CheckLoaderOptions(const LoaderOptions& options) {
  if (options.batch_size == 0) return Invalid("batch_size", "0");
  SHARDINE_RETURN_IF_ERROR(CheckThreads("threads", options.threads));
  SHARDINE_RETURN_IF_ERROR(CheckThreads("readers", options.readers));
  if (options.world == 0) return Invalid("world", "0");
  if (options.rank >= options.world) {
    return Invalid("rank", std::to_string(options.rank) + " of " +
                               std::to_string(options.world));
  }
  // This is a REQUIRES of StepPlan: beyond it sums of positions would wrap.
  if (std::uint64_t{options.world} * options.batch_size >> 62 != 0) {
    return Invalid("world", "times batch_size is beyond 2^62");
  }
  if (options.order.block == 0) return Invalid("block", "0");
  if (options.order.window == 0) return Invalid("window", "0");
  if (options.synthetic && !options.transform) {
    return Invalid("synthetic", "needs a transform");
  }
  SHARDINE_RETURN_IF_ERROR(CheckNodes(options));
  SHARDINE_RETURN_IF_ERROR(CheckViews(options));
  SHARDINE_RETURN_IF_ERROR(CheckMix(options));
  SHARDINE_RETURN_IF_ERROR(CheckFollow(options));
  SHARDINE_RETURN_IF_ERROR(CheckBuckets(options));
  return CheckRatioOrder(options);
}

Status CheckFirstLabels(const LoaderOptions& options,
                        const std::vector<Label>& first) {
  const bool mixes = !options.mix.choices.empty();
  if (!mixes && options.one_hot.classes == 0) return {};
  const char* const option = mixes ? "mix" : "one_hot";
  if (first.size() != 1) {
    return Invalid(option, "needs one label of each sample; the first has " +
                               std::to_string(first.size()));
  }
  if (options.one_hot.classes == 0) return {};
  const Status status = CheckClass(options.one_hot, first[0]);
  if (status.ok()) return {};
  return Invalid("one_hot", "the first sample " + status.message());
}

}  // namespace shardine
