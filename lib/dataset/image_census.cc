#include "dataset/image_census.h"

#include <algorithm>
#include <iterator>

#include "dataset/index_walk.h"
#include "shard/payload.h"
#include "shardine/escape.h"
#include "shardine/sample.h"

namespace shardine {

void ImageCensus::Add(const IndexEntry& entry) {
  ++samples_;
  deep_.Add(DeepImageOf(entry.facts), "");
  const IndexField* const image = ImageFieldOf(entry);
  empty_ += image != nullptr && FieldBytes(*image) == 0 ? 1 : 0;
  if (has_image_) return;
  for (const IndexField& field : entry.fields) {
    has_image_ = has_image_ || field.name == kImageField;
    if (names_.contains(field.name)) continue;
    more_ = more_ || names_.size() == kMostNames;
    if (!more_) names_.insert(field.name);
  }
}

void ImageCensus::Add(const ImageCensus& other) {
  samples_ += other.samples_;
  deep_.Add(other.deep_);
  empty_ += other.empty_;
  has_image_ = has_image_ || other.has_image_;
  more_ = more_ || other.more_;
  for (const std::string& name : other.names_) {
    if (names_.size() < kMostNames || names_.contains(name)) {
      names_.insert(name);
    } else {
      more_ = true;
    }
  }
}

void ImageCensus::AddUnread(std::uint64_t samples) {
  samples_ += samples;
  has_image_ = has_image_ || samples > 0;
}

std::vector<std::string> ImageCensus::Warnings() const {
  if (samples_ == 0) return {"there are no samples"};
  std::vector<std::string> warnings;
  if (empty_ > 0) {
    warnings.push_back(
        std::to_string(empty_) + " of " + std::to_string(samples_) +
        " images have no bytes, as in the records of identities that "
        "InsightFace's files have; a conversion where bytes > 0 leaves such "
        "samples out");
  }
  std::ranges::move(deep_.Warnings(), std::back_inserter(warnings));
  if (has_image_) return warnings;
  std::string names;
  for (const std::string& name : names_) {
    names += (names.empty() ? "" : ", ") + ("\"" + EscapeBytes(name) + "\"");
  }
  return {"no sample has an image; " +
          (names.empty()
               ? "nor any other field"
               : "their fields are " + names + (more_ ? " and more" : ""))};
}

}  // namespace shardine
