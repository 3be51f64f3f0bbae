#include "lmdb/lmdb_writer.h"

#include <string>
#include <utility>

#include "base/check.h"
#include "base/status_macros.h"
#include "lmdb/lmdb_file_writer.h"
#include "lmdb/lmdb_layouts.h"
#include "lmdb/value_codec.h"

namespace shardine {
namespace {

class LmdbWriter : public ShardWriter {
 public:
  LmdbWriter(Storage& storage, const ShardPaths& paths,
             std::unique_ptr<LmdbFileWriter> file,
             std::unique_ptr<ValueCodec> codec)
      : storage_(storage),
        path_(paths.shard),
        classes_(paths.classes),
        file_(std::move(file)),
        codec_(std::move(codec)),
        keys_(codec_->NewKeyList()) {}

  Status Append(const SampleView& sample) override {
    return AppendEntry(sample).At({.key = std::string(sample.key)});
  }

  Result<ShardSummary> Finish() override {
    if (keys_ != nullptr) {
      SHARDINE_RETURN_IF_ERROR(file_->Put(kKeysEntry, keys_->Finish(), kOrder));
    }
    SHARDINE_ASSIGN_OR_RETURN(const auto beside,
                              codec_->EntriesBeside(samples_, classes_));
    for (const BesideEntry& entry : beside) {
      SHARDINE_RETURN_IF_ERROR(file_->Put(entry.key, entry.value, kOrder));
    }
    SHARDINE_RETURN_IF_ERROR(file_->Finish());
    SHARDINE_ASSIGN_OR_RETURN(const FileInfo info, storage_.Stat(path_));
    return ShardSummary{samples_, info.size};
  }

 private:
  static constexpr auto kOrder = LmdbFileWriter::Order::kAny;
  // For one more key, and for the bytes of a list besides its keys.
  static constexpr std::uint64_t kKeyListRoom = 8192;

  Status AppendEntry(const SampleView& sample) {
    SHARDINE_RETURN_IF_ERROR(codec_->Encode(sample, samples_, entry_));
    if (keys_ != nullptr &&
        keys_->bytes() > codec_->max_key_list() - kKeyListRoom) {
      return Status(Code::kUnsupported,
                    "the list of a shard's keys is smaller than " +
                        std::to_string(codec_->max_key_list()) +
                        " bytes; make more shards");
    }
    const Status status = file_->Put(
        entry_.key, entry_.value,
        codec_->keys_ascend() ? LmdbFileWriter::Order::kAscending : kOrder);
    if (status.code() == Code::kAlreadyExists) {
      return Status(Code::kUnsupported,
                    "the key is in the shard already, and LMDB holds each "
                    "once");
    }
    SHARDINE_RETURN_IF_ERROR(status);
    if (!entry_.beside_key.empty()) {
      SHARDINE_RETURN_IF_ERROR(
          file_->Put(entry_.beside_key, entry_.beside_value, kOrder));
    }
    if (keys_ != nullptr) keys_->Add(entry_.key);
    ++samples_;
    return {};
  }

  Storage& storage_;
  const std::string path_;
  const std::vector<DatasetFacts::Class> classes_;
  std::unique_ptr<LmdbFileWriter> file_;
  std::unique_ptr<ValueCodec> codec_;
  EncodedSample entry_;
  std::unique_ptr<KeyListWriter> keys_;
  std::uint64_t samples_ = 0;
};

}  // namespace

Result<std::unique_ptr<ShardWriter>> CreateLmdbWriter(
    Storage& storage, const ShardPaths& paths, const LayoutChoice& layout) {
  // A reader of the shard under this name would find no such database.
  if (!DatabaseOf(layout).empty()) {
    return Status(Code::kInvalidArgument,
                  "database= chooses what is read of a file; shards are "
                  "written without it");
  }
  // A writer decodes nothing.
  auto codec = MakeValueCodec(layout, 0);
  // Refuses classes that cannot stand there before hours of work, not after.
  SHARDINE_RETURN_IF_ERROR(codec->EntriesBeside(0, paths.classes).status());
  SHARDINE_ASSIGN_OR_RETURN(auto file,
                            LmdbFileWriter::Create(storage, paths.shard));
  std::unique_ptr<ShardWriter> writer = std::make_unique<LmdbWriter>(
      storage, paths, std::move(file), std::move(codec));
  return writer;
}

}  // namespace shardine
