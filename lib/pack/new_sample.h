// NewSampleCheck: whether a sample of the caller's own can be one of a dataset,
// and what a ShardWriter is given of it.
#ifndef SHARDINE_PACK_NEW_SAMPLE_H_
#define SHARDINE_PACK_NEW_SAMPLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "image/image_checker.h"
#include "pack/limits_check.h"
#include "shard/format_registry.h"
#include "shardine/dataset_writer.h"
#include "shardine/sample.h"
#include "shardine/status.h"
#include "source/class_map.h"

namespace shardine {

// The classes by label. kInvalidArgument: a name or label that comes twice, or
// an empty name.
Result<ClassMap> ClassesOf(const std::vector<NewClass>& classes);

// A sample that passed. Views, valid until the next is checked, of it as well.
struct CheckedSample {
  SampleView view;
  CheckedImage image;       // empty where it has no encoded one
  std::uint64_t bytes = 0;  // of all fields
};

// Thread-compatible.
class NewSampleCheck {
 public:
  // All must outlive it.
  NewSampleCheck(const FormatAndLayout& format, const FormatRegistry& formats,
                 const ClassMap& classes, const DatasetWriterOptions& options);

  // `number` of samples passed before. Failures as those of
  // DatasetWriter::Append.
  Result<CheckedSample> Check(const NewSample& sample, std::uint64_t number);

  bool ids_given() const { return ids_given_; }
  const LimitsCheck& limits() const { return limits_; }

 private:
  Status CheckNames(const NewSample& sample, std::uint64_t number);
  Status CheckLabels(const NewSample& sample);
  Status CheckFields(const NewSample& sample);
  Result<CheckedImage> CheckImageOf();

  const ClassMap& classes_;
  const ImageCheckLevel level_;
  LimitsCheck limits_;
  ImageChecker checker_;
  bool ids_given_ = false;
  // Of the last sample: its fields by name, and their bytes.
  std::vector<FieldView> fields_;
  std::uint64_t bytes_ = 0;
  ImageFacts facts_;
};

}  // namespace shardine

#endif  // SHARDINE_PACK_NEW_SAMPLE_H_
