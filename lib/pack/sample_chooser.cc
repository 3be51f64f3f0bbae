#include "pack/sample_chooser.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "io/storage_for.h"
#include "shard/payload.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

Status CheckSplits(const std::vector<std::string>& splits,
                   const Manifest& manifest) {
  for (const std::string& split : splits) {
    if (manifest.FindSplit(split) != nullptr) continue;
    std::string names;
    for (const ManifestSplit& each : manifest.splits) {
      names += (names.empty() ? "" : ", ") + EscapeBytes(each.name);
    }
    return Status(Code::kInvalidArgument, "no split \"" + EscapeBytes(split) +
                                              "\"; there are: " + names);
  }
  return Status();
}

}  // namespace

Result<SampleChooser> SampleChooser::Make(const ConvertOptions& options,
                                          const Manifest& manifest,
                                          const Job& job) {
  SampleChooser chooser(options, manifest);
  SHARDINE_RETURN_IF_ERROR(
      CheckSplits(options.splits, manifest).At({.path = options.input}));
  if (!options.where.empty()) {
    SHARDINE_ASSIGN_OR_RETURN(chooser.where_,
                              WhereExpression::Parse(options.where));
  }
  if (!options.label_map.empty()) {
    SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                              StorageFor(job, options.label_map));
    SHARDINE_ASSIGN_OR_RETURN(
        chooser.labels_,
        LabelChange::Read(*storage, options.label_map, manifest.classes));
  }
  return chooser;
}

bool SampleChooser::chooses() const {
  return !options_->splits.empty() || where_ || labels_ || options_->limit > 0;
}

bool SampleChooser::Meets(const ConvertedSample& sample,
                          const IndexEntry& entry) const {
  std::vector<std::string_view> classes;
  for (const Label& label : sample.labels) {
    const ClassInfo* const info = FindClass(manifest_->classes, label);
    if (info != nullptr) classes.push_back(info->name);
  }
  return where_->Holds({.split = sample.split,
                        .key = sample.key,
                        .id = sample.id,
                        .labels = sample.labels,
                        .classes = classes,
                        .bytes = PayloadBytes(entry),
                        .width = entry.facts.width,
                        .height = entry.facts.height});
}

Result<bool> SampleChooser::Take(ConvertedSample& sample,
                                 const IndexEntry& entry) {
  const std::vector<std::string>& splits = options_->splits;
  if (!splits.empty() &&
      std::ranges::find(splits, sample.split) == splits.end()) {
    ++other_split_;
    return false;
  }
  // Conditions are about the dataset as it is, and so about its own labels.
  if (where_ && !Meets(sample, entry)) {
    ++not_where_;
    return false;
  }
  if (labels_) {
    auto kept = labels_->Change(sample.labels);
    if (!kept.ok()) return std::move(kept).status().At({.key = sample.key});
    label_left_ += *kept ? 0 : 1;
    if (!*kept) return false;
  }
  // Only samples that would be taken otherwise count for the limit.
  if (options_->limit > 0 && ++taken_[sample.split] > options_->limit) {
    ++beyond_;
    return false;
  }
  return true;
}

const ClassMap& SampleChooser::classes() const {
  return labels_ ? labels_->classes() : manifest_->classes;
}

std::vector<RejectedCount> SampleChooser::left() const {
  std::vector<RejectedCount> counts;
  const auto add = [&](const char* reason, std::uint64_t count) {
    if (count > 0) counts.push_back({reason, "", count});
  };
  add("other-split", other_split_);
  add("not-where", not_where_);
  add("left-out-label", label_left_);
  add("beyond-limit", beyond_);
  return counts;
}

std::string SampleChooser::Describe() const {
  std::string text;
  for (const std::string& split : options_->splits) {
    text += (text.empty() ? " split=" : ",") + split;
  }
  if (options_->limit > 0) text += " limit=" + std::to_string(options_->limit);
  if (where_) {
    // With its length, so that the text after it cannot pass for a part of it.
    text += " where=" + std::to_string(options_->where.size()) + ":" +
            options_->where;
  }
  if (labels_) text += " label-map";
  return text;
}

}  // namespace shardine
