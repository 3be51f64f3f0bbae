#include "pack/image_tally.h"

#include <algorithm>
#include <iterator>

#include "dataset/undecoded_images.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

std::string Images(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " image" : " images");
}

}  // namespace

void ImageTally::Add(const ImageFacts& facts, DeepImage deep,
                     const NewEncoding& encoding, std::string_view key) {
  deep_.Add(deep, key);
  if (encoding.from) AddKind(ToString(*encoding.from), 1, recoded_);
  scaled_ += encoding.scaled ? 1 : 0;
  dropped_ += encoding.dropped ? 1 : 0;
  AddUnread(facts.kind, key);
}

void ImageTally::AddUnread(ImageKind kind, std::string_view key) {
  const auto& unread = reader_.unread;
  if (std::ranges::find(unread, kind) == unread.end()) return;
  if (unread_.empty()) first_unread_ = key;
  AddKind(ToString(kind), 1, unread_);
}

std::vector<std::string> ImageTally::Warnings() const {
  std::vector<std::string> warnings;
  const std::uint64_t recoded = CountOf(recoded_);
  if (recoded > 0) {
    warnings.push_back(Images(recoded) +
                       " encoded again: " + Describe(recoded_));
  }
  if (dropped_ > 0) {
    warnings.push_back(Images(dropped_) +
                       " encoded again without alpha, or as RGB of CMYK");
  }
  if (scaled_ > 0) {
    warnings.push_back(Images(scaled_) + " scaled from 16 bits a channel to 8");
  }
  std::ranges::move(deep_.Warnings(), std::back_inserter(warnings));
  const std::uint64_t unread = CountOf(unread_);
  if (unread == 0) return warnings;
  std::string text = Images(unread) + " of a kind that ";
  text += reader_.name;
  text += " does not read: " + Describe(unread_) + ", the first " +
          EscapeBytes(first_unread_) +
          "; recode stores such images as PNG or "
          "JPEG";
  warnings.push_back(std::move(text));
  return warnings;
}

}  // namespace shardine
