#include <algorithm>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "io/attempt_storage.h"
#include "io/storage_for.h"
#include "shardine/source_list_file.h"
#include "source/list_file.h"
#include "source/source_set.h"
#include "source/source_storage.h"

namespace shardine {
namespace {

constexpr std::size_t kSinkBytes = std::size_t{1} << 16;

// A map, since the printed order is the same in every run.
std::vector<RejectedCount> CountByReason(
    const std::vector<SourceProblem>& problems) {
  std::map<std::string, std::uint64_t> counts;
  for (const SourceProblem& problem : problems) ++counts[problem.reason];
  std::vector<RejectedCount> rows;
  for (const auto& [reason, count] : counts) {
    rows.push_back({.reason = reason, .action = "", .count = count});
  }
  return rows;
}

// List order may be another: a list of a list is sorted, too.
std::vector<std::uint32_t> InIdOrder(const SourceList& samples) {
  std::vector<std::uint32_t> order(samples.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = static_cast<std::uint32_t>(i);
  }
  const auto by_id = [&](std::uint32_t a, std::uint32_t b) {
    return samples.id(a) < samples.id(b);
  };
  if (!std::is_sorted(order.begin(), order.end(), by_id)) {
    std::sort(order.begin(), order.end(), by_id);
  }
  return order;
}

Status WriteToSink(const SourceSet& source,
                   const std::function<Status(std::string_view)>& sink) {
  std::string text;
  std::vector<Label> labels;
  for (const std::uint32_t i : InIdOrder(source.samples)) {
    source.samples.GetLabels(i, labels);
    SHARDINE_RETURN_IF_ERROR(AppendListLine(source.samples.id(i), labels,
                                            source.samples.path(i), text));
    if (text.size() < kSinkBytes) continue;
    SHARDINE_RETURN_IF_ERROR(sink(text));
    text.clear();
  }
  return sink(text);
}

// `files` is one for all splits, or one for each of source.splits.
Status WriteToFiles(const SourceSet& source,
                    std::vector<SourceListFile>& files) {
  // All lists are begun before a line is written, and published after the last
  // one: a failure on the way leaves no list that looks whole beside others
  // that are missing.
  std::list<OwnAttempt> own;  // writers refer to them
  std::vector<ListWriter> writers;
  for (const SourceListFile& file : files) {
    SHARDINE_ASSIGN_OR_RETURN(Storage* const storage,
                              OutputStorageFor(file.path));
    SHARDINE_ASSIGN_OR_RETURN(
        ListWriter writer,
        ListWriter::Create(own.emplace_back(*storage, file.path), file.path));
    writers.push_back(std::move(writer));
  }
  std::vector<Label> labels;
  for (const std::uint32_t i : InIdOrder(source.samples)) {
    const std::size_t file = files.size() > 1 ? source.samples.split(i) : 0;
    source.samples.GetLabels(i, labels);
    SHARDINE_RETURN_IF_ERROR(writers[file].Add(source.samples.id(i), labels,
                                               source.samples.path(i)));
    ++files[file].samples;
  }
  for (ListWriter& writer : writers) {
    SHARDINE_RETURN_IF_ERROR(writer.Publish());
  }
  return {};
}

std::vector<SourceListFile> PlanFiles(const SourceListOptions& options,
                                      const SourceSet& source) {
  if (!options.per_split) return {{.path = options.output, .split = ""}};
  std::vector<SourceListFile> files;
  for (const std::string& split : source.splits) {
    files.push_back(
        {.path = SplitListPath(options.output, split), .split = split});
  }
  return files;
}

}  // namespace

Result<SourceListResult> WriteSourceList(const SourceListOptions& options) {
  if (options.per_split && options.output.empty()) {
    return Status(Code::kInvalidArgument,
                  "a list per split needs a file name to start from");
  }
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const below,
                            StorageFor(FirstPath(options.source)));
  SHARDINE_ASSIGN_OR_RETURN(const auto storage,
                            OpenSources(*below, options.source, {}));
  SHARDINE_ASSIGN_OR_RETURN(const SourceSet source,
                            LoadSource(*storage, options.source));
  SourceListResult result{.files = PlanFiles(options, source),
                          .samples = source.samples.size(),
                          .classes = source.classes.size(),
                          .ignored = CountByReason(source.ignored),
                          .bad = CountByReason(source.bad),
                          .warnings = source.notes,
                          .remarks = source.remarks};
  if (options.output.empty()) {
    SHARDINE_RETURN_IF_ERROR(WriteToSink(source, options.sink));
    result.files[0].samples = result.samples;
  } else {
    SHARDINE_RETURN_IF_ERROR(WriteToFiles(source, result.files));
  }
  return result;
}

}  // namespace shardine
