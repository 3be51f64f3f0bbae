#include "lmdb/lmdb_scanner.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "lmdb/class_entry.h"
#include "lmdb/lmdb_layouts.h"
#include "lmdb/lmdb_reader.h"
#include "lmdb/numbered_key.h"
#include "lmdb/scan_order.h"
#include "lmdb/value_codec.h"

namespace shardine {
namespace {

class LmdbScanner : public ShardScanner {
 public:
  LmdbScanner(std::unique_ptr<LmdbReader> reader, ScanOrder order,
              std::unique_ptr<ValueCodec> codec,
              std::map<std::int64_t, std::string> classes)
      : reader_(std::move(reader)),
        order_(std::move(order)),
        codec_(std::move(codec)),
        classes_(std::move(classes)) {}

  Result<std::optional<ScannedSample>> Next() override {
    // The order of keys would go on after a value that cannot be decoded.
    if (!failed_.ok()) return failed_;
    auto sample = NextSample();
    if (sample.ok()) return sample;
    failed_ = std::move(sample).status().At(
        {.path = reader_->path(), .record = record_});
    return failed_;
  }

  // The tree was walked when the file was opened: an entry whose value is
  // damaged is followed by others.
  bool SkipDamaged() override {
    if (!found_ || failed_.code() != Code::kCorrupt) return false;
    failed_ = Status();
    ++record_;
    return true;
  }

  Result<std::vector<std::string>> Warnings() override {
    std::string left_out = order_.left_out();
    std::vector<std::string> warnings;
    if (!left_out.empty()) warnings.push_back(std::move(left_out));
    return warnings;
  }

 private:
  Result<std::optional<ScannedSample>> NextSample() {
    SHARDINE_ASSIGN_OR_RETURN(const auto entry, DecodeNext());
    if (!entry) return std::optional<ScannedSample>();
    SHARDINE_RETURN_IF_ERROR(AddBeside());
    MakeFields(entry->value.offset);
    ScannedSample sample{.record = record_++,
                         .record_offset = entry->value.offset,
                         .id = std::nullopt,
                         .key = decoded_.key,
                         .labels = decoded_.labels,
                         .fields = fields_,
                         .class_name = ClassName()};
    return std::optional(sample);
  }

  // The next entry that is a sample, which decoded_ is then. nullopt: none is.
  Result<std::optional<LmdbEntry>> DecodeNext() {
    for (;;) {
      found_ = false;
      SHARDINE_ASSIGN_OR_RETURN(const auto entry, order_.Next());
      if (!entry) return entry;
      found_ = true;
      const std::string_view key = AsText(entry->key);
      SHARDINE_ASSIGN_OR_RETURN(const ByteView value, reader_->Value(*entry));
      const Status decoded =
          codec_->Decode(entry->key, value, entry->value.offset, decoded_);
      if (order_.LeaveOut(key, value, decoded.ok())) continue;
      SHARDINE_RETURN_IF_ERROR(
          Status(decoded).At({.offset = entry->value.offset}));
      order_.TakeIn(key);
      return entry;
    }
  }

  std::string_view ClassName() const {
    const auto& labels = decoded_.labels;
    if (labels.size() != 1 || !labels[0].is_integer()) return {};
    const auto found = classes_.find(labels[0].integer());
    return found == classes_.end() ? std::string_view() : found->second;
  }

  // Reads the entries that belong to a sample. Reading one may take the place
  // of the sample's key and, if they lie in leaves, of the values before it.
  Status AddBeside() {
    if (decoded_.beside.empty()) return {};
    if (decoded_.key) {
      key_ = *decoded_.key;
      decoded_.key = key_;
    }
    kept_.resize(1 + decoded_.beside.size());
    for (DecodedField& field : decoded_.fields) KeepBytes(field, kept_[0]);
    for (std::size_t i = 0; i < decoded_.beside.size(); ++i) {
      const DecodedSample::Beside& beside = decoded_.beside[i];
      SHARDINE_ASSIGN_OR_RETURN(const auto found,
                                reader_->Find(AsBytes(beside.key)));
      if (!found) continue;
      SHARDINE_ASSIGN_OR_RETURN(const ByteView value, reader_->Value(*found));
      decoded_.fields.push_back({.name = std::string(beside.name),
                                 .bytes = value,
                                 .offset = found->value.offset,
                                 .is_text = beside.name == kTextField});
      KeepBytes(decoded_.fields.back(), kept_[i + 1]);
    }
    std::ranges::sort(decoded_.fields, {}, &DecodedField::name);
    return {};
  }

  static void KeepBytes(DecodedField& field, ByteBuffer& buffer) {
    buffer.Resize(0);
    buffer.Append(field.bytes);
    field.bytes = buffer.view();
  }

  void MakeFields(std::uint64_t value_offset) {
    fields_.clear();
    extents_.clear();
    for (const DecodedField& field : decoded_.fields) {
      // An empty field lies anywhere.
      const bool somewhere = field.offset || field.bytes.empty();
      if (somewhere) {
        extents_.push_back(
            {field.offset.value_or(value_offset), field.bytes.size()});
      }
    }
    const Extent* extent = extents_.data();
    for (const DecodedField& field : decoded_.fields) {
      const bool somewhere = field.offset || field.bytes.empty();
      const std::size_t count = somewhere ? 1 : 0;
      fields_.push_back({.name = field.name,
                         .dtype = field.dtype,
                         .shape = field.shape,
                         .bytes = field.bytes,
                         .extents = {extent, count},
                         .is_text = field.is_text});
      extent += count;
    }
  }

  std::unique_ptr<LmdbReader> reader_;
  ScanOrder order_;
  std::unique_ptr<ValueCodec> codec_;
  const std::map<std::int64_t, std::string> classes_;  // names by label
  std::uint64_t record_ = 0;
  Status failed_;
  bool found_ = false;  // the entry of the last call
  DecodedSample decoded_;
  std::string key_;               // of a sample with an entry beside it
  std::vector<ByteBuffer> kept_;  // fields of such a sample
  std::vector<ScannedField> fields_;
  std::vector<Extent> extents_;
};

}  // namespace

Result<std::unique_ptr<ShardScanner>> OpenLmdbScanner(
    const RandomAccessFile& file, const LayoutChoice& layout) {
  SHARDINE_ASSIGN_OR_RETURN(auto reader,
                            LmdbReader::Open(file, DatabaseOf(layout)));
  const std::uint64_t max_memory = MaxValueMemory(file);
  auto codec = MakeValueCodec(layout, max_memory);
  auto order = ScanOrder::Make(*reader, *codec, max_memory);
  if (!order.ok()) {
    return std::move(order).status().At({.path = file.path()});
  }
  auto classes = ReadClassEntry(*reader, max_memory);
  if (!classes.ok()) {
    return std::move(classes).status().At({.path = file.path()});
  }
  std::unique_ptr<ShardScanner> scanner =
      std::make_unique<LmdbScanner>(std::move(reader), *std::move(order),
                                    std::move(codec), *std::move(classes));
  return scanner;
}

}  // namespace shardine
