#include "shardine/verify.h"

#include <utility>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "io/storage_for.h"
#include "pipeline/shared_progress.h"
#include "verify/dataset_family.h"
#include "verify/family_verifier.h"
#include "verify/verify_file.h"

namespace shardine {

Result<VerifyResult> Verify(const VerifyOptions& options, const Job& job) {
  const StopScope scope(job.stop);
  SHARDINE_RETURN_IF_ERROR(CheckVerifyOptions(options));
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                            StorageFor(job, options.target));
  SHARDINE_ASSIGN_OR_RETURN(const std::string file,
                            FindShardFile(*storage, job.formats, options));
  if (!file.empty()) {
    VerifyOptions of_file = options;
    of_file.target = file;
    return VerifyFile(*storage, of_file, job);
  }
  const auto family = DatasetFamily::Open(*storage, options);
  if (!family.ok()) {
    // A damaged manifest is what verification is there to find; the result says
    // so instead of failing.
    if (family.status().code() != Code::kCorrupt) return family.status();
    VerifyResult result;
    result.findings.push_back(family.status());
    return result;
  }
  SharedProgress progress(job.progress);
  for (const DatasetFamily::Member& member : family->members()) {
    if (member.reader == nullptr) continue;
    progress.AddToTotal(member.reader->manifest().samples(),
                        member.reader->manifest().shard_bytes());
  }
  return FamilyVerifier(*storage, job.formats, *family, options)
      .Run([&](const DatasetShards& shards, std::size_t, std::size_t shard) {
        return shards.Verify(
            shard, [&](std::uint64_t bytes) { progress.AddSample(bytes); },
            job.stop);
      });
}

}  // namespace shardine
