#include "pack/new_sample.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "base/id_text.h"
#include "base/status_macros.h"
#include "image/check_level.h"
#include "shard/content_digest.h"
#include "shard/dtype.h"
#include "source/source_list.h"
#include "source/split_name.h"

namespace shardine {
namespace {

// The bound of a sidecar's keys (shard/FORMAT.md, "Bounds").
constexpr std::size_t kMaxKey = 0xFFFF;

Status Invalid(std::string message) {
  return Status(Code::kInvalidArgument, std::move(message));
}

}  // namespace

Result<ClassMap> ClassesOf(const std::vector<NewClass>& classes) {
  ClassMap map;
  std::set<std::string_view> names;
  for (const NewClass& entry : classes) {
    if (entry.name.empty()) return Invalid("a class needs a name");
    if (!names.insert(entry.name).second) {
      return Invalid("a class is given twice").At({.key = entry.name});
    }
    map.push_back(
        {.name = entry.name, .label = entry.label, .text = entry.text});
  }
  std::ranges::sort(map, {}, &ClassInfo::label);
  const auto twice = std::ranges::adjacent_find(map, {}, &ClassInfo::label);
  if (twice == map.end()) return map;
  return Invalid("two classes have label " + std::to_string(twice->label));
}

NewContentCheck::NewContentCheck(const DatasetWriterOptions& options)
    : level_(options.check),
      on_bad_(options.on_bad),
      checker_(
          {.level = ToImageCheck(options.check),
           .find_entry_points = options.entry_points == EntryPoints::kAuto}) {}

Status NewContentCheck::Check(CheckedSample& sample) {
  SampleView& view = sample.view;
  sample.digest = ContentDigest(view.labels, view.fields);
  view.facts = &sample.image.verdict.facts;
  const auto image =
      std::ranges::find(view.fields, kImageField, &FieldView::name);
  if (image == view.fields.end() || image->dtype != kBytesDtype) {
    return Status();
  }
  sample.image = checker_.Check(image->bytes);
  const ImageVerdict& verdict = sample.image.verdict;
  if (verdict.good() || level_ == ImageCheckLevel::kNone) return Status();
  if (on_bad_ == OnBad::kFail) {
    return Status(Code::kCorrupt, verdict.reason + ": " + verdict.detail);
  }
  sample.reason = verdict.reason;
  sample.detail = verdict.detail;
  return Status();
}

NewSampleCheck::NewSampleCheck(const FormatAndLayout& format,
                               const FormatRegistry& formats,
                               const ClassMap& classes, bool lossy_labels)
    : classes_(classes), limits_(format, formats, lossy_labels) {}

Result<CheckedSample> NewSampleCheck::Check(const NewSample& sample,
                                            std::uint64_t number) {
  if (!sample.key) number_ = IdText(number);
  const std::string_view key = sample.key.value_or(number_);
  SHARDINE_RETURN_IF_ERROR(CheckNames(sample, key, number));
  SHARDINE_RETURN_IF_ERROR(CheckLabels(sample, key));
  SHARDINE_RETURN_IF_ERROR(CheckFields(sample, key));
  return CheckedSample{.view = {.id = sample.id.value_or(number),
                                .key = key,
                                .labels = sample.labels,
                                .fields = fields_},
                       .has_key = sample.key.has_value(),
                       .has_id = sample.id.has_value(),
                       .image = {},
                       .bytes = bytes_};
}

Status NewSampleCheck::CheckNames(const NewSample& sample, std::string_view key,
                                  std::uint64_t number) {
  if (key.empty()) return Invalid("a sample needs a key");
  if (key.size() > kMaxKey) {
    return Invalid("a key of " + std::to_string(key.size()) +
                   " bytes; keys have at most " + std::to_string(kMaxKey));
  }
  SHARDINE_RETURN_IF_ERROR(limits_.CheckKey(key));
  if (!IsSplitName(sample.split)) {
    return Invalid(
        "a split's name is letters, digits, `_`, `.` and `-`, the first a "
        "letter or digit");
  }
  // The first sample decides. Numbers given and numbers counted would meet
  // sooner or later, and two samples have one id.
  if (number == 0) ids_given_ = sample.id.has_value();
  if (sample.id.has_value() != ids_given_) {
    return Invalid(ids_given_ ? "has no id, as the samples before have"
                              : "has an id; the samples before have none");
  }
  return Status();
}

Status NewSampleCheck::CheckLabels(const NewSample& sample,
                                   std::string_view key) {
  if (sample.labels.size() > SourceList::kMaxLabels) {
    return Invalid("more labels than a sample can have");
  }
  // Several labels are a vector, and none is no class: only a single label is
  // looked up.
  if (!classes_.empty() && sample.labels.size() == 1 &&
      FindClass(classes_, sample.labels) == nullptr) {
    return Invalid("label " + sample.labels[0].ToString() +
                   " is none of the classes'");
  }
  return limits_.CheckLabels(key, sample.labels);
}

Status NewSampleCheck::CheckFields(const NewSample& sample,
                                   std::string_view key) {
  fields_.assign(sample.fields.begin(), sample.fields.end());
  // The content digest and the sidecar take fields by ascending name; the order
  // in which they are given must not change a byte.
  std::ranges::sort(fields_, {}, &FieldView::name);
  std::vector<IndexField> described;
  bytes_ = 0;
  for (const FieldView& field : fields_) {
    if (field.name.empty()) return Invalid("a field needs a name");
    if (!described.empty() && described.back().name == field.name) {
      return Invalid("has two fields of one name");
    }
    // Bytes that do not fit their type would be written, and refused by every
    // reader of the sidecar.
    const Status fits = CheckFieldType(field.name, field.dtype, field.shape,
                                       field.bytes.size());
    if (!fits.ok()) return Invalid(fits.message());
    described.push_back({.name = std::string(field.name),
                         .dtype = std::string(field.dtype),
                         .shape = {field.shape.begin(), field.shape.end()},
                         .extents = {}});
    bytes_ += field.bytes.size();
  }
  SHARDINE_RETURN_IF_ERROR(texts_.Add(fields_));
  SHARDINE_RETURN_IF_ERROR(limits_.CheckFields(key, described));
  return limits_.CheckPayload(key, bytes_);
}

}  // namespace shardine
