// PythonBatch: a batch as Python holds it. Arrays are views of its memory and
// keep it alive.
#ifndef SHARDINE_BINDING_PYTHON_BATCH_H_
#define SHARDINE_BINDING_PYTHON_BATCH_H_

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "shardine/loader_words.h"

namespace shardine::binding {

enum class ImageLayout : std::uint8_t {
  kChannelsLast,  // NCHW over NHWC memory
  kNhwc,
  kNchw,  // planar
};

enum class RaggedForm : std::uint8_t { kList, kOffsets };

enum class LabelType : std::uint8_t { kInt64, kFloat32, kFloat64 };

// How a loader's batches are shown. Made, copied and freed with the
// interpreter's lock held.
struct BatchView {
  ImageLayout layout = ImageLayout::kChannelsLast;
  PixelType type = PixelType::kUint8;
  LabelType labels = LabelType::kInt64;
  bool raw = false;
  bool has_views = false;          // `images` in a tuple's place are all views
  bool mixes = false;              // batches have mix()
  bool mix_applied = true;         // and their images are mixed
  std::uint32_t classes = 0;       // of one_hot; 0: none
  std::string image{kImageField};  // the field that `images` are of
  RaggedForm ragged = RaggedForm::kList;  // of fields that are ragged
  std::vector<std::string> texts = {};    // fields that are str, ascending
  // A function of a NumPy array, whose result is shown in its place. Or None.
  nanobind::object shown_as = nanobind::none();
};

// Batch::mix(), one array for each of its members.
struct MixView {
  std::vector<float> weights;
  std::vector<std::int64_t> partners;
  std::vector<std::int32_t> boxes;  // x, y, width, height of each
  std::vector<std::byte> labels;    // of the partners, of the view's type
};

struct PythonBatch {
  // kUnsupported: an id beyond int64, a label that is not of the type, or a
  // text that is not UTF-8.
  static Result<std::unique_ptr<PythonBatch>> Make(
      Batch batch, std::shared_ptr<const Dataset> dataset,
      const BatchView& view);

  Batch batch;
  std::shared_ptr<const Dataset> dataset;
  BatchView view;
  std::vector<std::byte> labels;  // of the view's type
  // x, y, width, height and flip of each sample, for each view.
  std::vector<std::vector<std::int32_t>> boxes;
  MixView mix;
};

}  // namespace shardine::binding

namespace shardine {

template <>
struct EnumWords<binding::ImageLayout> {
  using Layout = binding::ImageLayout;
  static constexpr EnumWord<Layout> kWords[] = {
      {Layout::kChannelsLast, "channels_last"},
      {Layout::kNhwc, WordOf(PixelLayout::kNhwc)},
      {Layout::kNchw, WordOf(PixelLayout::kNchw)}};
};

template <>
struct EnumWords<binding::RaggedForm> {
  using Form = binding::RaggedForm;
  static constexpr EnumWord<Form> kWords[] = {{Form::kList, "list"},
                                              {Form::kOffsets, "offsets"}};
};

template <>
struct EnumWords<binding::LabelType> {
  using Type = binding::LabelType;
  static constexpr EnumWord<Type> kWords[] = {{Type::kInt64, "int64"},
                                              {Type::kFloat32, "float32"},
                                              {Type::kFloat64, "float64"}};
};

}  // namespace shardine

#endif  // SHARDINE_BINDING_PYTHON_BATCH_H_
