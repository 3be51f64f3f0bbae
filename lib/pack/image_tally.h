// ImageTally: what a command has to say about the images that it stored: those
// that lose bits, that were encoded again, or that the format's usual reader
// does not decode.
#ifndef SHARDINE_PACK_IMAGE_TALLY_H_
#define SHARDINE_PACK_IMAGE_TALLY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/manifest.h"
#include "image/deep_image.h"
#include "image/image_facts.h"
#include "pack/block.h"
#include "shard/format.h"

namespace shardine {

// Thread-compatible.
class ImageTally {
 public:
  explicit ImageTally(const ImageReader& reader) : reader_(reader) {}

  // An image as it is stored: its facts, and how it came to be. In the order in
  // which the first is to be named.
  void Add(const ImageFacts& facts, DeepImage deep, const NewEncoding& encoding,
           std::string_view key);

  // Sentences for people.
  std::vector<std::string> Warnings() const;

 private:
  void AddUnread(ImageKind kind, std::string_view key);

  ImageReader reader_;
  DeepImageCount deep_;
  std::vector<ManifestKind> recoded_;  // by the kind before
  std::uint64_t scaled_ = 0;
  std::uint64_t dropped_ = 0;
  std::vector<ManifestKind> unread_;
  std::string first_unread_;  // key
};

}  // namespace shardine

#endif  // SHARDINE_PACK_IMAGE_TALLY_H_
