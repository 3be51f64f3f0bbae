#include "im2rec/record_file.h"

#include <utility>

#include "base/status_macros.h"
#include "recordio/irheader.h"

namespace shardine {

namespace {

constexpr std::size_t kIndexBuffer = 1 << 16;

}  // namespace

Result<std::unique_ptr<RecordFile>> RecordFile::Create(
    Storage& storage, std::string rec_path,
    std::optional<std::string> idx_path) {
  SHARDINE_ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file,
                            storage.Create(TemporaryName(rec_path)));
  std::unique_ptr<RecordFile> created(
      new RecordFile(storage, std::move(rec_path), std::move(file)));
  if (idx_path) {
    SHARDINE_ASSIGN_OR_RETURN(AtomicFile idx,
                              AtomicFile::Create(storage, *idx_path));
    created->idx_ = std::move(idx);
    created->idx_path_ = std::move(idx_path);
  }
  return created;
}

RecordFile::~RecordFile() {
  // What fails here cannot be told; the next run replaces the file.
  if (published_) return;
  try {
    (void)storage_.Remove(TemporaryName(rec_path_));
  } catch (const std::exception&) {
    // Without the memory to name it, it stays for the next run.
  }
}

Status RecordFile::Append(const ImageListEntry& entry, ByteView image) {
  if (idx_) {
    idx_text_ += std::to_string(entry.id) + '\t' +
                 std::to_string(writer_.bytes()) + '\n';
    if (idx_text_.size() >= kIndexBuffer) {
      SHARDINE_RETURN_IF_ERROR(FlushIndex());
    }
  }
  prefix_.clear();
  AppendIrHeader({.flag = static_cast<std::uint32_t>(entry.packed.size()),
                  .label = entry.label,
                  .id = entry.id},
                 prefix_);
  for (const float label : entry.packed) AppendLe(label, prefix_);
  return writer_.Append(AsBytes(prefix_), image);
}

Status RecordFile::FlushIndex() {
  SHARDINE_RETURN_IF_ERROR(idx_->Append(AsBytes(idx_text_)));
  idx_text_.clear();
  return {};
}

Status RecordFile::Publish() {
  SHARDINE_RETURN_IF_ERROR(writer_.Finish());
  if (idx_) {
    SHARDINE_RETURN_IF_ERROR(FlushIndex());
    const Status removed = storage_.Remove(*idx_path_);
    if (!removed.ok() && removed.code() != Code::kNotFound) return removed;
  }
  SHARDINE_RETURN_IF_ERROR(PublishTemporary(storage_, rec_path_));
  published_ = true;
  return idx_ ? idx_->Publish() : Status();
}

}  // namespace shardine
