#include "dataset/split_contents.h"

#include <iterator>

#include "base/status_macros.h"
#include "dataset/content_counts.h"
#include "dataset/index_walk.h"
#include "shardine/sample.h"

namespace shardine {
namespace {

// A file may have another name in each record. A field that is given up never
// comes back, so that counts do not depend on the order of samples.
FieldContents* FieldOf(std::map<std::string, FieldContents>& fields,
                       const std::string& name) {
  const auto found = fields.find(name);
  if (found != fields.end()) return &found->second;
  if (fields.size() > kMostCountedFields) {
    if (std::prev(fields.end())->first < name) return nullptr;
    fields.erase(std::prev(fields.end()));
  }
  return &fields[name];
}

}  // namespace

void FieldContents::Add(const IndexField& field) {
  Add(FieldContents{.samples = 1, .dtype = field.dtype, .shape = field.shape});
}

void FieldContents::Add(const FieldContents& more) {
  if (samples == 0) {
    *this = more;
    return;
  }
  samples += more.samples;
  if (dtype != more.dtype) dtype.clear();
  has_one_rank =
      has_one_rank && more.has_one_rank && shape.size() == more.shape.size();
  if (!has_one_rank) shape.clear();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != more.shape[i]) shape[i] = 0;
  }
}

void SplitContents::Add(const IndexEntry& entry) {
  ++samples;
  unlabelled += entry.labels.empty() ? 1 : 0;
  one_class += entry.labels.size() == 1 && entry.labels[0].is_integer() ? 1 : 0;
  CountLabels(entry.labels, labels);
  for (const IndexField& field : entry.fields) {
    FieldContents* const own = FieldOf(fields, field.name);
    if (own != nullptr) own->Add(field);
    if (field.name == kImageField && field.dtype == kBytesDtype) {
      ++kinds[entry.facts.kind];
    }
  }
}

void SplitContents::Add(const SplitContents& more) {
  samples += more.samples;
  unlabelled += more.unlabelled;
  one_class += more.one_class;
  for (const auto& [label, count] : more.labels) labels[label] += count;
  for (const auto& [name, field] : more.fields) {
    FieldContents* const own = FieldOf(fields, name);
    if (own != nullptr) own->Add(field);
  }
  for (const auto& [kind, count] : more.kinds) kinds[kind] += count;
}

Result<std::vector<SplitContents>> ReadContents(const DatasetReader& dataset,
                                                const VisitEntry& visit) {
  const auto& splits = dataset.manifest().splits;
  std::vector<SplitContents> contents(splits.size());
  const auto read = [&](const DatasetReader::ShardRef& ref,
                        const ShardIndex& index) -> Result<bool> {
    SplitContents& own =
        contents[static_cast<std::size_t>(ref.split - splits.data())];
    SHARDINE_RETURN_IF_ERROR(WalkIndex(
        index,
        [&](std::uint64_t, const IndexEntry& entry, const std::string& key) {
          own.Add(entry);
          return visit ? visit(ref, entry, key) : Status();
        }));
    return true;
  };
  SHARDINE_RETURN_IF_ERROR(dataset.ForEachIndex(dataset.shards(), read));
  return contents;
}

}  // namespace shardine
