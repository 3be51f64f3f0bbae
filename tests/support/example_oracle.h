// protobuf's own parser as the oracle of ExampleReader.
#ifndef SHARDINE_TESTS_SUPPORT_EXAMPLE_ORACLE_H_
#define SHARDINE_TESTS_SUPPORT_EXAMPLE_ORACLE_H_

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tfrecord/example.pb.h"
#include "tfrecord/example_reader.h"

namespace shardine {

struct OracleFeature {
  FeatureKind kind = FeatureKind::kNone;
  std::vector<std::string> values;  // of floats their bytes, of ints decimal

  friend bool operator==(const OracleFeature&, const OracleFeature&) = default;
};
using OracleFeatures = std::map<std::string, OracleFeature>;

// nullopt if protobuf takes it for no Example.
inline std::optional<OracleFeatures> ParseByProtobuf(
    const std::string& record) {
  example_proto::Example example;
  if (!example.ParseFromString(record)) return std::nullopt;
  OracleFeatures found;
  for (const auto& [name, feature] : example.features().feature()) {
    OracleFeature& to = found[name];
    if (feature.has_bytes_list()) to.kind = FeatureKind::kBytes;
    if (feature.has_float_list()) to.kind = FeatureKind::kFloat;
    if (feature.has_int64_list()) to.kind = FeatureKind::kInt64;
    for (const std::string& value : feature.bytes_list().value()) {
      to.values.push_back(value);
    }
    for (const float value : feature.float_list().value()) {
      std::string bytes;
      AppendLe(value, bytes);
      to.values.push_back(bytes);
    }
    for (const std::int64_t value : feature.int64_list().value()) {
      to.values.push_back(std::to_string(value));
    }
  }
  return found;
}

// The same for the features that our reader found.
inline OracleFeatures FeaturesOf(const ExampleReader& reader) {
  OracleFeatures found;
  for (const Feature& feature : reader.features()) {
    OracleFeature& to = found[std::string(feature.name)];
    to.kind = feature.kind;
    if (feature.kind == FeatureKind::kInt64) {
      Int64Values values(reader, feature);
      for (std::int64_t value = 0; values.Next(value);) {
        to.values.push_back(std::to_string(value));
      }
      continue;
    }
    for (const ByteView chunk : reader.chunks(feature)) {
      const std::string_view text = AsText(chunk);
      if (feature.kind == FeatureKind::kBytes) {
        to.values.emplace_back(text);
        continue;
      }
      for (std::size_t i = 0; i < text.size(); i += sizeof(float)) {
        to.values.emplace_back(text.substr(i, sizeof(float)));
      }
    }
  }
  return found;
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_EXAMPLE_ORACLE_H_
