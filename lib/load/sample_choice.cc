#include "load/sample_choice.h"

#include <cstddef>
#include <string>
#include <utility>

#include "base/checksum.h"

namespace shardine {

Status SampleChoice::Check(const Positions& positions, std::uint64_t samples) {
  if (positions == nullptr) return {};
  if (positions->empty()) {
    return Status(Code::kInvalidArgument, "positions: no sample is chosen");
  }
  std::vector<bool> chosen(static_cast<std::size_t>(samples));
  for (const std::uint64_t position : *positions) {
    if (position >= samples) {
      return Status(Code::kInvalidArgument,
                    "positions: " + std::to_string(position) +
                        " is none of the " + std::to_string(samples) +
                        " samples' (0 is the first)");
    }
    if (chosen[position]) {
      return Status(Code::kInvalidArgument,
                    "positions: " + std::to_string(position) + " comes twice");
    }
    chosen[position] = true;
  }
  return {};
}

SampleChoice::SampleChoice(Positions positions, std::uint64_t samples,
                           const Digest128& order_digest)
    : positions_(std::move(positions)),
      size_(positions_ ? positions_->size() : samples),
      order_digest_(order_digest) {
  if (is_all()) return;
  Xxh3Stream stream;
  stream.UpdateLe(order_digest.low);
  stream.UpdateLe(order_digest.high);
  for (const std::uint64_t position : *positions_) stream.UpdateLe(position);
  order_digest_ = stream.Digest();
}

}  // namespace shardine
