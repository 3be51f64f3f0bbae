#include "im2rec/marked_file.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/status_macros.h"

namespace shardine {

namespace {

constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;

// Reads a file from its start, and hashes it.
class HashedReader {
 public:
  explicit HashedReader(const RandomAccessFile& file) : file_(file) {}

  // False if the file does not begin as the mark says, or the mark is before
  // the bytes read already.
  Result<bool> Agrees(const FileMark& mark) {
    if (mark.bytes < bytes_ || mark.bytes > file_.size()) return false;
    while (bytes_ < mark.bytes) {
      buffer_.Resize(
          static_cast<std::size_t>(std::min(kPiece, mark.bytes - bytes_)));
      SHARDINE_RETURN_IF_ERROR(file_.ReadExactly(bytes_, buffer_.span()));
      hash_.Update(buffer_.view());
      bytes_ += buffer_.size();
    }
    return hash_.Digest() == mark.digest;
  }
  Xxh3Stream TakeHash() { return std::move(hash_); }

 private:
  const RandomAccessFile& file_;
  ByteBuffer buffer_;
  std::uint64_t bytes_ = 0;
  Xxh3Stream hash_;
};

// Where the system has the file, it is cut in place: it may hold most of its
// disk's data. A storage without native paths has no such call.
Status CutTo(Storage& storage, const std::string& path, std::uint64_t bytes) {
  if (const std::optional<std::string> native = storage.NativePath(path)) {
    std::error_code error;
    std::filesystem::resize_file(*native, bytes, error);
    if (!error) return {};
    return Status::FromErrno(error.value(), "shorten", path);
  }
  SHARDINE_ASSIGN_OR_RETURN(const auto whole, storage.Open(path));
  ByteBuffer kept;
  kept.Resize(static_cast<std::size_t>(bytes));
  SHARDINE_RETURN_IF_ERROR(whole->ReadExactly(0, kept.span()));
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Create(path));
  SHARDINE_RETURN_IF_ERROR(file->Append(kept.view()));
  return file->Close();
}

}  // namespace

Result<std::unique_ptr<MarkedFile>> MarkedFile::Create(
    Storage& storage, const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(auto file, storage.Create(path));
  return std::unique_ptr<MarkedFile>(new MarkedFile(std::move(file)));
}

Result<std::unique_ptr<MarkedFile>> MarkedFile::TakeUp(Storage& storage,
                                                       const std::string& path,
                                                       const FileMark& mark) {
  Xxh3Stream hash;
  {
    SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(path));
    HashedReader reader(*file);
    SHARDINE_ASSIGN_OR_RETURN(const bool agrees, reader.Agrees(mark));
    if (!agrees) {
      return Status(Code::kChanged,
                    "is not as the run that was interrupted left it")
          .At({.path = path});
    }
    hash = reader.TakeHash();
    if (file->size() > mark.bytes) {
      SHARDINE_RETURN_IF_ERROR(CutTo(storage, path, mark.bytes));
    }
  }
  SHARDINE_ASSIGN_OR_RETURN(auto file, storage.OpenForAppend(path));
  std::unique_ptr<MarkedFile> taken(new MarkedFile(std::move(file)));
  taken->bytes_ = mark.bytes;
  taken->hash_ = std::move(hash);
  return taken;
}

Status MarkedFile::Append(ByteView bytes) {
  SHARDINE_RETURN_IF_ERROR(file_->Append(bytes));
  hash_.Update(bytes);
  bytes_ += bytes.size();
  return {};
}

Result<std::size_t> CountHolding(ReadableStorage& storage,
                                 const std::string& path,
                                 std::span<const FileMark> marks) {
  const auto empty = [](const FileMark& mark) { return mark == FileMark(); };
  const auto file = storage.Open(path);
  if (!file.ok()) {
    if (file.status().code() != Code::kNotFound) return file.status();
    return static_cast<std::size_t>(std::ranges::find_if_not(marks, empty) -
                                    marks.begin());
  }
  HashedReader reader(**file);
  std::size_t count = 0;
  for (const FileMark& mark : marks) {
    SHARDINE_ASSIGN_OR_RETURN(const bool agrees, reader.Agrees(mark));
    if (!agrees) break;
    ++count;
  }
  return count;
}

}  // namespace shardine
