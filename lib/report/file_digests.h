// The SHA-256 of all files of a dataset and of its variants.
#ifndef SHARDINE_REPORT_FILE_DIGESTS_H_
#define SHARDINE_REPORT_FILE_DIGESTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "dataset/dataset_reader.h"
#include "shardine/job.h"
#include "shardine/status.h"

namespace shardine {

struct DigestedFile {
  std::string path;  // relative to the dataset's folder
  std::uint64_t bytes = 0;
  std::string sha256 = {};  // in hex
};

// By path, each once. Reads every file once, by `threads` threads. kCorrupt: a
// file is not the one that its manifest names. kUnsupported: this machine has
// no library for digests.
Result<std::vector<DigestedFile>> DigestFiles(const DatasetReader& dataset,
                                              unsigned threads, const Job& job);

}  // namespace shardine

#endif  // SHARDINE_REPORT_FILE_DIGESTS_H_
