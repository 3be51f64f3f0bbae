// ProbedTarget: the parts of a dataset or a folder of images to measure: its
// files, how many samples, and some of their images.
#ifndef SHARDINE_DOCTOR_PROBED_TARGET_H_
#define SHARDINE_DOCTOR_PROBED_TARGET_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "dataset/dataset_reader.h"
#include "doctor/decode_probe.h"
#include "doctor/storage_probe.h"
#include "io/readable_storage.h"
#include "shardine/doctor.h"
#include "shardine/status.h"

namespace shardine {

struct ProbedTarget {
  std::string path;   // of a dataset its folder
  std::string split;  // empty: a folder of images
  std::string variant = "original";
  std::vector<std::string> variants;  // below a dataset: "sz/160"
  std::uint64_t samples = 0;
  bool more_samples = false;
  double bytes = 0;  // of a sample, the mean
  // Shards, 64 at most; or images, 512 at most, as many as a second allows.
  std::vector<ProbedFile> files;
};

// By the manifest of a dataset alone; by the names in a folder, of which it
// looks at as many as a second and a half allows. Failures as Doctor()'s.
Result<ProbedTarget> FindProbedTarget(ReadableStorage& storage,
                                      const DoctorOptions& options,
                                      const std::stop_token& stop);

// The same of a variant of a dataset: "sz/160".
Result<ProbedTarget> FindProbedVariant(ReadableStorage& storage,
                                       const ProbedTarget& target,
                                       const std::string& variant);

// The bound on reads of images; at least one is read.
struct ProbeBudget {
  std::uint64_t bytes = 0;
  std::chrono::milliseconds time{0};
};

// Up to 200 encoded images, drawn at random. Samples without an encoded image
// are not drawn; damaged ones are left out. The failure of the first if all are
// damaged.
Result<std::vector<ProbedImage>> ReadProbedImages(ReadableStorage& storage,
                                                  const ProbedTarget& target,
                                                  const ProbeBudget& budget,
                                                  const std::stop_token& stop);

}  // namespace shardine

#endif  // SHARDINE_DOCTOR_PROBED_TARGET_H_
