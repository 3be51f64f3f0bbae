
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "image/probe.h"
#include "io/storage_for.h"
#include "pack/check_level.h"
#include "pack/checker_pool.h"
#include "pack/scan_tally.h"
#include "pipeline/parallel_for.h"
#include "pipeline/shared_progress.h"
#include "shardine/scan.h"
#include "source/image_files.h"
#include "source/read_source.h"
#include "source/source_file.h"

namespace shardine {
namespace {

// Looks are kept until a group of files is done and are then counted in the
// order of the files. Which files are named as examples must not depend on
// which thread was first, and looks at millions of files need not fit into
// memory.
constexpr std::size_t kFilesAtOnce = 2048;

FileLook LookAt(ByteView bytes, const CheckerPool& checkers) {
  const ProbeResult probe = ProbeImage(bytes);
  FileLook look;
  look.facts = probe.facts;
  look.chroma = probe.chroma;
  look.read = true;
  look.icc = probe.icc;
  look.restarts = probe.restart_interval != 0;
  // Without an end marker nobody can tell where the image ends and other bytes
  // begin.
  look.trailing = probe.end_marker && TrailingBytes(bytes) > 0;
  look.problem = checkers.Check(bytes).verdict.reason;
  return look;
}

Result<SourceSet> FilesOf(ReadableStorage& storage, const std::string& target) {
  SHARDINE_ASSIGN_OR_RETURN(const FileInfo info, storage.Stat(target));
  if (info.kind == FileKind::kDirectory) {
    SourceOptions source;
    // The split's name goes nowhere: a scan reports keys alone.
    source.folders = {{"train", target}};
    return LoadImageFiles(storage, source, "");
  }
  SourceSet set;
  set.roots = {DirectoryOf(target)};
  const std::string key = FileNameOf(target);
  AddSourceFile(storage, {.key = key, .labels = {}}, set);
  return set;
}

class TreeScan {
 public:
  TreeScan(ReadableStorage& storage, const ScanOptions& options,
           const ProgressFunction& progress, const std::stop_token& stop)
      : storage_(storage),
        options_(options),
        progress_(progress),
        stop_(stop),
        checkers_({.level = ToImageCheck(options.check)}) {}

  Result<ScanResult> Run() {
    SHARDINE_ASSIGN_OR_RETURN(set_, FilesOf(storage_, options_.target));
    for (std::size_t i = 0; i < set_.samples.size(); ++i) {
      progress_.AddToTotal(1, set_.samples.facts(i).size);
    }
    for (std::size_t i = 0; i < set_.samples.size(); i += kFilesAtOnce) {
      SHARDINE_RETURN_IF_ERROR(
          ScanSome(i, std::min(kFilesAtOnce, set_.samples.size() - i)));
    }
    for (const SourceProblem& problem : set_.bad) {
      FileLook look;
      look.problem = problem.reason;
      tallies_.Add(problem.key, 0, look);
    }
    for (const SourceProblem& problem : set_.ignored) {
      tallies_.AddIgnored(problem.key, problem.reason);
    }
    return tallies_.Finish();
  }

 private:
  Status ScanSome(std::size_t first, std::size_t count) {
    std::vector<FileLook> looks(count);
    SHARDINE_RETURN_IF_ERROR(ParallelFor(
        count, ThreadCount(options_.threads),
        [&](std::size_t i) { return ScanOne(first + i, looks[i]); }));
    for (std::size_t i = 0; i < count; ++i) {
      tallies_.Add(set_.samples.key(first + i),
                   set_.samples.facts(first + i).size, looks[i]);
    }
    return {};
  }

  Status ScanOne(std::size_t index, FileLook& look) {
    if (stop_.stop_requested()) return Status(Code::kCancelled, "interrupted");
    const std::string path =
        JoinPath(set_.roots[0], std::string(set_.samples.path(index)));
    const SourceFacts facts = set_.samples.facts(index);
    const std::uint64_t size = facts.size;
    // A pack refuses such a file by its size as well, so there is no reason to
    // read it.
    if (size > kMaxSourceFile) {
      look.problem = "too-large";
      progress_.AddSample(size, true);
      return {};
    }
    ByteBuffer bytes;
    const Status status = ReadSource(storage_, path, facts, bytes);
    if (status.ok()) {
      look = LookAt(bytes.view(), checkers_);
    } else if (IsUnreadable(status)) {
      look.problem = "unreadable";
    } else {
      // The system's word that this one file cannot be read is counted. Any
      // other failure, such as too many open files, would meet every file after
      // it as well, so it ends the scan.
      return status;
    }
    progress_.AddSample(size, !look.problem.empty());
    return {};
  }

  ReadableStorage& storage_;
  const ScanOptions& options_;
  SharedProgress progress_;
  const std::stop_token& stop_;
  const CheckerPool checkers_;
  SourceSet set_;
  ScanTallies tallies_;
};

}  // namespace

Result<ScanResult> Scan(const ScanOptions& options, const Job& job) {
  const StopScope scope(job.stop);
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                            StorageFor(job, options.target));
  return TreeScan(*storage, options, job.progress, job.stop).Run();
}

}  // namespace shardine
