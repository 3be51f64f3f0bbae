// ScanFolder: the cache folder for kept scans, opened where one is needed.
#ifndef SHARDINE_DATASET_SCAN_FOLDER_H_
#define SHARDINE_DATASET_SCAN_FOLDER_H_

#include <memory>
#include <mutex>
#include <string>

#include "cache/cache_folder.h"

namespace shardine {

// Thread-safe.
class ScanFolder {
 public:
  // `cache`: a folder; empty: the user's own, by the variables of this thread;
  // "off": none.
  explicit ScanFolder(const std::string& cache);

  // Null: there is none.
  CacheFolder* Get();
  // The reason, for people; empty: there is one, it was turned off, or Get()
  // was not called.
  const std::string& why_not() const { return why_not_; }

 private:
  const bool is_off_;
  const std::string path_;
  std::string why_not_;
  std::once_flag opened_;
  std::shared_ptr<CacheFolder> folder_;
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_SCAN_FOLDER_H_
