#include "pack/limits_check.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/status_macros.h"
#include "source/unique_samples.h"

namespace shardine {
namespace {

// The sidecar keeps keys that records do not have.
bool HoldsKey(const Limits& limits, std::size_t bytes) {
  return !limits.keys || limits.max_key == 0 || bytes <= limits.max_key;
}

// Whether `held` is the float next to the fraction `label`: neither an integer
// in its place nor an infinity, nor a zero.
bool IsRounding(const Label& label, const Label& held) {
  constexpr double kHalfStep = 0x1p-24;  // of a float32, relative
  const double value = label.real();
  return std::trunc(value) != value &&
         std::abs(held.real() - value) <= std::abs(value) * kHalfStep;
}

bool KeepsLabels(const Limits& limits, std::span<const Label> labels) {
  return labels.size() <= limits.max_labels &&
         std::ranges::all_of(labels, [&](const Label& label) {
           const Label held = RoundToLabelType(label, limits.label_type);
           return held == label || IsRounding(label, held);
         });
}

}  // namespace

Status LimitsCheck::CheckLabels(std::string_view key,
                                std::span<const Label> labels) {
  const Limits& limits = format_.limits();
  const auto held = LabelsWithin(labels, limits);
  if (held.size() < labels.size()) {
    ++cut_;
    // A record without any label is not mistaken for one with this label.
    if (!held.empty() && !lossy_labels_) {
      const std::string of = " of " + std::to_string(labels.size());
      return RefuseLabels(
          key, labels,
          "label " + held.back().ToString() +
              (held.size() == 1 ? " alone, the first" + of
                                : " as the last, number " +
                                      std::to_string(held.size()) + of));
    }
  }
  // Labels beyond those that the record holds are counted as cut, and not once
  // more as changed.
  for (const Label& label : held) {
    const Label after = RoundToLabelType(label, limits.label_type);
    if (after == label) continue;
    const bool rounding = IsRounding(label, after);
    if (!rounding && !lossy_labels_) {
      return RefuseLabels(
          key, {&label, 1},
          "label " + label.ToString() + " as " + after.ToString());
    }
    Changes& changes = rounding ? rounded_ : changed_;
    if (changes.count++ > 0) continue;
    changes.first = label.ToString() + " to " + after.ToString();
  }
  return Status();
}

Status LimitsCheck::CheckKey(std::string_view key) const {
  const Limits& limits = format_.limits();
  if (!HoldsKey(limits, key.size())) {
    return Refuse(key, "holds keys of at most " +
                           std::to_string(limits.max_key) + " bytes, not of " +
                           std::to_string(key.size()) + "; " +
                           LayoutsThat([&](const Limits& other) {
                             return HoldsKey(other, key.size());
                           }));
  }
  // A file whose entries are found by their keys cannot hold one without a
  // name; other layouts write an empty key as it is.
  if (limits.keys && limits.unique_keys && key.empty()) {
    return Refuse(key, "needs a key");
  }
  return Status();
}

Status LimitsCheck::CheckPayload(std::string_view key,
                                 std::uint64_t bytes) const {
  const std::uint64_t most = format_.limits().max_payload;
  if (bytes <= most) return Status();
  return Refuse(key, "holds at most " + std::to_string(most) +
                         " bytes a record, not " + std::to_string(bytes));
}

Status LimitsCheck::CheckFields(std::string_view key,
                                std::span<const IndexField> fields) const {
  const Limits& limits = format_.limits();
  const IndexField* image = nullptr;
  for (const IndexField& field : fields) {
    if (field.name == kImageField) {
      image = &field;
    } else if (!limits.fields && field.name == limits.text_field) {
      if (field.dtype == kBytesDtype && field.shape.empty()) continue;
      return Refuse(key,
                    "holds field \"" + field.name + "\" as bytes, not as " +
                        "numbers; " +
                        LayoutsThat([](const Limits& l) { return l.fields; }));
    } else if (!limits.fields) {
      return Refuse(key,
                    "holds no field \"" + field.name + "\" beside the image; " +
                        LayoutsThat([](const Limits& l) { return l.fields; }));
    }
  }
  if (image == nullptr) {
    if (!limits.needs_image) return Status();
    return Refuse(key, "needs an image; " + LayoutsThat([](const Limits& l) {
                         return !l.needs_image;
                       }) + " without");
  }
  // Encoded files are fields of plain bytes; an array of pixels has the dtype
  // of its numbers.
  const bool encoded = image->dtype == kBytesDtype;
  if (encoded && !limits.encoded_image) {
    return Refuse(key, "holds arrays of pixels, not encoded images");
  }
  if (!encoded && !limits.array_image) {
    return Refuse(
        key, "holds encoded images, not arrays; " +
                 LayoutsThat([](const Limits& l) { return l.array_image; }));
  }
  return Status();
}

Status LimitsCheck::CheckUnique(const SourceSet& source) const {
  // Two samples of one key would clash in the record file only after hours of
  // packing.
  if (!format_.limits().unique_keys) return Status();
  const auto twice = FindKeyTwice(source.samples);
  if (!twice) return Status();
  return Refuse(source.samples.key(*twice), "holds no key twice");
}

std::vector<std::string> LimitsCheck::LabelLosses() const {
  std::vector<std::string> losses;
  const auto lose = [&](const Changes& changes, const char* what) {
    if (changes.count == 0) return;
    losses.push_back(std::to_string(changes.count) + what + format_.Name() +
                     ", the first from " + changes.first);
  };
  lose(rounded_, " fractions are rounded in records of ");
  lose(changed_, " labels are changed in records of ");
  if (cut_ > 0) {
    losses.push_back(std::to_string(cut_) +
                     " samples have more labels than the " +
                     std::to_string(format_.limits().max_labels) +
                     " that a record of " + format_.Name() + " holds");
  }
  return losses;
}

// The sidecar index keeps ids, keys and labels in full, so only readers that
// know nothing of it see less. The caller chooses between a warning and a
// refusal.
std::vector<std::string> LimitsCheck::NameLosses() const {
  std::vector<std::string> losses;
  const auto lose = [&](const char* what) {
    losses.push_back("records of " + format_.Name() + " hold no " + what);
  };
  if (!format_.limits().ids) lose("ids");
  if (!format_.limits().keys) lose("keys");
  return losses;
}

std::vector<std::string> LimitsCheck::Losses() const {
  std::vector<std::string> losses = LabelLosses();
  std::ranges::move(NameLosses(), std::back_inserter(losses));
  return losses;
}

std::vector<std::string> LimitsCheck::LossWarnings() const {
  std::vector<std::string> warnings = Losses();
  for (std::string& warning : warnings) {
    warning += "; the sidecar index keeps them";
  }
  return warnings;
}

Status LimitsCheck::Refuse(std::string_view key, std::string why) const {
  return Status(Code::kUnsupported, format_.Name() + " " + std::move(why))
      .At({.key = std::string(key)});
}

Status LimitsCheck::RefuseLabels(std::string_view key,
                                 std::span<const Label> labels,
                                 std::string why) const {
  // An advised layout takes the image as it is, too.
  const bool encoded = format_.limits().encoded_image;
  return Status(Code::kInvalidArgument,
                "a record of " + format_.Name() + " would hold " +
                    std::move(why) + "; " +
                    LayoutsThat(
                        [&](const Limits& other) {
                          return (other.encoded_image || !encoded) &&
                                 KeepsLabels(other, labels);
                        },
                        "keep it"))
      .At({.key = std::string(key)});
}

// "tfrecord/imagenet, webdataset do".
std::string LimitsCheck::LayoutsThat(
    const std::function<bool(const Limits&)>& hold, const char* verb) const {
  std::string names;
  for (const Format* format : formats_.formats()) {
    for (const Layout& layout : format->layouts) {
      if (!hold(layout.limits)) continue;
      if (!names.empty()) names += ", ";
      names += format->name;
      if (!layout.name.empty()) names += "/" + std::string(layout.name);
    }
  }
  return names.empty() ? "no layout does" : names + " " + verb;
}

}  // namespace shardine
