// Batch: the samples of one step of a loader, in memory of its own.
#ifndef SHARDINE_BATCH_H_
#define SHARDINE_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "shardine/mixing.h"
#include "shardine/sample.h"

namespace shardine {

// A part of an image, in pixels of that image before it is resampled: all that
// is resampled. For a CenterCrop with `resize` it is the whole image, whose
// middle, (resized - crop) / 2 pixels from left and top, halves to the even
// number, is cut afterwards.
struct CropBox {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  bool flip = false;           // left and right changed places
  bool vertical_flip = false;  // then above and below

  friend bool operator==(const CropBox&, const CropBox&) = default;
};

struct BatchShape {
  std::uint32_t samples = 0;
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  std::uint32_t channels = 0;
};

// One of LoaderOptions::fields, of all samples of a batch; a field that follows
// the image has one for each view. A bad sample has zeros, or no bytes; with
// LoaderOptions::ragged it is without the field.
struct BatchField {
  std::string_view name;
  std::string_view dtype;  // as in FieldView
  // The shape of one sample; for ragged arrays, of the first with the field.
  std::span<const std::uint64_t> shape = {};
  // The values of arrays, those of one sample after those of another, aligned
  // to 64 bytes.
  std::span<std::byte> values = {};
  // The bytes of each sample, where the field is plain bytes.
  std::span<const std::span<const std::byte>> bytes = {};
  // With LoaderOptions::ragged, of each sample: not 0 if it has the field.
  std::span<const std::uint8_t> present = {};
  // For ragged arrays: sample i has the elements of `values` from offsets[i] to
  // offsets[i + 1], none where it is without the field, in the shape shapes[i].
  // One offset more than samples.
  std::span<const std::uint64_t> offsets = {};
  // LoaderOptions::follow moves the field.
  bool follows = false;
  std::size_t view = 0;  // whose geometry moved it
  std::span<const std::vector<std::uint64_t>> shapes = {};
};

struct BatchBuffers;  // load/batch_buffers.h

// A batch in memory that goes back to the loader when the batch is gone. Valid
// for as long as it lives, whatever becomes of the loader. Move-only.
class Batch {
 public:
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;
  ~Batch();

  std::uint32_t size() const;  // samples; may be 0 with kShort and kDrop
  std::size_t views() const;   // of each sample; 1 without more_views
  // The images of a transform: pixels in the order and type of PixelFormat,
  // without gaps, aligned to 64 bytes. REQUIRES: view < views().
  BatchShape shape(std::size_t view = 0) const;
  std::span<std::byte> pixels(std::size_t view = 0) const;
  std::span<const CropBox> boxes(std::size_t view = 0) const;
  // The bytes of each image: without a transform, or if LoaderOptions::image is
  // of LoaderOptions::fields. None where images are arrays.
  std::span<const std::span<const std::byte>> records() const;
  std::vector<BatchField> fields() const;

  std::span<const std::uint64_t> ids() const;
  // Each sample has labels_per_sample() labels. At a sample of another number
  // the loader fails with kUnsupported.
  std::uint32_t labels_per_sample() const;
  std::span<const Label> labels() const;
  // The mix of each image, also if it is not applied; empty without
  // LoaderOptions::mix. All other values of a sample are its own, its labels
  // and boxes, too.
  std::span<const MixFactor> mix() const;
  // With LoaderOptions::one_hot: size() rows of as many values as classes,
  // mixed where there is mix(); empty without the option.
  std::span<const float> one_hot() const;
  // Positions in the dataset, for Dataset::Key.
  std::span<const std::uint64_t> positions() const;
  // For samples that come several times an epoch: which time this is, a number
  // that no other of them has (shardine/sampling.h); else 0, or of part p of a
  // MixedSampling p * 2^40.
  std::span<const std::uint64_t> repetitions() const;
  // Not 0: the image is gray because it could not be read or decoded.
  std::span<const std::uint8_t> bad() const;
  std::uint32_t padding() const;  // samples at the end that kPad repeats
  std::uint64_t epoch() const;

 private:
  friend class Loader;
  explicit Batch(std::shared_ptr<BatchBuffers> buffers);
  std::shared_ptr<BatchBuffers> buffers_;
};

}  // namespace shardine

#endif  // SHARDINE_BATCH_H_
