#include "pack/image_plan.h"

#include <algorithm>

#include "base/status_macros.h"
#include "pack/dataset_plan.h"
#include "pack/pixel_array.h"
#include "shard/dtype.h"
#include "shard/image_array.h"
#include "shardine/pack_words.h"

namespace shardine {
namespace {

std::string ToText(PixelSize size) {
  return std::to_string(size.width) + " x " + std::to_string(size.height);
}

}  // namespace

ImagePlan::ImagePlan(const ConvertSpec& spec, const Limits& format)
    : spec_(spec),
      decode_if_encoded_(spec.pixels_if_needed && !format.encoded_image),
      pixels_(spec.pixels) {
  if (!spec.recode.recode) return;
  encoder_.emplace(ImageEncoder::Options{.encoding = *spec.recode.recode,
                                         .quality = spec.quality,
                                         .to_8_bits = spec.recode.to_8_bits});
}

Status ImagePlan::Add(const IndexEntry& entry, const std::string& key,
                      std::vector<IndexField>& fields, std::uint64_t& bytes) {
  const auto image = std::ranges::find(fields, kImageField, &IndexField::name);
  if (image == fields.end()) return Status();
  const bool encoded = image->dtype == kBytesDtype;
  if (encoded && decode_if_encoded_ && !pixels_) pixels_ = PixelOrder::kRgb;
  if (pixels_) return AddPixels(entry, key, *image, bytes);
  recodes_ = recodes_ || (encoder_ && encoder_->Takes(entry.facts));
  return encoded || !spec_.encode ? Status() : AddArray(key, *image);
}

Status ImagePlan::AddPixels(const IndexEntry& entry, const std::string& key,
                            IndexField& image, std::uint64_t& bytes) {
  if (image.dtype != kBytesDtype) {
    return Status(Code::kUnsupported, "the image is an array already")
        .At({.key = key});
  }
  const PixelSize size{entry.facts.width, entry.facts.height};
  if (size.width == 0) return Status();  // it will not decode either
  if (pixel_size_ != PixelSize() && size != pixel_size_) {
    return Status(Code::kUnsupported,
                  "is " + ToText(size) + ", those before are " +
                      ToText(pixel_size_) + "; arrays are of one size")
        .At({.key = key});
  }
  pixel_size_ = size;
  image.dtype = kPixelDtype;
  image.shape = PixelShape(*pixels_, size);
  for (const Extent& extent : image.extents) bytes -= extent.length;
  bytes += image.shape[0] * size.width * size.height;
  return Status();
}

Status ImagePlan::AddArray(const std::string& key, IndexField& image) {
  if (!spec_.names_layout && HasTwoLayouts(image.shape)) {
    return Status(Code::kInvalidArgument,
                  "the image is " + DescribeType(image.dtype, image.shape) +
                      ", of which the first axis and the last can be the "
                      "channels; " +
                      std::string(kLayoutHelp))
        .At({.key = key});
  }
  SHARDINE_RETURN_IF_ERROR(CheckEncodable({.name = kImageField,
                                           .dtype = image.dtype,
                                           .shape = image.shape,
                                           .bytes = {}},
                                          spec_.encode->layout)
                               .At({.key = key}));
  image.dtype = kBytesDtype;
  image.shape.clear();
  encodes_ = true;
  return Status();
}

RecodeOptions ImagePlan::recode() const {
  return recodes_ ? spec_.recode : RecodeOptions();
}

std::optional<ArrayEncoding> ImagePlan::encode() const {
  return encodes_ ? spec_.encode : std::nullopt;
}

Status ImagePlan::Check(const FormatAndLayout& format) const {
  if (!pixels_ || (!spec_.recode.recode && !spec_.encode)) return {};
  return Status(Code::kInvalidArgument,
                "recode, encode: " + format.Name() +
                    " holds arrays of pixels alone, and no encoded images");
}

std::string ImagePlan::Describe() const {
  return (pixels_ ? std::string(" pixels=") + WordOf(*pixels_) : "") +
         DescribeRecode(spec_.recode, spec_.quality) +
         DescribeEncode(spec_.encode, spec_.quality);
}

// Such images are made in another way, whose counts the pipeline tells.
std::string ImagePlan::Record(const Digest128& contents,
                              ManifestVariant& variant) const {
  if (!makes_images()) return {};
  std::string text;
  if (pixels_) text += std::string(" pixels ") + WordOf(*pixels_);
  text += DescribeRecode(recode(), spec_.quality);
  text += DescribeEncode(encode(), spec_.quality);
  variant.parent_digest = contents;
  variant.images += variant.images.empty() ? text.substr(1) : text;
  if (!pixels_) return {};
  return std::string("images are decoded to arrays of pixels (") +
         WordOf(*pixels_) + ", channels x height x width): other content, " +
         "with digests of its own";
}

}  // namespace shardine
