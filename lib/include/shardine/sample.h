// A sample: key, id, labels and named fields. A record is only how one format
// frames it.
#ifndef SHARDINE_SAMPLE_H_
#define SHARDINE_SAMPLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "shardine/label.h"

namespace shardine {

struct ImageFacts;

// The name of the one field of a photo: its encoded bytes.
inline constexpr std::string_view kImageField = "image";
// The dtype of a field of plain bytes; its shape has rank 0.
inline constexpr std::string_view kBytesDtype = "|S";

// A named field. Views: valid as long as their owner says.
struct FieldView {
  std::string_view name;
  // NumPy's notation with explicit little-endian ("<f8", "|u1"), or "|S" for
  // plain bytes.
  std::string_view dtype = kBytesDtype;
  std::span<const std::uint64_t> shape = {};  // C order; empty for bytes
  std::span<const std::byte> bytes = {};
  // Plain bytes that are text in UTF-8, as given to a DatasetWriter. A dataset
  // says it of all its samples (Dataset::text_fields()), no digest depends on
  // it.
  bool is_text = false;
};

// The input of a ShardWriter. Views only.
struct SampleView {
  std::uint64_t id = 0;
  std::string_view key;  // any bytes
  std::span<const Label> labels;
  std::span<const FieldView> fields;  // by ascending name, names unique
  const ImageFacts* facts = nullptr;  // of the image field, if there is one
  // The name of its only label's class; empty where there is none.
  std::string_view class_name = {};  // "n01440764"
  std::string_view class_text = {};  // "tench, Tinca tinca"

  // The image field's bytes; empty span if there is none.
  std::span<const std::byte> image() const;
};

}  // namespace shardine

#endif  // SHARDINE_SAMPLE_H_
