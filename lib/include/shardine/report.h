// Report: a dataset as one page to look at: whether evaluations on its splits
// can be trusted, its contents, and how its images look.
#ifndef SHARDINE_REPORT_H_
#define SHARDINE_REPORT_H_

#include <cstdint>
#include <string>

#include "shardine/job.h"
#include "shardine/status.h"

namespace shardine {

// Whether an evaluation on the splits can be trusted, as far as copies of the
// same bytes, labels and classes tell.
enum class ReportAnswer : std::uint8_t {
  kYes,
  kPartly,    // labels contradict, a split lacks classes, samples were damaged
  kNo,        // splits share images
  kOneSplit,  // there is no second split to evaluate on
};

struct ReportOptions {
  std::string dataset;  // folder, manifest or address
  std::string output;   // the page, an HTML file
  // Samples whose image is shown, at most; the same of each class where there
  // are enough.
  std::uint64_t samples = 1000;
  std::uint64_t seed = 0;  // decides which samples are shown
  bool overwrite = false;  // a file that is no report gives way, too
};

// No page is larger.
inline constexpr std::uint64_t kMostReportBytes = 5'000'000;
inline constexpr std::uint64_t kMostReportSamples = 1000;

struct ReportResult {
  ReportAnswer answer = ReportAnswer::kYes;
  std::uint64_t samples = 0;    // of the dataset
  std::uint64_t bytes = 0;      // of the page
  std::uint64_t shown = 0;      // samples that the page shows
  std::uint64_t pictures = 0;   // thumbnails in it
  std::uint64_t undecoded = 0;  // shown samples without a thumbnail
  // Images that were looked at and cannot be read or decoded.
  std::uint64_t damaged = 0;
  // As AuditResult has them.
  std::uint64_t leaking = 0;
  std::uint64_t conflicting = 0;
  std::uint64_t duplicates = 0;
};

// Audits the dataset, reads its indexes and the images that are shown, and
// writes one HTML file, which needs no other file and no network. The same
// dataset, options and version give the same page but for the seconds it took.
// An image that cannot be read is shown as that. An earlier report gives way.
// kInvalidArgument: the output is another file, or a folder; kCorrupt: an index
// is damaged.
Result<ReportResult> Report(const ReportOptions& options, const Job& job = {});

}  // namespace shardine

#endif  // SHARDINE_REPORT_H_
