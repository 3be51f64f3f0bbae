// ImagePlan: the form that a conversion gives images: arrays of pixels, another
// encoding, or the form that they have.
#ifndef SHARDINE_PACK_IMAGE_PLAN_H_
#define SHARDINE_PACK_IMAGE_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataset/manifest.h"
#include "image/image_encoder.h"
#include "pack/convert_plan.h"
#include "shard/format_registry.h"
#include "shard/shard_index.h"
#include "shardine/digest.h"
#include "shardine/recode.h"
#include "shardine/status.h"

namespace shardine {

// Thread-compatible.
class ImagePlan {
 public:
  // `spec` must outlive it. `format` are the limits of the output's.
  ImagePlan(const ConvertSpec& spec, const Limits& format);

  // Changes the image among the fields of a sample to its new form, and `bytes`
  // by its new length, if known. kUnsupported, kInvalidArgument: the image
  // of the key cannot take the form.
  Status Add(const IndexEntry& entry, const std::string& key,
             std::vector<IndexField>& fields, std::uint64_t& bytes);

  // The forms that some of the added images take.
  const std::optional<PixelOrder>& pixels() const { return pixels_; }
  RecodeOptions recode() const;
  std::optional<ArrayEncoding> encode() const;
  bool makes_images() const { return pixels_ || recodes_ || encodes_; }

  // kInvalidArgument: images are to be encoded, and the format holds arrays
  // alone.
  Status Check(const FormatAndLayout& format) const;
  // The text in a plan's fingerprint; empty: images stay as they are.
  std::string Describe() const;
  // Records the forms in the manifest, and `contents` as the parent's digest.
  // Returns a sentence for people, or nothing.
  std::string Record(const Digest128& contents, ManifestVariant& variant) const;

 private:
  Status AddPixels(const IndexEntry& entry, const std::string& key,
                   IndexField& image, std::uint64_t& bytes);
  Status AddArray(const std::string& key, IndexField& image);

  const ConvertSpec& spec_;
  const bool decode_if_encoded_;
  std::optional<PixelOrder> pixels_;
  PixelSize pixel_size_;  // of all images, once there is one
  std::optional<ImageEncoder> encoder_;
  bool recodes_ = false;
  bool encodes_ = false;  // arrays
};

}  // namespace shardine

#endif  // SHARDINE_PACK_IMAGE_PLAN_H_
