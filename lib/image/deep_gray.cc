#include "image/deep_gray.h"

#include "shardine/escape.h"

namespace shardine {

bool IsDeepGray(const ImageFacts& facts) {
  return facts.kind == ImageKind::kPng && facts.bits == 16 &&
         facts.components == 1;
}

void DeepGrayCount::Add(std::string_view key) {
  if (count_++ == 0) first_ = key;
}

std::vector<std::string> DeepGrayCount::Warnings() const {
  if (count_ == 0) return {};
  const std::string what =
      count_ == 1 ? "1 image is a 16-bit gray PNG"
                  : std::to_string(count_) + " images are 16-bit gray PNGs";
  return {what + " (the first: " + EscapeBytes(first_) +
          "): decoded as Pillow does, whatever is above 255 of 65535 is white; "
          "make 8-bit gray of them first"};
}

}  // namespace shardine
