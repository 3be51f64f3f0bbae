#include "io/forward_file.h"

#include <algorithm>

#include "base/status_macros.h"

namespace shardine {
namespace {

constexpr std::uint64_t kRange = std::uint64_t{4} << 20;
constexpr std::uint64_t kRanges = 8;

}  // namespace

// In parts that lie in one range each: only such reads are served from it.
Result<std::size_t> ForwardFile::ReadAt(std::uint64_t offset,
                                        std::span<std::byte> out) const {
  std::size_t done = 0;
  while (done < out.size() && offset + done < size()) {
    const std::uint64_t at = offset + done;
    const std::uint64_t rest = kRange - at % kRange;
    const auto part = static_cast<std::size_t>(
        std::min<std::uint64_t>(out.size() - done, rest));
    AskAhead(at / kRange);
    SHARDINE_ASSIGN_OR_RETURN(const std::size_t got,
                              file_->ReadAt(at, out.subspan(done, part)));
    done += got;
    if (got < part) break;
  }
  return done;
}

void ForwardFile::AskAhead(std::uint64_t range) const {
  const std::lock_guard lock(mutex_);
  // A read behind the first range moves nothing.
  if (range < first_ && !held_.empty()) return;
  if (range > first_ + held_.size()) held_.clear();
  if (held_.empty()) first_ = range;
  for (; first_ < range; ++first_) held_.pop_front();
  while (held_.size() < kRanges && (first_ + held_.size()) * kRange < size()) {
    const std::uint64_t begin = (first_ + held_.size()) * kRange;
    std::uint64_t room = kRange;
    held_.push_back(
        file_->ReadAhead(begin, std::min(kRange, size() - begin), room));
  }
}

}  // namespace shardine
