#include "tfrecord/tfrecord_writer.h"

#include <string>
#include <utility>

#include "base/status_macros.h"
#include "tfrecord/example_writer.h"
#include "tfrecord/field_features.h"
#include "tfrecord/sample_features.h"
#include "tfrecord/tfrecord_framing.h"
#include "tfrecord/tfrecord_index.h"
#include "tfrecord/tfrecord_layout.h"

namespace shardine {
namespace {

class TfRecordWriter : public ShardWriter {
 public:
  TfRecordWriter(std::unique_ptr<WritableFile> shard,
                 std::unique_ptr<WritableFile> companion,
                 const LayoutChoice& choice)
      : records_(std::move(shard)),
        index_(std::move(companion)),
        limits_(choice.layout->limits),
        tfds_(choice.layout->name == kTfdsLayout),
        label_offset_(LabelOffsetOf(choice)) {}

  Status Append(const SampleView& sample) override {
    return AppendRecord(sample).At({.key = std::string(sample.key)});
  }

  Result<ShardSummary> Finish() override {
    SHARDINE_RETURN_IF_ERROR(records_.Finish());
    SHARDINE_RETURN_IF_ERROR(index_.Finish());
    return ShardSummary{samples_, records_.bytes()};
  }

 private:
  Status AppendRecord(const SampleView& sample) {
    SHARDINE_RETURN_IF_ERROR(CheckHoldable(sample));
    example_.Clear();
    if (tfds_) {
      AddTfdsFeatures(sample, fields_, example_);
    } else {
      SHARDINE_RETURN_IF_ERROR(
          AddImagenetFeatures(sample, label_offset_, fields_, example_));
    }
    const auto pieces = example_.Serialize();
    std::uint64_t size = 0;
    for (const ByteView piece : pieces) size += piece.size();
    SHARDINE_RETURN_IF_ERROR(CheckSize(size));
    const std::uint64_t offset = records_.bytes();
    SHARDINE_RETURN_IF_ERROR(records_.Append(pieces));
    ++samples_;
    return index_.Append(offset, records_.bytes() - offset);
  }

  Status CheckHoldable(const SampleView& sample) {
    if (sample.labels.size() > limits_.max_labels) {
      return Status(Code::kUnsupported, std::to_string(sample.labels.size()) +
                                            " labels: the layout holds " +
                                            std::to_string(limits_.max_labels));
    }
    std::uint64_t size = sample.key.size();
    for (const FieldView& field : sample.fields) size += field.bytes.size();
    // Checked before protobuf copies a message that is too large for it.
    SHARDINE_RETURN_IF_ERROR(CheckSize(size));
    if (sample.image().size() > limits_.max_payload) {
      return CheckSize(kMaxExample + 1);
    }
    return tfds_ ? PlanTfdsFields(sample, fields_)
                 : PlanImagenetFields(sample, fields_);
  }

  static Status CheckSize(std::uint64_t size) {
    if (size <= kMaxExample) return {};
    return Status(Code::kUnsupported,
                  "a record of " + std::to_string(size) +
                      " bytes: an Example holds less than 2 GiB");
  }

  TfRecordFileWriter records_;
  TfRecordIndexWriter index_;
  ExampleWriter example_;
  FieldFeatures fields_;  // of the sample that is being written
  const Limits limits_;
  const bool tfds_;
  const std::int64_t label_offset_;
  std::uint64_t samples_ = 0;
};

}  // namespace

Result<std::unique_ptr<ShardWriter>> CreateTfRecordWriter(
    Storage& storage, const ShardPaths& paths, const LayoutChoice& layout) {
  SHARDINE_ASSIGN_OR_RETURN(auto shard, storage.Create(paths.shard));
  SHARDINE_ASSIGN_OR_RETURN(auto companion, storage.Create(paths.companion));
  std::unique_ptr<ShardWriter> writer = std::make_unique<TfRecordWriter>(
      std::move(shard), std::move(companion), layout);
  return writer;
}

}  // namespace shardine
