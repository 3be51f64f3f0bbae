#include "io/atomic_file.h"

#include <exception>
#include <utility>

#include "base/check.h"
#include "base/status_macros.h"

namespace shardine {
namespace {

constexpr std::string_view kPrefix = ".";
constexpr std::string_view kSuffix = ".tmp";

}  // namespace

std::string TemporaryName(const std::string& path) {
  std::string name(kPrefix);
  name += FileNameOf(path);
  name += kSuffix;
  return JoinPath(DirectoryOf(path), name);
}

bool IsTemporaryName(std::string_view file_name) {
  return file_name.size() > kPrefix.size() + kSuffix.size() &&
         file_name.starts_with(kPrefix) && file_name.ends_with(kSuffix);
}

Status PublishTemporary(Storage& storage, const std::string& path) {
  SHARDINE_RETURN_IF_ERROR(storage.Rename(TemporaryName(path), path));
  return storage.SyncDirectory(DirectoryOf(path));
}

Result<AtomicFile> AtomicFile::Create(Storage& storage, std::string path) {
  SHARDINE_ASSIGN_OR_RETURN(auto file, storage.Create(TemporaryName(path)));
  return AtomicFile(storage, std::move(path), std::move(file));
}

AtomicFile::AtomicFile(Storage& storage, std::string path,
                       std::unique_ptr<WritableFile> file)
    : storage_(&storage), path_(std::move(path)), file_(std::move(file)) {}

AtomicFile::AtomicFile(AtomicFile&&) noexcept = default;

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  if (this != &other) {
    Abandon();
    storage_ = other.storage_;
    path_ = std::move(other.path_);
    file_ = std::move(other.file_);
    error_ = std::move(other.error_);
  }
  return *this;
}

AtomicFile::~AtomicFile() { Abandon(); }

void AtomicFile::Abandon() {
  if (file_ == nullptr) return;
  file_.reset();
  // Nothing more can be done if this fails, be it for want of memory: the next
  // run removes leftovers.
  try {
    static_cast<void>(storage_->Remove(TemporaryName(path_)));
  } catch (const std::exception&) {
  }
}

Status AtomicFile::Append(ByteView bytes) {
  SHARDINE_CHECK(file_ != nullptr);
  if (error_.ok()) error_ = file_->Append(bytes);
  return error_;
}

Status AtomicFile::Publish() {
  SHARDINE_CHECK(file_ != nullptr);
  if (error_.ok()) error_ = file_->Sync();
  SHARDINE_RETURN_IF_ERROR(GiveName());
  return storage_->SyncDirectory(DirectoryOf(path_));
}

Status AtomicFile::PublishUnsynced() {
  SHARDINE_CHECK(file_ != nullptr);
  return GiveName();
}

Status AtomicFile::GiveName() {
  Status status = error_;
  if (status.ok()) status = file_->Close();
  if (status.ok()) status = storage_->Rename(TemporaryName(path_), path_);
  if (!status.ok()) {
    Abandon();
    return status;
  }
  file_.reset();
  return Status();
}

Status WriteFileAtomically(Storage& storage, const std::string& path,
                           ByteView contents) {
  SHARDINE_ASSIGN_OR_RETURN(auto file, AtomicFile::Create(storage, path));
  SHARDINE_RETURN_IF_ERROR(file.Append(contents));
  return file.Publish();
}

}  // namespace shardine
