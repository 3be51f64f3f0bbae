#include "pack/image_tally.h"

#include <algorithm>
#include <iterator>

#include "dataset/undecoded_images.h"

namespace shardine {
namespace {

std::string Images(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " image" : " images");
}

}  // namespace

void ImageTally::Add(const PreparedPayload& payload, std::string_view key) {
  deep_.Add(payload.deep, key);
  AddKind(payload.encoding.from, 1, encoded_);
  scaled_ += payload.encoding.scaled ? 1 : 0;
  dropped_ += payload.encoding.dropped ? 1 : 0;
}

std::vector<std::string> ImageTally::Warnings() const {
  std::vector<std::string> warnings;
  const std::uint64_t encoded = CountOf(encoded_);
  if (encoded > 0) {
    warnings.push_back(Images(encoded) +
                       " encoded again: " + Describe(encoded_));
  }
  if (dropped_ > 0) {
    warnings.push_back(Images(dropped_) +
                       " encoded again without alpha, or as RGB of CMYK");
  }
  if (scaled_ > 0) {
    warnings.push_back(Images(scaled_) + " scaled from 16 bits a channel to 8");
  }
  std::ranges::move(deep_.Warnings(), std::back_inserter(warnings));
  return warnings;
}

}  // namespace shardine
