#include "image/deep_image.h"

#include <utility>

#include "shardine/escape.h"

namespace shardine {
namespace {

std::string Are(std::uint64_t count, const char* one, const char* several) {
  return count == 1 ? std::string("1 image is a ") + one
                    : std::to_string(count) + " images are " + several;
}

}  // namespace

DeepImage DeepImageOf(const ImageFacts& facts) {
  if (facts.bits != 16) return DeepImage::kNone;
  if (facts.kind == ImageKind::kTiff) return DeepImage::kTiff;
  if (facts.kind != ImageKind::kPng) return DeepImage::kNone;
  return facts.components == 1 ? DeepImage::kGray : DeepImage::kOther;
}

std::string DeepImagesText(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " image has" : " images have") +
         " 16 bits a channel: decoding keeps the high 8 bits, but makes gray "
         "of PNGs above 255 of 65535 white";
}

void DeepImageCount::Add(DeepImage image, std::string_view key) {
  if (image == DeepImage::kNone) return;
  Kind& kind = image == DeepImage::kGray    ? gray_
               : image == DeepImage::kOther ? other_
                                            : tiff_;
  if (kind.count++ == 0) kind.first = key;
}

void DeepImageCount::Add(const DeepImageCount& more) {
  for (const auto& [mine, other] : {std::pair{&gray_, &more.gray_},
                                    {&other_, &more.other_},
                                    {&tiff_, &more.tiff_}}) {
    if (mine->count == 0) mine->first = other->first;
    mine->count += other->count;
  }
}

std::vector<std::string> DeepImageCount::Warnings() const {
  std::vector<std::string> warnings;
  const auto first = [](const Kind& kind) {
    if (kind.first.empty()) return std::string(": ");
    return " (the first: " + EscapeBytes(kind.first) + "): ";
  };
  if (gray_.count > 0) {
    warnings.push_back(
        Are(gray_.count, "16-bit gray PNG", "16-bit gray PNGs") + first(gray_) +
        "decoded as Pillow does, whatever is above 255 of 65535 is white; "
        "recode png with to-8-bits stores 8-bit gray");
  }
  if (other_.count > 0) {
    warnings.push_back(Are(other_.count, "16-bit PNG of several channels",
                           "16-bit PNGs of several channels") +
                       first(other_) +
                       "decoding keeps the high 8 bits of each");
  }
  if (tiff_.count > 0) {
    warnings.push_back(Are(tiff_.count, "16-bit TIFF", "16-bit TIFFs") +
                       first(tiff_) +
                       "decoding keeps the high 8 bits of each channel");
  }
  return warnings;
}

}  // namespace shardine
