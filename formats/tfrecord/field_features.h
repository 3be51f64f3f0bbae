// FieldFeatures: the features of a sample's fields in an Example, each of the
// kind that it has in TensorFlow's own files. The inverse of example_fields.h.
// FORMAT.md, "Fields, in both".
#ifndef SHARDINE_FORMATS_TFRECORD_FIELD_FEATURES_H_
#define SHARDINE_FORMATS_TFRECORD_FIELD_FEATURES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardine/sample.h"
#include "shardine/status.h"
#include "tfrecord/example_writer.h"

namespace shardine {

// The field of that name; nullptr if there is none.
const FieldView* FindField(const SampleView& sample, std::string_view name);

// Is it a list of floats, and bytes without a shape?
bool IsFloatList(const FieldView& field);
bool IsPlain(const FieldView& field);

// Thread-compatible.
class FieldFeatures {
 public:
  enum class Kind : std::uint8_t {
    kText,     // one value of bytes
    kTexts,    // several: the fields NAME[0], NAME[1], ...
    kNoTexts,  // a list of bytes without a value: the field NAME[]
    kFloats,
    kInt64s,
    kArray,  // three features
  };
  struct Planned {
    std::string_view name;  // of the feature
    Kind kind = Kind::kText;
    const FieldView* field = nullptr;  // of a list its first
    std::size_t first = 0;             // of kTexts, in texts_
    std::size_t count = 1;
  };

  // More numbers than these in one sample are arrays, for the reader's sake.
  static constexpr std::uint64_t kMaxInt64Bytes = std::uint64_t{16} << 20;

  // Plans the features of `sample`, which must outlive the plan. `own`: the
  // features that the layout writes for this sample whatever its fields are.
  // kUnsupported naming the first field that has such a name or one of
  // "shardine/", a name that is not UTF-8, the name of an array's part, or a
  // shape that does not describe its bytes.
  Status Plan(const SampleView& sample, std::span<const std::string_view> own);

  // By ascending name.
  std::span<const Planned> planned() const { return planned_; }
  const Planned* Find(std::string_view name) const;

  // Writes one of planned(), under the name given.
  void Add(const Planned& planned, std::string_view name,
           ExampleWriter& example) const;

 private:
  bool IsFree(const SampleView& sample, std::string_view name,
              std::span<const std::string_view> own) const;
  void JoinTexts(const SampleView& sample, const FieldView& first);
  Planned PlanOne(const SampleView& sample, const FieldView& field,
                  std::span<const std::string_view> own);
  Kind KindOf(const SampleView& sample, const FieldView& field);
  Status Check(const Planned& planned,
               std::span<const std::string_view> own) const;

  std::vector<Planned> planned_;
  std::vector<const FieldView*> texts_;  // values of lists, in their order
  std::vector<bool> joined_;             // by field
  std::uint64_t int64_bytes_ = 0;
  std::string item_name_;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_TFRECORD_FIELD_FEATURES_H_
