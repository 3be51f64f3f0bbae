// What the verbs that make a dataset share: their run options, progress while
// they are at work, and the result in text or JSON.
#ifndef SHARDINE_CLI_DATASET_JOB_H_
#define SHARDINE_CLI_DATASET_JOB_H_

#include <cstdint>
#include <functional>
#include <string>

#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/output.h"
#include "shardine/job.h"
#include "shardine/pack_result.h"
#include "shardine/status.h"

namespace shardine {

// --jobs, --json, --no-space-check, --replace and --dry-run.
class DatasetJob {
 public:
  struct Words {
    std::string first;  // "scanning 3 files ...", before anything is known
    std::string doing;  // "indexing"
    std::string done;   // "indexed"
    // What "nothing to do" does not mean; said where contents were not
    // compared.
    std::string not_compared = {};
    // Whether what samples have is said where none lacks anything, too.
    bool says_contents = false;
  };
  using Work = std::function<Result<PackResult>(const Job&)>;

  void Declare(Options& options);
  // --no-space-check, for those that know before how much they will write.
  void DeclareSpaceCheck(Options& options);
  // --replace, and --dry-run to look at what it does.
  void DeclareReplace(Options& options);
  // --replace alone, of a verb with a --dry-run of its own.
  void DeclareReplaceAlone(Options& options);
  // The advice on a status that --replace would help against.
  static std::string ReplaceAdvice(const Status& status);
  unsigned threads() const { return static_cast<unsigned>(jobs_); }
  bool check_space() const { return !no_space_check_; }
  bool replace() const { return replace_; }
  bool dry_run() const { return dry_run_; }
  bool json() const { return json_; }

  // Does the work until it is done or interrupted, and prints what came of it.
  Result<ExitCode> Run(const Words& words, const Work& work,
                       Output& output) const;

 private:
  std::uint64_t jobs_ = 0;
  bool no_space_check_ = false;
  bool replace_ = false;
  bool dry_run_ = false;
  bool json_ = false;
};

}  // namespace shardine

#endif  // SHARDINE_CLI_DATASET_JOB_H_
