// NewSampleCheck: whether a sample of the caller's own can be one of a dataset,
// and the values that a ShardWriter gets of it. It makes the checks that cost
// little; NewContentCheck reads every byte.
#ifndef SHARDINE_PACK_NEW_SAMPLE_H_
#define SHARDINE_PACK_NEW_SAMPLE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/text_fields.h"
#include "image/image_checker.h"
#include "pack/limits_check.h"
#include "shard/format_registry.h"
#include "shardine/dataset_writer.h"
#include "shardine/digest.h"
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
  bool has_key = true;      // else its key is its number
  bool has_id = true;       // else that is
  CheckedImage image;       // empty where it has no encoded one
  std::uint64_t bytes = 0;  // of all fields
  Digest128 digest = {};    // of its content
  // Why its image is bad, in a stable word and for people; empty if it is good.
  std::string reason = {};
  std::string detail = {};
};

// Checks images and computes digests: the part that another thread may do.
//
// Thread-compatible.
class NewContentCheck {
 public:
  explicit NewContentCheck(const DatasetWriterOptions& options);

  // Completes a sample of NewSampleCheck: the image, the digest, and the
  // image's facts, which are the sample's own: its view has their address. The
  // contents of other fields are not checked. kCorrupt: a bad image, under
  // OnBad::kFail; else the sample records it.
  Status Check(CheckedSample& sample);

 private:
  const ImageCheckLevel level_;
  const OnBad on_bad_;
  ImageChecker checker_;
};

// Thread-compatible.
class NewSampleCheck {
 public:
  // All but `lossy_labels` must outlive it.
  NewSampleCheck(const FormatAndLayout& format, const FormatRegistry& formats,
                 const ClassMap& classes, bool lossy_labels);

  // `number` of samples passed before. Failures as those of
  // DatasetWriter::Append, but for a bad image.
  Result<CheckedSample> Check(const NewSample& sample, std::uint64_t number);

  bool ids_given() const { return ids_given_; }
  const LimitsCheck& limits() const { return limits_; }
  // Fields that were given as text.
  std::vector<std::string> text_fields() const { return texts_.names(); }

 private:
  Status CheckNames(const NewSample& sample, std::string_view key,
                    std::uint64_t number);
  Status CheckLabels(const NewSample& sample, std::string_view key);
  Status CheckFields(const NewSample& sample, std::string_view key);

  const ClassMap& classes_;
  LimitsCheck limits_;
  TextFields texts_;
  bool ids_given_ = false;
  // The last sample's fields by name, their bytes, and its number, where the
  // number is its key.
  std::vector<FieldView> fields_;
  std::uint64_t bytes_ = 0;
  std::string number_;
};

}  // namespace shardine

#endif  // SHARDINE_PACK_NEW_SAMPLE_H_
