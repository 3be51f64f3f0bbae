// Replacement: a complete dataset gives way to another in the same folder. The
// new one is made in OUT/.pack/next while the old one stays complete. The
// record OUT/.pack/replacement then lists the files of both, and from there the
// work only goes forward: the old manifests go, the other old files, and the
// new files get their names, manifests last. Layout: dataset/FORMAT.md.
#ifndef SHARDINE_PACK_REPLACEMENT_H_
#define SHARDINE_PACK_REPLACEMENT_H_

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/folder_lock.h"
#include "io/output_folder.h"
#include "shardine/digest.h"
#include "shardine/job.h"
#include "shardine/pack_result.h"
#include "shardine/provenance.h"
#include "shardine/status.h"

namespace shardine {

// Thread-compatible.
class Replacement {
 public:
  // Says why the work cannot be made in OUT itself; OK if it can.
  using Refusal = std::function<Status()>;

  struct Earlier {
    // The result of the earlier run, if it was one of the same command: there
    // is nothing left to do.
    std::optional<PackResult> made = std::nullopt;
    Digest128 command;  // DigestOfCommand()
  };

  // Finishes a replacement that an earlier run began, whatever is asked for
  // now. Called before an input is opened that may be OUT itself. `command` is
  // the current one, with its sources and options as given.
  static Result<Earlier> FinishEarlier(const OutputFolder& output,
                                       const Provenance& command,
                                       const Job& job);
  // Decides where the work goes. With `replace` it finishes the work of an
  // earlier run and asks for the refusal: where a dataset is the reason, OUT is
  // locked, and the dataset is to give way. The record will name `command`,
  // Earlier::command; zero: the plan tells whether the work is done.
  //
  // kAlreadyExists: another run holds the lock. kUnsupported: as
  // PackOptions::replace.
  static Result<Replacement> Begin(const OutputFolder& output, bool replace,
                                   const Refusal& refusal,
                                   const Digest128& command = {});
  // The files that would give way, by their paths in OUT. Changes nothing.
  static Result<std::vector<std::string>> FilesToGo(const OutputFolder& output,
                                                    const Refusal& refusal);

  // OUT, or OUT/.pack/next where a dataset gives way.
  const OutputFolder& target() const { return target_; }

  // Removes a dataset that an earlier run left in target(), for work that
  // cannot go on with it.
  Status ClearTarget() const;
  // Moves the dataset made in target() to its place. `result` is the work's
  // result. kAlreadyExists, and nothing has changed: a file that no manifest
  // lists has the name of a new one. May be called again after a failure.
  Result<PackResult> Finish(PackResult result);

 private:
  explicit Replacement(const OutputFolder& output)
      : output_(output), target_(output) {}

  OutputFolder output_;
  OutputFolder target_;
  std::vector<std::string> old_;  // files that give way, by paths in OUT
  Digest128 command_;
  std::optional<FolderLock> lock_;
};

}  // namespace shardine

#endif  // SHARDINE_PACK_REPLACEMENT_H_
