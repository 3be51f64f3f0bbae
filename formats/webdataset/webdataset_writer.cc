#include "webdataset/webdataset_writer.h"

#include <optional>
#include <string>
#include <utility>

#include "base/shown_name.h"
#include "base/status_macros.h"
#include "webdataset/npy_header.h"
#include "webdataset/sample_json.h"
#include "webdataset/sample_members.h"
#include "webdataset/tar_file_writer.h"
#include "webdataset/webdataset_index.h"

namespace shardine {
namespace {

// The bound for a field's name. Escaped it can be three times as long, and lies
// in a pax header, of which readers take 1 MiB.
constexpr std::size_t kMaxFieldName = std::size_t{64} << 10;

Status Unsupported(std::string message) {
  return Status(Code::kUnsupported, std::move(message));
}

Status CheckField(const FieldView& field) {
  const auto refuse = [&](const char* why) {
    return Unsupported("field " + ShowName(field.name) + " " + why);
  };
  if (field.name.size() > kMaxFieldName)
    return refuse("... is too long a name");
  if (field.dtype == kBytesDtype) {
    return field.shape.empty() ? Status()
                               : refuse("is bytes, which have no shape");
  }
  const auto type = ParseNpyType(field.dtype);
  // The dtype read back is made from the type alone, and must be the same text.
  if (!type || field.dtype[0] != (type->swap_bytes == 1 ? '|' : '<')) {
    return refuse("has an element type that no .npy file holds here");
  }
  if (field.shape.size() > kMaxNpyRank) {
    return refuse("has more than 64 dimensions");
  }
  if (ArrayBytes(field.shape, type->bytes) != field.bytes.size()) {
    return refuse("has another length than its shape says");
  }
  return Status();
}

Status CheckHoldable(const SampleView& sample) {
  if (sample.key.size() > kMaxJsonKey) {
    return Unsupported("a key of more than 1 MiB");
  }
  if (sample.labels.size() > kMaxJsonLabels) {
    return Unsupported("more than 2^20 labels");
  }
  std::uint64_t bytes = 0;
  for (const FieldView& field : sample.fields) {
    SHARDINE_RETURN_IF_ERROR(CheckField(field));
    bytes += field.bytes.size();
  }
  if (bytes <= kMaxWebDatasetPayload) return Status();
  return Status(Code::kUnsupported, "a sample of " + std::to_string(bytes) +
                                        " bytes: an archive holds up to " +
                                        std::to_string(kMaxWebDatasetPayload));
}

class WebDatasetWriter : public ShardWriter {
 public:
  WebDatasetWriter(std::unique_ptr<WritableFile> shard,
                   std::unique_ptr<WritableFile> companion, bool by_key)
      : by_key_(by_key),
        prefixes_(by_key),
        tar_(std::move(shard)),
        companion_(std::move(companion)) {}

  Status Append(const SampleView& sample) override {
    return AppendSample(sample).At({.key = std::string(sample.key)});
  }

  Result<ShardSummary> Finish() override {
    SHARDINE_RETURN_IF_ERROR(tar_.Finish());
    // The first line of an index counts its samples, so all of it is written at
    // the end.
    SHARDINE_RETURN_IF_ERROR(companion_->Append(AsBytes(index_.Text())));
    SHARDINE_RETURN_IF_ERROR(companion_->Sync());
    SHARDINE_RETURN_IF_ERROR(companion_->Close());
    return ShardSummary{samples_, tar_.bytes()};
  }

 private:
  Status AppendSample(const SampleView& sample) {
    SHARDINE_RETURN_IF_ERROR(CheckHoldable(sample));
    SHARDINE_ASSIGN_OR_RETURN(SampleMembers members,
                              MembersOf(sample, by_key_));
    SHARDINE_RETURN_IF_ERROR(prefixes_.Add(members.prefix));
    members_ = std::move(members);
    ++samples_;
    name_ = members_.prefix + ".";
    for (const FieldView& field : sample.fields) {
      if (field.name != kImageField) continue;
      SHARDINE_RETURN_IF_ERROR(AppendField(field));
    }
    if (members_.cls) {
      SHARDINE_RETURN_IF_ERROR(
          AppendMember(kClass, AsBytes(sample.labels[0].ToString())));
    }
    text_.clear();
    AppendSampleJson(by_key_ ? std::optional(sample.id) : std::nullopt,
                     sample.key, sample.labels, text_);
    SHARDINE_RETURN_IF_ERROR(AppendMember(members_.json, AsBytes(text_)));
    for (const FieldView& field : sample.fields) {
      if (field.name == kImageField) continue;
      SHARDINE_RETURN_IF_ERROR(AppendField(field));
    }
    return Status();
  }

  Status AppendField(const FieldView& field) {
    const std::string extension = ExtensionOf(field, members_);
    if (field.dtype == kBytesDtype) return AppendMember(extension, field.bytes);
    text_.clear();
    AppendNpyHeader(field.dtype, field.shape, text_);
    return AppendMember(extension, AsBytes(text_), field.bytes);
  }

  Status AppendMember(std::string_view extension, ByteView head,
                      ByteView tail = {}) {
    const std::size_t prefix = name_.size();
    name_ += extension;
    SHARDINE_RETURN_IF_ERROR(tar_.Append(name_, head, tail));
    index_.Add(name_, tar_.data_offset(), head.size() + tail.size());
    name_.resize(prefix);
    return Status();
  }

  const bool by_key_;  // files are named by keys
  MemberPrefixes prefixes_;
  TarFileWriter tar_;
  std::unique_ptr<WritableFile> companion_;
  WdsIndexBuilder index_;
  SampleMembers members_;  // of the last sample
  std::uint64_t samples_ = 0;
  std::string name_;
  std::string text_;
};

}  // namespace

Result<std::unique_ptr<ShardWriter>> CreateWebDatasetWriter(
    Storage& storage, const ShardPaths& paths, const LayoutChoice& layout) {
  SHARDINE_ASSIGN_OR_RETURN(auto shard, storage.Create(paths.shard));
  SHARDINE_ASSIGN_OR_RETURN(auto companion, storage.Create(paths.companion));
  std::unique_ptr<ShardWriter> writer = std::make_unique<WebDatasetWriter>(
      std::move(shard), std::move(companion),
      layout.value(kMemberKeys) == kOriginalKeys);
  return writer;
}

}  // namespace shardine
