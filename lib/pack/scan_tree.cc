
#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "image/check_level.h"
#include "image/probe.h"
#include "io/storage_for.h"
#include "pack/checker_pool.h"
#include "pack/scan_tally.h"
#include "pipeline/in_order.h"
#include "pipeline/shared_progress.h"
#include "shardine/scan.h"
#include "source/image_files.h"
#include "source/read_source.h"
#include "source/server_threads.h"
#include "source/source_batch.h"
#include "source/source_file.h"
#include "source/source_storage.h"

namespace shardine {
namespace {

constexpr std::size_t kMostHeld = std::size_t{256} << 20;  // bytes of files

FileLook LookAt(ByteView bytes, const CheckerPool& checkers) {
  const ProbeResult probe = ProbeImage(bytes);
  FileLook look;
  look.facts = probe.facts;
  look.chroma = probe.chroma;
  look.read = true;
  look.icc = probe.icc;
  look.restarts = probe.restart_interval != 0;
  // Without an end marker the end of the image is unknown.
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
    SHARDINE_RETURN_IF_ERROR(LookAtAll());
    for (const SourceProblem& problem : set_.bad) {
      FileLook look;
      look.problem = problem.reason;
      tallies_.Add(problem.key, 0, look);
    }
    for (const SourceProblem& problem : set_.ignored) {
      tallies_.AddIgnored(problem.key, problem.reason);
    }
    AddOthers();
    return tallies_.Finish();
  }

 private:
  void AddOthers() {
    const auto is_other = [](const SourceProblem& problem) {
      return problem.reason == "not-an-image-suffix";
    };
    // Most trees have images alone.
    if (std::ranges::none_of(set_.ignored, is_other)) return;
    std::unordered_set<std::string_view> stems;
    for (std::size_t i = 0; i < set_.samples.size(); ++i) {
      stems.insert(StemOf(set_.samples.path(i)));
    }
    for (const SourceProblem& problem : set_.ignored) {
      if (!is_other(problem)) continue;
      const std::string_view stem = StemOf(problem.key);
      const std::string suffix =
          LowerAscii(std::string_view(problem.key).substr(stem.size()));
      tallies_.AddOther(problem.key, suffix.empty() ? "no suffix" : suffix,
                        !suffix.empty() && stems.contains(stem));
    }
  }

  using Looks = std::vector<FileLook>;

  // Looks are counted in the order of the files: which of them are named as
  // examples must not depend on which thread was first.
  Status LookAtAll() {
    const std::vector<SourceBlock> blocks =
        CutSources(set_.samples.size(),
                   [&](std::size_t i) { return set_.samples.facts(i).size; });
    const OrderedWork work{
        .count = blocks.size(),
        .threads =
            ServerThreads(options_.target, options_.threads, kServerBlocks),
        .most_bytes = kMostHeld,
        .bytes = [&](std::uint64_t i) { return blocks[i].bytes; }};
    return WorkInOrder<Looks>(
        work,
        {.make = [&](std::uint64_t i) { return LookAtBlock(blocks[i]); },
         .take = [&](std::uint64_t i, const Looks& looks) -> Result<bool> {
           Count(blocks[i], looks);
           return true;
         }});
  }

  void Count(const SourceBlock& block, const Looks& looks) {
    for (std::size_t i = 0; i < block.count; ++i) {
      tallies_.Add(set_.samples.key(block.first + i),
                   set_.samples.facts(block.first + i).size, looks[i]);
    }
  }

  Result<Looks> LookAtBlock(const SourceBlock& block) {
    SourceBatch batch(storage_);
    const std::size_t end = block.first + block.count;
    for (std::size_t i = block.first; i < end; ++i) {
      if (IsTooLarge(i)) continue;
      batch.Add(JoinPath(set_.roots[0], std::string(set_.samples.path(i))),
                set_.samples.facts(i));
    }
    Looks looks(block.count);
    for (std::size_t i = block.first; i < end; ++i) {
      FileLook& look = looks[i - block.first];
      SHARDINE_RETURN_IF_ERROR(LookAtNext(i, batch, look));
      progress_.AddSample(set_.samples.facts(i).size, !look.problem.empty());
    }
    return looks;
  }

  // A pack refuses such a file by its size as well, so there is no reason to
  // read it.
  bool IsTooLarge(std::size_t index) const {
    return set_.samples.facts(index).size > kMaxSourceFile;
  }

  Status LookAtNext(std::size_t index, SourceBatch& batch, FileLook& look) {
    if (stop_.stop_requested()) return Status(Code::kCancelled, "interrupted");
    if (IsTooLarge(index)) {
      look.problem = "too-large";
      return {};
    }
    ByteBuffer bytes;
    const Status status = batch.ReadNext(bytes);
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
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const below,
                            StorageFor(job, options.target));
  SHARDINE_ASSIGN_OR_RETURN(const auto storage,
                            OpenSources(*below, {options.target}, job.say));
  return TreeScan(*storage, options, job.progress, job.stop).Run();
}

}  // namespace shardine
