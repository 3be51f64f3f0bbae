#include "pack/index_labels.h"

#include <utility>

#include "base/status_macros.h"
#include "dataset/label_texts.h"
#include "pack/class_name_file.h"
#include "pipeline/parallel_for.h"
#include "source/server_threads.h"

namespace shardine {

Status ChooseLabels(ReadableStorage& storage, const IndexOptions& options,
                    const std::vector<IndexSource>& sources, const Job& job,
                    FormatAndLayout& format) {
  if (format.roles.label.empty() || format.roles.one_hot) return Status();
  std::vector<ShardLabels> found(sources.size());
  const auto collect = [&](std::size_t i) -> Status {
    SHARDINE_ASSIGN_OR_RETURN(const auto file,
                              storage.OpenForward(sources[i].path));
    return CollectLabelTexts(*file, format, sources[i].leaves_out_bad, job.stop,
                             found[i])
        .At({.path = sources[i].path});
  };
  SHARDINE_RETURN_IF_ERROR(ParallelFor(
      sources.size(),
      ServerThreads(sources[0].path, options.threads, kServerBlocks), collect));
  SHARDINE_ASSIGN_OR_RETURN(const LabelTexts texts,
                            JoinLabels(std::move(found)));
  ClassMap named;
  if (!options.class_names.empty()) {
    SHARDINE_ASSIGN_OR_RETURN(named,
                              ReadClassNames(storage, options.class_names));
  }
  return NumberLabels(texts, named, format.roles)
      .At({.path = options.class_names});
}

}  // namespace shardine
