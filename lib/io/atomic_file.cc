#include "io/atomic_file.h"

#include <exception>
#include <utility>

#include "base/check.h"
#include "base/checksum.h"
#include "base/status_macros.h"
#include "io/temporary_name.h"

namespace shardine {
namespace {

constexpr std::string_view kSuffix = ".tmp";
// A name may take all 255 bytes that file systems allow, and its temporary name
// must be allowed, too: hence the cut. The digits come from the whole name, so
// that two long names with the same beginning stay apart.
constexpr std::size_t kMaxStem = 200;
constexpr std::size_t kDigits = 16;
// A dot before the name, and one before the digits.
constexpr std::size_t kAddedBytes = 1 + 1 + kDigits + kSuffix.size();

// The cut never lies within a character: some file systems refuse names that
// are no UTF-8.
std::string_view StemOf(std::string_view name) {
  if (name.size() <= kMaxStem) return name;
  std::size_t size = kMaxStem;
  while (size > kMaxStem - 3 &&
         (static_cast<unsigned char>(name[size]) & 0xC0) == 0x80) {
    --size;
  }
  return name.substr(0, size);
}

std::string DigitsOf(std::string_view name) {
  constexpr char kHex[] = "0123456789abcdef";
  const std::uint64_t hash = Xxh3_64(AsBytes(name));
  std::string digits(kDigits, '0');
  for (std::size_t i = 0; i < kDigits; ++i) {
    digits[i] = kHex[(hash >> (4 * (kDigits - 1 - i))) & 15];
  }
  return digits;
}

}  // namespace

std::string TemporaryName(const std::string& path) {
  const std::string full = FileNameOf(path);
  std::string name = ".";
  name += StemOf(full);
  name += "." + DigitsOf(full);
  name += kSuffix;
  return JoinPath(DirectoryOf(path), name);
}

std::optional<std::string> NameOfTemporary(std::string_view file_name) {
  if (!IsTemporaryName(file_name)) return std::nullopt;
  const auto stem = file_name.substr(1, file_name.size() - kAddedBytes);
  const auto digits = file_name.substr(1 + stem.size() + 1, kDigits);
  if (DigitsOf(stem) != digits) return std::nullopt;
  return std::string(stem);
}

bool IsTemporaryName(std::string_view file_name) {
  if (file_name.size() <= kAddedBytes || !file_name.starts_with('.') ||
      !file_name.ends_with(kSuffix)) {
    return false;
  }
  const auto stem = file_name.substr(1, file_name.size() - kAddedBytes);
  const auto digits = file_name.substr(1 + stem.size() + 1, kDigits);
  if (file_name[1 + stem.size()] != '.' || stem.size() > kMaxStem) return false;
  // A name that was cut off cannot be compared.
  if (stem.size() > kMaxStem - 4) {
    return digits.find_first_not_of("0123456789abcdef") == digits.npos;
  }
  return DigitsOf(stem) == digits;
}

Status PublishTemporary(Storage& storage, const std::string& path) {
  SHARDINE_RETURN_IF_ERROR(storage.Rename(TemporaryName(path), path));
  return storage.SyncDirectory(DirectoryOf(path));
}

Result<AtomicFile> AtomicFile::Create(Storage& storage, std::string path) {
  const auto there = storage.Stat(path);
  if (!there.ok() && there.status().code() != Code::kNotFound) {
    return there.status();
  }
  if (there.ok() && there->kind != FileKind::kRegular) {
    return Status(Code::kInvalidArgument,
                  there->kind == FileKind::kDirectory
                      ? "is a folder; give the name of a file"
                      : "is a device or a pipe; give the name of a file")
        .At({.path = path});
  }
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
  // A failure, even for want of memory, ends the clean-up: the next run removes
  // leftovers.
  try {
    static_cast<void>(storage_->Remove(TemporaryName(path_)));
  } catch (const std::exception&) {
  }
}

Status AtomicFile::Append(ByteView bytes) {
  SHARDINE_CHECK(file_ != nullptr);
  // Where the file ends after a failed Append is undefined (io/storage.h), so
  // nothing is written after it.
  if (error_.ok()) error_ = file_->Append(bytes);
  return error_;
}

// The contents are on the disk before the name, and the name before this
// returns. Renamed first, a file could stand under its name after a power cut
// with nothing in it.
Status AtomicFile::Publish() { return PublishBy(&Storage::Rename); }

Status AtomicFile::PublishNew() { return PublishBy(&Storage::RenameNew); }

Status AtomicFile::PublishBy(Rename rename) {
  SHARDINE_CHECK(file_ != nullptr);
  if (error_.ok()) error_ = file_->Sync();
  SHARDINE_RETURN_IF_ERROR(GiveName(rename));
  return storage_->SyncDirectory(DirectoryOf(path_));
}

Status AtomicFile::PublishUnsynced() {
  SHARDINE_CHECK(file_ != nullptr);
  return GiveName(&Storage::Rename);
}

Status AtomicFile::GiveName(Rename rename) {
  Status status = error_;
  if (status.ok()) status = file_->Close();
  if (status.ok()) status = (storage_->*rename)(TemporaryName(path_), path_);
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

Status WriteNewFileAtomically(Storage& storage, const std::string& path,
                              ByteView contents) {
  SHARDINE_ASSIGN_OR_RETURN(auto file, AtomicFile::Create(storage, path));
  SHARDINE_RETURN_IF_ERROR(file.Append(contents));
  return file.PublishNew();
}

}  // namespace shardine
