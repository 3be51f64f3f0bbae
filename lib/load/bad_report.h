// BadReport: a loader's warnings about tolerated samples, so that no user
// trains on gray images for ninety epochs without a word.
#ifndef SHARDINE_LOAD_BAD_REPORT_H_
#define SHARDINE_LOAD_BAD_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "shardine/loader_options.h"
#include "shardine/status.h"

namespace shardine {

// The bad samples of one batch.
struct BadSamples {
  std::uint64_t count = 0;        // gray or dropped
  std::uint64_t unsupported = 0;  // dropped, as their kind is not decoded
  Status first;                   // why and where the first of `count` is bad
};

// A batch as a report needs it.
struct ReportedBatch {
  std::uint64_t epoch = 0;
  std::uint64_t samples = 0;           // with those that were dropped
  std::uint64_t samples_of_epoch = 0;  // of this rank, about
  bool ends_epoch = false;
  const BadSamples& bad;
};

// Thread-compatible.
class BadReport {
 public:
  explicit BadReport(OnBadSample on_bad) : on_bad_(on_bad) {}

  // Sentences to say after a batch: once, where all samples of a batch of
  // several were bad, or more than 1 % of an epoch; and at the end of each
  // epoch with bad samples, how many of how many.
  std::vector<std::string> Add(const ReportedBatch& batch);

 private:
  std::string Done() const;

  const OnBadSample on_bad_;
  bool has_warned_ = false;
  std::uint64_t epoch_ = 0;
  // Samples of that epoch, as far as it was delivered.
  std::uint64_t samples_ = 0;
  BadSamples bad_;
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_BAD_REPORT_H_
