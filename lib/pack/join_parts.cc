#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/content_counts.h"
#include "dataset/listed_files.h"
#include "dataset/manifest.h"
#include "dataset/unfinished.h"
#include "pack/part_file.h"
#include "pack/part_folder.h"
#include "pack/part_header.h"
#include "pack/writer_folder.h"
#include "pack/writer_work.h"
#include "shardine/dataset_writer.h"

namespace shardine {
namespace {

// The parts of a dataset, all of them finished and of one kind.
struct Parts {
  std::vector<std::string> files;  // in order
  DatasetWriterOptions options;    // of each, but for which part it is
  PartTotals totals;               // sums, as the files say
};

// "2, 5 and 6".
std::string NumbersText(const std::vector<std::uint32_t>& numbers) {
  constexpr std::size_t kShown = 10;
  std::string text;
  const std::size_t shown = std::min(numbers.size(), kShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const bool is_last = i > 0 && i + 1 == numbers.size();
    text += (i == 0 ? "" : is_last ? " and " : ", ");
    text += std::to_string(numbers[i]);
  }
  if (shown < numbers.size()) {
    text += " and " + std::to_string(numbers.size() - shown) + " more";
  }
  return text;
}

// "parts 2 and 5 of 8 are missing".
std::string Lacking(const std::vector<std::uint32_t>& numbers,
                    std::uint32_t parts, const char* what) {
  const bool one = numbers.size() == 1;
  return (one ? "part " : "parts ") + NumbersText(numbers) + " of " +
         std::to_string(parts) + (one ? " is " : " are ") + what;
}

Result<FoundParts> FindAllParts(const OutputFolder& output) {
  SHARDINE_ASSIGN_OR_RETURN(FoundParts found, FindParts(output));
  if (found.parts == 0) {
    return Status(Code::kNotFound, "holds no parts of a dataset")
        .At({.path = output.path()});
  }
  std::vector<std::uint32_t> missing;
  std::vector<std::uint32_t> unfinished;
  auto folder = found.folders.begin();
  for (std::uint32_t part = 0; part < found.parts; ++part) {
    if (folder == found.folders.end() || *folder != part) {
      missing.push_back(part);
      continue;
    }
    ++folder;
    const OutputFolder place = PartFolder(output, part, found.parts);
    const auto info = output.storage().Stat(PartFilePath(place));
    if (info.status().code() == Code::kNotFound) unfinished.push_back(part);
  }
  std::string why;
  if (!missing.empty()) why = Lacking(missing, found.parts, "missing");
  if (!unfinished.empty()) {
    why += (why.empty() ? "" : "; ") +
           Lacking(unfinished, found.parts,
                   "being written, or its writing was interrupted");
  }
  if (why.empty()) return found;
  return Status(missing.empty() ? Code::kAlreadyExists : Code::kNotFound, why)
      .At({.path = output.path()});
}

// Reads the headers of the parts; nothing of their samples is read.
Result<Parts> LookAtParts(const OutputFolder& output) {
  SHARDINE_ASSIGN_OR_RETURN(const FoundParts found, FindAllParts(output));
  Parts parts;
  for (std::uint32_t part = 0; part < found.parts; ++part) {
    std::string path = PartFilePath(PartFolder(output, part, found.parts));
    SHARDINE_ASSIGN_OR_RETURN(const auto file,
                              PartFileReader::Open(output.storage(), path));
    const DatasetWriterOptions& options = file->options();
    const auto refuse = [&](const std::string& why) {
      return Status(Code::kInvalidArgument, why).At({.path = path});
    };
    if (options.part != part || options.parts != found.parts) {
      return refuse("is in the folder of part " + std::to_string(part) +
                    " of " + std::to_string(found.parts) + ", and is part " +
                    std::to_string(options.part) + " of " +
                    std::to_string(options.parts));
    }
    if (part == 0) parts.options = options;
    const std::string difference = PartDifference(options, parts.options);
    if (!difference.empty()) {
      return refuse("part " + std::to_string(part) +
                    " has other options than part 0: " + difference);
    }
    parts.totals.samples += file->totals().samples;
    parts.totals.content_digest += file->totals().content_digest;
    parts.files.push_back(std::move(path));
  }
  return parts;
}

Status AppendPart(Storage& storage, const std::string& path,
                  WriterWork& writer) {
  SHARDINE_ASSIGN_OR_RETURN(const auto part,
                            PartFileReader::Open(storage, path));
  while (true) {
    SHARDINE_ASSIGN_OR_RETURN(const NewSample* const sample, part->Next());
    if (sample == nullptr) return Status();
    Status appended = writer.Append(*sample);
    // Where threads look at samples later, it may be one of those before: its
    // key says which.
    if (!appended.ok()) return std::move(appended).At({.path = path});
  }
}

PackResult ResultOf(const OutputFolder& output, const Manifest& manifest) {
  PackResult result;
  result.output = output.path();
  result.format = manifest.format;
  result.samples = manifest.samples();
  result.classes = manifest.classes.size();
  for (const ManifestSplit& split : manifest.splits) {
    result.shards += split.shards.size();
  }
  result.entry_points = manifest.entry_points;
  result.content_digest = manifest.content_digest();
  result.contents = ContentsOf(manifest);
  result.nothing_to_do = true;
  return result;
}

// The dataset is whole: parts that cannot be removed do no harm, and are a
// warning.
void RemoveJoined(const OutputFolder& output, PackResult& result) {
  const Status removed = RemoveParts(output, result.content_digest);
  if (removed.ok() || removed.code() == Code::kNotFound) return;
  result.warnings.push_back("parts stay: " + removed.ToString());
}

// Whether the parts that are there may go.
bool IsMadeOf(const OutputFolder& output, const Manifest& manifest) {
  const auto parts = LookAtParts(output);
  if (parts.ok() && parts->totals.samples == manifest.samples() &&
      parts->totals.content_digest == manifest.content_digest()) {
    return true;
  }
  // Asked last: another join may be removing them.
  const auto found = FindParts(output);
  return AreJoined(output, manifest.content_digest()) ||
         (found.ok() && found->parts == 0);
}

// The dataset is there: removes the parts that a killed join left.
Result<PackResult> EndJoin(const OutputFolder& output) {
  SHARDINE_RETURN_IF_ERROR(ClearFinished(output));
  SHARDINE_ASSIGN_OR_RETURN(const Manifest manifest,
                            ReadManifest(output.storage(), output.path()));
  SHARDINE_RETURN_IF_ERROR(
      CheckListedFiles(output.storage(), output.path(), manifest));
  PackResult result = ResultOf(output, manifest);
  if (!output.storage().Stat(output.PathOf(kPartsFolder)).ok()) return result;
  if (!IsMadeOf(output, manifest)) {
    return Status(Code::kAlreadyExists,
                  "already holds a dataset, and parts that are not those of "
                  "it; remove the one or the other")
        .At({.path = output.path()});
  }
  RemoveJoined(output, result);
  return result;
}

Result<PackResult> JoinAll(const OutputFolder& output,
                           const JoinOptions& options, const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(Parts parts, LookAtParts(output));
  parts.options.output = options.output;
  parts.options.threads = options.threads;
  parts.options.part = 0;
  parts.options.parts = 0;
  // The writers of the parts have refused such labels already.
  parts.options.lossy_labels = true;
  Job counted = job;
  if (job.progress) {
    counted.progress = [&](Progress done) {
      done.samples_total = parts.totals.samples;
      job.progress(done);
    };
  }
  SHARDINE_ASSIGN_OR_RETURN(WriterPlan plan,
                            PlanWriter(parts.options, counted));
  SHARDINE_ASSIGN_OR_RETURN(const auto writer,
                            BeginWhole(std::move(plan), counted, true));
  for (const std::string& path : parts.files) {
    SHARDINE_RETURN_IF_ERROR(AppendPart(output.storage(), path, *writer));
  }
  return writer->Finish();
}

}  // namespace

Result<PackResult> JoinParts(const JoinOptions& options, const Job& job) {
  const StopScope scope(job.stop);
  SHARDINE_ASSIGN_OR_RETURN(const OutputFolder output,
                            OutputFolder::Of(job, options.output));
  const auto is_whole = [&] {
    return output.storage().Stat(output.PathOf(kManifestName)).ok();
  };
  if (is_whole()) return EndJoin(output);
  auto result = JoinAll(output, options, job);
  if (result.ok()) {
    RemoveJoined(output, *result);
  } else if (is_whole()) {
    // Another join was faster, and removed the parts that this one looked for.
    return EndJoin(output);
  }
  return result;
}

}  // namespace shardine
