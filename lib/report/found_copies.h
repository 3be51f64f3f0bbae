// FoundCopies: the copies of an audit, as many as a report shows.
#ifndef SHARDINE_REPORT_FOUND_COPIES_H_
#define SHARDINE_REPORT_FOUND_COPIES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "shardine/audit.h"

namespace shardine {

// Texts are as a page shows them.
struct FoundMember {
  std::string split;
  std::string key;
  std::string label_text;
  std::uint64_t id = 0;
};

struct FoundImage {
  std::vector<AuditFinding> findings;
  bool is_proved = false;
  std::uint64_t members = 0;         // samples that have the image
  std::vector<FoundMember> samples;  // of them, each split and label first
  std::string split;                 // of samples[0], as the dataset has it
};

struct LabelPair {
  std::string label;  // the lesser text
  std::string other;
  std::uint64_t images = 0;
};

// Thread-compatible.
class FoundCopies {
 public:
  static constexpr std::size_t kMostOfRank = 200;
  static constexpr std::size_t kMostSamples = 6;
  static constexpr std::size_t kMostPairs = 200;

  void Add(const CopiedImage& image);

  // Leaks under different labels first, then leaks, conflicts, duplicates.
  std::vector<FoundImage> Images() const;
  // The pairs of labels that most images have, at most kMostPairs.
  std::vector<LabelPair> Pairs() const;

 private:
  void CountPairs(const CopiedImage& image);

  std::array<std::vector<FoundImage>, 4> ranks_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> pairs_;
};

}  // namespace shardine

#endif  // SHARDINE_REPORT_FOUND_COPIES_H_
