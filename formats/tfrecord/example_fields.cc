#include "tfrecord/example_fields.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/shown_name.h"
#include "base/status_macros.h"
#include "tfrecord/feature_names.h"

namespace shardine {

void ExampleFields::Begin(const ExampleReader& example, ByteView record,
                          std::optional<std::uint64_t> data_offset) {
  example_ = &example;
  record_ = record;
  data_offset_ = data_offset;
  uses_.assign(example.features().size(), {});
  keep_empty_ = false;
  fields_.clear();
  extents_.clear();
  dims_.clear();
  names_.clear();
  numbers_.clear();
  names_bytes_ = 0;
  numbers_bytes_ = 0;
  std::size_t chunks = 0;
  for (const Feature& feature : example.features()) {
    chunks += std::max<std::size_t>(feature.chunk_count, 1);
  }
  // Fields hold spans of extents_, which must not move. A feature has an extent
  // per chunk at most, and one if it is empty.
  extents_.reserve(chunks);
}

void ExampleFields::Drop(const Feature* feature) {
  if (feature != nullptr) uses_[IndexOf(feature)].dropped = true;
}

void ExampleFields::Rename(const Feature* feature, std::string_view name) {
  uses_[IndexOf(feature)].name = name;
}

Result<std::span<const ScannedField>> ExampleFields::Make() {
  FindRaw();
  FindArrays();
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    if (uses_[i].dropped) continue;
    SHARDINE_RETURN_IF_ERROR(AddFields(i));
  }
  SHARDINE_RETURN_IF_ERROR(CheckNames());
  return std::span<const ScannedField>(fields_);
}

void ExampleFields::FindArrays() {
  std::size_t room = 0;  // for the dims of arrays, and one of each list
  for (const Feature& feature : example_->features()) {
    const bool shape = feature.kind == FeatureKind::kInt64 &&
                       feature.values <= kMaxRank &&
                       feature.name.ends_with(kShapeSuffix);
    room += 1 + (shape ? feature.values : 0);
  }
  dims_.reserve(room);
  for (const Feature& feature : example_->features()) {
    if (!feature.name.ends_with(kDtypeSuffix)) continue;
    if (JoinArray(feature)) Drop(&feature);
  }
}

// Makes NAME an array if `dtype`, NAME/dtype, and NAME/shape fit it.
bool ExampleFields::JoinArray(const Feature& dtype) {
  const std::string_view name =
      dtype.name.substr(0, dtype.name.size() - kDtypeSuffix.size());
  shape_name_.assign(name).append(kShapeSuffix);
  const Feature* const data = example_->Find(name);
  const Feature* const shape = example_->Find(shape_name_);
  const auto dtype_text = SingleBytes(*example_, &dtype);
  const auto bytes = SingleBytes(*example_, data);
  if (!dtype_text || !bytes || shape == nullptr ||
      shape->kind != FeatureKind::kInt64 || shape->values > kMaxRank) {
    return false;
  }
  // A feature that the layout has taken is no part of an array, and the data of
  // one array are not those of another.
  Use& use = uses_[IndexOf(data)];
  if (use.dropped || uses_[IndexOf(shape)].dropped ||
      uses_[IndexOf(&dtype)].dropped || !use.dtype.empty()) {
    return false;
  }
  const std::size_t first = dims_.size();
  Int64Values values(*example_, *shape);
  bool valid = true;
  for (std::int64_t dim = 0; values.Next(dim);) {
    valid = valid && dim >= 0;
    dims_.push_back(static_cast<std::uint64_t>(dim));
  }
  const auto dims = std::span(dims_).subspan(first);
  // Features that only happen to have such names stay three fields.
  if (!valid || !DescribesArray(*dtype_text, dims, bytes->size())) {
    dims_.resize(first);
    return false;
  }
  use.dtype = *dtype_text;
  use.first_dim = static_cast<std::uint32_t>(first);
  use.dims = static_cast<std::uint32_t>(dims.size());
  Drop(shape);
  return true;
}

// A copy that says something else than its list is a feature like any other.
void ExampleFields::FindRaw() {
  for (const Feature& feature : example_->features()) {
    if (!feature.name.starts_with(kShardineRaw)) continue;
    const Feature* const list =
        example_->Find(feature.name.substr(kShardineRaw.size()));
    const auto raw = SingleBytes(*example_, &feature);
    if (!raw || list == nullptr || list->kind != FeatureKind::kInt64 ||
        !HoldsNumbers(AsBytes(*raw), *list)) {
      continue;
    }
    uses_[IndexOf(list)].raw = AsBytes(*raw);
    Drop(&feature);
  }
}

bool ExampleFields::HoldsNumbers(ByteView raw, const Feature& list) const {
  if (raw.empty() || raw.size() % sizeof(std::int64_t) != 0 ||
      raw.size() / sizeof(std::int64_t) != list.values) {
    return false;
  }
  Int64Values values(*example_, list);
  const std::byte* at = raw.data();
  for (std::int64_t value = 0; values.Next(value); at += sizeof(value)) {
    if (LoadLe<std::int64_t>(at) != value) return false;
  }
  return true;
}

Status ExampleFields::AddFields(std::size_t i) {
  const Feature& feature = example_->features()[i];
  switch (feature.kind) {
    case FeatureKind::kNone:
      return {};
    case FeatureKind::kBytes:
      return AddBytes(feature, uses_[i]);
    case FeatureKind::kFloat:
    case FeatureKind::kInt64:
      return AddNumbers(feature, uses_[i]);
  }
  return {};
}

Status ExampleFields::AddBytes(const Feature& feature, const Use& use) {
  const std::span<const ByteView> values = example_->chunks(feature);
  if (values.empty() && keep_empty_) return AddNoBytes(feature);
  ScannedField field;
  if (!use.dtype.empty()) {
    field.dtype = use.dtype;
    field.shape = std::span(dims_).subspan(use.first_dim, use.dims);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    field.name = use.name.empty() ? feature.name : use.name;
    if (values.size() > 1) {
      SHARDINE_ASSIGN_OR_RETURN(
          field.name, MakeName(feature, "[" + std::to_string(i) + "]"));
    }
    field.bytes = values[i];
    field.extents = ExtentsOf(values.subspan(i, 1));
    fields_.push_back(field);
  }
  return {};
}

Status ExampleFields::AddNoBytes(const Feature& feature) {
  SHARDINE_ASSIGN_OR_RETURN(const std::string_view name,
                            MakeName(feature, kNoItem));
  ScannedField field;
  field.name = name;
  field.extents = ExtentsOf({});
  fields_.push_back(field);
  return {};
}

// Each value repeats the name, so a long name with many values would take the
// product of the two.
Result<std::string_view> ExampleFields::MakeName(const Feature& feature,
                                                 std::string_view item) {
  std::string name(feature.name);
  name += item;
  names_bytes_ += name.size();
  if (names_bytes_ > kMaxNames ||
      fields_.size() >= ExampleReader::kMaxFeatures) {
    return Status(Code::kUnsupported, "feature " + ShowName(feature.name) +
                                          " has " +
                                          std::to_string(feature.values) +
                                          " values, too many for a field each");
  }
  return std::string_view(names_.emplace_back(std::move(name)));
}

Status ExampleFields::AddNumbers(const Feature& feature, const Use& use) {
  const bool floats = feature.kind == FeatureKind::kFloat;
  const std::span<const ByteView> chunks = example_->chunks(feature);
  ScannedField field;
  field.name = feature.name;
  field.dtype = floats ? kFloatDtype : kInt64Dtype;
  field.shape = ShapeOf(feature.values);
  if (!use.raw.empty()) {
    field.bytes = use.raw;
    field.extents = ExtentsOf({&use.raw, 1});
    fields_.push_back(field);
    return {};
  }
  if (floats && chunks.size() == 1) {
    field.bytes = chunks[0];
  } else {
    SHARDINE_RETURN_IF_ERROR(JoinChunks(feature, field.bytes));
  }
  if (floats || field.bytes.empty()) {
    field.extents = ExtentsOf(floats ? chunks : chunks.first(0));
  }
  fields_.push_back(field);
  return {};
}

Status ExampleFields::JoinChunks(const Feature& feature, ByteView& joined) {
  if (feature.values == 0) return {};
  const bool floats = feature.kind == FeatureKind::kFloat;
  const std::size_t item = floats ? sizeof(float) : sizeof(std::int64_t);
  // Each value has a byte of the record at least: no overflow.
  const std::uint64_t size = feature.values * item;
  numbers_bytes_ += size;
  // A varint of one byte becomes a number of eight.
  if (numbers_bytes_ > kMaxNumbers) {
    return Status(Code::kUnsupported, "feature " + ShowName(feature.name) +
                                          ": more than " +
                                          std::to_string(kMaxNumbers >> 20) +
                                          " MiB of numbers in one record");
  }
  ByteBuffer& buffer = numbers_.emplace_back();
  buffer.Resize(static_cast<std::size_t>(size));
  std::byte* to = buffer.data();
  if (floats) {
    for (const ByteView chunk : example_->chunks(feature)) {
      if (chunk.empty()) continue;
      std::memcpy(to, chunk.data(), chunk.size());
      to += chunk.size();
    }
  } else {
    Int64Values values(*example_, feature);
    for (std::int64_t value = 0; values.Next(value); to += sizeof(value)) {
      StoreLe(value, to);
    }
  }
  joined = buffer.view();
  return {};
}

// There are no extents where the record is not in the file as such, but an
// empty payload has one of length 0 in any file.
std::span<const Extent> ExampleFields::ExtentsOf(
    std::span<const ByteView> chunks) {
  const std::size_t first = extents_.size();
  std::uint64_t bytes = 0;
  for (const ByteView chunk : chunks) {
    bytes += chunk.size();
    if (chunk.empty() || !data_offset_) continue;
    const auto at = static_cast<std::uint64_t>(chunk.data() - record_.data());
    extents_.push_back({*data_offset_ + at, chunk.size()});
  }
  if (bytes == 0) extents_.push_back({data_offset_.value_or(0), 0});
  return std::span(extents_).subspan(first);
}

std::span<const std::uint64_t> ExampleFields::ShapeOf(std::uint64_t dim) {
  dims_.push_back(dim);
  return std::span(dims_).last(1);
}

// The names of list items, and a renamed image, can come out of order or meet
// the name of another feature.
Status ExampleFields::CheckNames() {
  const auto name = [](const ScannedField& field) { return field.name; };
  if (!std::ranges::is_sorted(fields_, {}, name)) {
    std::ranges::sort(fields_, {}, name);
  }
  const auto twice = std::ranges::adjacent_find(fields_, {}, name);
  if (twice == fields_.end()) return {};
  return Status(Code::kUnsupported, "two features that are both the field " +
                                        ShowName(twice->name));
}

}  // namespace shardine
