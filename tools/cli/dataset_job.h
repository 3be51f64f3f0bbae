// The shared parts of verbs that make a dataset: progress while they are at
// work, and the result in text or JSON.
#ifndef SHARDINE_CLI_DATASET_JOB_H_
#define SHARDINE_CLI_DATASET_JOB_H_

#include <functional>
#include <string>

#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/output.h"
#include "shardine/image_check.h"
#include "shardine/job.h"
#include "shardine/pack_result.h"
#include "shardine/status.h"

namespace shardine {

class DatasetJob {
 public:
  struct Words {
    std::string first;  // "scanning 3 files ...", before anything is known
    std::string doing;  // "indexing"
    std::string done;   // "indexed"
    // The limits of "nothing to do", printed where contents were not compared.
    std::string not_compared = {};
    // Whether the contents of samples are printed even where none lacks any.
    bool says_contents = false;
  };
  using Work = std::function<Result<PackResult>(const Job&)>;

  // --json.
  void Declare(Options& options);
  // The advice on a status that --replace would help against.
  static std::string ReplaceAdvice(const Status& status);
  // The option that takes the rest of a source with a damaged record.
  static std::string DamageAdvice(const Status& status, OnBad on_bad);
  bool json() const { return json_; }

  // Does the work until it is done or interrupted, and prints the result.
  // `dry_run`: the result lists the files that would be replaced.
  Result<ExitCode> Run(const Words& words, const Work& work, Output& output,
                       bool dry_run = false) const;

 private:
  bool json_ = false;
};

}  // namespace shardine

#endif  // SHARDINE_CLI_DATASET_JOB_H_
