// Samples through a ValueCodec and back.
#ifndef SHARDINE_TESTS_UNIT_LMDB_CODED_SAMPLE_H_
#define SHARDINE_TESTS_UNIT_LMDB_CODED_SAMPLE_H_

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "lmdb/lmdb_layouts.h"
#include "lmdb/value_codec.h"

namespace shardine {

struct MadeField {
  std::string name = std::string(kImageField);
  std::string dtype = std::string(kBytesDtype);
  std::vector<std::uint64_t> shape = {};
  std::string bytes = {};
  bool in_place = true;  // of a decoded field: it lies in the value

  friend bool operator==(const MadeField&, const MadeField&) = default;
};

struct MadeSample {
  std::string key = "key";
  std::vector<Label> labels = {};
  std::vector<MadeField> fields = {};

  friend bool operator==(const MadeSample&, const MadeSample&) = default;
};

inline MadeSample Photo(std::string bytes, std::vector<Label> labels = {}) {
  return {.labels = std::move(labels), .fields = {{.bytes = std::move(bytes)}}};
}

inline std::unique_ptr<ValueCodec> CodecOf(std::string_view name,
                                           std::string_view keys = {}) {
  for (const Layout& layout : kLmdbLayouts) {
    if (layout.name != name) continue;
    LayoutChoice choice = DefaultsOf(layout);
    if (!keys.empty()) choice.values[0] = keys;
    return MakeValueCodec(choice, std::uint64_t{1} << 22);
  }
  FAIL("no such layout");
  return nullptr;
}

struct Entry {
  std::string key;
  std::string value;
};

inline Result<Entry> Encoded(ValueCodec& codec, const MadeSample& sample,
                             std::uint64_t position = 0) {
  std::vector<FieldView> fields;
  for (const MadeField& field : sample.fields) {
    fields.push_back({.name = field.name,
                      .dtype = field.dtype,
                      .shape = field.shape,
                      .bytes = AsBytes(field.bytes)});
  }
  // The contents from before must go.
  EncodedSample to{.key = "before", .value = {}};
  to.value.Append(AsBytes("before"));
  SHARDINE_RETURN_IF_ERROR(codec.Encode(
      {.key = sample.key, .labels = sample.labels, .fields = fields}, position,
      to));
  return Entry{to.key, to.value.ToString()};
}

// The value lies at byte 1000 of a file. Each field that has an offset lies
// there.
inline Result<MadeSample> Decoded(ValueCodec& codec, const Entry& entry) {
  DecodedSample to;
  to.labels.emplace_back(99);
  SHARDINE_RETURN_IF_ERROR(
      codec.Decode(AsBytes(entry.key), AsBytes(entry.value), 1000, to));
  MadeSample sample{std::string(to.key.value_or("none")), to.labels, {}};
  for (const DecodedField& field : to.fields) {
    sample.fields.push_back({field.name, field.dtype, field.shape,
                             std::string(AsText(field.bytes)),
                             field.offset.has_value()});
    if (!field.offset) continue;
    REQUIRE(*field.offset >= 1000);
    REQUIRE(entry.value.substr(*field.offset - 1000, field.bytes.size()) ==
            AsText(field.bytes));
  }
  return sample;
}

// The failure of an encoding that must fail.
inline Status Refusal(ValueCodec& codec, const MadeSample& sample,
                      std::uint64_t position = 0) {
  const auto entry = Encoded(codec, sample, position);
  CHECK(entry.status().code() == Code::kUnsupported);
  return entry.status();
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_LMDB_CODED_SAMPLE_H_
