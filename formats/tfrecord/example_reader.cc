#include "tfrecord/example_reader.h"

#include <algorithm>
#include <string>

#include "base/status_macros.h"

namespace shardine {
namespace {

// The number of varints that `bytes` consist of; false if the last does not
// end, or one is longer than ten bytes.
// The values are counted here and not decoded: most features need only their
// count and place.
bool CountVarints(ByteView bytes, std::uint64_t& count) {
  std::size_t length = 0;
  for (const std::byte byte : bytes) {
    ++length;
    if (length > 10) return false;
    if (std::to_integer<unsigned>(byte) >= 0x80) continue;
    length = 0;
    ++count;
  }
  return length == 0;
}

FeatureKind KindOf(std::uint32_t number) {
  switch (number) {
    case 1:
      return FeatureKind::kBytes;
    case 2:
      return FeatureKind::kFloat;
    case 3:
      return FeatureKind::kInt64;
    default:
      return FeatureKind::kNone;
  }
}

}  // namespace

// Fields of another number or type than the messages have are passed over at
// each level, as protobuf does.
Status ExampleReader::Parse(ByteView record) {
  record_ = record;
  features_.clear();
  chunks_.clear();
  WireReader reader(record);
  for (WireField field; reader.Next(field);) {
    if (field.type != WireType::kBytes) continue;
    if (field.number == 1) SHARDINE_RETURN_IF_ERROR(ParseFeatures(field.value));
    if (field.number == 2) {
      return Fault(Code::kUnsupported,
                   "a SequenceExample: only Examples can be read",
                   field.value.data());
    }
  }
  SHARDINE_RETURN_IF_ERROR(FaultOf(reader));
  SortFeatures();
  return {};
}

Status ExampleReader::ParseFeatures(ByteView message) {
  WireReader reader(message);
  for (WireField field; reader.Next(field);) {
    if (field.number != 1 || field.type != WireType::kBytes) continue;
    SHARDINE_RETURN_IF_ERROR(ParseEntry(field.value));
  }
  return FaultOf(reader);
}

Status ExampleReader::ParseEntry(ByteView message) {
  Feature feature;
  feature.first_chunk = static_cast<std::uint32_t>(chunks_.size());
  WireReader reader(message);
  for (WireField field; reader.Next(field);) {
    if (field.type != WireType::kBytes) continue;
    if (field.number == 1) feature.name = AsText(field.value);
    if (field.number == 2) {
      SHARDINE_RETURN_IF_ERROR(ParseFeature(field.value, feature));
    }
  }
  SHARDINE_RETURN_IF_ERROR(FaultOf(reader));
  // An empty entry is two bytes of the record and a Feature of memory.
  if (features_.size() == kMaxFeatures) {
    return Fault(Code::kUnsupported,
                 "more than " + std::to_string(kMaxFeatures) + " features",
                 message.data());
  }
  features_.push_back(feature);
  return {};
}

Status ExampleReader::ParseFeature(ByteView message, Feature& feature) {
  WireReader reader(message);
  for (WireField field; reader.Next(field);) {
    const FeatureKind kind = KindOf(field.number);
    if (field.type != WireType::kBytes || kind == FeatureKind::kNone) continue;
    // The kinds are a oneof: a later value replaces one of another kind.
    if (kind != feature.kind) {
      chunks_.resize(feature.first_chunk);
      feature.chunk_count = 0;
      feature.values = 0;
      feature.kind = kind;
    }
    SHARDINE_RETURN_IF_ERROR(ParseList(field.value, feature));
  }
  return FaultOf(reader);
}

Status ExampleReader::ParseList(ByteView message, Feature& feature) {
  WireReader reader(message);
  for (WireField field; reader.Next(field);) {
    if (field.number != 1) continue;
    SHARDINE_RETURN_IF_ERROR(AddChunk(field, feature));
  }
  return FaultOf(reader);
}

Status ExampleReader::AddChunk(const WireField& value, Feature& feature) {
  const bool packed = value.type == WireType::kBytes;
  switch (feature.kind) {
    case FeatureKind::kBytes:
      if (!packed) return {};
      ++feature.values;
      break;
    case FeatureKind::kFloat:
      if (!packed && value.type != WireType::kFixed32) return {};
      if (value.value.size() % sizeof(float) != 0) {
        return Fault(Code::kCorrupt, "a list of floats that is cut",
                     value.value.data());
      }
      feature.values += value.value.size() / sizeof(float);
      break;
    default:
      if (!packed && value.type != WireType::kVarint) return {};
      if (!CountVarints(value.value, feature.values)) {
        return Fault(Code::kCorrupt, "a list of numbers that is cut",
                     value.value.data());
      }
  }
  // A value that is not packed can be two bytes of the record, and has a view
  // of sixteen.
  if (chunks_.size() == kMaxChunks) {
    return Fault(Code::kUnsupported,
                 "more than " + std::to_string(kMaxChunks) +
                     " values that are not packed",
                 value.value.data());
  }
  chunks_.push_back(value.value);
  ++feature.chunk_count;
  return {};
}

// Our own records have their small features sorted. The sort is stable, since
// the last of equal names must stay the last.
void ExampleReader::SortFeatures() {
  const auto before = [](const Feature& a, const Feature& b) {
    return a.name < b.name;
  };
  if (!std::is_sorted(features_.begin(), features_.end(), before)) {
    std::stable_sort(features_.begin(), features_.end(), before);
  }
  // Only the last of each name is kept, in place.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < features_.size(); ++i) {
    const bool again =
        i + 1 < features_.size() && features_[i].name == features_[i + 1].name;
    if (!again) features_[kept++] = features_[i];
  }
  features_.resize(kept);
}

const Feature* ExampleReader::Find(std::string_view name) const {
  const auto found =
      std::ranges::lower_bound(features_, name, {}, &Feature::name);
  const bool is = found != features_.end() && found->name == name;
  return is ? &*found : nullptr;
}

Status ExampleReader::FaultOf(const WireReader& reader) const {
  if (reader.fault().empty()) return {};
  return Fault(reader.fault_code(), reader.fault(), reader.place());
}

Status ExampleReader::Fault(Code code, std::string_view what,
                            const std::byte* at) const {
  std::string message = "no tf.train.Example that can be read: ";
  message += what;
  return Status(code, std::move(message))
      .At({.offset = static_cast<std::uint64_t>(at - record_.data())});
}

std::optional<std::string_view> SingleBytes(const ExampleReader& example,
                                            const Feature* feature) {
  if (feature == nullptr || feature->kind != FeatureKind::kBytes ||
      feature->values != 1) {
    return std::nullopt;
  }
  return AsText(example.chunks(*feature)[0]);
}

std::optional<std::int64_t> SingleInt64(const ExampleReader& example,
                                        const Feature* feature) {
  if (feature == nullptr || feature->kind != FeatureKind::kInt64 ||
      feature->values != 1) {
    return std::nullopt;
  }
  std::int64_t value = 0;
  Int64Values(example, *feature).Next(value);
  return value;
}

bool Int64Values::Next(std::int64_t& value) {
  while (chunk_.empty()) {
    if (chunks_.empty()) return false;
    chunk_ = chunks_.front();
    chunks_ = chunks_.subspan(1);
  }
  std::uint64_t bits = 0;
  TakeVarint(chunk_, bits);  // the parser has seen that they end
  value = static_cast<std::int64_t>(bits);
  return true;
}

}  // namespace shardine
