#include "source/strata.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/status_macros.h"
#include "shardine/escape.h"

namespace shardine {

std::vector<std::uint64_t> PartsOf(
    const std::vector<SourceOptions::SplitShare>& shares) {
  std::vector<std::uint64_t> parts;
  std::uint64_t left = kWholeShare;
  for (const SourceOptions::SplitShare& share : shares) {
    const auto part =
        static_cast<std::uint64_t>(std::llround(share.share * kWholeShare));
    parts.push_back(std::min(left, part));
    left -= parts.back();
  }
  if (!parts.empty()) parts.front() += left;
  return parts;
}

Status MakeSplits(const std::vector<SourceOptions::SplitShare>& shares,
                  SourceSet& set) {
  if (set.splits.size() != 1) {
    return Status(Code::kInvalidArgument,
                  "shares of splits cut one source, but these are several");
  }
  set.splits.clear();
  for (const SourceOptions::SplitShare& share : shares) {
    set.splits.push_back(share.name);
  }
  return Status();
}

Status CheckFilled(const SourceSet& set) {
  std::vector<bool> filled(set.splits.size());
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    filled[set.samples.split(i)] = true;
  }
  const auto empty = std::ranges::find(filled, false);
  if (empty == filled.end()) return Status();
  return Status(
      Code::kInvalidArgument,
      "split " + set.splits[static_cast<std::size_t>(empty - filled.begin())] +
          " of " + std::to_string(set.samples.size()) +
          " samples would be empty");
}

std::uint32_t TrainOf(const std::vector<SourceOptions::SplitShare>& shares) {
  const auto train =
      std::ranges::find(shares, "train", &SourceOptions::SplitShare::name);
  return train == shares.end()
             ? 0
             : static_cast<std::uint32_t>(train - shares.begin());
}

Status NeedsOneLabel(const SourceList& samples, std::size_t index,
                     const char* option) {
  return Status(Code::kInvalidArgument,
                std::string(option) + " needs one whole number as label")
      .At({.key = std::string(samples.key(index))});
}

Result<Strata> StrataOf(const SourceList& samples) {
  std::map<std::int64_t, std::uint64_t> sizes;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto label = samples.class_label(i);
    if (!label) return NeedsOneLabel(samples, i, "a cut of each class");
    ++sizes[*label];
  }
  Strata strata;
  for (const auto& [label, size] : sizes) {
    strata.labels.push_back(label);
    strata.sizes.push_back(size);
  }
  strata.of.reserve(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto place =
        std::ranges::lower_bound(strata.labels, *samples.class_label(i));
    strata.of.push_back(
        static_cast<std::uint32_t>(place - strata.labels.begin()));
  }
  return strata;
}

std::string ClassName(const ClassMap& classes, std::int64_t label) {
  const ClassInfo* const found = FindClass(classes, Label(label));
  return found == nullptr ? "label " + std::to_string(label) : found->name;
}

void SmallClassList::Add(const std::string& class_name,
                         const std::string& split, const std::string& extent) {
  if (found_++ > 0) return;
  first_ = "class " + EscapeBytes(class_name) + " is too small for split " +
           split + ": " + extent;
}

Status SmallClassList::Refuse() const {
  if (found_ == 0) return Status();
  std::string text = first_;
  if (found_ > 1) {
    text += std::string(found_ == 2 ? "; so is " : "; so are ") +
            std::to_string(found_ - 1) + " more";
  }
  return Status(Code::kInvalidArgument, std::move(text));
}

}  // namespace shardine
