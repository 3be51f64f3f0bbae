#include "archive/member_file.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/crc32.h"
#include "base/decompressor.h"
#include "base/shown_name.h"
#include "base/status_macros.h"

namespace shardine {
namespace {

// Bytes of one member that are inflated into memory to be read from the middle.
constexpr std::uint64_t kMostInflated = std::uint64_t{1} << 30;
constexpr std::uint64_t kInputStep = std::uint64_t{256} << 10;

class MemberFile : public RandomAccessFile {
 public:
  MemberFile(std::shared_ptr<const OpenArchive> archive, std::string name,
             const MemberPlace& place)
      : archive_(std::move(archive)),
        name_(std::move(name)),
        path_(JoinPath(archive_->file->path(), name_)),
        place_(place) {}

  Result<std::size_t> ReadAt(std::uint64_t offset,
                             std::span<std::byte> out) const override {
    const std::uint64_t left = size() - std::min(offset, size());
    out = out.first(
        static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left)));
    const bool is_whole = offset == 0 && out.size() == size();
    if (!place_.deflated) return ReadStored(offset, out, is_whole);
    if (is_whole) {
      SHARDINE_RETURN_IF_ERROR(Inflate(out));
    } else if (!out.empty()) {
      SHARDINE_RETURN_IF_ERROR(CopyInflated(offset, out));
    }
    return out.size();
  }
  std::uint64_t size() const override { return place_.size; }
  const std::string& path() const override { return path_; }

 private:
  Status Damage(std::uint64_t at, const std::string& what) const {
    return Status(Code::kCorrupt, "member " + ShowName(name_) + ": " + what)
        .At({.path = archive_->file->path(), .offset = place_.data + at});
  }

  Status CheckSum(ByteView bytes) const {
    if (!place_.has_crc || Crc32(bytes) == place_.crc) return Status();
    return Damage(0, "its bytes have another CRC-32 than the archive says");
  }

  Result<std::size_t> ReadStored(std::uint64_t offset, std::span<std::byte> out,
                                 bool is_whole) const {
    SHARDINE_ASSIGN_OR_RETURN(
        const std::size_t count,
        archive_->file->ReadAt(place_.data + offset, out));
    if (count < out.size()) {
      return Damage(offset + count, "the archive ends inside of it");
    }
    if (is_whole) SHARDINE_RETURN_IF_ERROR(CheckSum(out));
    return count;
  }

  Status Inflate(std::span<std::byte> out) const {
    const auto inflater = MakeDecompressor(Compression::kDeflate);
    ByteBuffer input;
    std::uint64_t at = 0;  // of the compressed bytes
    std::size_t made = 0;
    std::byte more[1];  // a byte beyond the stated size
    while (at < place_.stored) {
      input.Resize(
          static_cast<std::size_t>(std::min(kInputStep, place_.stored - at)));
      SHARDINE_RETURN_IF_ERROR(
          archive_->file->ReadExactly(place_.data + at, input.span()));
      for (ByteView rest = input.view(); !rest.empty();) {
        const bool is_full = made == out.size();
        auto progress = inflater->Decompress(
            rest, is_full ? std::span<std::byte>(more) : out.subspan(made));
        if (!progress.ok()) {
          return Damage(at, progress.status().message());
        }
        if (is_full && progress->produced > 0) {
          return Damage(at, "it inflates to more than its stated " +
                                std::to_string(place_.size) + " bytes");
        }
        made += progress->produced;
        at += progress->consumed;
        rest = rest.subspan(progress->consumed);
        if (progress->produced + progress->consumed == 0) {
          return Damage(at, "its deflated data goes nowhere");
        }
      }
      if (inflater->at_end()) break;
    }
    if (made < out.size() || !inflater->at_end() || at < place_.stored) {
      return Damage(at, "its deflated data ends after " + std::to_string(made) +
                            " of " + std::to_string(place_.size) + " bytes");
    }
    return CheckSum(out);
  }

  Status CopyInflated(std::uint64_t offset, std::span<std::byte> out) const {
    if (size() > kMostInflated) {
      return Status(Code::kUnsupported,
                    "member " + ShowName(name_) +
                        " is compressed and has more than 1 GiB; it is read "
                        "where it is stored")
          .At({.path = archive_->file->path()});
    }
    const std::lock_guard lock(mutex_);
    if (whole_.size() < size()) {
      ByteBuffer whole;
      whole.Resize(static_cast<std::size_t>(size()));
      SHARDINE_RETURN_IF_ERROR(Inflate(whole.span()));
      whole_ = std::move(whole);
    }
    const ByteView from =
        whole_.view().subspan(static_cast<std::size_t>(offset), out.size());
    std::ranges::copy(from, out.begin());
    return Status();
  }

  const std::shared_ptr<const OpenArchive> archive_;
  const std::string name_;
  const std::string path_;
  const MemberPlace place_;
  mutable std::mutex mutex_;
  mutable ByteBuffer whole_;  // guarded by mutex_
};

}  // namespace

std::unique_ptr<RandomAccessFile> OpenMember(
    std::shared_ptr<const OpenArchive> archive, std::string name,
    const MemberPlace& place) {
  return std::make_unique<MemberFile>(std::move(archive), std::move(name),
                                      place);
}

}  // namespace shardine
