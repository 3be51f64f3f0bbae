#include "pack/index_split.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "shardine/escape.h"
#include "source/split_name.h"

namespace shardine {
namespace {

constexpr char kDefaultSplit[] = "train";

// "train (6 samples), valid (2 samples)".
std::string ToText(const NamedSplits& named) {
  std::string text;
  for (const NamedSplits::Split& split : named.splits) {
    text += (text.empty() ? "" : ", ") + EscapeBytes(split.name) + " (" +
            std::to_string(split.samples) + " samples)";
  }
  return text;
}

bool HasSeveral(const NamedSplits& named) {
  return !named.splits.empty() && !named.one();
}

Result<NamedSplits> ReadSplits(ReadableStorage& storage,
                               const FormatAndLayout& format,
                               const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(path));
  // The whole file, whatever is to be read of it.
  LayoutChoice whole = DefaultsOf(*format.layout);
  whole.roles = format.roles;
  SHARDINE_ASSIGN_OR_RETURN(const auto scanner,
                            format.format->open_scanner(*file, whole));
  return scanner->ReadSplits();
}

Status CheckAsked(const IndexSource& source, const NamedSplits& named,
                  const std::string& pick) {
  if (source.split.empty()) {
    return Status(Code::kInvalidArgument,
                  "names the splits " + ToText(named) + " for its " +
                      std::to_string(named.samples) +
                      " samples, and a shard is of one: ask for one of them, "
                      "and index each into a folder of its own")
        .At({.path = source.path});
  }
  if (pick == kAllSplits || pick == source.split) return Status();
  return Status(Code::kInvalidArgument,
                "would be read for its split " + EscapeBytes(source.split) +
                    ", a file before it for " + EscapeBytes(pick) +
                    "; index each into a folder of its own")
      .At({.path = source.path});
}

// The samples that are read are those of `pick`.
Status CountPicked(IndexSource& source, const NamedSplits& named,
                   const std::string& pick) {
  const auto found =
      std::ranges::find(named.splits, pick, &NamedSplits::Split::name);
  if (found == named.splits.end()) {
    return Status(Code::kInvalidArgument,
                  "names no split " + EscapeBytes(pick) +
                      (named.splits.empty() ? ", nor any other"
                                            : "; it has " + ToText(named)))
        .At({.path = source.path});
  }
  if (found->samples == named.samples) return Status();
  source.warnings.push_back(
      EscapeBytes(source.path) + ": only those " +
      std::to_string(found->samples) + " of its " +
      std::to_string(named.samples) + " samples that are of its split " +
      EscapeBytes(pick) + " are indexed; it names " + ToText(named));
  return Status();
}

Status CheckName(const IndexSource& source) {
  if (IsSplitName(source.split)) return Status();
  return Status(Code::kInvalidArgument,
                "\"" + EscapeBytes(source.split) +
                    "\" is no name for a split of a dataset, which has "
                    "letters, digits, _, . and -; ask for another")
      .At({.path = source.path});
}

}  // namespace

Status ChooseSplits(ReadableStorage& storage, FormatAndLayout& format,
                    std::vector<IndexSource>& sources) {
  const auto parameters = format.layout->parameters;
  const auto parameter =
      std::ranges::find(parameters, kSplitParameter, &LayoutParameter::name);
  std::string all(kAllSplits);
  std::string& pick = parameter == parameters.end()
                          ? all
                          : format.values[static_cast<std::size_t>(
                                parameter - parameters.begin())];
  // A format that names the split leaves the dataset free to call it something
  // else.
  const bool by_format = pick != kAllSplits;
  std::vector<NamedSplits> named(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (parameter == parameters.end()) break;
    auto splits = ReadSplits(storage, format, sources[i].path);
    if (sources[i].leaves_out_bad && splits.status().code() == Code::kCorrupt) {
      continue;
    }
    SHARDINE_RETURN_IF_ERROR(splits.status());
    named[i] = *std::move(splits);
    if (by_format || !HasSeveral(named[i])) continue;
    if (sources[i].split.empty())
      sources[i].split = sources[i].split_of_several;
    SHARDINE_RETURN_IF_ERROR(CheckAsked(sources[i], named[i], pick));
    pick = sources[i].split;
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    IndexSource& source = sources[i];
    if (pick != kAllSplits) {
      SHARDINE_RETURN_IF_ERROR(CountPicked(source, named[i], pick));
      if (source.split.empty()) source.split = pick;
    } else if (source.split.empty() && named[i].one()) {
      source.split = named[i].splits[0].name;
    }
    if (source.split.empty()) source.split = kDefaultSplit;
    SHARDINE_RETURN_IF_ERROR(CheckName(source));
  }
  return Status();
}

}  // namespace shardine
