#include <algorithm>
#include <numeric>
#include <string_view>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/sample_source.h"
#include "pack/where_expression.h"
#include "shard/payload.h"
#include "shardine/select.h"

namespace shardine {
namespace {

// Read at a time.
constexpr std::uint64_t kTogether = 4096;

void FindNames(const Dataset& dataset, const std::vector<Label>& labels,
               std::vector<std::string_view>& names) {
  names.clear();
  const std::vector<DatasetClass>& classes = dataset.classes();
  for (const Label& label : labels) {
    if (!label.is_integer()) continue;
    const auto found = std::ranges::lower_bound(classes, label.integer(), {},
                                                &DatasetClass::label);
    if (found != classes.end() && found->label == label.integer()) {
      names.push_back(found->name);
    }
  }
}

}  // namespace

Result<std::vector<std::uint64_t>> SelectWhere(const Dataset& dataset,
                                               const std::string& where,
                                               const std::stop_token& stop) {
  const StopScope scope(stop);
  SHARDINE_ASSIGN_OR_RETURN(const WhereExpression condition,
                            WhereExpression::Parse(where));
  const bool needs_keys = where.find("key") != std::string::npos;
  std::vector<std::uint64_t> selected;
  std::vector<IndexEntry> entries;
  std::vector<std::uint64_t> positions;
  std::vector<std::string> keys;
  std::vector<std::string_view> names;
  for (std::uint64_t first = 0; first < dataset.size();
       first += entries.size()) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    const std::uint64_t count = std::min(kTogether, dataset.size() - first);
    SHARDINE_RETURN_IF_ERROR(dataset.source().Entries(first, count, entries));
    positions.resize(count);
    std::iota(positions.begin(), positions.end(), first);
    keys.assign(count, {});
    if (needs_keys) SHARDINE_RETURN_IF_ERROR(dataset.Keys(positions, keys));
    for (std::size_t i = 0; i < count; ++i) {
      const IndexEntry& entry = entries[i];
      FindNames(dataset, entry.labels, names);
      const bool holds = condition.Holds({.split = dataset.split(),
                                          .key = keys[i],
                                          .id = entry.id,
                                          .labels = entry.labels,
                                          .classes = names,
                                          .bytes = PayloadBytes(entry),
                                          .width = entry.facts.width,
                                          .height = entry.facts.height});
      if (holds) selected.push_back(first + i);
    }
  }
  return selected;
}

}  // namespace shardine
