#include "report/hub_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <utility>

#include "report/card_text.h"

namespace shardine {
namespace {

// So many times as many labels as there are classes may have no class.
constexpr std::int64_t kMostSparse = 10;

std::size_t CommonStart(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t length = 0;
  while (length < most && a[length] == b[length]) ++length;
  return length;
}

// The beginning and the end that all names have, and do not overlap.
std::pair<std::string, std::string> CommonEnds(
    const std::vector<std::string>& names) {
  std::size_t start = names[0].size();
  for (const std::string& name : names) {
    start = std::min(start, CommonStart(names[0], name));
  }
  const std::string first(names[0].rbegin(), names[0].rend());
  std::size_t end = first.size();
  for (const std::string& name : names) {
    const std::string turned(name.rbegin(), name.rend());
    end = std::min({end, CommonStart(first, turned), name.size() - start});
  }
  return {names[0].substr(0, start), names[0].substr(names[0].size() - end)};
}

}  // namespace

std::vector<std::string> HubSplitNames(
    const std::vector<ManifestSplit>& splits) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const ManifestSplit& split : splits) {
    std::string name;
    for (const char c : split.name) {
      const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
      name += is_plain ? c : '_';
    }
    if (name.empty()) name = "split";
    const std::string plain = name;
    for (int i = 2; !taken.insert(name).second; ++i) {
      name = plain + "_" + std::to_string(i);
    }
    names.push_back(name);
  }
  return names;
}

std::vector<std::string> HubClassNames(const ClassMap& classes) {
  if (classes.empty() || classes.front().label < 0) return {};
  const auto count = static_cast<std::int64_t>(classes.size());
  const std::int64_t last = classes.back().label;
  if (last >= kMostSparse * count + kMostSparse) return {};
  std::vector<std::string> names(static_cast<std::size_t>(last) + 1);
  std::set<std::string> taken;
  for (const ClassInfo& info : classes) {
    std::string& name = names[static_cast<std::size_t>(info.label)];
    name = PublicText(info.name);
    if (name.empty() || !taken.insert(name).second) {
      name += " (" + std::to_string(info.label) + ")";
      taken.insert(name);
    }
  }
  for (std::size_t label = 0; label < names.size(); ++label) {
    if (names[label].empty()) {
      names[label] = "unused (" + std::to_string(label) + ")";
    }
  }
  return names;
}

std::string_view SizeCategory(std::uint64_t samples) {
  struct Step {
    std::uint64_t below;
    std::string_view name;
  };
  static constexpr std::array<Step, 8> kSteps = {
      {{1'000, "n<1K"},
       {10'000, "1K<n<10K"},
       {100'000, "10K<n<100K"},
       {1'000'000, "100K<n<1M"},
       {10'000'000, "1M<n<10M"},
       {100'000'000, "10M<n<100M"},
       {1'000'000'000, "100M<n<1B"},
       {10'000'000'000, "1B<n<10B"}}};
  for (const Step& step : kSteps) {
    if (samples < step.below) return step.name;
  }
  return "10B<n<100B";
}

std::vector<std::string> ShardPatterns(const ManifestSplit& split,
                                       const std::vector<std::string>& others) {
  std::vector<std::string> names;
  for (const ManifestShard& shard : split.shards) {
    names.push_back(shard.file.path);
  }
  if (names.size() > 1) {
    const auto ends = CommonEnds(names);
    const std::string& start = ends.first;
    const std::string& end = ends.second;
    const bool is_plain = start.find('/') == start.npos && !start.empty();
    const bool is_own = std::ranges::none_of(others, [&](const auto& other) {
      return other.starts_with(start) && other.ends_with(end);
    });
    if (is_plain && is_own) return {GlobOf(start) + "*" + GlobOf(end)};
  }
  for (std::string& name : names) name = GlobOf(name);
  return names;
}

}  // namespace shardine
