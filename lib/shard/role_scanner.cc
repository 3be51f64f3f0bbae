#include "shard/role_scanner.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/field_counts.h"
#include "base/shown_name.h"
#include "base/status_macros.h"
#include "shard/field_label.h"

namespace shardine {
namespace {

constexpr std::size_t kMostRoleNames = 100;
constexpr std::size_t kMostNamesShown = 20;
constexpr std::size_t kMostKeyBytes = std::size_t{64} << 10;

bool IsPlain(const ScannedField& field) {
  return field.dtype == kBytesDtype && field.shape.empty();
}

// "caption" (4 of 4), "photo" (3 of 4).
std::string CountsText(const FieldCounts& counts, std::uint64_t samples) {
  std::string text;
  std::size_t shown = 0;
  for (const auto& [name, count] : counts.counts()) {
    if (++shown > kMostNamesShown) return text + " and more";
    if (!text.empty()) text += ", ";
    text += ShowName(name) + " (" + std::to_string(count) + " of " +
            std::to_string(samples) + ")";
  }
  return text.empty() ? "none" : text;
}

class RoleScanner : public ShardScanner {
 public:
  RoleScanner(std::unique_ptr<ShardScanner> scanner, const ReadRoles& roles)
      : scanner_(std::move(scanner)), roles_(roles) {}

  Result<std::optional<ScannedSample>> Next() override {
    if (!failed_.ok()) return failed_;
    SHARDINE_ASSIGN_OR_RETURN(auto sample, scanner_->Next());
    if (!sample) {
      failed_ = CheckFound();
      if (!failed_.ok()) return failed_;
      return sample;
    }
    ++samples_;
    failed_ = Take(*sample).At(
        {.offset = sample->record_offset, .record = sample->record});
    if (!failed_.ok()) return failed_;
    return sample;
  }

  // The scanner has passed a record whose fields do not suit their roles.
  bool SkipDamaged() override {
    if (failed_.ok()) return scanner_->SkipDamaged();
    if (failed_.code() != Code::kCorrupt) return false;
    failed_ = Status();
    return true;
  }

  Result<NamedSplits> ReadSplits() override { return scanner_->ReadSplits(); }

  Result<std::vector<std::string>> Warnings() override {
    SHARDINE_ASSIGN_OR_RETURN(auto warnings, scanner_->Warnings());
    if (!left_out_.counts().empty()) {
      warnings.push_back("fields left out: " + CountsText(left_out_, samples_));
    }
    if (replaced_ > 0) {
      warnings.push_back(std::to_string(replaced_) + " of " +
                         std::to_string(samples_) +
                         " records have a label of their own, which " +
                         ShowName(roles_.label) + " replaces");
    }
    return warnings;
  }

 private:
  Status Take(ScannedSample& sample) {
    fields_.clear();
    if (!roles_.label.empty() && !sample.labels.empty()) ++replaced_;
    if (!roles_.label.empty()) {
      labels_.clear();
      sample.labels = {};
      sample.class_name = {};
      sample.class_text = {};
    }
    for (const ScannedField& field : sample.fields) {
      names_.Add(field.name);
      SHARDINE_RETURN_IF_ERROR(TakeField(field, sample));
    }
    if (roles_.label == kFolderLabel) {
      SHARDINE_RETURN_IF_ERROR(TakeFolder(sample));
    }
    const auto name = [](const ScannedField& field) { return field.name; };
    std::ranges::sort(fields_, {}, name);
    if (std::ranges::adjacent_find(fields_, {}, name) != fields_.end()) {
      return Status(Code::kUnsupported,
                    "a field \"image\" beside " + ShowName(roles_.image) +
                        ", which is to be the image; name the fields that "
                        "are kept, without it");
    }
    sample.fields = fields_;
    return {};
  }

  Status TakeField(const ScannedField& field, ScannedSample& sample) {
    if (field.name == roles_.label) return TakeLabel(field, sample);
    if (field.name == roles_.key) return TakeKey(field, sample);
    ScannedField kept = field;
    if (field.name == roles_.image) {
      kept.name = kImageField;
      kept.is_text = false;
    } else if (!IsKept(field.name)) {
      left_out_.Add(field.name);
      return {};
    }
    fields_.push_back(kept);
    return {};
  }

  bool IsKept(std::string_view name) const {
    if (!roles_.fields) return true;
    if (roles_.image.empty() && name == kImageField) return true;
    return std::ranges::find(*roles_.fields, name) != roles_.fields->end();
  }

  Status TakeLabel(const ScannedField& field, ScannedSample& sample) {
    if (!IsPlain(field)) {
      SHARDINE_RETURN_IF_ERROR(AppendFieldLabels(field, labels_));
      if (roles_.one_hot && !labels_.empty()) {
        SHARDINE_RETURN_IF_ERROR(TakeOneHot(labels_));
      }
      sample.labels = labels_;
      return {};
    }
    return TakeText(WithoutBlanks(AsText(field.bytes)), sample);
  }

  // A key without a folder gives no label.
  Status TakeFolder(ScannedSample& sample) {
    const std::string_view key = sample.key.value_or("");
    const std::size_t end = key.rfind('/');
    if (end == key.npos) return {};
    const std::size_t begin = key.rfind('/', end == 0 ? 0 : end - 1);
    const std::size_t from = begin < end ? begin + 1 : 0;
    ++in_folders_;
    return TakeText(key.substr(from, end - from), sample);
  }

  Status TakeText(std::string_view text, ScannedSample& sample) {
    if (text.empty()) return {};
    switch (roles_.text_label) {
      case TextLabel::kAsIs:
        sample.class_name = text;
        return {};
      case TextLabel::kClass:
        return TakeClass(text, sample);
      case TextLabel::kNumber:
        break;
    }
    const auto label = LabelOfText(text);
    if (!label) return OtherText("no number, as the labels are", text);
    labels_.push_back(*label);
    sample.labels = labels_;
    return {};
  }

  Status TakeClass(std::string_view text, ScannedSample& sample) {
    const auto known = roles_.classes.find(text);
    if (known == roles_.classes.end()) {
      return OtherText("not the name of a class", text);
    }
    labels_.emplace_back(known->second);
    sample.labels = labels_;
    sample.class_name = known->first;
    return {};
  }

  Status OtherText(const char* what, std::string_view text) const {
    return Status(Code::kCorrupt, "the label " + ShowName(roles_.label) +
                                      " is " + ShowName(text) + ", which is " +
                                      what);
  }

  Status TakeKey(const ScannedField& field, ScannedSample& sample) {
    if (IsPlain(field)) {
      key_ = WithoutBlanks(AsText(field.bytes).substr(0, kMostKeyBytes + 1));
    } else {
      std::vector<Label> numbers;
      SHARDINE_RETURN_IF_ERROR(AppendFieldLabels(field, numbers));
      const bool is_one = numbers.size() == 1 && numbers[0].is_integer();
      key_ = is_one ? numbers[0].ToString() : "";
    }
    if (key_.empty() || key_.size() > kMostKeyBytes) {
      return Status(Code::kUnsupported, "the field " + ShowName(roles_.key) +
                                            " is no key: neither one integer "
                                            "nor a text of 1 to 65536 bytes");
    }
    sample.key = key_;
    return {};
  }

  // A name that no record has is a typing error, or a name of another shard.
  Status CheckFound() const {
    if (samples_ == 0) return {};
    std::vector<std::string> wanted = {roles_.image, roles_.key};
    const bool needs_label = roles_.needs_label || roles_.one_hot;
    if (needs_label && roles_.label == kFolderLabel && in_folders_ == 0) {
      return Status(Code::kInvalidArgument,
                    "no record has a key with a folder, which is to be its "
                    "label");
    }
    if (needs_label && roles_.label != kFolderLabel) {
      wanted.push_back(roles_.label);
    }
    if (roles_.fields) {
      wanted.insert(wanted.end(), roles_.fields->begin(), roles_.fields->end());
    }
    for (const std::string& name : wanted) {
      // A name beyond the counted ones may be there.
      const bool may_be_more = names_.others() > 0;
      if (name.empty() || names_.counts().contains(name) || may_be_more) {
        continue;
      }
      return Status(Code::kInvalidArgument,
                    "no record has a field " + ShowName(name) +
                        "; the fields are " + CountsText(names_, samples_));
    }
    return {};
  }

  const std::unique_ptr<ShardScanner> scanner_;
  const ReadRoles roles_;
  Status failed_;
  std::uint64_t samples_ = 0;
  std::uint64_t replaced_ = 0;
  std::uint64_t in_folders_ = 0;  // by their keys
  FieldCounts names_{kMostRoleNames};
  FieldCounts left_out_{kMostRoleNames};
  std::vector<ScannedField> fields_;
  std::vector<Label> labels_;
  std::string key_;
};

}  // namespace

std::unique_ptr<ShardScanner> MakeRoleScanner(
    std::unique_ptr<ShardScanner> scanner, const ReadRoles& roles) {
  return std::make_unique<RoleScanner>(std::move(scanner), roles);
}

}  // namespace shardine
