#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "binding/bindings.h"
#include "binding/word_value.h"
#include "shardine/loader_words.h"
#include "shardine/transform.h"

namespace shardine::binding {

using namespace nb::literals;

namespace {

using Floats = std::array<float, 3>;
using MeanImage = std::vector<float>;

// The options of a crop, by the names that it has.
template <typename T>
void DefineMember(nb::class_<ImageRecordCrop>& crop, const char* name,
                  T ImageRecordCrop::*member) {
  crop.def_prop_rw(
      name, [member](const ImageRecordCrop& self) { return self.*member; },
      [member](ImageRecordCrop& self, const T& value) {
        self.*member = value;
      });
}

void RegisterCrop(nb::module_& module) {
  nb::class_<ImageRecordCrop> crop(module, "ImageRecordCrop");
  crop.def(
      "__init__",
      [](ImageRecordCrop* self, std::uint32_t width, std::uint32_t height) {
        new (self) ImageRecordCrop();
        self->width = width;
        self->height = height;
      },
      "width"_a, "height"_a);
  DefineMember(crop, "resize", &ImageRecordCrop::resize);
  DefineMember(crop, "shear", &ImageRecordCrop::shear);
  DefineMember(crop, "angle", &ImageRecordCrop::angle);
  DefineMember(crop, "angles", &ImageRecordCrop::angles);
  DefineMember(crop, "scale", &ImageRecordCrop::scale);
  DefineMember(crop, "aspect", &ImageRecordCrop::aspect);
  DefineMember(crop, "side", &ImageRecordCrop::side);
  DefineMember(crop, "pad", &ImageRecordCrop::pad);
  DefineMember(crop, "fill", &ImageRecordCrop::fill);
  DefineMember(crop, "random_place", &ImageRecordCrop::random_place);
  DefineMember(crop, "crop_size", &ImageRecordCrop::crop_size);
  DefineMember(crop, "resized_crop", &ImageRecordCrop::resized_crop);
  DefineMember(crop, "area", &ImageRecordCrop::area);
  crop.def_prop_rw(
      "interpolation",
      [](const ImageRecordCrop& self) { return WordOf(self.interpolation); },
      [](ImageRecordCrop& self, const std::string& word) {
        self.interpolation =
            WordValue<OpenCvInterpolation>("interpolation", word);
      });
}

}  // namespace

void RegisterImageRecord(nb::module_& module) {
  RegisterCrop(module);
  nb::class_<ImageRecordJitter>(module, "ImageRecordJitter")
      .def(nb::init<DrawnRange, DrawnRange, DrawnRange>(), "brightness"_a,
           "contrast"_a, "saturation"_a);
  nb::class_<RandomHls>(module, "RandomHls")
      .def(nb::init<WholeRange, WholeRange, WholeRange>(), "h"_a, "s"_a, "l"_a);
  nb::class_<PcaNoise>(module, "PcaNoise")
      .def(nb::init<double>(), "deviation"_a);
  nb::class_<ImageRecordNormalize>(module, "ImageRecordNormalize")
      .def(
          "__init__",
          [](ImageRecordNormalize* self, Floats mean, Floats std, float scale,
             float max_contrast, float max_illumination,
             std::optional<MeanImage> mean_image) {
            new (self) ImageRecordNormalize{
                mean, std, scale, max_contrast, max_illumination, nullptr};
            if (!mean_image) return;
            self->mean_image =
                std::make_shared<const MeanImage>(std::move(*mean_image));
          },
          "mean"_a, "std"_a, "scale"_a, "max_contrast"_a, "max_illumination"_a,
          "mean_image"_a.none());
}

}  // namespace shardine::binding
