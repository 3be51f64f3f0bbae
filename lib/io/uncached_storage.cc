#include "io/uncached_storage.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "io/read_many.h"

namespace shardine {
namespace {

class AnewFile : public RandomAccessFile {
 public:
  explicit AnewFile(std::unique_ptr<RandomAccessFile> file)
      : file_(std::move(file)) {}

  Result<std::size_t> ReadAt(std::uint64_t offset,
                             std::span<std::byte> out) const override {
    const std::uint64_t rest = size() - std::min(offset, size());
    out = out.first(std::min<std::uint64_t>(out.size(), rest));
    if (out.empty()) return std::size_t{0};
    Piece piece{.file = file_.get(), .offset = offset, .out = out};
    if (!file_->ReadAgain(std::span(&piece, 1))) {
      return file_->ReadAt(offset, out);
    }
    SHARDINE_RETURN_IF_ERROR(piece.status);
    return out.size();
  }
  std::uint64_t size() const override { return file_->size(); }
  const std::string& path() const override { return file_->path(); }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
};

}  // namespace

Result<std::unique_ptr<RandomAccessFile>> UncachedStorage::Open(
    const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file,
                            below_.Open(path));
  return std::unique_ptr<RandomAccessFile>(new AnewFile(std::move(file)));
}

}  // namespace shardine
