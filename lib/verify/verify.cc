#include "shardine/verify.h"

#include <utility>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "io/storage_for.h"
#include "pipeline/shared_progress.h"
#include "shardine/describe.h"
#include "shardine/role_options.h"
#include "shardine/verify_words.h"
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
  if (!options.roles.empty() || options.roles.one_hot) {
    return Status(Code::kInvalidArgument,
                  "is a dataset, whose index says which fields are image, "
                  "label and key")
        .At({.path = options.target});
  }
  const auto family = DatasetFamily::Open(*storage, options);
  if (!family.ok()) {
    // Verification has to report a damaged manifest, so it is a finding of the
    // result and no failure.
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

OptionList DescribeOptions(VerifyOptions& verify) {
  constexpr char kChecks[] = "Checks";
  OptionList to = {
      {.group = kChecks,
       .name = "level",
       .value = WordValue(verify.level),
       .help = "quick: manifest, sizes, sidecar headers; full: every byte and "
               "checksum, groups of splits; deep: decodes every image, too",
       .is_always_recorded = true},
      {.group = kChecks,
       .name = "against",
       .meta = "SOURCE",
       .value = SourcesValue(verify.against),
       .help = "the images must equal the files of this tree byte for byte; of "
               "several: train=DIR,val=DIR"},
      {.group = kChecks,
       .name = "list",
       .meta = "FILE",
       .value = PathValue(verify.list),
       .help = "with `against`: the .lst or JSON list that was packed, for "
               "keys that are no paths, as of files that it names twice"},
      {.group = kChecks,
       .name = "list-root",
       .meta = "DIR",
       .value = PathValue(verify.list_root),
       .help = "the `list-root` that was given with it"}};
  AddRoleOptions(verify.roles, kChecks, /*has_fields=*/true, to);
  to.push_back(JobsOption(verify.threads));
  return to;
}

}  // namespace shardine
