#include "tfrecord/tfrecord_scanner.h"

#include <string>
#include <utility>

#include "base/status_macros.h"
#include "tfrecord/example_fields.h"
#include "tfrecord/example_reader.h"
#include "tfrecord/tfrecord_layout.h"
#include "tfrecord/tfrecord_reader.h"

namespace shardine {
namespace {

class TfRecordScanner : public ShardScanner {
 public:
  TfRecordScanner(std::string path, TfRecordReader reader,
                  const LayoutChoice& layout)
      : path_(std::move(path)),
        reader_(std::move(reader)),
        tfds_(layout.layout != nullptr && layout.layout->name == kTfdsLayout),
        label_offset_(LabelOffsetOf(layout)),
        roles_(layout.roles) {}

  Result<std::optional<ScannedSample>> Next() override {
    if (!failed_.ok()) return failed_;
    SHARDINE_ASSIGN_OR_RETURN(const auto record, reader_.Next());
    if (!record) return std::optional<ScannedSample>();
    auto fields = Parse(*record);
    if (!fields.ok()) {
      failed_ = AtRecord(std::move(fields).status(), *record);
      return failed_;
    }
    return std::optional<ScannedSample>(
        ScannedSample{.record = record->number,
                      .record_offset = record->offset,
                      .id = taken_.id,
                      .key = taken_.key,
                      .labels = taken_.labels,
                      .fields = *fields,
                      .class_name = taken_.class_name,
                      .class_text = taken_.class_text});
  }

  // The frame of a record that is no Example was read.
  bool SkipDamaged() override {
    if (failed_.ok()) return reader_.SkipDamaged();
    if (failed_.code() != Code::kCorrupt) return false;
    failed_ = Status();
    return true;
  }

 private:
  Result<std::span<const ScannedField>> Parse(const TfRecord& record) {
    SHARDINE_RETURN_IF_ERROR(example_.Parse(record.data));
    fields_.Begin(example_, record.data, record.data_offset);
    if (tfds_) {
      TakeTfds(example_, roles_, taken_, fields_);
    } else {
      SHARDINE_RETURN_IF_ERROR(
          TakeImagenet(example_, label_offset_, roles_, taken_, fields_));
    }
    return fields_.Make();
  }

  // An offset so far is one in the record.
  Status AtRecord(const Status& status, const TfRecord& record) const {
    Where where{.path = path_, .record = record.number};
    if (record.data_offset) {
      const auto in_record = status.where().offset;
      where.offset =
          in_record ? *record.data_offset + *in_record : record.offset;
    }
    return Status(status.code(), status.message()).At(where);
  }

  const std::string path_;
  TfRecordReader reader_;
  const bool tfds_;
  const std::int64_t label_offset_;
  const FieldRoles roles_;
  ExampleReader example_;
  ExampleFields fields_;
  TakenSample taken_;
  Status failed_;  // of a record that is intact but no sample
};

}  // namespace

Result<std::unique_ptr<ShardScanner>> OpenTfRecordScanner(
    const RandomAccessFile& file, const LayoutChoice& layout) {
  if (LabelOffsetOf(layout) != 0 && !layout.roles.label.empty()) {
    return Status(Code::kInvalidArgument,
                  "label_offset=1 has no effect on a label that is chosen by "
                  "its name");
  }
  SHARDINE_ASSIGN_OR_RETURN(TfRecordReader reader, TfRecordReader::Open(file));
  std::unique_ptr<ShardScanner> scanner =
      std::make_unique<TfRecordScanner>(file.path(), std::move(reader), layout);
  return scanner;
}

Result<std::string_view> DetectTfRecordLayout(const RandomAccessFile& file) {
  SHARDINE_ASSIGN_OR_RETURN(TfRecordReader reader, TfRecordReader::Open(file));
  auto record = reader.Next();
  while (!record.ok() && reader.SkipDamaged()) record = reader.Next();
  if (record.status().code() == Code::kIo) return record.status();
  if (!record.ok() || !*record) return kImagenetLayout;
  ExampleReader example;
  const Status parsed = example.Parse((*record)->data);
  return parsed.ok() ? LayoutOf(example) : kImagenetLayout;
}

}  // namespace shardine
