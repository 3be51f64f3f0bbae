#include "tfrecord/field_features.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/shown_name.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "shard/format.h"
#include "tfrecord/feature_names.h"

namespace shardine {
namespace {

constexpr std::string_view kFirstItem = "[0]";

Status Refuse(std::string_view field, const std::string& why) {
  return Status(Code::kUnsupported, "field " + ShowName(field) + ": " + why);
}

std::string_view WithoutItem(std::string_view name, std::string_view item) {
  return name.substr(0, name.size() - item.size());
}

std::vector<std::int64_t> Int64sOf(ByteView bytes) {
  std::vector<std::int64_t> values(bytes.size() / sizeof(std::int64_t));
  const std::byte* at = bytes.data();
  for (std::int64_t& value : values) {
    value = LoadLe<std::int64_t>(at);
    at += sizeof(value);
  }
  return values;
}

// Would a reader take this list for the shape of an array, together with the
// fields NAME and NAME/dtype that are beside it?
bool ReadsAsShape(const SampleView& sample, const FieldView& list) {
  if (!list.name.ends_with(kShapeSuffix) ||
      list.bytes.size() > kMaxRank * sizeof(std::int64_t)) {
    return false;
  }
  const std::string_view name =
      list.name.substr(0, list.name.size() - kShapeSuffix.size());
  const FieldView* const data = FindField(sample, name);
  const FieldView* const dtype =
      FindField(sample, std::string(name).append(kDtypeSuffix));
  if (data == nullptr || dtype == nullptr || !IsPlain(*data) ||
      !IsPlain(*dtype)) {
    return false;
  }
  const std::vector<std::int64_t> dims = Int64sOf(list.bytes);
  if (std::ranges::any_of(dims, [](std::int64_t dim) { return dim < 0; })) {
    return false;
  }
  const std::vector<std::uint64_t> shape(dims.begin(), dims.end());
  return DescribesArray(AsText(dtype->bytes), shape, data->bytes.size());
}

}  // namespace

// A sample has its fields by ascending name, which the search relies on.
const FieldView* FindField(const SampleView& sample, std::string_view name) {
  const auto found =
      std::ranges::lower_bound(sample.fields, name, {}, &FieldView::name);
  const bool is = found != sample.fields.end() && found->name == name;
  return is ? &*found : nullptr;
}

bool IsFloatList(const FieldView& field) {
  return field.dtype == kFloatDtype && field.shape.size() == 1;
}

bool IsPlain(const FieldView& field) {
  return field.dtype == kBytesDtype && field.shape.empty();
}

Status FieldFeatures::Plan(const SampleView& sample,
                           std::span<const std::string_view> own) {
  planned_.clear();
  texts_.clear();
  joined_.assign(sample.fields.size(), false);
  int64_bytes_ = 0;
  for (const FieldView& field : sample.fields) {
    if (field.name.ends_with(kFirstItem) &&
        IsFree(sample, WithoutItem(field.name, kFirstItem), own)) {
      JoinTexts(sample, field);
    }
  }
  for (std::size_t i = 0; i < sample.fields.size(); ++i) {
    if (joined_[i]) continue;
    planned_.push_back(PlanOne(sample, sample.fields[i], own));
  }
  if (!std::ranges::is_sorted(planned_, {}, &Planned::name)) {
    std::ranges::sort(planned_, {}, &Planned::name);
  }
  for (const Planned& planned : planned_) {
    SHARDINE_RETURN_IF_ERROR(Check(planned, own));
  }
  return {};
}

// May a list have that name? Where it is another feature's, its values stay
// features of their own, which read back as the same fields.
bool FieldFeatures::IsFree(const SampleView& sample, std::string_view name,
                           std::span<const std::string_view> own) const {
  return FindField(sample, name) == nullptr &&
         std::ranges::find(own, name) == own.end() &&
         !name.starts_with(kShardinePrefix);
}

void FieldFeatures::JoinTexts(const SampleView& sample,
                              const FieldView& first) {
  const std::string_view name = WithoutItem(first.name, kFirstItem);
  const std::size_t begin = texts_.size();
  for (std::size_t i = 0;; ++i) {
    item_name_.assign(name).append("[").append(std::to_string(i)).append("]");
    const FieldView* const item = FindField(sample, item_name_);
    if (item == nullptr || !IsPlain(*item)) break;
    texts_.push_back(item);
  }
  const std::size_t count = texts_.size() - begin;
  // A list of one is the field NAME, so this is no value of a list.
  if (count < 2) return texts_.resize(begin);
  for (std::size_t i = begin; i < texts_.size(); ++i) {
    joined_[static_cast<std::size_t>(texts_[i] - sample.fields.data())] = true;
  }
  planned_.push_back({name, Kind::kTexts, &first, begin, count});
}

FieldFeatures::Planned FieldFeatures::PlanOne(
    const SampleView& sample, const FieldView& field,
    std::span<const std::string_view> own) {
  if (field.name.ends_with(kNoItem) && IsPlain(field) && field.bytes.empty()) {
    const std::string_view name = WithoutItem(field.name, kNoItem);
    // A list has values or none, never both.
    const std::string first = std::string(name).append(kFirstItem);
    if (IsFree(sample, name, own) && FindField(sample, first) == nullptr) {
      return {name, Kind::kNoTexts, &field};
    }
  }
  return {field.name, KindOf(sample, field), &field};
}

FieldFeatures::Kind FieldFeatures::KindOf(const SampleView& sample,
                                          const FieldView& field) {
  if (IsPlain(field)) return Kind::kText;
  if (field.shape.size() != 1) return Kind::kArray;
  if (field.dtype == kFloatDtype) return Kind::kFloats;
  if (field.dtype != kInt64Dtype ||
      field.bytes.size() > kMaxInt64Bytes - int64_bytes_ ||
      ReadsAsShape(sample, field)) {
    return Kind::kArray;
  }
  int64_bytes_ += field.bytes.size();
  return Kind::kInt64s;
}

Status FieldFeatures::Check(const Planned& planned,
                            std::span<const std::string_view> own) const {
  const std::string_view name = planned.name;
  const FieldView& field = *planned.field;
  // Readers take the last of two features of one name.
  if (name.starts_with(kShardinePrefix) ||
      std::ranges::find(own, name) != own.end()) {
    return Refuse(name, "the layout has a feature of that name");
  }
  if (!IsUtf8(name)) {
    return Refuse(name,
                  "a feature of a name that is not UTF-8 makes "
                  "TensorFlow refuse the record");
  }
  if (IsPlain(field)) return {};
  if (!DescribesArray(field.dtype, field.shape, field.bytes.size())) {
    return Refuse(name, "dtype " + ShowName(field.dtype) +
                            " and shape do not describe its " +
                            std::to_string(field.bytes.size()) + " bytes");
  }
  if (planned.kind != Kind::kArray) return {};
  // An array writes its dtype and shape as features beside it. A field of such
  // a name would be taken for them when the record is read.
  for (const std::string_view suffix : {kDtypeSuffix, kShapeSuffix}) {
    const std::string part = std::string(name).append(suffix);
    if (Find(part) == nullptr) continue;
    return Refuse(name, "its feature " + ShowName(part) +
                            " has the name of another field");
  }
  return {};
}

const FieldFeatures::Planned* FieldFeatures::Find(std::string_view name) const {
  const auto found =
      std::ranges::lower_bound(planned_, name, {}, &Planned::name);
  const bool is = found != planned_.end() && found->name == name;
  return is ? &*found : nullptr;
}

void FieldFeatures::Add(const Planned& planned, std::string_view name,
                        ExampleWriter& example) const {
  const FieldView& field = *planned.field;
  switch (planned.kind) {
    case Kind::kText:
      return example.AddBytesPayload(name, field.bytes);
    case Kind::kTexts: {
      std::vector<ByteView> values;
      for (std::size_t i = 0; i < planned.count; ++i) {
        values.push_back(texts_[planned.first + i]->bytes);
      }
      return example.AddBytesPayloads(name, values);
    }
    case Kind::kNoTexts:
      return example.AddTexts(name, {});
    case Kind::kFloats:
      return example.AddFloatPayload(name, field.bytes);
    case Kind::kInt64s:
      example.AddInt64s(name, Int64sOf(field.bytes));
      // Varints cannot be read where they lie, so the numbers are there once
      // more as they are in memory.
      if (field.bytes.empty()) return;
      return example.AddBytesPayload(std::string(kShardineRaw).append(name),
                                     field.bytes);
    case Kind::kArray:
      break;
  }
  std::string feature(name);
  example.AddBytes(feature.append(kDtypeSuffix), field.dtype);
  feature.resize(name.size());
  const std::vector<std::int64_t> shape(field.shape.begin(), field.shape.end());
  example.AddInt64s(feature.append(kShapeSuffix), shape);
  example.AddBytesPayload(name, field.bytes);
}

}  // namespace shardine
