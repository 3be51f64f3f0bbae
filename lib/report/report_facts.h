// ReportFacts: all that a page is made of.
#ifndef SHARDINE_REPORT_REPORT_FACTS_H_
#define SHARDINE_REPORT_REPORT_FACTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataset/dataset_reader.h"
#include "dataset/rejects.h"
#include "report/class_table.h"
#include "report/found_copies.h"
#include "report/picture_tally.h"
#include "report/shown_choice.h"
#include "shardine/audit.h"
#include "shardine/report.h"

namespace shardine {

struct ShownSample {
  ChosenSample chosen;
  std::uint64_t id = 0;
  ImageFacts facts = {};
  int quality = 0;                          // of a JPEG; 0: not known
  std::optional<std::size_t> picture = {};  // into ReportFacts::pictures
  std::string problem = {};                 // why there is none
};

// A file of the source that is no sample.
struct LeftOutFile {
  std::string key;
  std::string reason;
  std::string split;
};

struct ReportFacts {
  // Opens the dataset and reads all that is known of it.
  static Result<ReportFacts> Gather(const ReportOptions& options,
                                    const Job& job);

  std::string path;  // of the dataset, as it was given
  std::uint64_t seed = 0;
  std::unique_ptr<DatasetReader> dataset;
  AuditResult audit;
  std::vector<FoundImage> found;
  std::vector<LabelPair> pairs;
  // The thumbnail of each shown image in `found`, as ShownSample has it.
  std::vector<std::optional<std::size_t>> found_pictures;
  std::unique_ptr<ClassTable> classes;
  PictureTally tally;
  std::vector<ShownSample> shown;
  std::vector<std::string> pictures;  // thumbnails in Base64
  std::uint64_t damaged = 0;          // shown samples that cannot be read
  std::vector<Reject> rejects;
  std::vector<LeftOutFile> ignored;
  double seconds = 0;

  const Manifest& manifest() const { return dataset->manifest(); }
};

}  // namespace shardine

#endif  // SHARDINE_REPORT_REPORT_FACTS_H_
