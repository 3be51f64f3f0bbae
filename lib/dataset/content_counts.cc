#include "dataset/content_counts.h"

#include <algorithm>
#include <string>

#include "dataset/undecoded_images.h"
#include "image/deep_image.h"
#include "image/library_image.h"
#include "shardine/sample.h"

namespace shardine {
namespace {

FieldCounts SumOf(std::span<const ContentCounts> counts) {
  FieldCounts sum(kMostCountedFields);
  for (const ContentCounts& each : counts) sum.Add(each.fields);
  return sum;
}

// Kinds are in order, each once, and no sample has two kinds.
bool KindsCanBeOf(const std::vector<ManifestKind>& kinds,
                  std::uint64_t samples) {
  for (const ManifestKind& kind : kinds) {
    if (kind.count == 0 || kind.count > samples) return false;
    samples -= kind.count;
  }
  return std::ranges::is_sorted(kinds, std::ranges::less_equal(),
                                &ManifestKind::kind);
}

}  // namespace

void ContentCounts::Add(const IndexEntry& entry) {
  unlabelled += entry.labels.empty() ? 1 : 0;
  deep += DeepImageOf(entry.facts) == DeepImage::kNone ? 0 : 1;
  others += IsLibraryKind(entry.facts.kind) ? 1 : 0;
  AddKind(UndecodedKindOf(entry), 1, unsupported);
  for (const IndexField& field : entry.fields) AddField(field.name);
}

void ContentCounts::AddField(std::string_view name) {
  if (name == kImageField) {
    ++images;
  } else {
    fields.Add(name);
  }
}

void ContentCounts::Add(const ContentCounts& more) {
  unlabelled += more.unlabelled;
  images += more.images;
  deep += more.deep;
  others += more.others;
  AddKinds(more.unsupported, unsupported);
  fields.Add(more.fields);
}

bool ContentCounts::CanBeOf(std::uint64_t samples) const {
  return unlabelled <= samples && images <= samples && deep <= images &&
         others <= images && KindsCanBeOf(unsupported, images) &&
         fields.counts().size() <= kMostCountedFields &&
         std::ranges::all_of(fields.counts(), [samples](const auto& field) {
           return field.second > 0 && field.second <= samples;
         });
}

void StoreCounts(std::span<const ContentCounts> counts,
                 std::span<ManifestSplit> splits) {
  const FieldCounts sum = SumOf(counts);
  for (std::size_t i = 0; i < splits.size(); ++i) {
    ManifestSplit& split = splits[i];
    split.unlabelled = counts[i].unlabelled;
    split.deep = counts[i].deep;
    split.unsupported = counts[i].unsupported;
    split.lacking.clear();
    const auto lacks = [&split](const std::string& name, std::uint64_t with) {
      if (with < split.samples) split.lacking[name] = split.samples - with;
    };
    lacks(std::string(kImageField), counts[i].images);
    const auto& have = counts[i].fields.counts();
    for (const auto& [name, samples] : sum.counts()) {
      const auto found = have.find(name);
      lacks(name, found == have.end() ? 0 : found->second);
    }
  }
}

DatasetContents ContentsOf(std::span<const ContentCounts> counts,
                           std::uint64_t samples) {
  DatasetContents contents{.samples = samples, .labelled = samples};
  for (const ContentCounts& each : counts) {
    contents.labelled -= each.unlabelled;
    contents.deep += each.deep;
    contents.fields[std::string(kImageField)] += each.images;
  }
  const FieldCounts sum = SumOf(counts);
  for (const auto& [name, with] : sum.counts()) {
    contents.fields[name] = with;
  }
  return contents;
}

DatasetContents ContentsOf(const Manifest& manifest) {
  const std::uint64_t samples = manifest.samples();
  DatasetContents contents{.samples = samples, .labelled = samples};
  contents.fields[std::string(kImageField)] = samples;
  for (const ManifestSplit& split : manifest.splits) {
    contents.labelled -= split.unlabelled;
    contents.deep += split.deep;
    for (const auto& [name, without] : split.lacking) {
      contents.fields.try_emplace(name, samples).first->second -= without;
    }
  }
  return contents;
}

}  // namespace shardine
