// StorageProbe: how fast a local disk gives bytes of given files, at random and
// in order. Only reads; past the kernel's cache where the file system allows
// it.
#ifndef SHARDINE_DOCTOR_STORAGE_PROBE_H_
#define SHARDINE_DOCTOR_STORAGE_PROBE_H_

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "shardine/doctor.h"
#include "shardine/status.h"

namespace shardine {

struct ProbedFile {
  std::string path;  // of the operating system, or of a server's storage
  std::uint64_t size = 0;
};

struct StorageProbeOptions {
  std::uint64_t image_bytes = 0;  // of a random read like an image's
  unsigned readers = 1;
  // Files stay open between reads, as shards do; else each read opens its file,
  // as of loose images.
  bool keep_open = true;
  // The time of each of the three measurements at most.
  std::chrono::milliseconds time{1'500};
};

struct RandomReads {
  double seconds = 0;  // of a read, the median
  double bytes = 0;    // of a read, the mean
};

// The rates of a disk, from reads of a page and of an image, by `readers` at a
// time, and from reads in order (bytes a second).
StorageRates RatesOf(const RandomReads& page, const RandomReads& image,
                     double sequential, unsigned readers);

// The medians of the reads of each kind: 4 KiB, then image_bytes, at random by
// `readers` threads; 1 MiB in order by one. kInvalidArgument: there are no
// bytes; kIo with the file; kCancelled.
Result<StorageRates> ProbeStorage(const std::vector<ProbedFile>& files,
                                  const StorageProbeOptions& options,
                                  const std::stop_token& stop);

}  // namespace shardine

#endif  // SHARDINE_DOCTOR_STORAGE_PROBE_H_
