#include "report/found_copies.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <string_view>

#include "report/page_text.h"

namespace shardine {
namespace {

// Memory stays bounded where each image has labels of its own.
constexpr std::size_t kMostDistinctPairs = 100'000;

bool Has(const CopiedImage& image, AuditFinding finding) {
  return std::ranges::find(image.findings, finding) != image.findings.end();
}

std::size_t RankOf(const CopiedImage& image) {
  const bool leaks = Has(image, AuditFinding::kLeakage);
  const bool conflicts = Has(image, AuditFinding::kLabelConflict);
  return leaks && conflicts ? 0 : leaks ? 1 : conflicts ? 2 : 3;
}

}  // namespace

void FoundCopies::Add(const CopiedImage& image) {
  if (Has(image, AuditFinding::kLabelConflict)) CountPairs(image);
  std::vector<FoundImage>& rank = ranks_[RankOf(image)];
  if (rank.size() == kMostOfRank) return;
  FoundImage found{.findings = image.findings,
                   .is_proved = image.is_proved,
                   .members = image.samples.size(),
                   .samples = {},
                   .split = {}};
  std::set<std::pair<std::string_view, std::string_view>> seen;
  std::vector<const AuditedSample*> order;
  std::vector<const AuditedSample*> others;
  for (const AuditedSample& sample : image.samples) {
    const bool is_first = seen.emplace(sample.split, sample.label_text).second;
    (is_first ? order : others).push_back(&sample);
  }
  order.insert(order.end(), others.begin(), others.end());
  order.resize(std::min(order.size(), kMostSamples));
  for (const AuditedSample* const sample : order) {
    found.samples.push_back({.split = PageName(sample->split),
                             .key = PageName(sample->key),
                             .label_text = PageName(sample->label_text),
                             .id = sample->id});
  }
  found.split = order.front()->split;
  rank.push_back(std::move(found));
}

void FoundCopies::CountPairs(const CopiedImage& image) {
  std::set<std::string> texts;
  for (const AuditedSample& sample : image.samples) {
    if (sample.label_text.empty() || texts.size() > kMostSamples) continue;
    texts.insert(PageName(sample.label_text));
  }
  for (auto a = texts.begin(); a != texts.end(); ++a) {
    for (auto b = std::next(a); b != texts.end(); ++b) {
      const std::pair pair(*a, *b);
      if (pairs_.size() < kMostDistinctPairs || pairs_.contains(pair)) {
        ++pairs_[pair];
      }
    }
  }
}

std::vector<FoundImage> FoundCopies::Images() const {
  std::vector<FoundImage> images;
  for (const std::vector<FoundImage>& rank : ranks_) {
    images.insert(images.end(), rank.begin(), rank.end());
  }
  return images;
}

std::vector<LabelPair> FoundCopies::Pairs() const {
  std::vector<LabelPair> pairs;
  for (const auto& [labels, images] : pairs_) {
    pairs.push_back(
        {.label = labels.first, .other = labels.second, .images = images});
  }
  std::ranges::stable_sort(pairs, std::greater<>(), &LabelPair::images);
  pairs.resize(std::min(pairs.size(), kMostPairs));
  return pairs;
}

}  // namespace shardine
