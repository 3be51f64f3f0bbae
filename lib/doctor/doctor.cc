#include "shardine/doctor.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "cache/cache_folder.h"
#include "cache/open_cache.h"
#include "doctor/decode_probe.h"
#include "doctor/epoch_model.h"
#include "doctor/probed_target.h"
#include "doctor/server_probe.h"
#include "doctor/storage_probe.h"
#include "io/path_scheme.h"
#include "io/storage_for.h"
#include "pipeline/processor_share.h"
#include "shardine/describe.h"
#include "shardine/remote_options.h"

namespace shardine {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kLocalImageBytes = 64 << 20;
constexpr std::uint64_t kRemoteImageBytes = 16 << 20;
constexpr milliseconds kDecodeTime(1'500);
constexpr milliseconds kSizeTime(500);
constexpr milliseconds kDiskTime(900);
constexpr milliseconds kCacheTime(300);
constexpr milliseconds kReadTime(1'500);
constexpr std::uint32_t kSides[] = {320, 160};

class Examination {
 public:
  Examination(ReadableStorage& storage, const DoctorOptions& options,
              const Job& job)
      : storage_(storage), options_(options), job_(job) {}

  Result<DoctorResult> Run() {
    SHARDINE_ASSIGN_OR_RETURN(target_,
                              FindProbedTarget(storage_, options_, job_.stop));
    result_.target = options_.target;
    result_.split = target_.split;
    result_.samples = target_.samples;
    result_.more_samples = target_.more_samples;
    result_.threads = ThreadCount(options_.threads);
    SHARDINE_RETURN_IF_ERROR(ProbeImages());
    SHARDINE_RETURN_IF_ERROR(SchemeOf(options_.target).empty() ? ProbeDisk()
                                                               : ProbeRemote());
    FillEpochTable(result_);
    return std::move(result_);
  }

 private:
  Status ProbeImages() {
    SHARDINE_ASSIGN_OR_RETURN(
        std::vector<ProbedImage> images,
        ReadProbedImages(storage_, target_, Budget(kReadTime), job_.stop));
    ImageRates original{.variant = target_.variant, .bytes = target_.bytes};
    if (!images.empty()) {
      SHARDINE_ASSIGN_OR_RETURN(original.decoded,
                                Decoded(images, kDecodeTime, target_));
    }
    if (!images.empty() && target_.split.empty()) {
      AddEntryPoints(images);
      SHARDINE_ASSIGN_OR_RETURN(original.decoded_packed,
                                Decoded(images, kSizeTime, target_));
    }
    result_.images.push_back(std::move(original));
    // Sizes are made of the original alone.
    if (images.empty() || target_.variant != "original") return {};
    return ProbeVariants(images);
  }

  // Probes the variants that exist, and measures the others as if they existed.
  Status ProbeVariants(const std::vector<ProbedImage>& images) {
    std::vector<std::uint32_t> missing;
    for (const std::uint32_t side : kSides) {
      if (!HasVariant(side)) missing.push_back(side);
    }
    SHARDINE_ASSIGN_OR_RETURN(
        std::vector<ImageRates> made,
        ProbeSizes(images, missing, kSizeTime, job_.stop));
    for (const std::uint32_t side : kSides) {
      const std::string name = "sz/" + std::to_string(side);
      if (HasVariant(side)) SHARDINE_RETURN_IF_ERROR(ProbeVariant(name));
      const auto at = std::ranges::find(made, name, &ImageRates::variant);
      if (at != made.end()) result_.images.push_back(std::move(*at));
    }
    return {};
  }

  bool HasVariant(std::uint32_t side) const {
    return std::ranges::count(target_.variants, "sz/" + std::to_string(side)) >
           0;
  }

  Status ProbeVariant(const std::string& name) {
    SHARDINE_ASSIGN_OR_RETURN(const ProbedTarget variant,
                              FindProbedVariant(storage_, target_, name));
    SHARDINE_ASSIGN_OR_RETURN(
        const std::vector<ProbedImage> images,
        ReadProbedImages(storage_, variant, Budget(kReadTime / 2), job_.stop));
    ImageRates rates{.variant = name, .bytes = variant.bytes};
    if (!images.empty()) {
      SHARDINE_ASSIGN_OR_RETURN(rates.decoded,
                                Decoded(images, kSizeTime, variant));
    }
    result_.images.push_back(std::move(rates));
    return {};
  }

  Result<double> Decoded(const std::vector<ProbedImage>& images,
                         milliseconds time, const ProbedTarget& target) const {
    auto rate = ProbeDecoding(images, time, job_.stop);
    if (rate.ok()) return rate;
    return Status(rate.status()).At({.path = target.path});
  }

  Status ProbeDisk() {
    StorageProbeOptions options;
    options.time = kDiskTime;
    options.image_bytes = static_cast<std::uint64_t>(target_.bytes);
    options.keep_open = !target_.split.empty();
    options.readers = Readers();
    std::vector<ProbedFile> files = target_.files;
    for (ProbedFile& file : files) {
      auto native = storage_.NativePath(file.path);
      if (!native) {
        return Status(Code::kUnsupported, "no disk that could be measured")
            .At({.path = file.path});
      }
      file.path = *std::move(native);
    }
    SHARDINE_ASSIGN_OR_RETURN(result_.storage,
                              ProbeStorage(files, options, job_.stop));
    return {};
  }

  Status ProbeRemote() {
    SHARDINE_ASSIGN_OR_RETURN(result_.server,
                              ProbeServer(storage_, target_.files, job_.stop));
    return ProbeCache();
  }

  // Where no samples are kept, nothing tells how fast they would be: the user
  // did not ask to write some.
  Status ProbeCache() {
    const std::string set = RemoteOptionsOf(options_.target).cache;
    const std::string path = set.empty() ? UserCacheFolder() : set;
    if (path.empty() || path == kNoCache) return {};
    const auto folder = CacheFolder::OpenExisting(path);
    if (!folder.ok()) return {};
    std::vector<ProbedFile> files;
    for (const CachedFileInfo& file : (*folder)->List()) {
      if (file.kind != CachedKind::kPayload || file.is_part) continue;
      files.push_back({JoinPath(path, file.name), file.bytes});
      if (files.size() == kMostCached) break;
    }
    if (files.empty()) return {};
    StorageProbeOptions options;
    options.image_bytes = static_cast<std::uint64_t>(target_.bytes);
    options.readers = Readers();
    options.time = kCacheTime;
    const auto rates = ProbeStorage(files, options, job_.stop);
    if (rates.status().code() == Code::kCancelled) return rates.status();
    // Other processes may have removed them meanwhile.
    if (rates.ok()) result_.cache = *rates;
    return {};
  }

  ProbeBudget Budget(milliseconds time) const {
    return {SchemeOf(options_.target).empty() ? kLocalImageBytes
                                              : kRemoteImageBytes,
            time};
  }

  // As many as a Loader with a transform has (LoadPlan::readers()).
  unsigned Readers() const { return std::max(result_.threads / 4, 2u); }

  static constexpr std::size_t kMostCached = 64;

  ReadableStorage& storage_;
  const DoctorOptions& options_;
  const Job& job_;
  ProbedTarget target_;
  DoctorResult result_;
};

}  // namespace

Result<DoctorResult> Doctor(const DoctorOptions& options, const Job& job) {
  const StopScope scope(job.stop);
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                            StorageFor(job, options.target));
  return Examination(*storage, options, job).Run();
}

OptionList DescribeOptions(DoctorOptions& doctor) {
  Option jobs = JobsOption(doctor.threads);
  jobs.help = "threads that decode (default: what this process may use)";
  return {{.group = "Target",
           .name = "split",
           .meta = "NAME",
           .value = TextValue(doctor.split),
           .help = "of a dataset (default: the one with most samples)"},
          jobs};
}

}  // namespace shardine
