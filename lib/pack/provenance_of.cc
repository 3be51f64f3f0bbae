#include "pack/provenance_of.h"

#include <cstdint>
#include <utility>

#include "shardine/describe.h"
#include "shardine/pack_words.h"

namespace shardine {
namespace {

// "photos", or "train=a", as the operand was.
std::vector<std::string> SourceTexts(const SourceOptions& source) {
  std::vector<std::string> texts;
  for (const SourceOptions::Folder& folder : source.folders) {
    // "train" is the split's name where none was given, so it cannot be told
    // from one that was.
    const bool unnamed = source.folders.size() == 1 && folder.split == "train";
    texts.push_back(unnamed ? folder.path : folder.split + "=" + folder.path);
  }
  return texts;
}

}  // namespace

Provenance ProvenanceOf(const PackOptions& options,
                        const FormatAndLayout& format) {
  PackOptions asked = options;
  asked.format = format.Name();
  return {.command = "pack",
          .sources = SourceTexts(options.source),
          .options = RecordedOptions(std::move(asked))};
}

Provenance ProvenanceOf(const ConvertSpec& spec, const std::string& format,
                        const std::optional<PixelOrder>& pixels) {
  Provenance made = spec.made;
  made.sources = spec.inputs;
  made.options["format"] = format;
  if (pixels) made.options["pixels"] = WordOf(*pixels);
  return made;
}

Provenance ProvenanceOf(const IndexOptions& options,
                        const FormatAndLayout& format) {
  IndexOptions asked = options;
  // The roles are options of their own.
  FormatAndLayout without = format;
  without.roles = {};
  asked.format = without.Name();
  Provenance made{.command = "index",
                  .sources = options.files,
                  .options = RecordedOptions(std::move(asked))};
  for (std::size_t i = 0; i < options.splits.size(); ++i) {
    made.sources[i] = options.splits[i] + "=" + options.files[i];
  }
  return made;
}

Provenance ProvenanceOf(const DatasetWriterOptions& options,
                        const FormatAndLayout& format) {
  Provenance made{.command = kWriteCommand,
                  .sources = {},
                  .options = {{"format", format.Name()},
                              {"entry-points", WordOf(options.entry_points)}}};
  std::uint64_t bytes = options.shard_bytes;
  if (bytes > 0) made.options["shard-size"] = ShardSizeValue(bytes).get();
  if (options.shard_samples > 0) {
    made.options["shard-samples"] = std::to_string(options.shard_samples);
  }
  return made;
}

}  // namespace shardine
